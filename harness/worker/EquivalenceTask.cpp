#include "harness/worker/EquivalenceTask.h"

#include "backends/Registry.h"
#include "backends/native/NativeBackends.h"
#include "graph/ir/Stages.h"
#include "harness/worker/Job.h"
#include "harness/worker/JsonFields.h"
#include "harness/worker/PreparedBackends.h"
#include "harness/worker/Progress.h"
#include "harness/worker/ShownCall.h"
#include "oracles/equivalence/EquivalenceCheck.h"
#include "oracles/observe/CallRunner.h"
#include "oracles/stages/PartitionLaws.h"
#include "program/values/CompiledProgram.h"
#include "program/values/RaisedException.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

namespace touchstone::worker {

namespace {

/// Why the call could not be made; empty: it was.
std::string makeCall(const language::Case& theCase, values::CompiledProgram& program, const char* backend) {
  observe::RunOptions options;
  options.probeEffects = false;
  currentProgress().beginBackend(backend);
  currentProgress().enter("compile", 0);
  const observe::CaseObservation observed = observe::runCalls(theCase, program, options);
  const auto& raised = observed.calls.back().exception;
  return raised ? std::string(backend) + " raises: " + raised->type + ": " + raised->message : "";
}

/// Where each of the two captures breaks, and why.
std::string breaksOfBoth(const values::CompiledProgram& native, const values::CompiledProgram& torch) {
  const auto breaksOf = [](const values::CompiledProgram& program) {
    const std::vector<std::string> breaks = program.report().breaks;
    return breaks.empty() ? std::string("none") : fmt::format("{}", fmt::join(breaks, "; "));
  };
  return fmt::format("; breaks: {} / {}", breaksOf(native), breaksOf(torch));
}

void judgePartition(const ir::StageArtifacts& frame, EquivalenceResult& result) {
  const ir::Graph* joint = frame.graph(ir::kJointStage);
  if (joint == nullptr || frame.graph(ir::kForwardStage) == nullptr || frame.graph(ir::kBackwardStage) == nullptr) {
    const bool isRefused = std::any_of(frame.refused.begin(), frame.refused.end(),
                                       [](const auto& refused) { return refused.first == ir::kJointStage; });
    if (joint != nullptr || isRefused) { // else there was no gradient, and nothing was cut
      result.unjudged.push_back("a graph of the partition was not taken over");
    }
    return;
  }
  try {
    const auto breaches = stages::partitionBreaches(frame, stages::inputsFor(*joint, 1));
    for (const stages::PartitionBreach& breach : breaches) {
      result.breaches.emplace_back(stages::partitionLawName(breach.law), breach.message);
    }
    ++result.partitions;
    result.brokenPartitions += breaches.empty() ? 0 : 1;
  } catch (...) { // such numbers are not what an operator wants
    result.unjudged.push_back(values::currentException().what());
  }
}

EquivalenceResult runEquivalence(const language::Case& theCase) {
  EquivalenceResult result;
  const language::Case first = forwardUpTo(theCase, 0);
  std::vector<ir::StageArtifacts> kept; // of all stages, by compiled Graph
  const auto keeper =
      backends::visitGraphs([&](const std::string& stage, const ir::StageArtifacts& artifacts, const ir::Graph&) {
        if (stage == ir::kCapturedStage) {
          kept.emplace_back();
        }
        if (stage == ir::kForwardStage || ir::isStage(stage, ir::kBackwardStage)) {
          kept.back() = artifacts;
        }
      });
  try {
    const auto native = native::makeNativeBackend(backends::backendInfo("aot_eager"), {keeper},
                                                  {.traceGradients = false, .asPyTorch = true})
                            ->compile(first);
    result.reason = makeCall(first, *native, "aot_eager");
    if (!result.reason.empty()) {
      return result;
    }
    const auto torch = preparedBackend("torch:aot_eager").compileKeepingStages(first, backends::StagesKept::kGraphs);
    result.reason = makeCall(first, *torch, "torch:aot_eager");
    if (!result.reason.empty()) {
      return result;
    }
    const std::vector<ir::StageArtifacts> frames = torch->stages();
    for (const ir::StageArtifacts& frame : frames) {
      result.imported += static_cast<int>(frame.graphs.size());
      for (const auto& [stage, reason] : frame.refused) {
        result.refused.push_back(stage + ": " + reason);
      }
      judgePartition(frame, result);
    }
    if (!result.breaches.empty()) {
      result.reason = "a partition of torch:aot_eager breaks a law";
      return result;
    }
    const equivalence::EquivalenceComparison comparison = equivalence::checkEquivalence(kept, frames);
    result.graphs = comparison.graphs;
    result.reason = comparison.notComparable;
    result.isCompared = result.reason.empty() || !comparison.differences.empty();
    for (const equivalence::EquivalenceDifference& each : comparison.differences) {
      const bool isOfGraphs = each.aspect == equivalence::EquivalenceAspect::kGraphs;
      result.differences.emplace_back(equivalence::equivalenceAspectName(each.aspect),
                                      each.message + (isOfGraphs ? breaksOfBoth(*native, *torch) : ""));
    }
  } catch (const ir::Unsupported& unsupported) {
    result.reason = unsupported.what();
  } catch (...) {
    result.reason = values::currentException().what();
  }
  return result;
}

} // namespace

TOUCHSTONE_JSON_FIELDS(EquivalenceResult, isCompared, reason, graphs, imported, refused, differences, partitions,
                       brokenPartitions, breaches, unjudged)

void runTask(const EquivalenceTask&, const Job& job, const Profile& profile, JobResult& result) {
  const std::optional<language::Case> theCase = makeCase(job.source, profile, result.making);
  if (!theCase) {
    return;
  }
  Job judging = job;
  judging.task = JudgeTask{.blame = false};
  judgeCase(judging, *theCase, result, profile);
  // Vacuous, too: only the first call is compiled for them.
  const language::Outcome outcome = result.backends.front().outcome;
  const bool isRight = outcome == language::Outcome::kAgreed || outcome == language::Outcome::kVacuous;
  result.answer = isRight ? TaskResult(runEquivalence(*theCase)) : TaskResult();
}

} // namespace touchstone::worker
