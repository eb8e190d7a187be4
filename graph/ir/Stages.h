#pragma once

#include <array>
#include <string>

namespace touchstone::ir {

// Names of stages, for whoever looks for one of them.
inline constexpr const char* kCapturedStage = "captured";
inline constexpr const char* kPreDispatchStage = "pre_dispatch";
inline constexpr const char* kJointStage = "joint";
inline constexpr const char* kFunctionalStage = "functional";
inline constexpr const char* kMergedStage = "merged";
inline constexpr const char* kMetadataStage = "metadata";
inline constexpr const char* kForwardStage = "forward";
inline constexpr const char* kBackwardStage = "backward";
inline constexpr const char* kCompiledAutogradStage = "compiled_autograd";

/// A stage of a native pipeline, and what it leaves.
struct StageEntry {
  const char* name;
  const char* leaves;
  bool isGraph = true; // otherwise a text
};

/// All that can be shown, in the order in which they run; no pipeline has all of them. The table of `docs/stages.md` is held
/// to this one by a test.
inline constexpr std::array kStages{
    StageEntry{kCapturedStage, "the operators that the Program called, with their writes"},
    StageEntry{kPreDispatchStage, "of pre_dispatch_eager: the operators that autograd and autocast see"},
    StageEntry{kJointStage, "the same, and the backward that autograd runs behind it"},
    StageEntry{kFunctionalStage, "joint without writes: each storage has one current value"},
    StageEntry{kMergedStage,
               "of a min-cut partition: functional, with repeated expressions merged; this is what it cuts"},
    StageEntry{kMetadataStage, "what becomes of inputs and outputs around the compiled Graphs", /*isGraph=*/false},
    StageEntry{kForwardStage, "the part that runs when the program is called; returns what is saved, too"},
    StageEntry{kBackwardStage, "the part that autograd runs; takes what was saved, then the tangents"},
    StageEntry{kCompiledAutogradStage, "the backward of the call, captured from the engine; shown when asked for"},
};

/// The entry of a stage by the name that a pipeline gives it: a backward of several is `backward_0`, `backward_1`, …
/// Throws std::out_of_range for a name that is no stage's.
const StageEntry& stageEntry(const std::string& name);

/// `name` is this stage, or one of several of its kind.
bool isStage(const std::string& name, const std::string& stage);

} // namespace touchstone::ir
