#include "harness/Reducer.h"

#include "graph/program/CasePrinter.h"
#include "harness/Interrupt.h"
#include "harness/ReductionPasses.h"
#include "harness/worker/Progress.h"

#include <array>
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

class Reduction {
 public:
  Reduction(graph::Case start, const CandidateJudge& judge, const ReducerOptions& options)
      : best_(std::move(start)), judge_(judge), options_(options), deadline_(wallSeconds() + options.seconds) {
    size_ = sizeOf(shownText(best_));
  }

  graph::Case run() {
    try {
      for (bool progress = true; progress && !isLate();) {
        progress = false;
        for (const ReductionPass& pass : reductionPasses()) {
          while (!isLate() && tryPass(pass)) {
            progress = true;
          }
        }
      }
    } catch (const Interrupted&) { // the best so far is what the caller wants now
    }
    return best_;
  }

 private:
  bool isLate() const { return wallSeconds() > deadline_; }

  // Takes the first candidate that keeps what is being reduced.
  bool tryPass(const ReductionPass& pass) {
    std::vector<graph::Case> group;
    for (graph::Case& candidate : pass.candidates(best_)) {
      std::string text = shownText(candidate);
      if (sizeOf(text) >= size_ || !tried_.insert(std::move(text)).second) {
        continue;
      }
      group.push_back(std::move(candidate));
      if (group.size() == options_.candidatesAtOnce) {
        if (takeFirst(group)) {
          return true;
        }
        if (isLate()) {
          return false;
        }
        group.clear();
      }
    }
    return !group.empty() && takeFirst(group);
  }

  bool takeFirst(std::vector<graph::Case>& group) {
    const std::vector<bool> kept = judge_(group);
    for (size_t i = 0; i < group.size(); ++i) {
      if (!kept.at(i)) {
        continue;
      }
      // Those behind it in the group were judged, but not from here: they may be tried again.
      for (size_t later = i + 1; later < group.size(); ++later) {
        if (kept.at(later)) {
          tried_.erase(shownText(group[later]));
        }
      }
      best_ = std::move(group[i]);
      size_ = sizeOf(shownText(best_));
      if (options_.onBetter) {
        options_.onBetter(best_);
      }
      return true;
    }
    return false;
  }

  graph::Case best_;
  Size size_;
  const CandidateJudge& judge_;
  const ReducerOptions& options_;
  const double deadline_;
  std::set<std::string> tried_;
};

} // namespace

std::span<const ReductionPass> reductionPasses() {
  static const std::array kPasses{
      ReductionPass{"keep fewer calls", keepFewerCalls},
      ReductionPass{"drop statements", dropStatements},
      ReductionPass{"drop outputs", dropOutputs},
      ReductionPass{"unwrap blocks", unwrapBlocks},
      ReductionPass{"drop parameters", dropParameters},
      ReductionPass{"drop watched tensors", dropWatched},
      ReductionPass{"drop functions", dropFunctions},
      ReductionPass{"simplify calls", simplifyCalls},
      ReductionPass{"replace an expression by its operand", replaceByOperand},
      ReductionPass{"shrink numbers", shrinkNumbers},
  };
  return kPasses;
}

graph::Case reduceCase(graph::Case start, const CandidateJudge& judge, const ReducerOptions& options) {
  return Reduction(std::move(start), judge, options).run();
}

} // namespace touchstone::harness
