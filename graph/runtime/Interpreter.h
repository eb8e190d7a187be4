#pragma once

#include "graph/ir/Graph.h"
#include "graph/runtime/GraphCallable.h"
#include "program/values/Value.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::symbols {
struct Constants;
} // namespace touchstone::symbols

namespace touchstone::runtime {

class CallMode;

/// Whether each node runs in the grad and autocast state in which it was recorded, or in the caller's.
enum class NodeState { kRecorded, kCallers };

/// Runs a Graph node by node through the boxed calling convention of the dispatcher. Operators are looked up and constant
/// arguments boxed once, when the Interpreter is made; throws c10::Error when an operator does not exist. Several threads
/// may run it at once.
class Interpreter {
 public:
  explicit Interpreter(ir::Graph graph, NodeState state = NodeState::kRecorded);
  ~Interpreter();
  Interpreter(Interpreter&&) noexcept;

  /// `inputs` in the order of the placeholders; taken over, so that they are freed as soon as no later node reads them.
  /// Returns the Graph's output with its structure; a returned placeholder is the caller's very object.
  values::Value run(std::vector<at::Tensor> inputs) const;
  /// The same for a Graph whose output is a flat tuple of tensors and None; None gives an undefined tensor.
  /// `onNode` sees each node before it runs.
  std::vector<at::Tensor> runFlat(std::vector<at::Tensor> inputs,
                                  const std::function<void(const ir::Node&)>& onNode = nullptr) const;
  /// The same, each call through `mode`.
  std::vector<at::Tensor> runFlat(std::vector<at::Tensor> inputs, CallMode& mode) const;
  const ir::Graph& graph() const;

 private:
  std::vector<c10::IValue> runNodes(std::vector<at::Tensor> inputs, const std::function<void(const ir::Node&)>& onNode,
                                    CallMode* mode) const;
  std::vector<at::Tensor> flatOutputs(const std::vector<c10::IValue>& values) const;
  struct State;
  std::unique_ptr<State> state_;
};

/// The state of autograd and autocast on this thread, as a node records it.
ir::CallState currentCallState();

/// What a node of kind kCallable calls, as the Graph holds it. Its own arguments are left out: the node has them.
std::shared_ptr<const void> callableOf(CallableCall call);

/// The operator of a target, `aten::add.Tensor`; nothing when this library has none.
std::optional<c10::OperatorHandle> findOperator(const std::string& target);

/// The tensor that a node of kind kConstant stands for.
const at::Tensor& constantOf(const ir::Graph& graph, const ir::Node& node);

/// A tensor as a constant of a Graph.
std::shared_ptr<const void> tensorConstant(at::Tensor tensor);

/// What constants of Graphs are: the same where they are one tensor or have the same bits, dtype, sizes and strides; ints
/// where they are what an operator makes of one.
symbols::Constants constantTensors();

/// Metadata of a real tensor. One that is not strided has no strides.
ir::TensorMetadata metadataOf(const at::Tensor& tensor);
/// A tensor on the meta device with this dtype, these sizes and strides.
at::Tensor metaTensor(const ir::TensorMetadata& metadata);

} // namespace touchstone::runtime
