#include "harness/score/SecondLook.h"

#include "backends/Registry.h"
#include "backends/faults/PlantedFault.h"
#include "base/Interrupt.h"
#include "graph/ir/Stages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace touchstone::score {

namespace {

/// A pipeline, and the stages that are there from it on.
struct RungStages {
  std::string_view pipeline;
  std::vector<std::string> stages;
};
const std::vector<RungStages>& stagesOfRungs() {
  static const std::vector<RungStages> rungs{
      {"eager", {ir::kCapturedStage}},
      {"aot_joint", {ir::kJointStage, ir::kMetadataStage}},
      {"aot_functional", {ir::kFunctionalStage}},
      {"aot_eager_default_partitioner", {ir::kForwardStage, ir::kBackwardStage}},
      {"aot_eager", {ir::kMergedStage}},
      {"torch:eager", {"dynamo", "guards", "runtime"}},
      {"torch:aot_eager_default_partitioner", {"joint", "partition", "forward", "backward"}},
      {"torch:aot_eager", {"partition"}},
  };
  return rungs;
}

/// What the stages of RungReplay are to a fault of the installed PyTorch. What is left when all graphs hold is around them.
const std::vector<std::pair<std::string_view, std::string>>& stagesOfTorch() {
  static const std::vector<std::pair<std::string_view, std::string>> stages{
      {"tracing", "joint"},
      {"partition", "partition"},
      {"forward", "forward"},
      {"backward", "backward"},
      {triage::kAroundGraphs, "runtime"},
      {triage::kGuardsStage, "guards"},
      {triage::kAroundCapturedStage, "runtime"},
      {ir::kCapturedStage, "dynamo"},
  };
  return stages;
}

std::vector<std::string> stagesByGraphs(const triage::RungReplay& replay) {
  std::vector<std::string> blamed;
  const bool isNative = backends::backendInfo(replay.backend).family == ir::Family::kNative;
  for (const std::string& guilty : triage::guiltyStages(replay)) {
    if (isNative) {
      blamed.push_back(guilty == triage::kAroundGraphs ? ir::kMetadataStage : guilty);
      continue;
    }
    for (const auto& [word, stage] : stagesOfTorch()) {
      if (guilty == word) {
        blamed.push_back(stage);
      }
    }
  }
  return blamed;
}

} // namespace

const std::string& cleanBackend(ir::Family family) {
  static const std::string native = "aot_eager", torch = "torch:aot_eager";
  return family == ir::Family::kNative ? native : torch;
}

std::vector<std::string> blamedStages(const triage::Ladder& ladder) {
  if (!ladder.first) {
    return {};
  }
  std::vector<std::string> byGraphs = ladder.stages ? stagesByGraphs(*ladder.stages) : std::vector<std::string>{};
  if (!byGraphs.empty()) {
    return byGraphs;
  }
  const std::string pipeline = faults::pipelineOf(ladder.rungs[*ladder.first].backend);
  const auto rung = std::find_if(stagesOfRungs().begin(), stagesOfRungs().end(),
                                 [&](const RungStages& each) { return each.pipeline == pipeline; });
  return rung == stagesOfRungs().end() ? std::vector<std::string>{} : rung->stages;
}

Attribution attributionOf(const std::vector<std::string>& blamed, std::string_view stage) {
  if (blamed.empty()) {
    return Attribution::kNone;
  }
  if (std::find(blamed.begin(), blamed.end(), stage) == blamed.end()) {
    return Attribution::kElsewhere;
  }
  return blamed.size() == 1 ? Attribution::kRight : Attribution::kAmbiguous;
}

SecondLook lookAgain(const faults::FaultRow& row, const std::string& caseText, const pool::RunJob& run) {
  SecondLook look;
  const std::string backend = faults::backendName(row);
  const worker::JobResult both = run({.source = worker::PrintedCase{caseText},
                                      .backends = {cleanBackend(row.family), backend},
                                      .task = worker::JudgeTask{.blame = false}});
  if (both.backends.size() != 2) {
    return look; // not even the Case can be read: what there was does not recur
  }
  const worker::BackendResult& result = both.backends[1];
  look.recurs = language::isFinding(result.outcome);
  const worker::BackendResult& clean = both.backends[0];
  look.isOfTheFault =
      look.recurs && triage::excludesOthers(clean) && !triage::showsKind(clean, triage::decidingKind(result));
  look.kill.outcome = result.text;
  look.kill.shows = triage::decidingKind(result);
  if (!look.isOfTheFault || row.isControl) {
    return look;
  }
  triage::Ladder ladder;
  try {
    ladder = triage::climb(caseText, triage::ladderTo(backend), run, triage::Top::kLast);
  } catch (const base::Interrupted&) {
    throw;
  } catch (const std::runtime_error&) { // a rung gave no result: no stage is named
    return look;
  }
  triage::judgeReplays(ladder, caseText, run);
  const std::vector<std::string> blamed = blamedStages(ladder);
  look.kill.rung = ladder.first ? ladder.rungs[*ladder.first].backend : "";
  look.kill.stages = fmt::format("{}", fmt::join(blamed, ", "));
  look.kill.attribution = attributionOf(blamed, faults::stageToBlame(row));
  return look;
}

} // namespace touchstone::score
