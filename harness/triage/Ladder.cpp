#include "harness/triage/Ladder.h"

#include "backends/Registry.h"
#include "harness/reducer/ReductionPasses.h"
#include "harness/triage/RungSubstitutes.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"
#include "program/standalone/MainPart.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace touchstone::triage {

namespace {

bool isJudged(const worker::BackendResult& result) {
  return agrees(result) || language::isFinding(result.outcome);
}

/// A kind of symptom that is seen where both sides came to an end.
bool isDifference(const std::string& kind) {
  return kind.rfind("Differs/", 0) == 0 || kind == "NoneBecameZero";
}

worker::JobResult judgeRungs(const std::string& caseText, const std::vector<report::Rung>& rungs,
                             const pool::RunJob& run) {
  worker::Job job{.source = worker::PrintedCase{caseText}, .task = worker::JudgeTask{.blame = false}};
  for (const report::Rung& rung : rungs) {
    job.backends.push_back(rung.backend);
  }
  return run(job);
}

/// The lowest rung from which on every judged one up to `top` shows the kind of symptom; `top` does.
size_t chainBegin(const std::vector<worker::BackendResult>& results, size_t top, const std::string& kind) {
  size_t first = top;
  for (size_t i = top; i-- > 0;) {
    if (showsKind(results[i], kind)) {
      first = i;
    } else if (excludesOthers(results[i])) {
      break;
    }
  }
  return first;
}

/// By its graphs, or by what it does without them.
std::optional<RungReplay> stagesBelow(const std::string& caseText, const std::string& backend, const std::string& kind,
                                      const pool::RunJob& run) {
  std::optional<RungReplay> stages = substitutedStagesOf(caseText, backend, kind, run);
  return stages ? stages : replayStagesOf(caseText, backend, run);
}

/// What comes of the backend without symbolic sizes, where the Case asks for them.
std::optional<worker::BackendResult> judgeStatically(const std::string& caseText, const report::Rung& rung,
                                                     const pool::RunJob& run) {
  if (!rung.backend.starts_with(standalone::kTorchFamily)) {
    return std::nullopt;
  }
  const std::optional<std::string> text = withoutSymbols(caseText);
  const worker::JobResult judged = text ? judgeRungs(*text, {rung}, run) : worker::JobResult();
  return judged.backends.empty() ? std::nullopt : std::optional(judged.backends.front());
}

std::vector<report::Rung> rungsTo(const ir::BackendInfo& backend) {
  std::vector<report::Rung> rungs;
  for (const ir::BackendInfo& info : backends::ladderTo(backend)) {
    rungs.push_back({info.name, info.adds.empty() ? info.summary : info.adds});
  }
  return rungs;
}

} // namespace

