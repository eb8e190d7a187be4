#include "harness/triage/RungSubstitutes.h"

#include "backends/faults/PlantedFault.h"
#include "graph/ir/Stages.h"
#include "harness/triage/Ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace touchstone::triage {

namespace {

using ReplayOutcome = stages::ReplayRung::Outcome;

struct ReplacedStage {
  const char* stage;
  const char* substitute; // JudgeTask::substitute
  const char* adds;
};

constexpr std::string_view kDynamo = "torch:eager";

constexpr ReplacedStage kJoint{ir::kJointStage, worker::kJointSubstitute,
                               "the joint graph; in its place the captured one, with autograd on"},
    kForward{ir::kForwardStage, worker::kForwardSubstitute,
             "the forward graph; in its place that part of the joint one, node by node"},
    kBackward{ir::kBackwardStage, worker::kBackwardSubstitute,
              "the backward graph; in its place that part of the joint one, node by node"},
    kRecomputed{ir::kMergedStage, worker::kBackwardSubstitute,
                "what the backward computes again; in its place that part of the joint graph, node by node"},
    kGuards{kGuardsStage, worker::kFreshSubstitute,
            "code that serves a call; in its place what is compiled for this call alone"},
    kAroundCaptured{kAroundCapturedStage, worker::kGraphSubstitute,
                    "what runs the captured graphs; in its place these graphs, node by node"};

/// A pipeline, what it adds to the one below it, and where a difference is when none of that makes it.
struct RungSubstitutes {
  std::string_view pipeline;
  std::vector<ReplacedStage> replaced;
  const char* left;
};

const std::vector<RungSubstitutes>& rungsWithSubstitutes() {
  static const std::vector<RungSubstitutes> rungs{
      {"eager", {kGuards}, ir::kCapturedStage},
      {kDynamo, {kGuards, kAroundCaptured}, ir::kCapturedStage},
      {"aot_joint", {kJoint, kGuards}, kAroundGraphs},
      {"aot_functional", {kGuards}, ir::kFunctionalStage},
      {"aot_eager_default_partitioner", {kForward, kBackward, kGuards}, kAroundGraphs},
      {"aot_eager", {kForward, kRecomputed, kGuards}, kAroundGraphs},
  };
  return rungs;
}

/// One look at the Case with something replaced.
struct Look {
  std::optional<worker::BackendResult> result;
  worker::JudgeResult answer;
  std::string error; // in place of a result
};

Look lookWith(const std::string& substitute, const std::string& caseText, const std::string& backend,
              const pool::RunJob& run) {
  const worker::JobResult judged = run({.source = worker::PrintedCase{caseText},
                                        .backends = {backend},
                                        .task = worker::JudgeTask{.blame = false, .substitute = substitute}});
  Look look;
  if (judged.backends.empty()) {
    look.error = judged.error;
    return look;
  }
  look.result = judged.backends.front();
  if (const auto* answer = judged.as<worker::JudgeResult>()) {
    look.answer = *answer;
  }
  return look;
}

bool isPartOf(const std::vector<uint64_t>& codes, const std::vector<uint64_t>& all) {
  size_t next = 0;
  for (const uint64_t code : all) {
    next += next < codes.size() && codes[next] == code ? 1 : 0;
  }
  return next == codes.size();
}

/// What serves each call is what is compiled for it alone, where that came to be: guards have let nothing else through.
bool areCodesOfTheirCalls(const Look& plain, const Look& fresh) {
  const auto &served = plain.answer.codes, &own = fresh.answer.codes;
  for (size_t call = 0; call < std::min(served.size(), own.size()); ++call) {
    if (!own[call].empty() && !isPartOf(served[call], own[call])) {
      return false;
    }
  }
  return !served.empty();
}

/// What guards alone can make, and what a graph, which returns tensors one behind the other, cannot.
constexpr std::string_view kOfGuards = "Differs/recompiles", kOfNoGraph = "Differs/structure";

/// What in a Case's calls shows that the code around the captured graphs has gone wrong; empty: nothing does.
std::string wrongAroundGraphs(const worker::JudgeResult& answer) {
  for (size_t call = 0; call < answer.around.size(); ++call) {
    if (!answer.around[call].empty()) {
      return fmt::format("call {}: {}", call, answer.around[call]);
    }
  }
  return "";
}

class SubstituteJudge {
 public:
  SubstituteJudge(const std::string& caseText, const std::string& backend, const std::string& kind,
                  const pool::RunJob& run)
      : caseText_(caseText), backend_(backend), kind_(kind), run_(run) {}

