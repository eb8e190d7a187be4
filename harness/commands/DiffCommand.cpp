#include "harness/commands/DiffCommand.h"

#include "generators/decoder/Decoder.h"
#include "base/AtomicFile.h"
#include "base/Interrupt.h"
#include "harness/report/ProgressDisplay.h"
#include "harness/report/Report.h"
#include "harness/diff/CasePairs.h"
#include "harness/diff/ChangeCollector.h"
#include "harness/worker/Progress.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <random>

namespace touchstone::harness {

namespace {

constexpr int64_t kShownErrors = 10;

/// The loop: pairs in their order; what changed is confirmed, reduced and put into clusters before the next is looked at.
class Comparison {
 public:
  Comparison(const DiffOptions& options, DiffSide& left, DiffSide& right)
      : options_(options),
        left_(left),
        right_(right),
        collector_(left, right,
                   {options.findings, options.reduceSeconds, [this](const std::string& now) { activity_ = now; }}),
        display_({options.seconds, options.cases, "changes"}) {}

  DiffReport run(CaseSelection selection) {
    const double begin = wallSeconds();
    if (selection.files.empty()) {
      report_.seed = selection.seed;
    }
    try {
      CasePairs pairs(std::move(selection), left_, right_);
      while (std::optional<CasePair> pair = pairs.next([this] { tick(); })) {
        take(*pair);
      }
    } catch (const Interrupted&) { // told by the flag
    }
    report_.interrupted = interruptRequested();
    report_.clusters = collector_.clusters();
    report_.unconfirmed = collector_.unconfirmed();
    report_.names = {left_.name(), right_.name()};
    report_.torch = {left_.pool->torch(), right_.pool->torch()};
    report_.seconds = wallSeconds() - begin;
    return std::move(report_);
  }

 private:
  void tick() { display_.update(report_.tallies[1], collector_.clusters().size(), activity_); }

  void complain(const std::string& name, const std::string& error) {
    if (++complaints_ <= kShownErrors) {
      display_.say(fmt::format("{} {}", name, error));
    }
  }

  void take(const CasePair& pair) {
    ++report_.cases;
    if (pair.text.empty()) {
      ++report_.notMade;
      complain(pair.name, "could not be made: " + pair.error);
      return;
    }
    for (size_t side = 0; side < 2; ++side) {
      const JobResult& result = side == 0 ? pair.left : pair.right;
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
    const BackendResult &left = pair.left.backends[0], &right = pair.right.backends[0];
    if (changeBetween(left, right) == ChangeKind::kNone) {
      ++report_.transitions[{outcomeClassOf(left), outcomeClassOf(right)}];
      if (!left.observed.empty() && !right.observed.empty()) {
        report_.observed.add(pair.name, observedChanges(left, right), options_.observations);
      }
    } else if (const auto confirmed = collector_.add(pair)) {
      ++report_.transitions[{outcomeClassOf(confirmed->first), outcomeClassOf(confirmed->second)}];
    }
  }

  const DiffOptions& options_;
  DiffSide& left_;
  DiffSide& right_;
  ChangeCollector collector_;
  ProgressDisplay display_;
  DiffReport report_;
  std::string activity_;
  int64_t complaints_ = 0;
};

CaseSelection selectionOf(const DiffOptions& options, std::vector<std::string>& errors) {
  CaseSelection selection;
  if (!options.paths.empty()) {
    selection.files = readCaseFiles(findCaseFiles(options.paths), /*rewrite=*/false, errors);
  }
  selection.start = options.start;
  selection.cases = options.cases;
  selection.seconds = options.seconds;
  return selection;
}

/// As many calls as a campaign of the dearer side makes.
int sameCallsOf(const DiffOptions& options, const DiffSide& left, const DiffSide& right) {
  const auto isDear = [](const DiffSide& side) { return side.family == graph::Family::kTorch && side.info.compiles; };
  return options.calls.value_or(isDear(left) || isDear(right) ? generators::kSameCallsOfTorchCompile
                                                              : generators::kSameCalls);
}

ExitStatus statusOf(const DiffOptions& options, const DiffReport& report, bool hasErrors) {
  if (report.interrupted) {
    fmt::print(stderr, "Interrupted after {} Cases.\n", report.cases);
    return ExitStatus::kInterrupted;
  }
  if (hasErrors) {
    return ExitStatus::kWrongUse;
  }
  if (report.changed(ChangeKind::kWorse) + report.changed(ChangeKind::kOther) > 0 ||
      (report.changed(ChangeKind::kBetter) > 0 && !options.allowBetter)) {
    return ExitStatus::kFindings;
  }
  const bool sameProgram = options.left.program.empty() && options.right.program.empty();
  if (report.notMade > 0 || (sameProgram && report.notJudged > 0)) {
    return ExitStatus::kFailed;
  }
  if (report.cases == 0 || report.unjudgedShare() > options.maximumUnjudged) {
    fmt::print(stderr, "Too little was judged: {:.0f} % of the Cases were not on one side (at most {:.0f} % may be).\n",
               100 * report.unjudgedShare(), 100 * options.maximumUnjudged);
    return ExitStatus::kTooLittleJudged;
  }
  return ExitStatus::kNothingNew;
}

} // namespace

ExitStatus diffProfiles(const DiffOptions& options) {
  if (options.paths.empty() && !options.cases.has_value() && !options.seconds.has_value()) {
    throw WrongUse("Say what to compare: --cases N or --seconds N for random Cases, or case files.");
  }
  tryToWriteFile(options.junit);
  std::vector<std::string> errors;
  CaseSelection selection = selectionOf(options, errors);
  for (const std::string& error : errors) {
    fmt::print(stderr, "{}\n", error);
  }
  if (!options.paths.empty() && selection.files.empty()) {
    fmt::print(stderr, "Nothing was judged: there is no `*.py` file in what was given.\n");
    return errors.empty() ? ExitStatus::kTooLittleJudged : ExitStatus::kWrongUse;
  }
  DiffSide left = startSide("left", options.left, options.workers, options.limits, selection.files);
  DiffSide right = startSide("right", options.right, options.workers, options.limits, selection.files);
  selection.seed = options.seed.has_value() ? *options.seed : std::random_device()();
  selection.sameCalls = sameCallsOf(options, left, right);
  if (!options.json) {
    fmt::print(stderr, "left {}, right {}{}\n", left.name(), right.name(),
               selection.files.empty() ? fmt::format(", seed {}", selection.seed) : "");
  }
  const DiffReport report = Comparison(options, left, right).run(std::move(selection));
  if (options.json) {
    fmt::print("{}\n", dumpJson(diffJson(report), 1));
  } else {
    fmt::print("{}", diffText(report));
  }
  if (!options.junit.empty()) {
    writeFile(options.junit, junitText("touchstone diff", diffJUnit(report, options.allowBetter)));
  }
  return statusOf(options, report, !errors.empty());
}

} // namespace touchstone::harness
