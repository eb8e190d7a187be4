#include "harness/reducer/Reducer.h"

#include "base/Interrupt.h"
#include "harness/reducer/CaseSize.h"
#include "harness/reducer/ReductionPasses.h"
#include "harness/worker/Progress.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace touchstone::reducer {

namespace {

constexpr size_t kFirstGroup = 3;
constexpr size_t kCallsAgain = 3; // that are tried: a Case that was not reduced has many

class Reducing {
 public:
  Reducing(language::Case start, GuiltyPlace place, const CandidateJudge& judge, const ReducerOptions& options)
      : place_(std::move(place)), judge_(judge), options_(options), deadline_(now() + options.seconds) {
    size_ = sizeOf(start);
    tried_.insert(reducedText(start));
    result_.steps.push_back(std::move(start));
    if (options.passes.empty()) {
      for (const ReductionPass& pass : reductionPasses()) {
        passes_.push_back(&pass);
      }
    } else {
      passes_ = options.passes;
    }
  }

  Reduction run() {
    try {
      const bool cleansFirst = showsWithoutDeadParts();
      for (const bool cleans : {cleansFirst, !cleansFirst}) {
        cleans_ = cleans;
        runPasses();
      }
      result_.isFinished = !isLate();
    } catch (const base::Interrupted&) { // the best so far is what the caller wants now
      result_.isFinished = false;
    }
    return std::move(result_);
  }

 private:
  double now() const { return options_.clock ? options_.clock() : worker::wallSeconds(); }
  bool isLate() const { return now() > deadline_; }

  // What is dead may be what it takes: then no candidate without it would show the symptom.
  bool showsWithoutDeadParts() {
    language::Case clean = withoutDeadParts(result_.best());
    if (isLate() || sizeOf(clean) >= size_ || !tried_.insert(reducedText(clean)).second) {
      return true;
    }
    return judgeGroup(*passes_.front(), {std::move(clean)}).has_value();
  }

  void runPasses() {
    for (bool progress = true; progress && !isLate();) {
      progress = false;
      for (const ReductionPass* pass : passes_) {
        size_t place = 0; // where the last success was: going on from there keeps the size of the steps
        while (!isLate() && tryPass(*pass, place)) {
          progress = true;
        }
      }
    }
  }

  // Takes the first candidate that keeps what is being reduced.
  bool tryPass(const ReductionPass& pass, size_t& place) {
    std::vector<language::Case> candidates = pass.candidates(result_.best(), place_);
    std::vector<language::Case> group;
    std::vector<size_t> places;
    // A question costs a process, and a worker stops at the first candidate that shows the symptom: few at first, because
    // after a success the next is likely, and what other workers judge then is wasted.
    size_t groupSize = std::min(kFirstGroup, options_.candidatesAtOnce);
    const auto judgeNext = [&] {
      const std::optional<size_t> taken = judgeGroup(pass, group);
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
      if (sizeOf(candidates[position]) >= size_ || !tried_.insert(reducedText(candidates[position])).second) {
        continue;
      }
      group.push_back(std::move(candidates[position]));
      places.push_back(position);
      if (group.size() >= std::min(groupSize, candidatesInTime()) && judgeNext()) {
        return true;
      }
    }
    return !group.empty() && !isLate() && judgeNext();
  }

  std::optional<size_t> judgeGroup(const ReductionPass& pass, const std::vector<language::Case>& group) {
    const std::optional<size_t> taken = takeFirst(group);
    if (options_.onJudged) {
      options_.onJudged(pass, group.size(), taken.has_value());
    }
    if (taken.has_value() && options_.onBetter) {
      options_.onBetter(result_.best());
    }
    return taken;
  }

  // How many can be judged before the deadline, by how long the last took; one at least.
  size_t candidatesInTime() const {
    const double left = deadline_ - now();
    return left < secondsEach_ ? 1 : static_cast<size_t>(std::min(left / std::max(secondsEach_, 1e-6), 1e6));
  }

  // The position in the group of what is the best now.
  std::optional<size_t> takeFirst(const std::vector<language::Case>& group) {
    const double start = now();
    const std::optional<Sighting> sighting = judge_(group);
    secondsEach_ = (now() - start) / static_cast<double>(group.size());
    if (!sighting.has_value()) {
      return std::nullopt;
    }
    for (size_t later = sighting->candidate + 1; later < group.size(); ++later) {
      tried_.erase(reducedText(group[later])); // as if they had not been judged
    }
    result_.steps.push_back(group[sighting->candidate]);
    place_ = sighting->place;
    size_ = sizeOf(result_.best());
    return sighting->candidate;
  }

  Reduction result_;
  std::vector<const ReductionPass*> passes_;
  GuiltyPlace place_; // in the best
  CaseSize size_; // of the best
  bool cleans_ = true; // a candidate is judged without what is dead in it
  const CandidateJudge& judge_;
  const ReducerOptions& options_;
  const double deadline_;
  double secondsEach_ = 0; // that the last candidates took
  std::set<std::string> tried_;
};

/// What is compiled for one is used again for the other.
bool differInValuesAlone(language::CallSpec left, const language::CallSpec& right) {
  const bool sameSeed = left.seed == right.seed;
  left.seed = right.seed;
  left.tangentSeed = right.tangentSeed;
  left.rngSeed = right.rngSeed;
  return left == right && !sameSeed && left.inputs.has_value() && !left.reset;
}

} // namespace

Reduction reduceCase(language::Case start, const GuiltyPlace& place, const CandidateJudge& judge,
                     const ReducerOptions& options) {
  return Reducing(std::move(start), place, judge, options).run();
}

language::Case withSecondCall(const language::Case& reduced, const CandidateJudge& judge) {
  const std::vector<language::CallSpec>& calls = reduced.calls;
  const auto comesAgain = [&](const language::CallSpec& call) {
    return std::any_of(calls.begin(), calls.end(), [&](const auto& each) { return differInValuesAlone(call, each); });
  };
  if (calls.size() >= language::kMaximumCalls || std::any_of(calls.begin(), calls.end(), comesAgain)) {
    return reduced;
  }
  int64_t seed = 0;
  for (const language::CallSpec& call : calls) {
    seed = std::max(seed, call.seed + 1);
  }
  std::vector<language::Case> candidates;
  for (auto call = calls.rbegin(); call != calls.rend() && candidates.size() < kCallsAgain; ++call) {
    if (call->inputs.has_value()) { // else it has the objects of the call before, and their values
      language::CallSpec& again = candidates.emplace_back(reduced).calls.emplace_back(*call);
      again.seed = seed;
      again.reset = false;
      again.backwardAfter.clear();
      again.feed.clear();
    }
  }
  try {
    const std::optional<Sighting> sighting = judge(candidates);
    return sighting.has_value() ? candidates[sighting->candidate] : reduced;
  } catch (const base::Interrupted&) {
    return reduced;
  }
}

} // namespace touchstone::reducer
