#include "harness/triage/MaskProposal.h"

#include "harness/reducer/CaseSize.h"
#include "harness/triage/Tightenings.h"
#include "program/analysis/OperatorNames.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace touchstone::triage {

namespace {

/// The neighbours that a mask is held against.
struct Evidence {
  std::vector<const JudgedNeighbour*> behaving, failing;

  static size_t count(const std::vector<const JudgedNeighbour*>& neighbours, const suppressions::Mask& mask) {
    return static_cast<size_t>(std::count_if(neighbours.begin(), neighbours.end(), [&](const JudgedNeighbour* each) {
      return suppressions::matches(mask, each->program);
    }));
  }
  size_t behavingOf(const suppressions::Mask& mask) const { return count(behaving, mask); }
  size_t failingOf(const suppressions::Mask& mask) const { return count(failing, mask); }
};

Evidence evidenceIn(const Neighbourhood& neighbourhood) {
  Evidence evidence;
  for (const JudgedNeighbour& each : neighbourhood.judged) {
    if (!each.behaves) {
      evidence.failing.push_back(&each);
    } else if (!suppressions::matches(neighbourhood.tightest, each.program)) {
      evidence.behaving.push_back(&each);
    }
  }
  return evidence;
}

/// Adds what rules out the most neighbours that behave, and among that what keeps the most that fail, until none is left.
suppressions::Mask tightened(suppressions::Mask mask, const Neighbourhood& neighbourhood, const Evidence& evidence) {
  const std::vector<Tightening> tightenings = tighteningsOf(neighbourhood.program);
  size_t behaving = evidence.behavingOf(mask);
  while (behaving > 0) {
    std::optional<suppressions::Mask> best;
    size_t bestBehaving = behaving, bestFailing = 0;
    for (const Tightening& each : tightenings) {
      suppressions::Mask tighter = mask;
      each(tighter);
      const size_t nowBehaving = evidence.behavingOf(tighter);
      if (tighter == mask || nowBehaving > bestBehaving || nowBehaving == behaving ||
          !suppressions::matches(tighter, neighbourhood.program)) {
        continue;
      }
      const size_t nowFailing = evidence.failingOf(tighter);
      if (nowBehaving < bestBehaving || !best || nowFailing > bestFailing) {
        best = std::move(tighter);
        bestBehaving = nowBehaving;
        bestFailing = nowFailing;
      }
    }
    if (!best) { // it takes two at once
      best = neighbourhood.tightest;
      bestBehaving = 0;
    }
    mask = std::move(*best);
    behaving = bestBehaving;
  }
  return mask;
}

/// Takes away conditions, regions and keywords that rule out nothing that behaves.
void dropIdle(suppressions::Mask& mask, const Evidence& evidence) {
  const auto tryWith = [&](suppressions::Mask looser) {
    if (looser != mask && evidence.behavingOf(looser) == 0) {
      mask = std::move(looser);
    }
  };
  for (size_t i = mask.conditions.size(); i-- > 0;) {
    suppressions::Mask looser = mask;
    looser.conditions.erase(looser.conditions.begin() + static_cast<std::ptrdiff_t>(i));
    tryWith(std::move(looser));
  }
  for (size_t number = 0; number < mask.steps.size(); ++number) {
    suppressions::Mask looser = mask;
    looser.steps[number].region.clear();
    tryWith(std::move(looser));
    for (size_t i = mask.steps[number].operands.size(); i-- > 0;) {
      looser = mask;
      std::vector<suppressions::MaskOperand>& operands = looser.steps[number].operands;
      if (!operands[i].keyword.empty()) {
        operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(i));
      } else if (operands[i].kind == suppressions::MaskOperand::Kind::kText) {
        operands[i] = suppressions::MaskOperand{};
      }
      tryWith(std::move(looser));
    }
  }
}

/// Conditions that name a value which no step names any more are gone with the step.
suppressions::Mask withoutStep(const suppressions::Mask& mask, size_t number) {
  suppressions::Mask looser = mask;
  looser.steps.erase(looser.steps.begin() + static_cast<std::ptrdiff_t>(number));
  std::set<std::string> names;
  for (const suppressions::MaskStep& step : looser.steps) {
    names.insert(step.results.begin(), step.results.end());
    for (const suppressions::MaskOperand& operand : step.operands) {
      names.insert(operand.text);
    }
  }
  std::erase_if(looser.conditions, [&](const suppressions::MaskCondition& each) {
    const bool namesGone =
        each.subject.kind == suppressions::MaskOperand::Kind::kValue && !names.contains(each.subject.text);
    return namesGone || (each.kind == suppressions::MaskCondition::Kind::kSharesMemory && !names.contains(each.text));
  });
  return looser;
}

/// Takes the looser mask where that matches more that fail, and nothing that behaves.
bool loosen(suppressions::Mask& mask, suppressions::Mask looser, const Evidence& evidence) {
  const bool isBetter = evidence.behavingOf(looser) == 0 && evidence.failingOf(looser) > evidence.failingOf(mask);
  if (isBetter) {
    mask = std::move(looser);
  }
  return isBetter;
}

