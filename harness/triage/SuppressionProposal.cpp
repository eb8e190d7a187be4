#include "harness/triage/SuppressionProposal.h"

#include "harness/triage/PatternRefinement.h"
#include "program/analysis/OperatorNames.h"
#include "program/analysis/ProgramSignature.h"

#include <algorithm>
#include <set>
#include <utility>

namespace touchstone::triage {

namespace {

using suppressions::Pattern;

/// The neighbours that a pattern is held against.
struct Evidence {
  std::vector<const JudgedNeighbour*> behaving, failing;

  explicit Evidence(const Neighbourhood& neighbourhood) {
    for (const JudgedNeighbour& each : neighbourhood.judged) {
      if (!each.behaves) {
        failing.push_back(&each);
      } else if (!suppressions::matches(neighbourhood.tightest, each.program)) {
        behaving.push_back(&each);
      }
    }
  }
  bool isTooLoose(const Pattern& pattern) const {
    return std::any_of(behaving.begin(), behaving.end(),
                       [&](const JudgedNeighbour* each) { return suppressions::matches(pattern, each->program); });
  }
  auto failingOf(const Pattern& pattern) const {
    return std::count_if(failing.begin(), failing.end(),
                         [&](const JudgedNeighbour* each) { return suppressions::matches(pattern, each->program); });
  }
};

/// Takes the looser pattern where that matches more that fail, and nothing that behaves.
bool loosen(Pattern& pattern, Pattern looser, const Evidence& evidence) {
  const bool isBetter = evidence.failingOf(looser) > evidence.failingOf(pattern) && !evidence.isTooLoose(looser);
  if (isBetter) {
    pattern = std::move(looser);
  }
  return isBetter;
}

/// What failing neighbours show to be of no matter: a step, how an operand hangs on another, which operator it is.
void generalize(Pattern& pattern, const Evidence& evidence) {
  for (size_t number = pattern.steps.size(); number-- > 0;) {
    if (pattern.steps.size() > 1) {
      loosen(pattern, withoutStep(pattern, number), evidence);
    }
  }
  std::set<std::string> names; // of operators in what fails
  for (const JudgedNeighbour* each : evidence.failing) {
    for (const analysis::FlatOperation& operation : each->program.operations) {
      names.insert(operation.name);
    }
  }
  for (size_t number = 0; number < pattern.steps.size(); ++number) {
    for (size_t i = 0; i < pattern.steps[number].operands.size(); ++i) {
      Pattern looser = pattern;
      suppressions::Place& place = looser.steps[number].operands[i];
      place = {.keyword = place.keyword, .text = place.text};
      loosen(pattern, std::move(looser), evidence);
    }
    for (const std::string& name : names) {
      Pattern looser = pattern;
      looser.steps[number].operators.push_back(name);
      loosen(pattern, std::move(looser), evidence);
    }
    // Whatever is done in place, or element by element, where each that was tried fails.
    constexpr size_t kEnough = 3;
    const auto tryAll = [&](const std::string& all, bool (*belongs)(const std::string& name)) {
      const std::vector<std::string>& operators = pattern.steps[number].operators;
      Pattern looser = pattern;
      looser.steps[number].operators = {all};
      if (operators.size() >= kEnough && std::all_of(operators.begin(), operators.end(), belongs) &&
          !evidence.isTooLoose(looser)) {
        pattern = std::move(looser);
      }
    };
    tryAll("*_", [](const std::string& name) { return name.back() == '_'; });
    tryAll(std::string(analysis::kElementwise), analysis::isElementwise);
  }
}

} // namespace

Neighbourhood exploreNeighbours(const language::Case& theCase, const NeighbourJudge& judge, size_t most) {
  Neighbourhood result;
  result.theCase = theCase;
  result.program = analysis::flatten(theCase);
  result.tightest = tightestPattern(result.program);
  std::vector<Neighbour> neighbours = neighboursOf(theCase, most);
  std::vector<language::Case> cases;
  for (const Neighbour& each : neighbours) {
    cases.push_back(each.theCase);
  }
  result.tried = cases.size();
  const std::vector<NeighbourOutcome> outcomes = judge(cases);
  const auto operators = [](const language::Case& each) { return analysis::signatureOf(each).operators.size(); };
  const size_t ofCase = operators(theCase);
  for (size_t i = 0; i < neighbours.size(); ++i) {
    if (outcomes[i] != NeighbourOutcome::kNeither) {
      result.smaller += outcomes[i] == NeighbourOutcome::kShows && operators(cases[i]) < ofCase ? 1 : 0;
      analysis::FlatProgram program = analysis::flatten(cases[i]);
      result.judged.push_back({std::move(cases[i]), std::move(neighbours[i].edit), std::move(program),
                               outcomes[i] == NeighbourOutcome::kBehaves});
    }
  }
  return result;
}

PatternCheck checkPattern(const Pattern& pattern, const Neighbourhood& neighbourhood) {
  PatternCheck check;
  check.matchesCase = suppressions::matches(pattern, neighbourhood.program);
  check.tried = neighbourhood.tried;
  check.smaller = neighbourhood.smaller;
  for (const JudgedNeighbour& each : neighbourhood.judged) {
    const bool isMatched = suppressions::matches(pattern, each.program);
    check.behaving += each.behaves ? 1 : 0;
    check.failing += each.behaves ? 0 : 1;
    check.covered += !each.behaves && isMatched ? 1 : 0;
    if (!each.behaves || !isMatched) {
      continue;
    }
    const bool isSeparable = !suppressions::matches(neighbourhood.tightest, each.program);
    const bool isAlike = !isSeparable && suppressions::matches(tightestPattern(each.program), neighbourhood.program);
    (isSeparable ? check.loose : isAlike ? check.alike : check.inseparable).push_back(each);
  }
  return check;
}

SuppressionProposal proposeSuppression(const Neighbourhood& neighbourhood) {
  const Evidence evidence(neighbourhood);
  Pattern pattern =
      withoutRefinements(neighbourhood.tightest, [&](const Pattern& looser) { return !evidence.isTooLoose(looser); });
  generalize(pattern, evidence);
  pattern = withoutIdleNames(std::move(pattern));
  PatternCheck check = checkPattern(pattern, neighbourhood);
  return {std::move(pattern), std::move(check)};
}

SuppressionProposal proposeSuppression(const language::Case& theCase, const NeighbourJudge& judge) {
  return proposeSuppression(exploreNeighbours(theCase, judge));
}

} // namespace touchstone::triage
