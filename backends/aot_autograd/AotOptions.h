#pragma once

#include "backends/GraphCompiler.h"
#include "backends/PipelineObserver.h"
#include "backends/decompositions/DecompositionTable.h"
#include "backends/fake/Tracer.h"
#include "backends/partitioners/MinCutPartition.h"
#include "backends/partitioners/Partition.h"
#include "graph/ir/PassGate.h"

#include <c10/core/Device.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace touchstone::aot_autograd {

/// Which result of the pipeline runs.
enum class AotResult {
  kJoint, // the recorded joint Graph, writes included: the backward runs all of it anew, on the inputs as they were
  kFunctional, // the functional joint Graph, not cut: the backward computes the forward again, from inputs and draws
  kPartitioned, // the forward saves what the backward reads
};

/// How the joint Graph is cut.
enum class AotPartition {
  kDefault, // every value that the backward reads is saved
  kMinCut, // repeated expressions merged, then what is cheapest: see chooseSavedValues()
  kChosen, // repeated expressions merged, then what AotOptions::chooseSaved says
};

/// Which values of the forward are saved, of the merged joint Graph; those that the backward can do without are left out, and
/// inputs and draws that it needs are saved in any case.
using SavedValuesChooser =
    std::function<std::vector<ir::NodeId>(const ir::Graph& joint, const partitioners::PartitionInputs& inputs)>;

/// How a captured Graph is compiled.
struct AotOptions {
  fake::Backing backing = fake::Backing::kValues;
  bool asPyTorch = false; // operators are traced, and values saved, as PyTorch does it: see TorchTracing
  std::optional<c10::Device> claimed; // trace as though all arguments were there; see Tracer
  backends::PipelineObservers observers;
  /// Compilers of forward and backward Graphs, below autograd and with effects on nothing; null: they run node by node,
  /// inputs freed early. Their examples have no values: tensors on the meta device, with the dtype, sizes and strides of
  /// the placeholders. Backwards from fewer outputs are compiled when they are asked for. With AotResult::kJoint the forward
  /// writes to what it is given, which is nobody else's, and the backward runs node by node in any case.
  backends::GraphCompiler forwardCompiler, backwardCompiler;
  backends::GraphCompiler inferenceCompiler; // of a forward without gradients; null: forwardCompiler
  /// Where no gradient is traced, what inputs hold in the end is written at the end of the forward Graph, by `copy_`, rather
  /// than by the runtime behind it (torch/_functorch/aot_autograd.py, keep_inference_input_mutations). Not with
  /// AotResult::kJoint.
  bool keepInferenceInputMutations = false;
  /// The tokens that keep effects in order (FunctionalGraph::tokens) are no arguments and results of the forward and backward
  /// Graphs: these make and sink them (torch/_functorch/config.py, unlift_effect_tokens).
  bool unliftEffectTokens = false;
  AotResult runs = AotResult::kPartitioned;
  AotPartition partition = AotPartition::kDefault; // for kPartitioned
  partitioners::MinCutOptions minCut; // for kMinCut
  SavedValuesChooser chooseSaved; // for kChosen; std::invalid_argument where it names what is no tensor of the forward
  /// What is saved, where not null: what a compile of the same Graph for other sizes has chosen, of its merged joint Graph.
  std::shared_ptr<const std::vector<ir::NodeId>> savedAsThere;
  /// Only Graphs and metadata of the result are read: it does not run, and no later backward is asked of it.
  bool isSample = false;
  /// What is replaced by simpler operators while writes are taken out; null: nothing. Not with AotResult::kJoint.
  std::shared_ptr<const decompositions::DecompositionTable> decompositions;
  /// Asked by the passes `decompositions` (a call is replaced by what computes it), `dead_code` (a node that nobody reads is
  /// left out), `saved_values` (a value of the forward is saved rather than computed again), and, of a min-cut partition,
  /// `cse` (a repeated expression is merged) and `recomputation` (what the default partition saves is computed again); null:
  /// all apply.
  std::shared_ptr<ir::PassGate> gate;
};

} // namespace touchstone::aot_autograd
