#include "harness/commands/Commands.h"

#include "base/AtomicFile.h"
#include "base/Interrupt.h"
#include "generators/decoder/Decoder.h"
#include "harness/diff/CasePairs.h"
#include "harness/diff/ChangeCollector.h"
#include "harness/diff/DiffSide.h"
#include "harness/pool/GeneratedJobs.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/report/ProgressDisplay.h"
#include "harness/report/Report.h"
#include "harness/worker/Progress.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace touchstone::commands {

namespace {

/// `touchstone diff`: which Cases come to another outcome on the right than on the left?
struct DiffOptions {
  diff::DiffSideOptions left, right;
  std::vector<std::string> paths; // case files and folders; empty: Cases are generated
  std::optional<uint64_t> cases;
  std::optional<double> seconds;
  std::optional<uint64_t> seed; // none: a fresh one
  uint64_t start = 0; // index of the first generated Case
  std::optional<int> calls; // see campaign::callsOf()
  std::vector<std::string> parts; // that generated Cases are drawn with
  int workers = 1; // processes for each side
  std::string findings = "diff-findings"; // folder
  double reduceSeconds = 30; // for each cluster
  double maximumUnjudged = 0.5; // share
  bool allowBetter = false; // changes for the better alone are no failure
  bool observations = false; // list what both sides show otherwise where the outcome is the same
  bool json = false;
  std::string junit; // file; empty: none
  pool::LimitOptions limits;
};

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
      ++report_.transitions[{diff::outcomeClassOf(confirmed->left), diff::outcomeClassOf(confirmed->right)}];
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
    selection.files = pool::readCaseFiles(pool::findCaseFiles(options.paths), pool::OtherMainPart::kRefuse, errors);
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
  selection.parts = options.parts;
  if (!options.json) {
    fmt::print(stderr, "left {}, right {}{}\n", left.name(), right.name(),
               selection.files.empty() ? fmt::format(", seed {}", selection.seed) : "");
  }
  const diff::DiffReport report = Comparison(options, left, right).run(std::move(selection));
  if (options.json) {
    report::printJson(diff::diffJson(report));
  } else {
    fmt::print("{}", diff::diffText(report));
  }
  if (!options.junit.empty()) {
    base::writeFile(options.junit, report::junitText("touchstone diff", diff::diffJUnit(report, options.allowBetter)));
  }
  return statusOf(options, report, !errors.empty());
}

/// Of an option that the script `./touchstone` puts another one in place of.
options::Takes<std::string> builtByTheScript() {
  return {[](const std::string&) {
    throw options::BadValue(
        "The script ./touchstone of the source tree takes this, for it builds; this program takes a build: "
        "--left-program or --right-program.");
  }};
}

} // namespace

options::Command diffCommand() {
  const auto asked = std::make_shared<DiffOptions>();
  return {
      .options =
          {{"cases", &asked->paths, "Case files, or folders of them, instead of random Cases"},
           {"--left", &asked->left.given,
            "What was: file of a profile (docs/profiles.md), or a backend's name (`touchstone backends`)",
            options::required()},
           {"--right", &asked->right.given, "What is to be: the same", options::required()},
           {"--left-program", &asked->left.program,
            "`touchstone` built against another PyTorch, or its build folder: the left side runs there, and random "
            "Cases are made there"},
           {"--right-program", &asked->right.program, "The same for the right side"},
           {"--left-torch", builtByTheScript(),
            "Interpreter of an environment with PyTorch: `./touchstone` builds for it where that is missing, and gives that "
            "as --left-program"},
           {"--right-torch", builtByTheScript(), "The same for the right side"},
           {"--seconds", &asked->seconds, "Make random Cases for so many seconds", options::aboveZero()},
           {"--cases", &asked->cases, "Make so many random Cases; with a --seed, the same ones every time",
            options::aboveZero().excluding("--seconds")},
           options::seed(&asked->seed, "Of the random Cases, as of `touchstone fuzz`; without it a fresh one", false),
           options::start(asked->start, "Index of the first random Case"),
           {"--calls", &asked->calls, "As of `touchstone fuzz`", options::between(2, decoder::kMaximumSameCalls)},
           pool::partOption(asked->parts, "As of `touchstone fuzz`"),
           options::jobs(asked->workers, "Worker processes for each side"),
           {"--findings", &asked->findings, "Folder for the changed Cases; made with the first of them",
            options::shown()},
           {"--reduce-seconds", &asked->reduceSeconds, "Time to reduce each cluster; 0: none is reduced",
            options::notNegative().shown()},
           {"--max-unjudged", &asked->maximumUnjudged, "Exit 4 above this share of unjudged Cases",
            options::between(0.0, 1.0).shown()},
           {"--allow-better", &asked->allowBetter, "Exit 0 where all that changed is better"},
           {"--observations", &asked->observations,
            "List what the sides show otherwise where the outcome is the same, too; it changes no exit status"},
           {"--junit", &asked->junit, "File for a JUnit report"},
           pool::limitOptions(asked->limits),
           options::jsonFlag(asked->json)},
      .footer =
          "Each Case is made once, as text, and judged on both sides at the same time; what changed is run again alone, twice on\n"
          "each side, reduced so that the change stays, and written into --findings with what to type to see it again.\n"
          "`worse`: a finding appears on the right, or what was judged no longer is. `better`: the other way round. `other`: a\n"
          "finding becomes another one, or only one side's eager takes the Case.\n"
          "Exit status: 0 no outcome has changed; 1 some has; 4 too little was judged. docs/diff.md has a gate for pull requests.\n"
          "\nExamples:\n"
          "  touchstone diff --left main.json --right mine.json --seconds 120           what does my change change?\n"
          "  touchstone diff --left main.json --right mine.json --allow-better corpus   these files; mended ones are no failure\n"
          "  touchstone diff --left torch:aot_eager --right torch:inductor --cases 200 --seed 7\n"
          "  touchstone diff --left torch:inductor --right torch:inductor --right-program build-2.12 --cases 100\n"
          "  touchstone diff --left aot_eager --right aot_eager_decomp_partition --cases 1000 --observations",
      .run = [asked](const options::Given&) { return diffProfiles(*asked); },
  };
}

} // namespace touchstone::commands
