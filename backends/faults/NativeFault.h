#pragma once

#include "backends/PipelineObserver.h"
#include "backends/aot_autograd/ViewAndMutationMetadata.h"
#include "backends/faults/FaultTable.h"
#include "backends/faults/GraphEdits.h"
#include "graph/ir/Stages.h"

#include <ATen/core/stack.h>

#include <functional>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

namespace touchstone::faults {

using ir::kBackwardStage;
using ir::kCapturedStage;
using ir::kForwardStage;
using ir::kFunctionalStage;
using ir::kJointStage;
using ir::kMergedStage;
using ir::kMetadataStage;

/// What the calls of one compiled Graph leave to each other.
struct CallHistory {
  int calls = 0; // before this one
  std::vector<at::Tensor> kept;
};

// What a fault changes. Which Graphs are meant the stage of its row says: `captured`; `forward`; `backward` and `merged`, those
// of backwards; `functional`: forward and backward; `joint`: the nodes of both that the backward has recorded.
using GraphChange = std::function<void(ir::Graph& graph)>;
/// Around a call of what the pipeline has compiled of a captured Graph: real arguments and results, with autograd.
using CallChange = std::function<std::vector<at::Tensor>(const backends::CompiledGraph& compiled,
                                                         std::vector<at::Tensor> inputs, CallHistory& history)>;
/// Around each operator of the Graphs as they run.
using OperatorChange =
    std::function<void(const ir::Node& node, torch::jit::Stack& stack, const std::function<void()>& next)>;
/// What the runtime does around the compiled Graphs.
using PlanChange = std::function<void(aot_autograd::ViewAndMutationMetadata& plan)>;
/// The compiler of captured Graphs; made anew for each Program.
using CompilerChange = std::function<backends::GraphCompiler(backends::GraphCompiler compiler)>;

/// The order of what the forward returns for the backward, and what becomes of it there; given once a Graph.
struct SavedOutputs {
  ir::Graph& forward;
  size_t begin = 0; // its outputs from here on are saved
};
using SavedChange = std::function<void(SavedOutputs saved)>;

using Change =
    std::variant<NodeRewrite, GraphChange, CallChange, OperatorChange, PlanChange, CompilerChange, SavedChange>;

struct NativeFault {
  std::string_view name;
  FaultClass faultClass;
  const char* stage;
  std::string_view what, when;
  Change change;
  bool isControl = false;
};
using NativeFaultList = std::vector<NativeFault>;

// The table, by what is written together.
NativeFaultList captureFaults();
NativeFaultList arithmeticFaults();
NativeFaultList promotionFaults();
NativeFaultList repetitionFaults();
NativeFaultList orderFaults();
NativeFaultList shapeFaults();
NativeFaultList viewFaults();
NativeFaultList jointFaults();
NativeFaultList gradientFormulaFaults();
NativeFaultList partitionFaults();
NativeFaultList savedValueFaults();
NativeFaultList runtimeFaults();
NativeFaultList guardFaults();
NativeFaultList numericsFaults();
NativeFaultList memoryFaults();
NativeFaultList errorFaults();
NativeFaultList controls();

const NativeFaultList& nativeFaultList();

} // namespace touchstone::faults
