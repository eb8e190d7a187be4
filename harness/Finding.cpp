#include "harness/Finding.h"

namespace touchstone::harness {

std::string Symptom::line() const {
  std::string text = backend + " " + this->text;
  if (!baseOutcome.empty()) {
    text += " base " + baseOutcome;
  }
  return text;
}

Symptom symptomOf(const BackendResult& result) {
  return {result.backend, result.symptom, result.origin, result.baseOutcome.substr(0, result.baseOutcome.find('/'))};
}

} // namespace touchstone::harness
