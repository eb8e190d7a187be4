#include "harness/commands/Commands.h"

#include "backends/faults/TorchFaultNames.h"
#include "base/AtomicFile.h"
#include "base/Interrupt.h"
#include "generators/catalogue/Operators.h"
#include "generators/decoder/Decoder.h"
#include "harness/pool/GeneratedJobs.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/pool/WorkerPool.h"
#include "harness/report/ProgressDisplay.h"
#include "harness/report/Report.h"
#include "harness/score/FamilyScoring.h"
#include "harness/score/FaultSelection.h"
#include "harness/score/ScoreRecord.h"
#include "harness/score/ScoreReport.h"
#include "harness/worker/Progress.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace touchstone::commands {

namespace {

/// `touchstone score`: which planted faults a campaign finds, and after how long.
struct ScoreCommandOptions {
  score::ScoreOptions what;
  std::string goOn; // file; empty: the state is kept nowhere
  int workers = 1;
  bool showUnseen = false;
  std::optional<double> require; // percent of the faults that have to be killed
  pool::LimitOptions limits;
  bool json = false;
  options::Given given;
};

constexpr int kScoreSchema = 1;

std::vector<ir::Family> familiesOf(const std::string& name) {
  if (name == "all") {
    return {ir::Family::kNative, ir::Family::kTorch};
  }
  return {name == "native" ? ir::Family::kNative : ir::Family::kTorch};
}

/// The faults of each family, before their first Case. Throws WrongUse where there are none.
std::vector<score::FamilyReport> plannedFamilies(const score::ScoreOptions& options) {
  std::vector<faults::FaultRow> known;
  for (const ir::Family family : {ir::Family::kNative, ir::Family::kTorch}) {
    const std::span<const faults::FaultRow> rows = faults::faultsOf(family);
    known.insert(known.end(), rows.begin(), rows.end());
  }
  score::checkNames(options.faults, known);
  std::vector<score::FamilyReport> families;
  for (const ir::Family family : familiesOf(options.family)) {
    const bool changesSizes = catalogue::partsOf(options.parts).has(catalogue::Part::kDynamic);
    std::vector<faults::FaultRow> rows =
        score::selectFaults(faults::faultsOf(family), {options.half, options.faults, changesSizes});
    if (!rows.empty()) {
      score::FamilyScore begun = score::newScore(family, rows);
      families.push_back({std::move(rows), std::move(begun)});
    }
  }
  if (families.empty()) {
    throw base::WrongUse(
        fmt::format("No fault of --family {} is in --half {} and among --faults: there is nothing to "
                    "score. docs/faults.md lists the faults.",
                    options.family, options.half));
  }
  return families;
}

/// Puts in what a record says of each family.
void takeUp(std::vector<score::FamilyReport>& families, const score::ScoreRecord& record, const std::string& file) {
  for (score::FamilyReport& family : families) {
    const auto stored = std::find_if(record.families.begin(), record.families.end(),
                                     [&](const auto& each) { return each.family == family.score.family; });
    const bool isSame = stored != record.families.end() &&
                        std::equal(stored->faults.begin(), stored->faults.end(), family.rows.begin(), family.rows.end(),
                                   [](const auto& score, const auto& row) { return score.name == row.name; });
    if (!isSame) {
      throw base::WrongUse(
          fmt::format("The score in `{}` is of other faults than there are now. Begin another with a "
                      "file that is not there yet.",
                      file));
    }
    family.score = *stored;
  }
}

/// A score under way.
class Score {
 public:
  Score(const ScoreCommandOptions& options, std::vector<score::FamilyReport> families, double secondsBefore)
      : options_(options), families_(std::move(families)), begin_(worker::wallSeconds() - secondsBefore) {}

  /// Until every budget is spent, or an interrupt. Throws WorkerUnavailable.
  void run() {
    try {
      for (score::FamilyReport& family : families_) {
        runFamily(family);
      }
    } catch (const base::Interrupted&) { // what there was after the last step stays
    }
  }

