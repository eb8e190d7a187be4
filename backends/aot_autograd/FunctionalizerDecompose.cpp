#include "backends/aot_autograd/Functionalizer.h"

#include "backends/decompositions/DecompositionTable.h"
#include "backends/fake/FakeTensor.h"
#include "backends/fake/OperatorTraits.h"
#include "backends/fake/Tracer.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"
#include "graph/ir/PassGate.h"
#include "graph/ir/Subgraph.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/Boxing.h"
#include "program/values/TensorWalk.h"

#include <c10/core/GradMode.h>

#include <algorithm>

// A call that has a decomposition becomes what that computes: it is traced on fake tensors, functionalized in turn, and what
// comes of it is put in the call's place.

namespace touchstone::aot_autograd {

using ir::Argument;
using ir::NodeId;
using ir::NodeKind;
using ir::TensorMetadata;

namespace {

/// Where an operand is said to be that is not on the CPU: there a decomposition may make tensors, whether or not it is there.
std::optional<c10::Device> deviceOfOperands(const ir::Graph& graph, const std::vector<Argument>& arguments) {
  for (const Argument& argument : arguments) {
    const auto* reference = std::get_if<ir::NodeReference>(&argument.payload);
    const auto* metadata = reference == nullptr ? nullptr : &graph.node(reference->node).metadata;
    if (metadata != nullptr && metadata->has_value() && !(*metadata)->device.empty() && (*metadata)->device != "cpu") {
      return c10::Device((*metadata)->device);
    }
  }
  return std::nullopt;
}

/// With the lazy bits as well.
at::Tensor metaLike(const TensorMetadata& metadata) {
  at::Tensor meta = runtime::metaTensor(metadata);
  meta._set_conj(metadata.conjugate);
  meta._set_neg(metadata.negative);
  return meta;
}

/// The tensor that is a constant of a Graph; null: the node is none.
const at::Tensor* constantAt(const ir::Graph& graph, NodeId node) {
  const ir::Node& described = graph.node(node);
  return described.kind != NodeKind::kConstant ? nullptr : &runtime::constantOf(graph, described);
}

/// The memory of the result is its alone, and no larger than it.
bool hasOwnMemory(const ir::Graph& traced, NodeId result, const std::vector<NodeId>& all) {
  const TensorMetadata& metadata = *traced.node(result).metadata;
  const ir::TracedStorage& storage = traced.storages.at(static_cast<size_t>(metadata.storage));
  const auto size = static_cast<int64_t>(c10::elementSize(static_cast<c10::ScalarType>(metadata.dtype.value)));
  const auto sharing = std::count_if(all.begin(), all.end(), [&](NodeId other) {
    return other >= 0 && traced.node(other).metadata->storage == metadata.storage;
  });
  return storage.input < 0 && sharing == 1 && metadata.offset == 0 && !metadata.conjugate && !metadata.negative &&
         storage.bytes == ir::elementCount(metadata) * size && ir::isDense(metadata);
}

} // namespace

/// What a node of the functional Graph looks like, as a tensor without memory.
at::Tensor Functionalizer::metaOf(NodeId node) {
  if (const at::Tensor* constant = constantAt(functional_, node)) {
    return metaLike(runtime::metadataOf(*constant));
  }
  const ir::Node& described = functional_.node(node);
  if (described.metadata) {
    return metaLike(*described.metadata);
  }
  if (described.kind == NodeKind::kElement) {
    const NodeId parent = std::get<ir::NodeReference>(described.arguments[0].payload).node;
    return metaResults(parent).at(static_cast<size_t>(std::get<int64_t>(described.arguments[1].payload)));
  }
  return metaResults(node).at(0);
}

/// What a call of the functional Graph gives, flat.
std::vector<at::Tensor> Functionalizer::metaResults(NodeId node) {
  const ir::Node& call = functional_.node(node);
  const c10::OperatorHandle& op = fake::operatorOf(call.target);
  torch::jit::Stack stack;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    stack.push_back(values::boxArgument(call.arguments[i], op.schema().arguments()[i],
                                        [&](NodeId operand) { return c10::IValue(metaOf(operand)); }));
  }
  const c10::AutoGradMode noGrad(false);
  op.callBoxed(stack);
  std::vector<at::Tensor> results;
  for (const c10::IValue& value : stack) {
    values::forEachTensor(value, [&](const at::Tensor& tensor) { results.push_back(tensor); });
  }
  return results;
}

