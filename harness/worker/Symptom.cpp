#include "harness/worker/Symptom.h"

#include "harness/worker/Job.h"

#include <regex>

namespace touchstone::harness {

std::string symptomText(const std::string& symptom) {
  static const std::regex kPlace("\\b(output|arg|watched|leaf) [0-9]+");
  return std::regex_replace(symptom, kPlace, "$1");
}

std::string Symptom::line() const {
  std::string text = backend + " " + this->text;
  if (!baseOutcome.empty()) {
    text += " base " + baseOutcome;
  }
  return text;
}

Symptom symptomOf(const BackendResult& result) {
  return {result.backend, symptomText(result.symptom), result.origin,
          result.baseOutcome.substr(0, result.baseOutcome.find('/'))};
}

} // namespace touchstone::harness
