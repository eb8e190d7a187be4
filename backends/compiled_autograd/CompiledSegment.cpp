#include "backends/compiled_autograd/CompiledSegment.h"

#include "backends/compiled_autograd/RegionScope.h"
#include "backends/compiled_autograd/SymbolicSegment.h"
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
  explicit SegmentOfCompiler(std::shared_ptr<const backends::CompiledGraph> compiled)
      : compiled_(std::move(compiled)) {}
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

  std::shared_ptr<const backends::SymbolicCompiledGraph> forSymbols(const std::vector<backends::GraphSample>& others,
                                                                    symbols::Fitting& fitting) const override {
    if (!moves_.scalars.empty()) {
      throw symbols::NoSymbolicForm("scalars are moved to the accelerator");
    }
    const c10::impl::ExcludeDispatchKeyGuard uncast(c10::autocast_dispatch_keyset);
    return std::make_shared<const ForSymbols>(compiled_->forSymbols(others, fitting));
  }

 private:
  class ForSymbols final : public backends::SymbolicCompiledGraph {
   public:
    explicit ForSymbols(std::shared_ptr<const backends::SymbolicCompiledGraph> graph) : graph_(std::move(graph)) {}
    std::shared_ptr<const backends::CompiledGraph> at(const symbols::Assignment& assignment) const override {
      return std::make_shared<const SegmentOfCompiler>(graph_->at(assignment));
    }
    std::string text() const override { return graph_->text(); }

   private:
    const std::shared_ptr<const backends::SymbolicCompiledGraph> graph_;
  };

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
  const auto compile = [&](ir::Graph graph, const std::vector<at::Tensor>& given) {
    ScalarMoves moves;
    if (options.movesScalars) {
      moves = scalarsToMove(graph);
    }
    if (!moves.scalars.empty()) {
      log(fmt::format("{} scalars are moved to {}", moves.scalars.size(), moves.accelerator->str()));
    }
    return compileSegment(std::move(graph), given, options.compiler, std::move(moves));
  };
  const bool isOfCompiler = options.compiler && segment.graph.operatorCount() > 0;
  try {
    compiled = isOfCompiler && segment.symbolic != nullptr
                   ? segment.symbolic->at(segment.assignment, examples, compile, log)
                   : compile(segment.graph, examples);
  } catch (const ir::Unsupported& refusal) {
    log(std::string("runs node by node, as its compiler cannot take it: ") + refusal.what());
    compiled = compileSegment(segment.graph, examples, nullptr);
  }
  return compiled;
}

} // namespace touchstone::compiled_autograd
