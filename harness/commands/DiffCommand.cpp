#include "harness/commands/DiffCommand.h"

#include "base/AtomicFile.h"
#include "base/Interrupt.h"
#include "generators/decoder/Decoder.h"
#include "harness/diff/CasePairs.h"
#include "harness/diff/ChangeCollector.h"
#include "harness/report/ProgressDisplay.h"
#include "harness/report/Report.h"
#include "harness/worker/Progress.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <random>

namespace touchstone::commands {

namespace {

constexpr int64_t kShownErrors = 10;

/// The loop: pairs in their order; what changed is confirmed, reduced and put into clusters before the next is looked at.
class Comparison {
 public:
  Comparison(const DiffOptions& options, diff::DiffSide& left, diff::DiffSide& right)
      : options_(options),
        left_(left),
        right_(right),
        collector_(left, right,
                   {options.findings, options.reduceSeconds, [this](const std::string& now) { activity_ = now; }}),
        display_({options.seconds, options.cases, "changes"}) {}

  diff::DiffReport run(diff::CaseSelection selection) {
    const double begin = worker::wallSeconds();
    if (selection.files.empty()) {
      report_.seed = selection.seed;
    }
    try {
      diff::CasePairs pairs(std::move(selection), left_, right_);
      while (std::optional<diff::CasePair> pair = pairs.next([this] { tick(); })) {
        take(*pair);
      }
    } catch (const base::Interrupted&) { // told by the flag
    }
    report_.interrupted = base::interruptRequested();
    report_.clusters = collector_.clusters();
    report_.unconfirmed = collector_.unconfirmed();
    report_.names = {left_.name(), right_.name()};
    report_.torch = {left_.pool->torch(), right_.pool->torch()};
    report_.seconds = worker::wallSeconds() - begin;
    return std::move(report_);
  }

 private:
  void tick() { display_.update(report_.tallies[1], collector_.clusters().size(), activity_); }

  void complain(const std::string& name, const std::string& error) {
    if (++complaints_ <= kShownErrors) {
      display_.say(fmt::format("{} {}", name, error));
    }
  }

  void take(const diff::CasePair& pair) {
    ++report_.cases;
    if (pair.text.empty()) {
      ++report_.notMade;
      complain(pair.name, "could not be made: " + pair.error);
      return;
    }
    for (size_t side = 0; side < 2; ++side) {
      const worker::JobResult& result = side == 0 ? pair.left : pair.right;
      report_.tallies[side].add(result);
      if (!result.error.empty() || result.backends.empty()) {
        complain(pair.name, fmt::format("could not be read on the {} side: {}", side == 0 ? "left" : "right",
                                        result.error.empty() ? "no result" : result.error));
      }
    }
    if (pair.left.backends.empty() || pair.right.backends.empty()) {
      ++report_.notJudged;
      return;
    }
    const worker::BackendResult &left = pair.left.backends[0], &right = pair.right.backends[0];
    if (diff::changeBetween(left, right) == diff::ChangeKind::kNone) {
      ++report_.transitions[{diff::outcomeClassOf(left), diff::outcomeClassOf(right)}];
      if (!left.observed.empty() && !right.observed.empty()) {
        report_.observed.add(pair.name, diff::observedChanges(left, right), options_.observations);
      }
    } else if (const auto confirmed = collector_.add(pair)) {
      ++report_.transitions[{diff::outcomeClassOf(confirmed->first), diff::outcomeClassOf(confirmed->second)}];
    }
  }

