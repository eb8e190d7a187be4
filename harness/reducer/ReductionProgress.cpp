#include "harness/reducer/ReductionProgress.h"

#include "base/Words.h"
#include "harness/reducer/ReductionPasses.h"
#include "harness/worker/Progress.h"
#include "program/analysis/ProgramSignature.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>

namespace touchstone::reducer {

namespace {

constexpr double kSecondsBetweenLines = 5; // while nothing becomes smaller

} // namespace

ReductionProgress::ReductionProgress(const language::Case& start)
    : operators_(analysis::signatureOf(start).operators.size()),
      calls_(start.calls.size()),
      begin_(worker::wallSeconds()) {
  lastSaid_ = begin_;
}

void ReductionProgress::attachTo(ReducerOptions& options) {
  options.onBetter = [this](const language::Case& better) {
    const size_t operators = analysis::signatureOf(better).operators.size(), calls = better.calls.size();
    const bool isFewer = operators < operators_ || calls < calls_;
    operators_ = operators;
    calls_ = calls;
    if (isFewer) {
      say();
    }
  };
  options.onJudged = [this](const ReductionPass& pass, size_t candidates, bool taken) {
    candidates_ += candidates;
    counts_[pass.name].tried += candidates;
    counts_[pass.name].taken += taken ? 1 : 0;
    pass_ = pass.name;
    if (worker::wallSeconds() > lastSaid_ + kSecondsBetweenLines) {
      say();
    }
  };
}

double ReductionProgress::seconds() const {
  return worker::wallSeconds() - begin_;
}

void ReductionProgress::say() {
  lastSaid_ = worker::wallSeconds();
  fmt::print(stderr, "{:.0f} s: {}, {}; {} judged{}\n", seconds(), base::counted(operators_, "operator"),
             base::counted(calls_, "call"), base::counted(candidates_, "candidate"),
             pass_.empty() ? "" : "; pass " + pass_);
}

nlohmann::json ReductionProgress::passesJson() const {
  nlohmann::json passes = nlohmann::json::array();
  for (const ReductionPass& pass : reductionPasses()) {
    const auto counts = counts_.find(pass.name);
    if (counts != counts_.end()) {
      passes.push_back({{"name", pass.name}, {"tried", counts->second.tried}, {"taken", counts->second.taken}});
    }
  }
  return passes;
}

} // namespace touchstone::reducer