  stages::ReplayRung judge(const ReplacedStage& replaced) {
    stages::ReplayRung rung = judgeReplaced(replaced);
    if (faults::pipelineOf(backend_) != kDynamo) {
      return rung;
    }
    const bool isAround = replaced.stage == std::string_view(kAroundCapturedStage);
    if (isAround && isLeftByACall_ && rung.outcome != ReplayOutcome::kDiffers) {
      tell(rung, "a call finds what another one has left");
    }
    if (kind_ == (isAround ? kOfNoGraph : kOfGuards)) { // guards that are wrong have been told before
      tell(rung, "nothing else makes it");
    }
    return rung;
  }

 private:
  static void tell(stages::ReplayRung& rung, std::string message) {
    rung.outcome = ReplayOutcome::kDiffers;
    rung.message = std::move(message);
    rung.unjudged.clear();
    rung.judged = 1;
  }

  stages::ReplayRung judgeReplaced(const ReplacedStage& replaced) {
    const Look look = lookWith(replaced.substitute, caseText_, backend_, run_);
    stages::ReplayRung rung{.stage = replaced.stage, .adds = replaced.adds};
    const bool isFresh = replaced.substitute == std::string_view(worker::kFreshSubstitute);
    if (!look.result) {
      rung.unjudged = {look.error};
    } else if (!isFresh && look.answer.placed == 0) {
      rung.unjudged = look.answer.refused;
      rung.outcome = rung.unjudged.empty() ? ReplayOutcome::kAbsent : ReplayOutcome::kNotJudged;
      if (rung.unjudged.empty()) {
        rung.unjudged = {"no graph came to it"};
      }
    } else if (showsKind(*look.result, kind_)) {
      const std::string wrong = wrongAroundGraphs(look.answer);
      rung.outcome = isFresh || wrong.empty() ? ReplayOutcome::kHolds : ReplayOutcome::kDiffers;
      rung.message = isFresh ? "" : wrong;
      rung.unjudged = look.answer.refused;
    } else if (!excludesOthers(*look.result)) {
      rung.unjudged = {look.result->text + ": " + look.result->message};
    } else {
      rung.outcome = ReplayOutcome::kDiffers;
      rung.message = "with it replaced: " + look.result->text;
      if (isFresh && areCodesOfTheirCalls(lookWith(worker::kNoSubstitute, caseText_, backend_, run_), look)) {
        rung.outcome = ReplayOutcome::kHolds;
        rung.message += "; but each call is served by such code: a call finds what another one has left";
        isLeftByACall_ = true;
      }
    }
    rung.judged = rung.outcome == ReplayOutcome::kHolds || rung.outcome == ReplayOutcome::kDiffers ? 1 : 0;
    return rung;
  }

  const std::string &caseText_, &backend_, &kind_;
  const pool::RunJob& run_;
  bool isLeftByACall_ = false; // what goes wrong, and a call that is compiled alone does not
};

} // namespace

std::optional<RungReplay> substitutedStagesOf(const std::string& caseText, const std::string& backend,
                                              const std::string& kind, const pool::RunJob& run) {
  const std::string pipeline = faults::pipelineOf(backend);
  const auto rung = std::find_if(rungsWithSubstitutes().begin(), rungsWithSubstitutes().end(),
                                 [&](const RungSubstitutes& each) { return each.pipeline == pipeline; });
  if (rung == rungsWithSubstitutes().end()) {
    return std::nullopt;
  }
  RungReplay stages{.backend = backend, .bySubstitutes = true, .left = rung->left};
  SubstituteJudge judge(caseText, backend, kind, run);
  for (const ReplacedStage& replaced : rung->replaced) {
    stages.rungs.push_back(judge.judge(replaced));
  }
  return stages;
}

} // namespace touchstone::triage
