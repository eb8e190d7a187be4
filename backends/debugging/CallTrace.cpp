#include "backends/debugging/CallTrace.h"

#include "backends/fake/OperatorTraits.h"
#include "backends/fake/TensorMemory.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"
#include "graph/ir/Subgraph.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/Boxing.h"

#include <c10/util/ScopeExit.h>

#include <utility>

namespace touchstone::debugging {

using ir::Argument;
using ir::NodeId;

namespace {

thread_local CallTrace* currentCallTrace = nullptr;

/// How compiled code makes a tensor over memory that it has.
constexpr const char* kPlacing = "aten::set_.source_Storage_storage_offset";

bool hasEffect(const ir::Node& node) {
  if (node.kind != ir::NodeKind::kOperator) {
    return node.kind == ir::NodeKind::kCallable;
  }
  const c10::OperatorHandle& op = fake::operatorOf(node.target);
  return op.schema().is_mutable() || fake::traitsOf(op).isRandom;
}

} // namespace

CallTrace* CallTrace::current() {
  return currentCallTrace;
}

void CallTrace::note(const at::Tensor& tensor, NodeId node) {
  if (!tensor.defined() || !nodes_.try_emplace(tensor.unsafeGetTensorImpl(), node).second) {
    return; // an in-place operator returns its argument: the first node keeps standing for the object
  }
  kept_.push_back(tensor);
  ir::TensorMetadata metadata = runtime::metadataOf(tensor);
  graph_.node(node).metadata = metadata;
  if (const c10::StorageImpl* storage = fake::memoryOf(tensor)) {
    inMemory_[storage].push_back({tensor, std::move(metadata), node});
  }
}

void CallTrace::noteResult(const c10::IValue& value, NodeId node) {
  if (value.isTensor()) {
    note(value.toTensor(), node);
  } else if (value.isTensorList()) {
    const std::vector<at::Tensor> tensors = value.toTensorVector();
    for (size_t i = 0; i < tensors.size(); ++i) {
      note(tensors[i], graph_.addElement(node, static_cast<int64_t>(i)));
    }
  }
}

/// A tensor that no call has returned is another object over known memory (autograd wraps what it returns), or a constant.
NodeId CallTrace::nodeOf(const at::Tensor& tensor) {
  const auto known = nodes_.find(tensor.unsafeGetTensorImpl());
  if (known != nodes_.end()) {
    return known->second;
  }
  const ir::TensorMetadata metadata = runtime::metadataOf(tensor);
  const auto memory = inMemory_.find(fake::memoryOf(tensor));
  if (memory == inMemory_.end()) {
    const NodeId node = graph_.addConstant("constant", runtime::tensorConstant(tensor));
    note(tensor, node);
    return node;
  }
  for (const Known& other : memory->second) {
    if (other.metadata.dtype == metadata.dtype && ir::sameLayout(other.metadata, metadata) &&
        other.metadata.offset == metadata.offset && other.metadata.conjugate == metadata.conjugate &&
        other.metadata.negative == metadata.negative) {
      const NodeId node = other.node;
      note(tensor, node);
      return node;
    }
  }
  const Known& first = memory->second.front();
  NodeId node = first.node;
  if (!(first.metadata.dtype == metadata.dtype)) {
    node = graph_.addOperator("aten::view.dtype", {ir::nodeArgument(node), Argument{metadata.dtype}});
  }
  node = graph_.addOperator("aten::as_strided", {ir::nodeArgument(node), ir::integerList(metadata.sizes),
                                                 ir::integerList(metadata.strides), Argument{metadata.offset}});
  note(tensor, node);
  return node;
}

void CallTrace::call(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const std::string target = fake::targetOf(op);
  const auto& schema = op.schema();
  const size_t base = stack->size() - schema.arguments().size();
  if (target == kPlacing) { // from now on it is what it lies over
    nodes_.erase((*stack)[base].toTensor().unsafeGetTensorImpl());
    op.callBoxed(stack);
    return;
  }
  std::vector<Argument> arguments;
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    arguments.push_back(values::unboxArgument((*stack)[base + i], schema.arguments()[i], [&](const at::Tensor& tensor) {
      return ir::nodeArgument(nodeOf(tensor));
    }));
  }
  const NodeId node = graph_.addOperator(target, std::move(arguments), runtime::currentCallState());
  op.callBoxed(stack);
  const size_t count = schema.returns().size();
  for (size_t i = 0; i < count; ++i) {
    noteResult((*stack)[base + i], count == 1 ? node : graph_.addElement(node, static_cast<int64_t>(i)));
  }
}

std::vector<at::Tensor> CallTrace::callWhole(const runtime::CallableCall& call,
                                             const std::vector<at::Tensor>& arguments) {
  std::vector<Argument> references;
  for (const at::Tensor& argument : arguments) {
    references.push_back(argument.defined() ? ir::nodeArgument(nodeOf(argument)) : Argument{});
  }
  const NodeId node =
      graph_.addCallable(call.name, std::move(references), runtime::callableOf(call), runtime::currentCallState());
  values::Value result;
  {
    c10::impl::ExcludeDispatchKeyGuard unseen(c10::DispatchKey::Fake);
    CallTrace* outer = std::exchange(currentCallTrace, nullptr);
    const auto resumed = c10::make_scope_exit([&] { currentCallTrace = outer; });
    result = call.run(values::ValueList(arguments.begin(), arguments.end()));
  }
  std::vector<at::Tensor> tensors;
  for (const values::Value& item : *result.items()) {
    tensors.push_back(item.isTensor() ? item.tensor() : at::Tensor());
    if (tensors.back().defined()) {
      note(tensors.back(), graph_.addElement(node, static_cast<int64_t>(tensors.size()) - 1));
    }
  }
  return tensors;
}

ir::Graph traceCalls(const std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>&)>& function,
                     const std::vector<at::Tensor>& examples) {
  CallTrace trace;
  for (size_t i = 0; i < examples.size(); ++i) {
    trace.note(examples[i], trace.graph_.addPlaceholder("input_" + std::to_string(i)));
  }
  std::vector<at::Tensor> results;
  {
    fake::DispatchMode::Scope scope(trace);
    CallTrace* outer = std::exchange(currentCallTrace, &trace);
    const auto left = c10::make_scope_exit([&] { currentCallTrace = outer; });
    results = function(examples);
  }
  std::vector<NodeId> outputs;
  for (const at::Tensor& result : results) {
    outputs.push_back(result.defined() ? trace.nodeOf(result) : -1);
  }
  return ir::subgraph(trace.graph_, trace.graph_.placeholders(), outputs,
                      [&](NodeId node) { return hasEffect(trace.graph_.node(node)); });
}

} // namespace touchstone::debugging
