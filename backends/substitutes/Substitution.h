#pragma once

#include "backends/PipelineObserver.h"
#include "backends/substitutes/CapturedRuns.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::substitutes {

/// What runs in place of a part of a native AOT pipeline: the same, made again from what the stage before it left.
enum class Part {
  kNone, // nothing; codes are told apart all the same
  kJoint, // of `aot_joint`, forward and backward: the captured Graph with autograd on
  kForward, // the forward part of the joint Graph without writes, node by node, with the values that are to be saved
  kBackward, // the backward part of that Graph, from these values and the tangents
};

/// What came of a substitution in the compiles and runs of one Case.
struct Substituted {
  int placed = 0; // Graphs that have one
  std::vector<std::string> refused; // Graphs that have none: why, each once
  /// By call and run of a forward Graph: what was compiled for it, all stages; the same: equal Graphs, layouts and plans.
  std::vector<std::vector<uint64_t>> codes;
  std::vector<std::string> around; // of the installed PyTorch, by call: values::ServedCalls::around
};

/// Puts substitutes into a pipeline. To be the last of its observers: what the others have done to the part is gone with it.
class Substitution final : public backends::PipelineObserver {
 public:
  /// `call`: the one that is being made.
  Substitution(Part part, std::function<int()> call) : part_(part), record_(std::make_shared<Record>()) {
    record_->call = std::move(call);
  }
  void afterStage(const std::string& stage, ir::StageArtifacts& artifacts) override;
  backends::GraphCompiler aroundCompiler(const std::string& stage, backends::GraphCompiler compiler) override;

  Substituted result() const;

 private:
  struct Record {
    void note(uint64_t code);
    std::function<int()> call;
    mutable std::mutex mutex; // codes may run on several threads
    Substituted made;
  };
  void substitute(const std::string& stage, ir::StageArtifacts& artifacts);
  ir::Graph substituteOf(const std::string& stage, const ir::StageArtifacts& artifacts);

  const Part part_;
  const std::shared_ptr<Record> record_;
  uint64_t code_ = 0; // of the compile that is going on
  size_t gradients_ = 0; // outputs of the joint Graph that its backwards have had so far
  std::optional<Captured> captured_; // what that compile is given
};

} // namespace touchstone::substitutes
