#include "backends/compiled_autograd/CompiledSegment.h"

#include "backends/compiled_autograd/CompiledAutograd.h"
#include "backends/compiled_autograd/RegionScope.h"
#include "graph/runtime/Interpreter.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

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

} // namespace touchstone::compiled_autograd