  const DiffOptions& options_;
  diff::DiffSide& left_;
  diff::DiffSide& right_;
  diff::ChangeCollector collector_;
  report::ProgressDisplay display_;
  diff::DiffReport report_;
  std::string activity_;
  int64_t complaints_ = 0;
};

diff::CaseSelection selectionOf(const DiffOptions& options, std::vector<std::string>& errors) {
  diff::CaseSelection selection;
  if (!options.paths.empty()) {
    selection.files = pool::readCaseFiles(pool::findCaseFiles(options.paths), /*rewrite=*/false, errors);
  }
  selection.start = options.start;
  selection.cases = options.cases;
  selection.seconds = options.seconds;
  return selection;
}

/// As many calls as a campaign of the dearer side makes.
int sameCallsOf(const DiffOptions& options, const diff::DiffSide& left, const diff::DiffSide& right) {
  const auto isDear = [](const diff::DiffSide& side) {
    return side.family == ir::Family::kTorch && side.info.compiles;
  };
  return options.calls.value_or(isDear(left) || isDear(right) ? decoder::kSameCallsOfTorchCompile
                                                              : decoder::kSameCalls);
}

base::ExitStatus statusOf(const DiffOptions& options, const diff::DiffReport& report, bool hasErrors) {
  if (report.interrupted) {
    fmt::print(stderr, "Interrupted after {} Cases.\n", report.cases);
    return base::ExitStatus::kInterrupted;
  }
  if (hasErrors) {
    return base::ExitStatus::kWrongUse;
  }
  if (report.changed(diff::ChangeKind::kWorse) + report.changed(diff::ChangeKind::kOther) > 0 ||
      (report.changed(diff::ChangeKind::kBetter) > 0 && !options.allowBetter)) {
    return base::ExitStatus::kFindings;
  }
  const bool sameProgram = options.left.program.empty() && options.right.program.empty();
  if (report.notMade > 0 || (sameProgram && report.notJudged > 0)) {
    return base::ExitStatus::kFailed;
  }
  if (report.cases == 0 || report.unjudgedShare() > options.maximumUnjudged) {
    fmt::print(stderr, "Too little was judged: {:.0f} % of the Cases were not on one side (at most {:.0f} % may be).\n",
               100 * report.unjudgedShare(), 100 * options.maximumUnjudged);
    return base::ExitStatus::kTooLittleJudged;
  }
  return base::ExitStatus::kNothingNew;
}

} // namespace

base::ExitStatus diffProfiles(const DiffOptions& options) {
  if (options.paths.empty() && !options.cases.has_value() && !options.seconds.has_value()) {
    throw base::WrongUse("Say what to compare: --cases N or --seconds N for random Cases, or case files.");
  }
  base::tryToWriteFile(options.junit);
  std::vector<std::string> errors;
  diff::CaseSelection selection = selectionOf(options, errors);
  for (const std::string& error : errors) {
    fmt::print(stderr, "{}\n", error);
  }
  if (!options.paths.empty() && selection.files.empty()) {
    fmt::print(stderr, "Nothing was judged: there is no `*.py` file in what was given.\n");
    return errors.empty() ? base::ExitStatus::kTooLittleJudged : base::ExitStatus::kWrongUse;
  }
  diff::DiffSide left = diff::startSide("left", options.left, options.workers, options.limits, selection.files);
  diff::DiffSide right = diff::startSide("right", options.right, options.workers, options.limits, selection.files);
  selection.seed = options.seed.has_value() ? *options.seed : std::random_device()();
  selection.sameCalls = sameCallsOf(options, left, right);
  if (!options.json) {
    fmt::print(stderr, "left {}, right {}{}\n", left.name(), right.name(),
               selection.files.empty() ? fmt::format(", seed {}", selection.seed) : "");
  }
  const diff::DiffReport report = Comparison(options, left, right).run(std::move(selection));
  if (options.json) {
    fmt::print("{}\n", report::dumpJson(diff::diffJson(report), 1));
  } else {
    fmt::print("{}", diff::diffText(report));
  }
  if (!options.junit.empty()) {
    base::writeFile(options.junit, report::junitText("touchstone diff", diff::diffJUnit(report, options.allowBetter)));
  }
  return statusOf(options, report, !errors.empty());
}

} // namespace touchstone::commands
