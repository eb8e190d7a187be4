#include "harness/report/Expectations.h"

#include <algorithm>
#include <iterator>

namespace touchstone::harness {

namespace {

std::string withoutBackend(const graph::Expectation& expectation) {
  const std::string text = expectation.text();
  return text.substr(expectation.backend.size() + 1);
}

std::string outcomeText(const BackendResult& result) {
  const std::string name(graph::outcomeName(result.outcome));
  return result.outcome == graph::Outcome::kUpstream ? name + "/" + result.detail : name;
}

} // namespace

std::vector<graph::Expectation> expectationsFor(const graph::Case& theCase, const std::string& backend) {
  std::vector<graph::Expectation> result;
  std::copy_if(theCase.expectations.begin(), theCase.expectations.end(), std::back_inserter(result),
               [&](const graph::Expectation& each) { return each.backend == backend; });
  if (result.empty()) {
    graph::Expectation agreed;
    agreed.backend = backend;
    result.push_back(agreed);
  }
  return result;
}

bool isMet(const graph::Expectation& expectation, const BackendResult& result) {
  const std::string expected = withoutBackend(expectation);
  for (const std::string& text : {result.text, outcomeText(result)}) {
    const bool begins = text.compare(0, expected.size(), expected) == 0;
    if (begins && (text.size() == expected.size() || text[expected.size()] == '/' || text[expected.size()] == ' ')) {
      return true;
    }
  }
  return false;
}

bool isAnyMet(const std::vector<graph::Expectation>& alternatives, const BackendResult& result) {
  return std::any_of(alternatives.begin(), alternatives.end(),
                     [&](const graph::Expectation& each) { return isMet(each, result); });
}

std::string describeExpectations(const std::vector<graph::Expectation>& alternatives) {
  std::string text;
  for (const graph::Expectation& each : alternatives) {
    text += (text.empty() ? "" : " or ") + withoutBackend(each);
  }
  return text;
}

graph::Expectation expectationOf(const BackendResult& result) {
  return graph::parseExpectation(result.backend + " " + result.text);
}

} // namespace touchstone::harness