std::optional<std::vector<NodeId>> Functionalizer::decompose(const std::string& target,
                                                             const std::vector<Argument>& arguments,
                                                             const std::vector<const TensorMetadata*>& expected,
                                                             const std::string& where) {
  const bool isOpen =
      std::find(decomposing_.inside.begin(), decomposing_.inside.end(), target) != decomposing_.inside.end();
  if (decomposing_.table == nullptr || !decomposing_.table->contains(target) || isOpen ||
      std::any_of(expected.begin(), expected.end(),
                  [](const TensorMetadata* each) { return each != nullptr && !ir::isDense(*each); })) {
    return std::nullopt;
  }
  fake::Tracer tracer(fake::Backing::kMeta, deviceOfOperands(functional_, arguments));
  std::vector<NodeId> operands; // by placeholder
  std::vector<NodeId> results; // flat, of the traced Graph; -1: undefined
  try {
    results = traceDecomposition(tracer, target, arguments, operands);
  } catch (const decompositions::NotDecomposed&) {
    return std::nullopt;
  }
  TORCH_CHECK(results.size() == expected.size(), "the decomposition of `", target, "` gives ", results.size(),
              " tensors instead of ", expected.size());
  if (decomposing_.gate != nullptr && !decomposing_.gate->mayApply("decompositions", where)) {
    return std::nullopt;
  }
  const ir::Graph& graph = tracer.graph();
  Decomposing inner = decomposing_;
  inner.inside.push_back(target);
  Functionalizer functionalizer(graph, std::move(inner));
  functionalizer.process(static_cast<NodeId>(graph.nodes().size()), false);
  std::vector<NodeId> values;
  for (const NodeId result : results) {
    values.push_back(result < 0 ? -1 : functionalizer.read(result));
  }
  const std::vector<NodeId> placed = append(functionalizer.graph(), operands);
  for (size_t i = 0; i < values.size(); ++i) {
    TORCH_CHECK((values[i] >= 0) == (expected[i] != nullptr), "the decomposition of `", target, "` gives ",
                values[i] >= 0 ? "a" : "no", " tensor at ", i);
    if (values[i] < 0) {
      continue;
    }
    const TensorMetadata& made = *graph.node(results[i]).metadata;
    TORCH_CHECK(made.sizes == expected[i]->sizes && made.dtype == expected[i]->dtype, "the decomposition of `", target,
                "` gives ", ir::dtypeName(made.dtype), c10::IntArrayRef(made.sizes), " instead of ",
                ir::dtypeName(expected[i]->dtype), c10::IntArrayRef(expected[i]->sizes));
    const bool isFresh = hasOwnMemory(graph, results[i], results);
    values[i] = laidOut(placed[static_cast<size_t>(values[i])], isFresh ? &made : nullptr, *expected[i]);
  }
  return values;
}

/// Of a call that writes to nothing; false: it stays as it is.
bool Functionalizer::defineDecomposed(NodeId recorded, const std::vector<Argument>& arguments) {
  const ir::Node& call = recorded_->node(recorded);
  std::vector<NodeId> results; // of the recorded Graph, by position; -1: undefined
  if (call.metadata) {
    results = {recorded};
  }
  for (auto next = recorded + 1; !call.metadata && next < static_cast<NodeId>(recorded_->nodes().size()); ++next) {
    const ir::Node& element = recorded_->node(next);
    if (element.kind != NodeKind::kElement) {
      break;
    }
    const auto position = static_cast<size_t>(std::get<int64_t>(element.arguments[1].payload));
    results.resize(std::max(results.size(), position + 1), -1);
    results[position] = element.metadata ? next : -1;
  }
  const size_t returns = fake::operatorOf(call.target).schema().returns().size();
  if (returns > 1) {
    results.resize(returns, -1);
  }
  std::vector<const TensorMetadata*> expected;
  for (const NodeId result : results) {
    expected.push_back(result < 0 ? nullptr : &metadata(result));
  }
  const auto values = decompose(call.target, arguments, expected, call.name);
  for (size_t i = 0; values && i < results.size(); ++i) {
    if (results[i] >= 0) {
      functional_.node((*values)[i]).metadata = metadata(results[i]);
      define(results[i], (*values)[i]);
    }
  }
  return values.has_value();
}

