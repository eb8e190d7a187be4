#include "backends/compiled_autograd/CompiledSegment.h"

#include "backends/compiled_autograd/RegionScope.h"
#include "graph/ir/Unsupported.h"
#include "graph/runtime/Interpreter.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace touchstone::compiled_autograd {

namespace {

void detachAll(std::vector<at::Tensor>& tensors) {
  for (at::Tensor& tensor : tensors) {
    if (tensor.requires_grad()) {
      tensor = tensor.detach();
    }
  }
}

/// All that is traced has memory; compilers take it for granted.
bool isStrided(const ir::Graph& graph) {
  return std::all_of(graph.nodes().begin(), graph.nodes().end(),
                     [](const ir::Node& node) { return !node.metadata.has_value() || node.metadata->storage >= 0; });
}

class SegmentOfCompiler final : public backends::CompiledGraph {
 public:
  SegmentOfCompiler(ir::Graph graph, std::vector<at::Tensor> examples, const backends::GraphCompiler& compiler,
                    ScalarMoves moves)
      : moves_(std::move(moves)) {
    detachAll(examples);
    moveScalars(moves_, examples);
    noteMoves(moves_, graph);
    const c10::impl::ExcludeDispatchKeyGuard uncast(c10::autocast_dispatch_keyset);
    compiled_ = compiler(std::move(graph), examples);
  }

  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
    const RegionScope region;
    const c10::impl::ExcludeDispatchKeyGuard uncast(c10::autocast_dispatch_keyset);
    detachAll(inputs);
    moveScalars(moves_, inputs);
    return compiled_->run(std::move(inputs));
  }

 private:
  const ScalarMoves moves_;
  std::shared_ptr<const backends::CompiledGraph> compiled_;
};

} // namespace

std::shared_ptr<const backends::CompiledGraph> compileSegment(ir::Graph graph, const std::vector<at::Tensor>& examples,
                                                              const backends::GraphCompiler& compiler,
                                                              ScalarMoves moves) {
  if (!compiler || graph.operatorCount() == 0) {
    // Views count their versions with what they are views of, as below the engine: that dispatch key stays.
    return backends::graphOf([segment = backends::interpreted(std::move(graph), runtime::NodeState::kCallers)](
                                 std::vector<at::Tensor> inputs) {
      const RegionScope region;
      const at::AutoDispatchBelowAutograd below;
      const c10::impl::ExcludeDispatchKeyGuard uncast(c10::autocast_dispatch_keyset);
      return segment->run(std::move(inputs));
    });
  }
  return std::make_shared<SegmentOfCompiler>(std::move(graph), examples, compiler, std::move(moves));
}

std::shared_ptr<const backends::CompiledGraph> compiledOf(const Segment& segment, const BackwardKey& key,
                                                          const WaitingGradients& waiting,
                                                          const CompiledAutogradOptions& options,
                                                          const std::function<void(const std::string& line)>& log) {
  const std::lock_guard<std::mutex> lock(segment.compiled->mutex);
  auto& compiled = segment.compiled->graph;
  if (compiled != nullptr) {
    return compiled;
  }
  std::vector<at::Tensor> examples;
  for (const SegmentInput& input : segment.inputs) {
    examples.push_back(input.isGradient ? waiting[input.gradient.node][input.gradient.input]
                                        : key.tensors()[input.tensor]);
  }
  if (!isStrided(segment.graph)) {
    log("runs node by node: a gradient in it is not strided");
    compiled = compileSegment(segment.graph, examples, nullptr);
    return compiled;
  }
  ScalarMoves moves;
  if (options.movesScalars) {
    moves = scalarsToMove(segment.graph);
  }
  if (!moves.scalars.empty()) {
    log(fmt::format("{} scalars are moved to {}", moves.scalars.size(), moves.accelerator->str()));
  }
  try {
    compiled = compileSegment(segment.graph, examples, options.compiler, std::move(moves));
  } catch (const ir::Unsupported& refusal) {
    log(std::string("runs node by node, as its compiler cannot take it: ") + refusal.what());
    compiled = compileSegment(segment.graph, examples, nullptr);
  }
  return compiled;
}

} // namespace touchstone::compiled_autograd
