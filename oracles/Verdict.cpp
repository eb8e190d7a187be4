#include "oracles/Verdict.h"

namespace touchstone::oracles {

namespace {

void appendPart(std::string& text, std::string_view separator, std::string_view part) {
  if (part.empty())
    return;
  text += separator;
  text += part;
}

} // namespace

std::string CaseVerdict::text() const {
  std::string text(graph::outcomeName(outcome));
  if (calls.empty())
    return text;
  const CallVerdict& verdict = worst();
  switch (outcome) {
    case graph::Outcome::kDiffers:
      if (verdict.property)
        appendPart(text, "/", graph::propertyName(*verdict.property));
      text += "/call " + std::to_string(call);
      appendPart(text, " ", verdict.where);
      break;
    case graph::Outcome::kBackendRejected:
    case graph::Outcome::kInternalError:
    case graph::Outcome::kLimit: appendPart(text, "/", verdict.detail); break;
    default: break;
  }
  return text;
}

std::string CaseVerdict::symptom() const {
  std::string text(graph::outcomeName(outcome));
  if (calls.empty())
    return text;
  const CallVerdict& verdict = worst();
  if (verdict.outcome != outcome)
    return text; // Vacuous is said of the Case, not of a call
  if (verdict.property)
    appendPart(text, "/", graph::propertyName(*verdict.property));
  appendPart(text, "/", verdict.where);
  if (outcome != graph::Outcome::kUnsupported)
    appendPart(text, "/", verdict.detail);
  appendPart(text, "/", verdict.exceptionClass);
  return text;
}

} // namespace touchstone::oracles
