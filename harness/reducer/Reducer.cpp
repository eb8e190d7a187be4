#include "harness/reducer/Reducer.h"

#include "graph/program/CasePrinter.h"
#include "harness/Interrupt.h"
#include "harness/reducer/ReductionPasses.h"
#include "harness/worker/Progress.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace touchstone::harness {

namespace {

// What two Cases are compared by: the text, and then the digits in it, so that `5` becoming `2` is progress.
struct Size {
  size_t characters = 0;
  size_t digits = 0;
  auto operator<=>(const Size&) const = default;
};

std::string shownText(const graph::Case& theCase) {
  std::string text = graph::printDefinitions(theCase);
  for (const graph::CallSpec& call : theCase.calls) {
    text += graph::printCall(call) + "\n";
  }
  for (const auto& [key, value] : theCase.compile.options) {
    text += key + graph::printExpression(*value) + "\n";
  }
  return text;
}

Size sizeOf(const std::string& text) {
  Size size{text.size(), 0};
  for (const char character : text) {
    size.digits += character >= '0' && character <= '9' ? static_cast<size_t>(character - '0') : 0;
  }
  return size;
}

constexpr size_t kFirstGroup = 3;

class Reduction {
 public:
  Reduction(graph::Case start, GuiltyPlace place, const CandidateJudge& judge, const ReducerOptions& options)
      : best_(std::move(start)),
        place_(std::move(place)),
        judge_(judge),
        options_(options),
        deadline_(wallSeconds() + options.seconds) {
    size_ = sizeOf(shownText(best_));
  }

  graph::Case run() {
    try {
      runPasses();
      cleans_ = false; // what is dead may be what it takes
      runPasses();
    } catch (const Interrupted&) { // the best so far is what the caller wants now
    }
    return best_;
  }

 private:
  bool isLate() const { return wallSeconds() > deadline_; }

  void runPasses() {
    for (bool progress = true; progress && !isLate();) {
      progress = false;
      for (const ReductionPass& pass : reductionPasses()) {
        size_t place = 0; // where the last success was: going on from there keeps the size of the steps
        while (!isLate() && tryPass(pass, place)) {
          progress = true;
        }
      }
    }
  }

  // Takes the first candidate that keeps what is being reduced.
  bool tryPass(const ReductionPass& pass, size_t& place) {
    std::vector<graph::Case> candidates = pass.candidates(best_, place_);
    std::vector<graph::Case> group;
    std::vector<size_t> places;
    // A question costs a process, and a worker stops at the first candidate that shows the symptom: few at first, because
    // after a success the next is likely, and what other workers judge then is wasted.
    size_t groupSize = std::min(kFirstGroup, options_.candidatesAtOnce);
    const auto judgeGroup = [&] {
      const std::optional<size_t> taken = takeFirst(group);
      if (options_.onJudged) {
        options_.onJudged(pass.name, group.size(), taken.has_value());
      }
      place = taken.has_value() ? places[*taken] : place;
      group.clear();
      places.clear();
      groupSize = std::min(2 * groupSize, options_.candidatesAtOnce);
      return taken.has_value();
    };
    for (size_t i = 0; i < candidates.size() && !isLate(); ++i) {
      const size_t position = (std::min(place, candidates.size() - 1) + i) % candidates.size();
      if (cleans_) {
        candidates[position] = withoutDeadParts(candidates[position]);
      }
      std::string text = shownText(candidates[position]);
      if (sizeOf(text) >= size_ || !tried_.insert(std::move(text)).second) {
        continue;
      }
      group.push_back(std::move(candidates[position]));
      places.push_back(position);
      if (group.size() >= groupSize && judgeGroup()) {
        return true;
      }
    }
    return !group.empty() && !isLate() && judgeGroup();
  }

