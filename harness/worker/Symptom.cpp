#include "harness/worker/Symptom.h"

#include "base/Words.h"
#include "harness/worker/Job.h"
#include "oracles/compare/Verdict.h"

#include <algorithm>
#include <optional>
#include <regex>
#include <utility>

namespace touchstone::worker {

std::string symptomText(const std::string& symptom) {
  static const std::regex kPlace("\\b(output|arg|watched|leaf) [0-9]+");
  return std::regex_replace(symptom, kPlace, "$1");
}

std::string Symptom::line() const {
  std::string text = backend + " " + this->text;
  if (!baseOutcome.empty()) {
    text += " base " + baseOutcome;
  }
  return base::oneLine(std::move(text));
}

Symptom symptomOf(const BackendResult& result) {
  return {result.backend, symptomText(result.symptom), result.origin,
          result.baseOutcome.substr(0, result.baseOutcome.find('/'))};
}

language::Severity severityOf(const Symptom& symptom) {
  const std::string way = symptom.way();
  const std::string rest = symptom.text.substr(std::min(way.size() + 1, symptom.text.size()));
  const std::optional<language::Outcome> outcome = language::outcomeFromName(way);
  return outcome.has_value()
             ? language::severityOf(*outcome, language::propertyFromName(rest.substr(0, rest.find('/'))))
             : language::Severity::kNoFinding;
}

static std::vector<std::string> kindsOfCall(const compare::CallVerdict& call) {
  using language::Outcome;
  std::vector<std::string> kinds;
  if (call.outcome == Outcome::kDiffers ||
      call.outcome == Outcome::kReadsUninitialized) { // told apart by more runs only
    for (const compare::Difference& each : call.differences) {
      kinds.push_back("Differs/" + std::string(language::propertyName(each.property)));
    }
  } else if (language::isFinding(call.outcome)) {
    const bool raises = call.outcome == Outcome::kInternalError || call.outcome == Outcome::kBackendRejected;
    kinds.push_back(std::string(language::outcomeName(call.outcome)) + (raises ? "/" + call.exceptionClass : ""));
  }
  return kinds;
}

std::vector<std::string> symptomKindsOf(const compare::CaseVerdict& verdict) {
  std::vector<std::string> kinds;
  const auto add = [&](const compare::CallVerdict& call) {
    for (std::string& kind : kindsOfCall(call)) {
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
        kinds.push_back(std::move(kind));
      }
    }
  };
  if (language::isFinding(verdict.outcome) && !verdict.calls.empty()) {
    add(verdict.worst());
    std::for_each(verdict.calls.begin(), verdict.calls.end(), add);
  }
  return kinds;
}

std::vector<int> firstCallsOf(const std::vector<std::string>& kinds, const compare::CaseVerdict& verdict) {
  std::vector<int> calls;
  for (const std::string& kind : kinds) {
    const auto first = std::ranges::find_if(verdict.calls, [&](const compare::CallVerdict& call) {
      return std::ranges::count(kindsOfCall(call), kind) > 0;
    });
    calls.push_back(static_cast<int>(first - verdict.calls.begin()));
  }
  return calls;
}

} // namespace touchstone::worker