  const std::vector<score::FamilyReport>& families() const { return families_; }
  double seconds() const { return worker::wallSeconds() - begin_; }

 private:
  void runFamily(score::FamilyReport& family) {
    const ir::Family of = family.score.family;
    const score::Budget budget = score::budgetOf(options_.what, of);
    const int sameCalls = of == ir::Family::kNative ? decoder::kSameCalls : decoder::kSameCallsOfTorchCompile;
    score::FamilyScoring scoring({options_.what.seed, sameCalls, options_.what.parts}, budget, options_.workers,
                                 family.rows, family.score);
    if (scoring.isDone()) {
      return;
    }
    pool::PoolOptions prepared{options_.workers, {score::cleanBackend(of)}, options_.limits};
    if (of == ir::Family::kTorch) {
      prepared.backends.emplace_back(faults::kBiteSearch);
    }
    for (const faults::FaultRow& row : family.rows) {
      prepared.backends.push_back(faults::backendName(row));
    }
    pool::WorkerPool workers(prepared);
    report::ProgressDisplay display({.found = "faults killed"});
    report::Tally tally;
    workers.setTick([&] { display.update(tally, killedIn(family), activityOf(family)); });
    const auto run = [&](std::vector<worker::Batch> batches) {
      std::vector<pool::PoolBatch> sent;
      for (worker::Batch& each : batches) {
        each.limits = pool::limitsFor({score::cleanBackend(of)});
        sent.push_back({of, std::move(each)});
      }
      std::vector<worker::JobResult> results = workers.run(sent);
      for (const worker::JobResult& each : results) {
        if (!score::isOfSurvey(each)) { // its Case comes again, where a fault may bite
          tally.add(each);
        }
      }
      return results;
    };
    const auto look = [&](const faults::FaultRow& row, const std::string& caseText) {
      return score::lookAgain(row, caseText, pool::runnerOf(workers, of));
    };
    while (!scoring.isDone()) {
      scoring.step(run, look);
      family.score = scoring.score();
      writeState();
    }
  }

  static size_t killedIn(const score::FamilyReport& family) {
    return static_cast<size_t>(std::count_if(family.score.faults.begin(), family.score.faults.end(),
                                             [](const auto& each) { return each.kill.has_value(); }));
  }

  static std::string activityOf(const score::FamilyReport& family) {
    const auto faults = std::count_if(family.rows.begin(), family.rows.end(),
                                      [](const faults::FaultRow& row) { return !row.isControl; });
    return fmt::format("of {} of the {} family", faults, ir::familyName(family.score.family));
  }

  void writeState() const {
    if (options_.goOn.empty()) {
      return;
    }
    score::ScoreRecord record{.options = options_.what,
                              .torch = report::torchVersion(),
                              .catalogue = catalogue::kCatalogueVersion,
                              .seconds = seconds()};
    for (const score::FamilyReport& each : families_) {
      record.families.push_back(each.score);
    }
    base::writeFile(options_.goOn, score::recordText(record));
  }

