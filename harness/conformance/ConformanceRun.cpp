#include "harness/conformance/ConformanceRun.h"

#include "backends/Registry.h"
#include "base/AtomicFile.h"
#include "base/Interrupt.h"
#include "base/Machine.h"
#include "base/Words.h"
#include "harness/conformance/Evidence.h"
#include "harness/conformance/PlainPython.h"
#include "harness/findings/FindingPipeline.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/report/Report.h"
#include "harness/store/StoredRows.h"
#include "harness/triage/Confirmation.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

namespace touchstone::conformance {

namespace {

constexpr double kPlainSeconds = 60;
constexpr size_t kTriedMembers = 3; // of a cause, to find one that recurs

/// Makes the report of what was seen.
class Reporter {
 public:
  Reporter(const ConformOptions& options, const TimeBudget& time, Evidence evidence)
      : options_(options), time_(time), evidence_(std::move(evidence)) {
    report_.backend = options.backend;
    report_.torch = report::torchVersion();
    report_.processor = base::processorName();
    report_.date = store::timeNow().substr(0, 10);
    report_.versions = versionsOf(options.profile);
    report_.command = options.command;
    report_.seed = options.seed;
  }

  ConformanceReport make() {
    showEach();
    fillLevels();
    report_.isInterrupted = base::interruptRequested();
    report_.seconds = time_.spent();
    report_.troubles = std::move(evidence_.troubles);
    report_.operators = std::move(evidence_.operators);
    report_.probesLeft = evidence_.probesLeft;
    report_.notJudged = std::move(evidence_.notJudged);
    return std::move(report_);
  }

 private:
  void say(const std::string& line) const { fmt::print(stderr, "{}\n", line); }

  /// One Case of each cause: reduced where it is not, written, and run in plain Python.
  void showEach() {
    reduceProbes(causesOf(evidence_.observations, evidence_.judged));
    std::erase_if(evidence_.observations, [](const Observation& each) { return each.seen == 0; });
    for (const Cause& cause : causesOf(evidence_.observations, evidence_.judged)) {
      const Observation& shown = evidence_.observations[cause.members.front()];
      CauseReport told{.id = cause.id,
                       .title = cause.title,
                       .message = shown.result.message,
                       .level = cause.level,
                       .isRefusal = cause.isRefusal,
                       .operators = cause.operators,
                       .dtypes = cause.dtypes,
                       .probes = cause.probes,
                       .cases = cause.cases,
                       .symptom = shown.result.text,
                       .file = {},
                       .plainPython = {}};
      if (!shown.caseText.empty()) {
        told.file = fmt::format("causes/{}.py", cause.id);
        base::writeFile(options_.folder / told.file, labelled(shown));
        told.plainPython = plainly(options_.folder / told.file);
      }
      report_.causes.push_back(std::move(told));
    }
  }

  std::string plainly(const std::filesystem::path& file) const {
    if (backends::backendInfo(options_.backend).family != ir::Family::kTorch) {
      return "";
    }
    if (base::interruptRequested() || time_.left() + time_.forCauses() <= 0) { // campaigns may have ended late
      return base::interruptRequested() ? "was not run: interrupted" : "was not run: the time was up";
    }
    say(fmt::format("plain Python: {}", file.string()));
    return runInPlainPython(std::filesystem::absolute(file), options_.profile.environment, kPlainSeconds);
  }

  std::string labelled(const Observation& shown) const {
    language::Case theCase = parser::parsePrinted(shown.caseText);
    if (theCase.compile.options.empty()) { // plain Python has no profile
      theCase.compile.options = options_.profile.compile.options;
    }
    findings::FindingHeaders headers = findings::headersOf(theCase);
    headers.torch = report_.torch;
    headers.symptom.backend = options_.backend;
    headers.setMessage(shown.result.message);
    findings::label(theCase, headers, {language::parseExpectation(options_.backend + " " + shown.result.text)},
                    options_.profile);
    return standalone::printCase(theCase);
  }

