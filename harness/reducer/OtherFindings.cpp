#include "harness/reducer/OtherFindings.h"

#include "harness/worker/Symptom.h"

#include <algorithm>

namespace touchstone::harness {

namespace {

constexpr size_t kMostOthers = 8;

} // namespace

void OtherFindings::add(const graph::Case& candidate, const BackendResult& result) {
  const std::string symptom = symptomOf(result).text;
  const bool known = std::any_of(all_.begin(), all_.end(),
                                 [&](const OtherFinding& other) { return symptomOf(other.result).text == symptom; });
  if (!known && all_.size() < kMostOthers) {
    all_.push_back({candidate, result});
  }
}

} // namespace touchstone::harness