/// Calls the decomposition on fake tensors of `tracer`; `operands` gets the node that each placeholder stands for.
std::vector<NodeId> Functionalizer::traceDecomposition(fake::Tracer& tracer, const std::string& target,
                                                       const std::vector<Argument>& arguments,
                                                       std::vector<NodeId>& operands) {
  const auto& schema = fake::operatorOf(target).schema().arguments();
  std::vector<at::Tensor> fakes; // by placeholder
  const auto fakeOperand = [&](NodeId node) {
    const at::Tensor* constant = constantAt(functional_, node);
    if (constant != nullptr && constant->unsafeGetTensorImpl()->is_wrapped_number()) {
      return c10::IValue(*constant); // a number of the program: it does not count in type promotion
    }
    const auto known = std::find(operands.begin(), operands.end(), node);
    if (known != operands.end()) {
      return c10::IValue(fakes[static_cast<size_t>(known - operands.begin())]);
    }
    const auto& metadata = functional_.node(node).metadata;
    operands.push_back(node);
    fakes.push_back(tracer.addInput(metaOf(node), "operand_" + std::to_string(fakes.size()),
                                    metadata ? c10::Device(metadata->device) : c10::Device(at::kCPU)));
    return c10::IValue(fakes.back());
  };
  torch::jit::Stack stack;
  for (size_t i = 0; i < arguments.size(); ++i) {
    stack.push_back(values::boxArgument(arguments[i], schema[i], fakeOperand));
  }
  {
    const fake::Tracer::Scope recorded(tracer);
    const c10::AutoGradMode noGrad(false);
    decomposing_.table->call(target, stack);
  }
  std::vector<NodeId> results;
  for (const c10::IValue& value : stack) {
    values::forEachTensor(value, [&](const at::Tensor& tensor) {
      results.push_back(tensor.defined() ? fake::fakeOf(tensor)->node() : -1);
    });
  }
  return results;
}

/// Adds another functional Graph's nodes, its placeholders replaced by `operands`; gives the new number of each node.
std::vector<NodeId> Functionalizer::append(const ir::Graph& other, const std::vector<NodeId>& operands) {
  std::vector<bool> wanted(other.nodes().size(), true);
  std::vector<NodeId> placed(other.nodes().size(), -1);
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto placeholder = static_cast<size_t>(other.placeholders()[i]);
    wanted[placeholder] = false;
    placed[placeholder] = operands[i];
  }
  const size_t first = functional_.nodes().size();
  copyNodes(other, wanted, functional_, placed);
  for (size_t i = first; i < functional_.nodes().size(); ++i) {
    ir::Node& added = functional_.node(static_cast<NodeId>(i));
    added.backward = backward_;
    added.line = line_;
    added.sequence = sequence_;
    if (added.metadata) {
      added.metadata->storage = -1; // nobody else sees it
    }
  }
  return placed;
}

/// Elements of the memory that a result of the recorded Graph lies in, where somebody writes to it: eager's kernel may have
/// left more than it takes, as of losses that are reduced.
int64_t Functionalizer::roomOf(const TensorMetadata& expected) const {
  const int64_t needed = ir::elementCount(expected);
  if (expected.storage < 0 || storage(expected.storage).dtype != expected.dtype || length(expected.storage) <= needed) {
    return needed;
  }
  const auto& nodes = recorded_->nodes();
  const bool isWritten = std::any_of(nodes.begin(), nodes.end(), [&](const ir::Node& node) {
    return std::any_of(node.writes.begin(), node.writes.end(),
                       [&](NodeId written) { return metadata(written).storage == expected.storage; });
  });
  return isWritten ? length(expected.storage) : needed;
}

/// The value as eager's kernel lays it out; `made`: how it lies in memory of its own, null: it has none.
NodeId Functionalizer::laidOut(NodeId value, const TensorMetadata* made, const TensorMetadata& expected) {
  const int64_t spare = roomOf(expected) - ir::elementCount(expected);
  if (made != nullptr && ir::sameLayout(*made, expected) && spare == 0) {
    return value;
  }
  const auto call = [&](const char* target, Argument operand, std::vector<Argument> others) {
    others.insert(others.begin(), std::move(operand));
    return ir::nodeArgument(emit(target, std::move(others)));
  };
  const std::vector<size_t> order = ir::memoryOrder(expected);
  const std::vector<int64_t> forth(order.begin(), order.end());
  Argument laid = ir::nodeArgument(value);
  if (!std::is_sorted(forth.begin(), forth.end())) {
    laid = call("aten::permute", laid, {ir::integerList(forth)});
  }
  const auto contiguous = static_cast<int64_t>(at::MemoryFormat::Contiguous);
  laid = call("aten::clone", laid, {Argument{ir::MemoryFormatConstant{contiguous}}});
  if (spare > 0) {
    laid = call("aten::view", laid, {ir::integerList({ir::elementCount(expected)})});
    laid = call("aten::constant_pad_nd", laid, {ir::integerList({0, spare}), Argument{int64_t{0}}});
  }
  TensorMetadata dense = expected; // as it is before its strides are given
  for (size_t i = 0; i < order.size(); ++i) {
    dense.sizes[i] = expected.sizes[order[i]];
  }
  dense.strides = ir::contiguousStrides(dense.sizes);
  if (spare > 0 || !ir::sameLayout(dense, expected)) {
    laid = call("aten::as_strided", laid,
                {ir::integerList(expected.sizes), ir::integerList(expected.strides), Argument{int64_t{0}}});
  }
  const NodeId result = std::get<ir::NodeReference>(laid.payload).node;
  functional_.node(result).metadata = expected;
  functional_.node(result).metadata->storage = -1;
  return result;
}

} // namespace touchstone::aot_autograd
