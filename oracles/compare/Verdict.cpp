#include "oracles/compare/Verdict.h"

#include <algorithm>
#include <utility>

namespace touchstone::compare {

namespace {

void appendPart(std::string& text, std::string_view separator, std::string_view part) {
  if (part.empty()) {
    return;
  }
  text += separator;
  text += part;
}

bool isSame(const CallVerdict& verdict, const CallVerdict& base) {
  return verdict.outcome == base.outcome && verdict.property == base.property && verdict.where == base.where &&
         verdict.detail == base.detail && verdict.exceptionClass == base.exceptionClass;
}

void takeOut(CallVerdict& verdict, const CallVerdict& base) {
  if (verdict.differences.empty()) {
    if (isSame(verdict, base)) {
      verdict.setDifferences({});
    }
    return;
  }
  std::vector<Difference> left = verdict.differences;
  std::erase_if(left, [&](const Difference& mine) {
    return std::any_of(base.differences.begin(), base.differences.end(), [&](const Difference& theirs) {
      return theirs.property == mine.property && theirs.where == mine.where;
    });
  });
  if (left.size() < verdict.differences.size()) {
    verdict.setDifferences(std::move(left));
  }
}

} // namespace

void CallVerdict::setDifferences(std::vector<Difference> found) {
  std::stable_sort(found.begin(), found.end(),
                   [](const Difference& left, const Difference& right) { return left.property < right.property; });
  differences = std::move(found);
  outcome = differences.empty() ? language::Outcome::kAgreed : language::Outcome::kDiffers;
  alsoDiffers.clear();
  property.reset();
  where.clear();
  message.clear();
  if (differences.empty()) {
    return;
  }
  property = differences.front().property;
  where = differences.front().where;
  message = differences.front().message;
  for (const Difference& each : differences) {
    if (each.property != property &&
        std::find(alsoDiffers.begin(), alsoDiffers.end(), each.property) == alsoDiffers.end()) {
      alsoDiffers.push_back(each.property);
    }
  }
}

void CaseVerdict::settle() {
  outcome = language::Outcome::kAgreed;
  call = 0;
  for (size_t index = 0; index < calls.size(); ++index) {
    if (calls[index].outcome >= outcome) {
      continue;
    }
    outcome = calls[index].outcome;
    call = static_cast<int>(index);
  }
}

CaseVerdict beyond(const CaseVerdict& verdict, const CaseVerdict& base) {
  CaseVerdict left = verdict;
  for (size_t index = 0; index < std::min(left.calls.size(), base.calls.size()); ++index) {
    takeOut(left.calls[index], base.calls[index]);
  }
  left.settle();
  return left;
}

std::string CaseVerdict::text() const {
  std::string text(language::outcomeName(outcome));
  if (calls.empty()) {
    return text;
  }
  const CallVerdict& verdict = worst();
  switch (outcome) {
    case language::Outcome::kDiffers:
      if (verdict.property) {
        appendPart(text, "/", language::propertyName(*verdict.property));
      }
      text += "/call " + std::to_string(call);
      appendPart(text, " ", verdict.where);
      break;
    case language::Outcome::kBackendRejected:
    case language::Outcome::kInternalError:
    case language::Outcome::kLimit: appendPart(text, "/", verdict.detail); break;
    default: break;
  }
  return text;
}

std::string CaseVerdict::symptom() const {
  std::string text(language::outcomeName(outcome));
  if (calls.empty()) {
    return text;
  }
  const CallVerdict& verdict = worst();
  if (verdict.outcome != outcome) {
    return text; // Vacuous is said of the Case, not of a call
  }
  if (verdict.property) {
    appendPart(text, "/", language::propertyName(*verdict.property));
  }
  appendPart(text, "/", verdict.where);
  if (outcome != language::Outcome::kUnsupported) {
    appendPart(text, "/", verdict.detail);
  }
  appendPart(text, "/", verdict.exceptionClass);
  return text;
}

} // namespace touchstone::compare
