#include "harness/reducer/Neighbours.h"

#include "harness/worker/Symptom.h"

#include <algorithm>

namespace touchstone::harness {

namespace {

constexpr size_t kMostOthers = 8;
constexpr size_t kMostBehaving = 64;

} // namespace

void Neighbours::addOther(const graph::Case& candidate, const BackendResult& result) {
  const std::string symptom = symptomOf(result).text;
  const bool known = std::any_of(others_.begin(), others_.end(),
                                 [&](const Other& other) { return symptomOf(other.result).text == symptom; });
  if (!known && others_.size() < kMostOthers) {
    others_.push_back({candidate, result});
  }
}

void Neighbours::addBehaving(const graph::Case& candidate) {
  behaving_.push_back(candidate);
  if (behaving_.size() > kMostBehaving) {
    behaving_.pop_front();
  }
}

} // namespace touchstone::harness
