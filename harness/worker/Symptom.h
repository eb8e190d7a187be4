#pragma once

#include "program/language/Severity.h"

#include <string>
#include <vector>

namespace touchstone::compare {
struct CaseVerdict;
}

namespace touchstone::worker {

struct BackendResult;

/// The first of the two keys of a finding: what a reducer keeps.
struct Symptom {
  std::string backend;
  std::string text; // oracle, role of the tensor, exception class; without numbers, which reducing changes
  std::string origin;
  std::string baseOutcome; // the outcome's name only: calls are renumbered by reducing
  auto operator<=>(const Symptom&) const = default;
  /// `Differs` of `Differs/values/output`: how it fails, an outcome.
  std::string way() const { return text.substr(0, text.find('/')); }
  std::string line() const; // in one line, with backend and base: for lists and files
};
Symptom symptomOf(const BackendResult& result);
/// Its class, by the outcome and the property that its text begins with.
language::Severity severityOf(const Symptom& symptom);
/// Symptom::text of what CaseVerdict::symptom() says.
std::string symptomText(const std::string& symptom);

/// What each call shows without its place, by outcome and property or exception class: `Differs/strides`,
/// `BackendRejected/TypeError`. Each once; the kind that decided is the first. Nothing for what is no finding.
std::vector<std::string> symptomKindsOf(const compare::CaseVerdict& verdict);
/// The first call that shows each of these.
std::vector<int> firstCallsOf(const std::vector<std::string>& kinds, const compare::CaseVerdict& verdict);

} // namespace touchstone::worker