  // The position in the group of what is the best now.
  std::optional<size_t> takeFirst(const std::vector<graph::Case>& group) {
    const std::optional<Sighting> sighting = judge_(group);
    if (!sighting.has_value()) {
      return std::nullopt;
    }
    for (size_t later = sighting->candidate + 1; later < group.size(); ++later) {
      tried_.erase(shownText(group[later])); // as if they had not been judged
    }
    best_ = group[sighting->candidate];
    place_ = sighting->place;
    size_ = sizeOf(shownText(best_));
    if (options_.onBetter) {
      options_.onBetter(best_);
    }
    return sighting->candidate;
  }

  graph::Case best_;
  GuiltyPlace place_; // in `best_`
  Size size_;
  bool cleans_ = true; // a candidate is judged without what is dead in it
  const CandidateJudge& judge_;
  const ReducerOptions& options_;
  const double deadline_;
  std::set<std::string> tried_;
};

/// What is compiled for one is used again for the other.
bool differInValuesAlone(graph::CallSpec left, const graph::CallSpec& right) {
  const bool sameSeed = left.seed == right.seed;
  left.seed = right.seed;
  left.tangentSeed = right.tangentSeed;
  left.rngSeed = right.rngSeed;
  return left == right && !sameSeed && left.inputs.has_value() && !left.reset;
}

} // namespace

std::span<const ReductionPass> reductionPasses() {
  const auto anywhere = [](std::vector<graph::Case> (*candidates)(const graph::Case&)) {
    return [candidates](const graph::Case& theCase, const GuiltyPlace&) { return candidates(theCase); };
  };
  static const std::array kPasses{
      ReductionPass{"keep fewer calls", keepFewerCalls},
      ReductionPass{"keep what is guilty", keepWhatIsGuilty},
      ReductionPass{"drop statements", anywhere(dropStatements)},
      ReductionPass{"drop outputs", anywhere(dropOutputs)},
      ReductionPass{"forward statements", anywhere(forwardStatements)},
      ReductionPass{"unwrap blocks", anywhere(unwrapBlocks)},
      ReductionPass{"drop parameters", anywhere(dropParameters)},
      ReductionPass{"drop watched tensors", anywhere(dropWatched)},
      ReductionPass{"drop functions", anywhere(dropFunctions)},
      ReductionPass{"simplify calls", anywhere(simplifyCalls)},
      ReductionPass{"replace an expression by its operand", anywhere(replaceByOperand)},
      ReductionPass{"shrink numbers", anywhere(shrinkNumbers)},
  };
  return kPasses;
}

graph::Case reduceCase(graph::Case start, const GuiltyPlace& place, const CandidateJudge& judge,
                       const ReducerOptions& options) {
  return Reduction(std::move(start), place, judge, options).run();
}

graph::Case withSecondCall(const graph::Case& reduced, const CandidateJudge& judge) {
  const std::vector<graph::CallSpec>& calls = reduced.calls;
  const auto comesAgain = [&](const graph::CallSpec& call) {
    return std::any_of(calls.begin(), calls.end(), [&](const auto& each) { return differInValuesAlone(call, each); });
  };
  if (calls.size() >= graph::kMaximumCalls || std::any_of(calls.begin(), calls.end(), comesAgain)) {
    return reduced;
  }
  int64_t seed = 0;
  for (const graph::CallSpec& call : calls) {
    seed = std::max(seed, call.seed + 1);
  }
  std::vector<graph::Case> candidates;
  for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
    if (call->inputs.has_value()) { // else it has the objects of the call before, and their values
      graph::CallSpec& again = candidates.emplace_back(reduced).calls.emplace_back(*call);
      again.seed = seed;
      again.reset = false;
      again.backwardAfter.reset();
    }
  }
  try {
    const std::optional<Sighting> sighting = judge(candidates);
    return sighting.has_value() ? candidates[sighting->candidate] : reduced;
  } catch (const Interrupted&) {
    return reduced;
  }
}

} // namespace touchstone::harness