  void reduceProbes(const std::vector<Cause>& causes) {
    std::optional<pool::WorkerPool> pool;
    for (const Cause& cause : causes) {
      const Observation& shown = evidence_.observations[cause.members.front()];
      if (base::interruptRequested() || time_.left() < time_.forCauses() / 2 || shown.isReduced || shown.isBeside) {
        continue;
      }
      if (!pool.has_value()) {
        const worker::Profile profile = profileFrom(evidence_.profile, options_.profile);
        pool.emplace(pool::PoolOptions{
            options_.workers, {options_.backend}, pool::limitsOf(profile, options_.limits), "", profile});
      }
      const size_t tried = std::min(kTriedMembers, cause.members.size());
      bool recurs = false;
      for (size_t i = 0; i < tried && !recurs; ++i) {
        try {
          recurs = reduce(*pool, evidence_.observations[cause.members[i]]);
        } catch (const pool::WorkerUnavailable& error) {
          evidence_.troubles.push_back(error.what());
          return;
        }
      }
      if (!recurs) { // as campaigns do with what does not recur, or what a weaker backend shows as well
        for (const size_t member : cause.members) {
          evidence_.notJudged["probes that did not recur, or that a weaker backend shows as well"] +=
              std::exchange(evidence_.observations[member].seen, 0);
        }
      }
    }
  }

  /// False: it does not recur.
  bool reduce(pool::WorkerPool& pool, Observation& seen) const {
    say(fmt::format("reducing {} of {}", seen.result.text, seen.operators.front()));
    findings::Suspect suspect{.theCase = parser::parsePrinted(seen.caseText), .result = seen.result};
    const findings::RunAlone alone = triage::aloneIn(pool);
    try {
      if (!findings::confirm(suspect, alone)) {
        return false;
      }
      const triage::SymptomJudge judge(pool, suspect.result, suspect.theCase, {.workers = options_.workers});
      findings::reduce(suspect, judge, alone,
                       {.seconds = std::min(options_.reduceSeconds, time_.left() - time_.forCauses() / 2)});
    } catch (const base::Interrupted&) {
      return true; // as it is
    }
    Observation reduced = seen;
    reduced.result = suspect.result;
    if (titleOf(reduced) != titleOf(seen)) { // the smaller Case is of another cause
      return true;
    }
    seen.level = std::min(seen.level, levelOf(suspect.result, suspect.theCase, seen.level));
    seen.result = suspect.result;
    seen.caseText = standalone::printCase(suspect.theCase);
    seen.isReduced = true;
    return true;
  }

  void fillLevels() {
    for (const LevelRow& row : kLevels) {
      LevelReport level{.level = row.level};
      int64_t causes = 0;
      for (const CauseReport& cause : report_.causes) {
        causes += cause.level == row.level ? 1 : 0;
      }
      if (!options_.asks(row.level)) {
        level.why = "not among the levels that were asked for";
        level.why += causes > 0 ? fmt::format("; {} seen all the same", base::counted(causes, "cause")) : "";
        report_.levels.push_back(std::move(level));
        continue;
      }
      const Level campaign = row.level == Level::kLayout ? Level::kValues : row.level; // which they share
      const Counted& counted = evidence_.counted[campaign];
      level.cases = counted.cases;
      level.agreed = counted.agreed;
      level.refused = counted.refused;
      level.notJudged = counted.notJudged;
      level.delegations = counted.delegations;
      bool isWrong = false;
      for (const CauseReport& cause : report_.causes) {
        if (cause.level == row.level) {
          level.causes.push_back(cause.id);
          isWrong = isWrong || !cause.isRefusal;
          level.wrong += cause.isRefusal ? 0 : cause.probes + cause.cases;
        }
      }
      const auto notAsked = evidence_.whyNotAsked.find(campaign);
      const auto trouble = evidence_.whyNotShown.find(campaign);
      level.verdict = verdictOf(level, isWrong, notAsked != evidence_.whyNotAsked.end());
      if (level.verdict == LevelVerdict::kNotAsked) {
        level.why = notAsked->second;
      } else if (level.verdict == LevelVerdict::kNotShown) {
        level.why =
            trouble != evidence_.whyNotShown.end() ? trouble->second : whyNotShown(level, base::interruptRequested());
      }
      report_.levels.push_back(std::move(level));
    }
  }

  const ConformOptions& options_;
  const TimeBudget& time_;
  Evidence evidence_;
  ConformanceReport report_;
};

} // namespace

bool ConformOptions::asks(Level level) const {
  return levels.empty() || levels.count(level) != 0;
}

ConformanceReport conform(const ConformOptions& options) {
  const TimeBudget time(options.minutes);
  return Reporter(options, time, collectEvidence(options, time)).make();
}

} // namespace touchstone::conformance