  const ScoreCommandOptions& options_;
  std::vector<score::FamilyReport> families_;
  const double begin_;
};

base::ExitStatus statusOf(const ScoreCommandOptions& options, const std::vector<score::FamilyReport>& families) {
  if (base::interruptRequested()) {
    return base::ExitStatus::kInterrupted;
  }
  if (std::any_of(families.begin(), families.end(), [](const auto& each) { return each.score.notMade > 0; })) {
    return base::ExitStatus::kFailed;
  }
  if (score::loudControls(families) > 0) {
    return base::ExitStatus::kFindings;
  }
  const double killed = 100 * score::wholeScore(families).killedShare();
  if (options.require && killed < *options.require) {
    fmt::print(stderr, "{:.1f} % of the faults are killed; --require asks for {:g} %.\n", killed, *options.require);
    return base::ExitStatus::kTooLittleJudged;
  }
  return base::ExitStatus::kNothingNew;
}

base::ExitStatus keepScore(ScoreCommandOptions options) {
  base::tryToWriteFile(options.goOn);
  std::optional<score::ScoreRecord> record;
  if (!options.goOn.empty()) {
    record = score::recordToGoOnWith(options.goOn, options.what, options.given);
  }
  options.what = record ? record->options : options.what;
  std::vector<score::FamilyReport> families = plannedFamilies(options.what);
  if (record) {
    takeUp(families, *record, options.goOn);
  }
  Score score(options, std::move(families), record ? record->seconds : 0);
  score.run();
  const score::ReportOptions shown{options.showUnseen};
  if (options.json) {
    const score::ScoreRow whole = score::wholeScore(score.families());
    report::printJson({{"schema", kScoreSchema},
                       {"torch", report::torchVersion()},
                       {"seed", options.what.seed},
                       {"half", options.what.half},
                       {"parts", options.what.parts},
                       {"seconds", score.seconds()},
                       {"interrupted", base::interruptRequested()},
                       {"faults", whole.faults},
                       {"killed", whole.killed},
                       {"families", score::scoreJson(score.families(), shown)}});
  } else {
    fmt::print("{}", score::scoreText(score.families(), shown));
  }
  return statusOf(options, score.families());
}

} // namespace

options::Command scoreCommand() {
  const auto asked = std::make_shared<ScoreCommandOptions>();
  score::ScoreOptions& what = asked->what;
  return {
      .options =
          {{"--family", &what.family, "Faults of these pipelines", options::oneOf({"native", "torch", "all"}).shown()},
           {"--half", &what.half,
            "Faults of one half by their names: `seen` while something is tuned, `unseen` afterwards; controls "
            "are in both",
            options::oneOf(score::halfNames()).shown()},
           {"--faults", &what.faults, "Only these faults, or faults of these classes", options::split()},
           options::seed(&what.seed, "Seed of the campaigns"),
           {"--cases", &what.cases, "A fault has survived after so many Cases", options::aboveZero()},
           {"--cpu-seconds", &what.processorSeconds,
            "A fault has survived after so many seconds of a processor; without it 10 of the native family, 60 of "
            "the torch family",
            options::aboveZero()},
           {"--control-cases", &what.controlCases, "Cases of each control", options::notNegative().shown()},
           pool::partOption(what.parts, "As of `touchstone fuzz`"),
           options::jobs(asked->workers, "Worker processes"),
           {"--go-on", &asked->goOn,
            "File of the score's state: written after each step; a score that was ended goes on from there"},
           {"--show-unseen", &asked->showUnseen, "Name what survived of the unseen half, too"},
           {"--require", &asked->require, "Percent of the faults that have to be killed: exit status 4 if fewer are",
            options::between(0.0, 100.0)},
           pool::limitOptions(asked->limits),
           options::jsonFlag(asked->json)},
      .footer =
          "Each planted fault, `fault:NAME` or `torch:fault:NAME`, has a campaign of its own, which ends when the fault is killed or\n"
          "its seconds or Cases are spent. A kill is a finding that recurs, in a Case in which the same pipeline without the\n"
          "fault does not show it. Controls are changes that are right: nothing may be found in them.\n"
          "Exit status: 0; 1 when a control showed something; 2 for wrong use; 3 when this machine lacks what was asked for;\n"
          "4 when fewer faults were killed than --require asks for; 5 when Touchstone itself failed on a Case.\n"
          "\nExamples:\n"
          "  touchstone score --half seen --seed 101 --go-on score.json\n"
          "  touchstone score --faults guards,views --cpu-seconds 60 --part no-feedback",
      .run =
          [asked](const options::Given& given) {
            asked->given = given;
            return keepScore(*asked);
          },
  };
}

} // namespace touchstone::commands
