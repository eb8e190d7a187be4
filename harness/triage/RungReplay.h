#pragma once

#include "harness/pool/WorkerPool.h"
#include "oracles/stages/ReplayRung.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace touchstone::triage {

/// What is left when every graph holds.
inline constexpr const char* kAroundGraphs = "the runtime around the graphs";
/// Of a native rung, and of Dynamo's: code is taken for a call that it was not compiled for.
inline constexpr const char* kGuardsStage = "guards";
/// Of Dynamo's rung: what runs the graphs that it captured, hands them arguments, and makes results of what they return.
inline constexpr const char* kAroundCapturedStage = "the code around the captured graph";

/// The stages in the compiles of a Case under one backend: rungs below that of the backend. Those of AOTAutograd under the
/// installed PyTorch: their graphs are run once more by themselves, on what the compiled code was given; see
/// stages::judgeReplays(). Of a native one, and of Dynamo: see substitutedStagesOf().
struct RungReplay {
  std::string backend;
  std::vector<stages::ReplayRung> rungs; // in the order in which the stages work
  std::string reason; // why there are none
  bool bySubstitutes = false; // a stage holds where the symptom stays although it is replaced
  std::string left = kAroundGraphs; // where a difference is when all of them hold

  /// The first that does not hold; none: each that was judged holds.
  std::optional<size_t> first() const;
};

/// Makes the Case's calls under the backend once more, in a child. None: the backend has no such stages.
std::optional<RungReplay> replayStagesOf(const std::string& caseText, const std::string& backend,
                                         const pool::RunJob& run);

/// The stages that a difference of the backend may be in, in the order in which they work: that of the first rung that differs,
/// or each that is not known to hold, and what is left. None: too little could be judged.
std::vector<std::string> guiltyStages(const RungReplay& stages);
/// The same in words: `partition`, `tracing, or the runtime around the graphs`.
std::string guiltyStage(const RungReplay& stages);

/// A heading, a line a stage with its first difference and what could not be judged, and the conclusion.
std::string replayText(const RungReplay& stages);

/// The fields that `--json` prints; docs/json.md.
nlohmann::json replayJson(const RungReplay& stages);

} // namespace touchstone::triage
