#pragma once

#include "backends/fake/DispatchMode.h"
#include "graph/ir/Graph.h"
#include "graph/runtime/GraphCallable.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <unordered_map>
#include <vector>

namespace touchstone::debugging {

/// Records what is called on this thread below autograd, on real tensors: the role of make_fx. A backward that runs
/// meanwhile is recorded too.
class CallTrace final : public fake::DispatchMode {
 public:
  /// The trace that records on this thread; null: none.
  static CallTrace* current();

  /// One node for a call that is not looked into; its run is not recorded. Returns the results, which are a flat tuple.
  std::vector<at::Tensor> callWhole(const runtime::CallableCall& call, const std::vector<at::Tensor>& arguments);

  void call(const c10::OperatorHandle& op, torch::jit::Stack* stack) override;

 private:
  friend ir::Graph traceCalls(const std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>&)>& function,
                              const std::vector<at::Tensor>& examples);
  ir::NodeId nodeOf(const at::Tensor& tensor);
  void note(const at::Tensor& tensor, ir::NodeId node);
  void noteResult(const c10::IValue& value, ir::NodeId node);

  struct Known {
    at::Tensor tensor; // keeps addresses from being used again
    ir::TensorMetadata metadata;
    ir::NodeId node;
  };
  ir::Graph graph_;
  std::unordered_map<const c10::TensorImpl*, ir::NodeId> nodes_;
  std::unordered_map<const c10::StorageImpl*, std::vector<Known>> inMemory_;
  std::vector<at::Tensor> kept_;
};

/// A call of `function` as a Graph: its placeholders the examples, its outputs what the function returns, which may be
/// undefined. The function runs on the examples themselves. Calls whose results nothing reads are left out unless they
/// write, draw random numbers or are not looked into.
ir::Graph traceCalls(const std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>&)>& function,
                     const std::vector<at::Tensor>& examples);

} // namespace touchstone::debugging
