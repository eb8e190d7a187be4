#include "harness/worker/TwinJob.h"

#include "backends/Registry.h"
#include "backends/native/NativeBackends.h"
#include "program/values/CompiledProgram.h"
#include "program/values/RaisedException.h"
#include "harness/worker/PreparedBackends.h"
#include "harness/worker/Progress.h"
#include "harness/worker/StagesJob.h"
#include "oracles/observe/CallRunner.h"
#include "oracles/stages/PartitionLaws.h"
#include "oracles/equivalence/TwinCheck.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

namespace touchstone::harness {

namespace {

/// Keeps what all stages of each compiled Graph left.
class ArtifactKeeper final : public graph::StageHook {
 public:
  void after(const std::string& stage, graph::StageArtifacts& artifacts) override {
    if (stage == "captured") {
      frames_.emplace_back();
    }
    if (stage == "forward" || stage.rfind("backward", 0) == 0) {
      frames_.back() = artifacts;
    }
  }
  const std::vector<graph::StageArtifacts>& frames() const { return frames_; }

 private:
  std::vector<graph::StageArtifacts> frames_;
};

/// Why the call could not be made; empty: it was.
std::string makeCall(const graph::Case& theCase, graph::CompiledProgram& program, const char* backend) {
  oracles::RunOptions options;
  options.probeEffects = false;
  currentProgress().beginBackend(backend);
  currentProgress().enter("compile", 0);
  const oracles::CaseObservation observed = oracles::runCalls(theCase, program, options);
  const auto& raised = observed.calls.back().exception;
  return raised ? std::string(backend) + " raises: " + raised->type + ": " + raised->message : "";
}

/// Where each of the two captures breaks, and why.
std::string breaksOfBoth(const graph::CompiledProgram& native, const graph::CompiledProgram& torch) {
  const auto breaksOf = [](const graph::CompiledProgram& program) {
    const std::vector<std::string> breaks = program.report().breaks;
    return breaks.empty() ? std::string("none") : fmt::format("{}", fmt::join(breaks, "; "));
  };
  return fmt::format("; breaks: {} / {}", breaksOf(native), breaksOf(torch));
}

void judgePartition(const graph::StageArtifacts& frame, TwinResult& result) {
  const graph::Graph* joint = frame.graph("joint");
  if (joint == nullptr || frame.graph("forward") == nullptr || frame.graph("backward") == nullptr) {
    const bool isRefused = std::any_of(frame.refused.begin(), frame.refused.end(),
                                       [](const auto& refused) { return refused.first == "joint"; });
    if (joint != nullptr || isRefused) { // else there was no gradient, and nothing was cut
      result.unjudged.push_back("a graph of the partition was not taken over");
    }
    return;
  }
  try {
    const auto breaches = oracles::partitionBreaches(frame, oracles::inputsFor(*joint, 1));
    for (const oracles::PartitionBreach& breach : breaches) {
      result.breaches.emplace_back(oracles::partitionLawName(breach.law), breach.message);
    }
    ++result.partitions;
    result.brokenPartitions += breaches.empty() ? 0 : 1;
  } catch (...) { // such numbers are not what an operator wants
    result.unjudged.push_back(graph::currentException().what());
  }
}

} // namespace

TwinResult runTwins(const graph::Case& theCase) {
  TwinResult result;
  const graph::Case first = forwardUpTo(theCase, 0);
  const auto keeper = std::make_shared<ArtifactKeeper>();
  try {
    const auto native = backends::makeNativeBackend(backends::backendInfo("aot_eager"), {keeper},
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
    const std::vector<graph::StageArtifacts> frames = torch->stages();
    for (const graph::StageArtifacts& frame : frames) {
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
    const oracles::TwinComparison comparison = oracles::compareTwins(keeper->frames(), frames);
    result.graphs = comparison.graphs;
    result.reason = comparison.notComparable;
    result.isCompared = result.reason.empty() || !comparison.differences.empty();
    for (const oracles::TwinDifference& each : comparison.differences) {
      const bool isOfGraphs = each.aspect == oracles::TwinAspect::kGraphs;
      result.differences.emplace_back(oracles::twinAspectName(each.aspect),
                                      each.message + (isOfGraphs ? breaksOfBoth(*native, *torch) : ""));
    }
  } catch (const graph::Unsupported& unsupported) {
    result.reason = unsupported.what();
  } catch (...) {
    result.reason = graph::currentException().what();
  }
  return result;
}

} // namespace touchstone::harness