std::optional<std::string> withoutSymbols(const std::string& caseText) {
  try {
    language::Case theCase = parser::parsePrinted(caseText);
    const std::vector<language::Case> unmarked = reducer::dropMarks(theCase);
    if (theCase.compile.dynamic == std::optional(false) && unmarked.empty()) {
      return std::nullopt;
    }
    theCase = unmarked.empty() ? std::move(theCase) : unmarked.front();
    theCase.compile.dynamic = false;
    return standalone::printCase(theCase);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

const std::vector<report::Rung>& ladderOf(ir::Family family) {
  static const std::vector<report::Rung> native = rungsTo(backends::builtInBackend("aot_eager_decomp_partition"));
  static const std::vector<report::Rung> torch = rungsTo(backends::builtInBackend("torch:inductor"));
  return family == ir::Family::kNative ? native : torch;
}

std::vector<report::Rung> ladderTo(const std::string& backend) {
  const ir::BackendInfo info = backends::backendInfo(backend);
  const std::vector<report::Rung>& family = ladderOf(info.family);
  const auto rung =
      std::find_if(family.begin(), family.end(), [&](const report::Rung& each) { return each.backend == backend; });
  return rung != family.end() ? std::vector<report::Rung>{family.begin(), rung + 1} : rungsTo(info);
}

std::string decidingKind(const worker::BackendResult& result) {
  return result.shows.empty() ? std::string(language::outcomeName(result.outcome)) : result.shows.front();
}

bool showsKind(const worker::BackendResult& result, const std::string& kind) {
  return language::isFinding(result.outcome) &&
         (decidingKind(result) == kind ||
          std::find(result.shows.begin(), result.shows.end(), kind) != result.shows.end());
}

bool Ladder::differs(size_t rung) const {
  return language::isFinding(results.at(rung).outcome);
}

bool Ladder::differsForItsOwnReason(size_t rung) const {
  return differs(rung) && !(first.has_value() && rung >= *first && rung <= *top);
}

bool agrees(const worker::BackendResult& result) {
  return result.outcome == language::Outcome::kAgreed || result.outcome == language::Outcome::kVacuous ||
         result.outcome == language::Outcome::kReference || result.outcome == language::Outcome::kBothRejected;
}

bool excludesOthers(const worker::BackendResult& result) {
  return agrees(result) || (language::isFinding(result.outcome) &&
                            std::all_of(result.shows.begin(), result.shows.end(),
                                        [](const std::string& kind) { return isDifference(kind); }));
}

bool Ladder::anyDiffers() const {
  return std::any_of(results.begin(), results.end(),
                     [](const worker::BackendResult& each) { return language::isFinding(each.outcome); });
}

Ladder climb(const std::string& caseText, std::vector<report::Rung> rungs, const pool::RunJob& run, Top top) {
  worker::JobResult judged = judgeRungs(caseText, rungs, run);
  if (judged.backends.size() != rungs.size()) {
    throw std::runtime_error(judged.error);
  }
  Ladder ladder{.rungs = std::move(rungs), .results = std::move(judged.backends)};
  for (size_t i = top == Top::kLast ? ladder.results.size() - 1 : 0; i < ladder.results.size(); ++i) {
    ladder.top = isJudged(ladder.results[i]) ? i : ladder.top;
  }
  if (ladder.top && ladder.differs(*ladder.top)) {
    ladder.first = chainBegin(ladder.results, *ladder.top, decidingKind(ladder.results[*ladder.top]));
    ladder.statically = judgeStatically(caseText, ladder.rungs[*ladder.top], run);
  }
  return ladder;
}

void judgeReplays(Ladder& ladder, const std::string& caseText, const pool::RunJob& run) {
  if (ladder.first) {
    ladder.stages =
        stagesBelow(caseText, ladder.rungs[*ladder.first].backend, decidingKind(ladder.results[*ladder.top]), run);
  }
}

std::optional<report::Rung> stageOf(const std::string& caseText, const worker::BackendResult& finding,
                                    const pool::RunJob& run) {
  const std::vector<report::Rung> rungs = ladderTo(finding.backend);
  const std::string kind = decidingKind(finding);
  const std::optional<worker::BackendResult> statically = judgeStatically(caseText, rungs.back(), run);
  const bool isOfSymbols = statically && excludesOthers(*statically) && !showsKind(*statically, kind);
  const std::string symbols = isOfSymbols ? "; gone with dynamic=False" : "";
  if (rungs.size() == 1) { // there is nothing weaker to ask
    return report::Rung{rungs[0].backend, rungs[0].adds + symbols};
  }
  const std::vector<worker::BackendResult> results = judgeRungs(caseText, rungs, run).backends;
  if (results.size() != rungs.size() || !showsKind(results.back(), kind)) {
    return std::nullopt;
  }
  report::Rung rung = rungs[chainBegin(results, rungs.size() - 1, kind)];
  const std::optional<RungReplay> stages = stagesBelow(caseText, rung.backend, kind, run);
  const std::string guilty = stages ? guiltyStage(*stages) : "";
  if (!guilty.empty() && (guilty != stages->left || guilty == kAroundGraphs)) { // else the rung has said it
    rung.adds += (stages->bySubstitutes ? "; by substitution: " : "; by its graphs: ") + guilty;
  }
  rung.adds += symbols;
  return rung;
}

static std::string conclusion(const Ladder& ladder) {
  if (ladder.first) {
    const report::Rung& rung = ladder.rungs[*ladder.first];
    return fmt::format("First to differ: {} ({})\n", rung.backend, rung.adds);
  }
  if (!ladder.top) {
    const bool anyJudged = std::any_of(ladder.results.begin(), ladder.results.end(), isJudged);
    return anyJudged ? fmt::format("{} could not be judged.\n", ladder.rungs.back().backend)
                     : "No rung could be judged.\n";
  }
  return ladder.anyDiffers() ? fmt::format("{} agrees: what differs below it has a reason of its own.\n",
                                           ladder.rungs[*ladder.top].backend)
                             : "No rung differs.\n";
}

std::string ladderText(const Ladder& ladder) {
  size_t name = 0, outcome = 0;
  for (size_t i = 0; i < ladder.rungs.size(); ++i) {
    name = std::max(name, ladder.rungs[i].backend.size());
    outcome = std::max(outcome, ladder.results[i].text.size());
  }
  std::string text;
  for (size_t i = 0; i < ladder.rungs.size(); ++i) {
    const worker::BackendResult& result = ladder.results[i];
    text +=
        fmt::format("  {:{}}  {:{}}  {}\n", ladder.rungs[i].backend, name, result.text, outcome, ladder.rungs[i].adds);
    if (!agrees(result) && !result.message.empty()) {
      text += fmt::format("    {}\n", result.message);
    }
    if (ladder.differsForItsOwnReason(i)) {
      text += "    differs for a reason of its own\n";
    } else if (ladder.differs(i) && !showsKind(result, decidingKind(ladder.results[*ladder.top]))) {
      text += "    hides whether it has the symptom of the strongest\n";
    }
    for (const std::string& warning : result.warnings) {
      text += fmt::format("    warning: {}\n", warning);
    }
  }
  if (ladder.statically) {
    text += fmt::format("  {:{}}  {:{}}  without symbolic sizes: dynamic=False, no marks\n", "dynamic", name,
                        ladder.statically->text, outcome);
  }
  return text + conclusion(ladder) + (ladder.stages ? replayText(*ladder.stages) : "");
}

} // namespace touchstone::triage
