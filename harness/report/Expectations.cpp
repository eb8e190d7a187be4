#include "harness/report/Expectations.h"

#include "harness/worker/PreparedBackends.h"
#include "program/language/PythonConstructs.h"

#include <algorithm>
#include <iterator>

namespace touchstone::report {

namespace {

std::string withoutBackend(const language::Expectation& expectation) {
  const std::string text = expectation.text();
  return text.substr(expectation.backend.size() + 1);
}

std::string outcomeText(const worker::BackendResult& result) {
  const std::string name(language::outcomeName(result.outcome));
  return result.outcome == language::Outcome::kUpstream ? name + "/" + result.detail : name;
}

} // namespace

std::vector<language::Expectation> expectationsFor(const language::Case& theCase, const std::string& backend) {
  std::vector<language::Expectation> result;
  std::copy_if(theCase.expectations.begin(), theCase.expectations.end(), std::back_inserter(result),
               [&](const language::Expectation& each) { return each.backend == backend; });
  if (result.empty()) {
    language::Expectation agreed;
    agreed.backend = backend;
    if (!language::needsPython(theCase).empty()) {
      const bool isTorch = backend.starts_with("torch:");
      agreed.outcome = backend == worker::kPythonReference ? language::Outcome::kReference
                       : isTorch                           ? language::Outcome::kAgreed
                                                           : language::Outcome::kUnsupported;
    }
    result.push_back(agreed);
  }
  return result;
}

bool isMet(const language::Expectation& expectation, const worker::BackendResult& result) {
  const std::string expected = withoutBackend(expectation);
  for (const std::string& text : {result.text, outcomeText(result)}) {
    const bool begins = text.compare(0, expected.size(), expected) == 0;
    if (begins && (text.size() == expected.size() || text[expected.size()] == '/' || text[expected.size()] == ' ')) {
      return true;
    }
  }
  return false;
}

bool isAnyMet(const std::vector<language::Expectation>& alternatives, const worker::BackendResult& result) {
  return std::any_of(alternatives.begin(), alternatives.end(),
                     [&](const language::Expectation& each) { return isMet(each, result); });
}

std::string describeExpectations(const std::vector<language::Expectation>& alternatives) {
  std::string text;
  for (const language::Expectation& each : alternatives) {
    text += (text.empty() ? "" : " or ") + withoutBackend(each);
  }
  return text;
}

language::Expectation expectationOf(const worker::BackendResult& result) {
  return language::parseExpectation(result.backend + " " + result.text);
}

} // namespace touchstone::report
