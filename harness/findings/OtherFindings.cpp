#include "harness/findings/OtherFindings.h"

#include "harness/worker/Symptom.h"

#include <algorithm>

namespace touchstone::findings {

namespace {

constexpr size_t kMostOthers = 8;

} // namespace

void OtherFindings::add(const language::Case& candidate, const worker::BackendResult& result) {
  const std::string symptom = worker::symptomOf(result).text;
  const bool known = std::any_of(all_.begin(), all_.end(), [&](const OtherFinding& other) {
    return worker::symptomOf(other.result).text == symptom;
  });
  if (!known && all_.size() < kMostOthers) {
    all_.push_back({candidate, result});
  }
}

} // namespace touchstone::findings
