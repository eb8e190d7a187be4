#pragma once

#include "backends/aot_autograd/BackwardGraphs.h"

#include <memory>
#include <optional>
#include <vector>

namespace touchstone::aot_autograd {

/// What passes through the pipeline, from a captured Graph to Graphs that run: each stage works on what those before it have
/// left.
struct Draft {
  const runtime::Interpreter& program;
  const std::vector<at::Tensor>& inputs;
  const AotOptions& options;

  std::unique_ptr<JointRecord> record = nullptr;
  std::optional<Functionalizer> joint = {}; // the forward, and what was recorded behind it
  JointCut::Backwards backwards = {}; // by node of the plan
  std::vector<ir::NodeId> recordedOutputs = {}; // of the recorded Graph
  partitioners::PartitionInputs whole = {}; // of the joint Graph
  backends::ShownStages shown{options.observers};

  // What runs in the end.
  std::shared_ptr<const backends::CompiledGraph> forward = nullptr;
  std::unique_ptr<BackwardGraphs> backwardGraphs = nullptr;
};

/// A stage of the pipeline: works on the draft, and shows what it leaves.
struct Stage {
  const char* name; // of ir::kStages
  void (*run)(Draft& draft);
};

/// AOT autograd, in the order in which the stages run. `merged` is one of partitions that choose what is saved; there is a
/// stage `backward_0`, `backward_1`, … each where outputs have graphs that do not meet.
const std::vector<Stage>& pipeline();

} // namespace touchstone::aot_autograd
