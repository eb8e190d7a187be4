#include "backends/aot_autograd/CallDecomposition.h"

#include "backends/aot_autograd/Functionalizer.h"
#include "backends/fake/FakeTensor.h"
#include "backends/fake/OperatorTraits.h"
#include "backends/fake/Tracer.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/Boxing.h"
#include "program/values/TensorWalk.h"

#include <c10/core/GradMode.h>

#include <algorithm>

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

std::vector<at::Tensor> metaResults(const ir::Graph& graph, NodeId node);

/// What a node of the functional Graph looks like, as a tensor without memory.
at::Tensor metaOf(const ir::Graph& graph, NodeId node) {
  if (const at::Tensor* constant = constantAt(graph, node)) {
    return metaLike(runtime::metadataOf(*constant));
  }
  const ir::Node& described = graph.node(node);
  if (described.metadata) {
    return metaLike(*described.metadata);
  }
  if (described.kind == NodeKind::kElement) {
    const NodeId parent = std::get<ir::NodeReference>(described.arguments[0].payload).node;
    return metaResults(graph, parent).at(static_cast<size_t>(std::get<int64_t>(described.arguments[1].payload)));
  }
  return metaResults(graph, node).at(0);
}

/// What a call of the functional Graph gives, flat.
std::vector<at::Tensor> metaResults(const ir::Graph& graph, NodeId node) {
  const ir::Node& call = graph.node(node);
  const c10::OperatorHandle& op = fake::operatorOf(call.target);
  torch::jit::Stack stack;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    stack.push_back(values::boxArgument(call.arguments[i], op.schema().arguments()[i],
                                        [&](NodeId operand) { return c10::IValue(metaOf(graph, operand)); }));
  }
  const c10::AutoGradMode noGrad(false);
  op.callBoxed(stack);
  std::vector<at::Tensor> results;
  for (const c10::IValue& value : stack) {
    values::forEachTensor(value, [&](const at::Tensor& tensor) { results.push_back(tensor); });
  }
  return results;
}

/// Calls the decomposition on fake tensors of `tracer`; `operands` gets the node of `graph` that each placeholder stands for.
/// Gives the results, flat, of the traced Graph; -1: undefined.
std::vector<NodeId> traceDecomposition(fake::Tracer& tracer, const decompositions::DecompositionTable& table,
                                       const ir::Graph& graph, const DecomposedCall& call,
                                       std::vector<NodeId>& operands) {
  const auto& schema = fake::operatorOf(call.target).schema().arguments();
  std::vector<at::Tensor> fakes; // by placeholder
  const auto fakeOperand = [&](NodeId node) {
    const at::Tensor* constant = constantAt(graph, node);
    if (constant != nullptr && constant->unsafeGetTensorImpl()->is_wrapped_number()) {
      return c10::IValue(*constant); // a number of the program: it does not count in type promotion
    }
    const auto known = std::find(operands.begin(), operands.end(), node);
    if (known != operands.end()) {
      return c10::IValue(fakes[static_cast<size_t>(known - operands.begin())]);
    }
    const auto& metadata = graph.node(node).metadata;
    operands.push_back(node);
    fakes.push_back(tracer.addInput(metaOf(graph, node), "operand_" + std::to_string(fakes.size()),
                                    metadata ? c10::Device(metadata->device) : c10::Device(at::kCPU)));
    return c10::IValue(fakes.back());
  };
  torch::jit::Stack stack;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    stack.push_back(values::boxArgument(call.arguments[i], schema[i], fakeOperand));
  }
  {
    const fake::Tracer::Scope recorded(tracer);
    const c10::AutoGradMode noGrad(false);
    table.call(call.target, stack);
  }
  std::vector<NodeId> results;
  for (const c10::IValue& value : stack) {
    values::forEachTensor(value, [&](const at::Tensor& tensor) {
      results.push_back(tensor.defined() ? fake::fakeOf(tensor)->node() : -1);
    });
  }
  return results;
}