/// What failing neighbours show to be of no matter: a step, how an operand hangs on another, which operator it is.
void generalize(suppressions::Mask& mask, const Evidence& evidence) {
  for (size_t number = mask.steps.size(); number-- > 0;) {
    if (mask.steps.size() > 1) {
      loosen(mask, withoutStep(mask, number), evidence);
    }
  }
  for (size_t number = 0; number < mask.steps.size(); ++number) {
    for (size_t i = 0; i < mask.steps[number].operands.size(); ++i) {
      suppressions::Mask looser = mask;
      suppressions::MaskOperand& place = looser.steps[number].operands[i];
      if (place.kind == suppressions::MaskOperand::Kind::kValue) {
        place = suppressions::MaskOperand{suppressions::MaskOperand::Kind::kAnything, suppressions::Connection::kSame,
                                          "", place.keyword};
        loosen(mask, std::move(looser), evidence);
      }
    }
  }
  std::set<std::string> names; // of operators in what fails
  for (const JudgedNeighbour* each : evidence.failing) {
    for (const analysis::FlatOperation& operation : each->program.operations) {
      names.insert(operation.name);
    }
  }
  for (suppressions::MaskStep& step : mask.steps) {
    for (const std::string& name : names) {
      std::vector<std::string>& operators = step.operators;
      if (std::find(operators.begin(), operators.end(), name) == operators.end()) {
        const suppressions::Mask before = mask;
        operators.push_back(name);
        if (evidence.behavingOf(mask) > 0 || evidence.failingOf(mask) == evidence.failingOf(before)) {
          operators.pop_back();
        }
      }
    }
    // Whatever is done in place, or element by element, where each that was tried fails.
    constexpr size_t kEnough = 3;
    const auto tryAll = [&](const std::string& pattern, bool (*belongs)(const std::string& name)) {
      if (step.operators.size() >= kEnough && std::all_of(step.operators.begin(), step.operators.end(), belongs)) {
        const std::vector<std::string> listed = std::exchange(step.operators, {pattern});
        if (evidence.behavingOf(mask) > 0) {
          step.operators = listed;
        }
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
  result.tightest = tightestMask(result.program);
  std::vector<Neighbour> neighbours = neighboursOf(theCase, most);
  std::vector<language::Case> cases;
  for (const Neighbour& each : neighbours) {
    cases.push_back(each.theCase);
  }
  result.tried = cases.size();
  const std::vector<NeighbourOutcome> outcomes = judge(cases);
  for (size_t i = 0; i < neighbours.size(); ++i) {
    if (outcomes[i] != NeighbourOutcome::kNeither) {
      const bool isSmaller = reducer::sizeOf(cases[i]).operators < reducer::sizeOf(theCase).operators;
      result.smaller += outcomes[i] == NeighbourOutcome::kShows && isSmaller ? 1 : 0;
      analysis::FlatProgram program = analysis::flatten(cases[i]);
      result.judged.push_back({std::move(cases[i]), std::move(neighbours[i].edit), std::move(program),
                               outcomes[i] == NeighbourOutcome::kBehaves});
    }
  }
  return result;
}

MaskCheck checkMask(const suppressions::Mask& mask, const Neighbourhood& neighbourhood) {
  MaskCheck check;
  check.matchesCase = suppressions::matches(mask, neighbourhood.program);
  check.tried = neighbourhood.tried;
  check.smaller = neighbourhood.smaller;
  for (const JudgedNeighbour& each : neighbourhood.judged) {
    const bool isMatched = suppressions::matches(mask, each.program);
    check.behaving += each.behaves ? 1 : 0;
    check.failing += each.behaves ? 0 : 1;
    check.covered += !each.behaves && isMatched ? 1 : 0;
    if (!each.behaves || !isMatched) {
      continue;
    }
    const bool isSeparable = !suppressions::matches(neighbourhood.tightest, each.program);
    const bool isAlike = !isSeparable && suppressions::matches(tightestMask(each.program), neighbourhood.program);
    (isSeparable ? check.loose : isAlike ? check.alike : check.inseparable).push_back(each);
  }
  return check;
}

MaskProposal proposeMask(const Neighbourhood& neighbourhood) {
  const Evidence evidence = evidenceIn(neighbourhood);
  suppressions::Mask mask = tightened(loosestMask(neighbourhood.program), neighbourhood, evidence);
  dropIdle(mask, evidence);
  generalize(mask, evidence);
  mask = withoutIdleNames(std::move(mask));
  MaskCheck check = checkMask(mask, neighbourhood);
  return {std::move(mask), std::move(check)};
}

MaskProposal proposeMask(const language::Case& theCase, const NeighbourJudge& judge) {
  return proposeMask(exploreNeighbours(theCase, judge));
}

} // namespace touchstone::triage
