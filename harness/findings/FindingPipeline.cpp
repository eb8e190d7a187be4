#include "harness/findings/FindingPipeline.h"

#include "base/AtomicFile.h"
#include "base/Interrupt.h"
#include "program/standalone/CaseFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>
#include <utility>

namespace touchstone::findings {

namespace {

constexpr int kConfirmations = 2;
constexpr int kRunsOfFlaky = 10; // to learn how often a symptom shows that did not recur
constexpr double kMissedShare = 0.05; // of candidates that show a flaky symptom, at most, as far as can be told
constexpr int kMostRepetitions = 20;

Confirmation runAgain(Suspect& suspect, const RunAlone& run, int times) {
  Confirmation confirmation = run(standalone::printCase(suspect.theCase), suspect.result, times);
  suspect.shown += confirmation.shown;
  suspect.runs += confirmation.runs;
  suspect.history += confirmation.history;
  suspect.upstream = confirmation.upstream;
  return confirmation;
}

} // namespace

std::string describeRun(const worker::JobResult& run) {
  const worker::BackendResult* result = run.first();
  return result == nullptr
             ? run.error
             : result->backend + " " + result->text + (result->message.empty() ? "" : ": " + result->message);
}

bool showsSymptomOf(const worker::JobResult& run, const worker::BackendResult& seen) {
  const worker::BackendResult* result = run.first();
  return result != nullptr && worker::symptomOf(*result).text == worker::symptomOf(seen).text;
}

void Confirmation::add(const worker::JobResult& run, const worker::BackendResult& seen) {
  const bool shows = showsSymptomOf(run, seen);
  history += describeRun(run) + "\n";
  ++runs;
  shown += shows ? 1 : 0;
  if (!run.backends.empty() && (shows || shown == 0)) {
    result = run.backends[0];
  }
  upstream = recurs() && result.outcome == language::Outcome::kUpstream ? result.detail : "";
}

void forgetFinding(language::Case& theCase) {
  FindingHeaders headers = headersOf(theCase);
  headers.cluster.clear();
  headers.stage.clear();
  headers.notes.clear();
  setHeaders(theCase, headers);
}

std::string Suspect::flakyText() const {
  return fmt::format("flaky ({} of {})", shown, runs);
}

int Suspect::repetitions() const {
  const double missedOnce = 1 - static_cast<double>(shown) / runs;
  const int needed = isFlaky() ? static_cast<int>(std::ceil(std::log(kMissedShare) / std::log(missedOnce))) : 1;
  return std::clamp(needed, isFlaky() ? 2 : 1, kMostRepetitions);
}

bool confirm(Suspect& suspect, const RunAlone& run, IfFlaky ifFlaky) {
  Confirmation confirmation = runAgain(suspect, run, kConfirmations);
  if (suspect.isFlaky() && ifFlaky == IfFlaky::kMeasure) {
    confirmation = runAgain(suspect, run, kRunsOfFlaky);
  }
  suspect.result.baseOutcome = confirmation.result.baseOutcome; // of a process that died it is known only now
  const bool shows = ifFlaky == IfFlaky::kMeasure ? confirmation.shown > 0 : !suspect.isFlaky();
  return shows && suspect.upstream.empty();
}

void reduce(Suspect& suspect, const reducer::CandidateJudge& judge, const RunAlone& run,
            const reducer::ReducerOptions& options) {
  reducer::Reduction reduction = reducer::reduceCase(suspect.theCase, placeOf(suspect.result), judge, options);
  if (!base::interruptRequested() && !suspect.isFlaky()) { // nor asks it much where the time was up
    reduction.steps.push_back(reducer::withSecondCall(reduction.best(), judge));
  }
  const base::InterruptPause pause; // what is written was confirmed
  if (auto step = confirmLast(run, reduction.steps, suspect.result, suspect.repetitions(), suspect.isFlaky())) {
    suspect.theCase = reduction.steps[step->step];
    const std::string base = std::exchange(suspect.result, step->confirmation.result).baseOutcome;
    suspect.result.baseOutcome = suspect.result.baseOutcome.empty() ? base : suspect.result.baseOutcome;
  }
  suspect.isFinished = reduction.isFinished;
  if (!suspect.isFinished) {
    noteUnfinished(suspect.theCase);
  }
}

void label(language::Case& theCase, const FindingHeaders& headers, std::vector<language::Expectation> expectations,
           const worker::Profile& profile) {
  noteImports(theCase, headers.symptom.backend, profile);
  setHeaders(theCase, headers);
  theCase.expectations = std::move(expectations);
}

reducer::GuiltyPlace placeOf(const worker::BackendResult& result) {
  return {result.call, result.where};
}

std::optional<ConfirmedStep> confirmLast(const RunAlone& run, const std::vector<language::Case>& steps,
                                         const worker::BackendResult& seen, int times, bool isFlaky) {
  size_t leap = 1;
  for (size_t step = steps.size() - 1;; step -= std::min(step, leap), leap *= 2) {
    Confirmation confirmation = run(standalone::printCase(steps[step]), seen, times);
    if (confirmation.upstream.empty() && (isFlaky ? confirmation.shown > 0 : confirmation.recurs())) {
      return ConfirmedStep{step, std::move(confirmation)};
    }
    if (step == 0) {
      return std::nullopt;
    }
  }
}

std::optional<Suspect> confirmedOther(const OtherFinding& other, const std::string& foundBy, const RunAlone& run) {
  Suspect suspect{.theCase = other.theCase, .result = other.result, .foundBy = foundBy};
  suspect.result = runAgain(suspect, run, kConfirmations).result;
  const bool counts = !suspect.isFlaky() && suspect.upstream.empty() && language::isFinding(suspect.result.outcome);
  return counts ? std::optional(std::move(suspect)) : std::nullopt;
}

void writeUnconfirmed(const std::filesystem::path& folder, const std::string& caseText, const Suspect& suspect) {
  const worker::BackendResult& first = suspect.result;
  const std::string text = withComments(
      caseText, {"found by " + suspect.foundBy + ", did not recur when run alone",
                 "first " + first.backend + " " + first.text + ": " + first.message, "then " + suspect.history});
  const std::string name = asFileName(first.backend + " ") + caseName(suspect.foundBy) + ".py";
  base::writeNewFile(folder / "unconfirmed" / name, text);
}

std::string withComments(const std::string& caseText, const std::vector<std::string>& comments) {
  std::string text;
  for (const std::string& comment : comments) {
    std::istringstream lines(comment);
    for (std::string line; std::getline(lines, line);) {
      text += "# note: " + line + "\n";
    }
  }
  // After the first line, which says the format's version.
  const size_t first = caseText.find('\n');
  return first == std::string::npos ? text : caseText.substr(0, first + 1) + text + caseText.substr(first + 1);
}

std::string asFileName(const std::string& text) {
  std::string name;
  for (const char character : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_' || character == '.';
    name += plain ? character : '-';
  }
  return name;
}

std::string caseName(const std::string& foundBy) {
  return asFileName(std::filesystem::path(foundBy.substr(0, foundBy.find(','))).stem());
}

} // namespace touchstone::findings