/// The value as eager's kernel lays it out, with `spare` elements behind it; `made`: how it lies in memory of its own, null:
/// it has none.
NodeId laidOut(FunctionalGraph& out, NodeId value, const TensorMetadata* made, const TensorMetadata& expected,
               int64_t spare) {
  if (made != nullptr && ir::sameLayout(*made, expected) && spare == 0) {
    return value;
  }
  const auto call = [&](const char* target, Argument operand, std::vector<Argument> others) {
    others.insert(others.begin(), std::move(operand));
    return ir::nodeArgument(out.emit(target, std::move(others)));
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
  out.graph.node(result).metadata = expected;
  out.graph.node(result).metadata->storage = -1;
  return result;
}

} // namespace

std::optional<std::vector<NodeId>> decompose(FunctionalGraph& out, const Decomposing& decomposing,
                                             const StorageValues& memory, const DecomposedCall& call) {
  const auto& expected = call.expected;
  const bool isOpen =
      std::find(decomposing.inside.begin(), decomposing.inside.end(), call.target) != decomposing.inside.end();
  if (decomposing.table == nullptr || !decomposing.table->contains(call.target) || isOpen ||
      std::any_of(expected.begin(), expected.end(),
                  [](const TensorMetadata* each) { return each != nullptr && !ir::isDense(*each); })) {
    return std::nullopt;
  }
  fake::Tracer tracer(fake::Backing::kMeta, deviceOfOperands(out.graph, call.arguments));
  std::vector<NodeId> operands; // by placeholder
  std::vector<NodeId> results; // flat, of the traced Graph; -1: undefined
  try {
    results = traceDecomposition(tracer, *decomposing.table, out.graph, call, operands);
  } catch (const decompositions::NotDecomposed&) {
    return std::nullopt;
  }
  TORCH_CHECK(results.size() == expected.size(), "the decomposition of `", call.target, "` gives ", results.size(),
              " tensors instead of ", expected.size());
  if (decomposing.gate != nullptr && !decomposing.gate->mayApply("decompositions", call.where)) {
    return std::nullopt;
  }
  const ir::Graph& graph = tracer.graph();
  Decomposing within = decomposing;
  within.inside.push_back(call.target);
  Functionalizer functionalizer(graph, std::move(within));
  functionalizer.process(static_cast<NodeId>(graph.nodes().size()), false);
  std::vector<NodeId> values;
  for (const NodeId result : results) {
    values.push_back(result < 0 ? -1 : functionalizer.read(result));
  }
  const EffectTokens inner = functionalizer.tokens();
  if (inner.taken >= 0) {
    const bool isFirst = functionalizer.graph().placeholders().front() == inner.taken; // else it is the last
    operands.insert(isFirst ? operands.begin() : operands.end(), out.takeToken());
  }
  const std::vector<NodeId> placed = out.append(functionalizer.graph(), operands);
  if (inner.taken >= 0) {
    out.tokens.given = placed[static_cast<size_t>(inner.given)];
  }
  for (size_t i = 0; i < values.size(); ++i) {
    TORCH_CHECK((values[i] >= 0) == (expected[i] != nullptr), "the decomposition of `", call.target, "` gives ",
                values[i] >= 0 ? "a" : "no", " tensor at ", i);
    if (values[i] < 0) {
      continue;
    }
    const TensorMetadata& made = *graph.node(results[i]).metadata;
    TORCH_CHECK(made.sizes == expected[i]->sizes && made.dtype == expected[i]->dtype, "the decomposition of `",
                call.target, "` gives ", ir::dtypeName(made.dtype), c10::IntArrayRef(made.sizes), " instead of ",
                ir::dtypeName(expected[i]->dtype), c10::IntArrayRef(expected[i]->sizes));
    const bool isFresh = hasOwnMemory(graph, results[i], results);
    values[i] = laidOut(out, placed[static_cast<size_t>(values[i])], isFresh ? &made : nullptr, *expected[i],
                        memory.roomOf(*expected[i]) - ir::elementCount(*expected[i]));
  }
  return values;
}

} // namespace touchstone::aot_autograd
