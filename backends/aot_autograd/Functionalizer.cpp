#include "backends/aot_autograd/Functionalizer.h"

#include "backends/aot_autograd/RandomDraws.h"
#include "backends/fake/EffectfulOperators.h"
#include "backends/fake/OperatorTraits.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"
#include "program/values/CompiledProgram.h"

#include <c10/core/ScalarType.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace touchstone::aot_autograd {

using ir::Argument;
using ir::Graph;
using ir::Node;
using ir::NodeId;
using ir::NodeKind;
using ir::TensorMetadata;

namespace {

const NodeId* referenceIn(const Argument& argument) {
  const auto* reference = std::get_if<ir::NodeReference>(&argument.payload);
  return reference != nullptr ? &reference->node : nullptr;
}

/// The tensors that an operator call returned: itself, or the elements that follow it.
std::vector<NodeId> resultsOf(const Graph& graph, NodeId recorded) {
  if (graph.node(recorded).metadata) {
    return {recorded};
  }
  std::vector<NodeId> results;
  for (auto next = static_cast<size_t>(recorded) + 1; next < graph.nodes().size(); ++next) {
    const Node& node = graph.nodes()[next];
    if (node.kind != NodeKind::kElement) {
      break;
    }
    if (node.metadata) {
      results.push_back(static_cast<NodeId>(next));
    }
  }
  return results;
}

/// All results look at memory that was there before.
bool isLazyView(const Graph& graph, NodeId recorded) {
  if (!graph.node(recorded).writes.empty()) {
    return false;
  }
  const std::vector<NodeId> results = resultsOf(graph, recorded);
  for (NodeId result : results) {
    const int number = graph.node(result).metadata->storage;
    if (number < 0 || graph.storages[static_cast<size_t>(number)].root == result) {
      return false;
    }
  }
  return !results.empty();
}

/// Copies all memory of its first operand, of which this does not see all, and writes into the copy.
bool copiesMemory(const Graph& graph, NodeId recorded) {
  static constexpr std::array<std::string_view, 4> kScatters = {"aten::select_scatter", "aten::slice_scatter",
                                                                "aten::diagonal_scatter", "aten::as_strided_scatter"};
  const Node& node = graph.node(recorded);
  if (!node.target.ends_with("_scatter") || std::ranges::find(kScatters, node.target) == kScatters.end() ||
      !node.metadata || node.metadata->storage < 0) {
    return false;
  }
  const TensorMetadata& result = *node.metadata;
  const std::optional<TensorMetadata>& operand = graph.node(*referenceIn(node.arguments[0])).metadata;
  if (!operand || operand->storage < 0 || !ir::sameLayout(result, *operand) || result.offset != operand->offset ||
      result.conjugate || result.negative || ir::elementCount(result) == 0) {
    return false;
  }
  const ir::TracedStorage& copy = graph.storages[static_cast<size_t>(result.storage)];
  const ir::TracedStorage& original = graph.storages[static_cast<size_t>(operand->storage)];
  const auto size = static_cast<int64_t>(c10::elementSize(static_cast<c10::ScalarType>(result.dtype.value)));
  return copy.root == recorded && copy.bytes == original.bytes && original.dtype == result.dtype &&
         copy.bytes > ir::elementCount(result) * size;
}

NodeId operatorBehind(const Graph& graph, NodeId recorded) {
  while (graph.node(recorded).kind == NodeKind::kElement) {
    recorded = *referenceIn(graph.node(recorded).arguments[0]);
  }
  return recorded;
}

} // namespace

Functionalizer::Cached& Functionalizer::cached(NodeId recorded) {
  if (static_cast<size_t>(recorded) >= cached_.size()) {
    cached_.resize(recorded_->nodes().size());
  }
  return cached_[static_cast<size_t>(recorded)];
}

void Functionalizer::process(NodeId end, bool backward) {
  functional_.backward = backward;
  if (next_ == 0 && std::any_of(recorded_->nodes().begin(), recorded_->nodes().begin() + end,
                                [](const Node& node) { return fake::isEffectful(node.target); })) {
    functional_.takeToken(); // it comes first
  }
  for (; next_ < end; ++next_) {
    const Node& node = recorded_->node(next_);
    functional_.begin(node);
    switch (node.kind) {
      case NodeKind::kPlaceholder: {
        const NodeId placeholder = functional_.graph.addPlaceholder(node.name);
        functional_.graph.node(placeholder).metadata = node.metadata;
        define(next_, placeholder);
        break;
      }
      case NodeKind::kConstant:
        cached(next_).value =
            functional_.graph.addConstant(node.name, recorded_->constants().at(static_cast<size_t>(node.constant)));
        break;
      case NodeKind::kOperator: processOperator(next_); break;
      case NodeKind::kCallable: throw std::logic_error("`" + node.target + "` is no operator and was recorded as one");
      case NodeKind::kElement: break; // with its operator
    }
  }
}

std::vector<NodeId> Functionalizer::processBackward(const std::vector<NodeId>& tangents, NodeId end) {
  std::vector<NodeId> placeholders;
  functional_.tokens = {}; // it has its own
  for (const NodeId tangent : tangents) {
    process(tangent + 1, true);
    placeholders.push_back(tangent < 0 ? -1 : read(tangent));
  }
  process(end, true);
  return placeholders;
}

NodeId Functionalizer::takeAnew(int number, const std::string& name) {
  const NodeId placeholder = functional_.graph.addPlaceholder(name);
  functional_.graph.node(placeholder).metadata = flatGeometry(number);
  memory_.refresh(number, placeholder);
  return placeholder;
}

NodeId Functionalizer::inputAt(size_t position) const {
  const std::vector<NodeId>& placeholders = functional_.graph.placeholders();
  return placeholders.at(position + (placeholders[0] == functional_.tokens.taken ? 1 : 0));
}

NodeId Functionalizer::readFlat(int number) {
  return memory_.readGeometry(functional_, number, flatGeometry(number));
}

TensorMetadata Functionalizer::flatGeometry(int number) const {
  TensorMetadata flat = metadata(storage(number).root);
  flat.sizes = {length(number)};
  flat.strides = {1};
  flat.offset = 0;
  flat.dtype = storage(number).dtype;
  flat.conjugate = flat.negative = false;
  flat.storage = -1;
  return flat;
}

void Functionalizer::define(NodeId recorded, NodeId value) {
  const int number = metadata(recorded).storage;
  if (number >= 0 && storage(number).root == recorded && memory_.current(number).node < 0) {
    memory_.current(number).node = value;
  }
  cached(recorded) = {number >= 0 ? memory_.current(number).version : 0, value};
}

/// `value` is the call; its elements are added as they were recorded, behind `before` others that it gives.
void Functionalizer::defineResults(NodeId recorded, NodeId value, int64_t before) {
  const Node& call = recorded_->node(recorded);
  if (call.metadata) {
    functional_.graph.node(value).metadata = call.metadata;
    define(recorded, value);
    return;
  }
  cached(recorded).value = value;
  for (auto next = static_cast<size_t>(recorded) + 1; next < recorded_->nodes().size(); ++next) {
    const Node& node = recorded_->nodes()[next];
    if (node.kind != NodeKind::kElement) {
      break;
    }
    const NodeId of = *referenceIn(node.arguments[0]);
    const int64_t position = std::get<int64_t>(node.arguments[1].payload) + (of == recorded ? before : 0);
    const NodeId element = functional_.element(cached(of).value, position, node.metadata);
    if (node.metadata) {
      define(static_cast<NodeId>(next), element);
    } else {
      cached(static_cast<NodeId>(next)).value = element;
    }
  }
}

Argument Functionalizer::readArgument(const Argument& argument) {
  if (const NodeId* reference = referenceIn(argument)) {
    return ir::nodeArgument(read(*reference));
  }
  if (const auto* container = std::get_if<Argument::Container>(&argument.payload)) {
    Argument::Container read = *container;
    for (Argument& item : read.items) {
      item = readArgument(item);
    }
    return Argument{std::move(read)};
  }
  return argument;
}

std::vector<Argument> Functionalizer::readArguments(const Node& node, size_t count) {
  std::vector<Argument> arguments;
  for (size_t i = 0; i < count; ++i) {
    arguments.push_back(readArgument(node.arguments[i]));
  }
  return arguments;
}

/// What an operator has left in memory behind its result is nothing that simpler ones leave.
void Functionalizer::refuseHiddenMemory(NodeId view) const {
  const Node& node = recorded_->node(view);
  if (!decomposing_.table || node.target != "aten::as_strided" || !node.metadata || node.metadata->storage < 0) {
    return;
  }
  const auto endOf = [](const TensorMetadata& tensor) {
    const auto size = static_cast<int64_t>(c10::elementSize(static_cast<c10::ScalarType>(tensor.dtype.value)));
    return ir::elementCount(tensor) == 0 ? 0 : (tensor.offset + ir::spanOf(tensor)) * size;
  };
  const int number = node.metadata->storage;
  const TensorMetadata& root = metadata(storage(number).root);
  if (recorded_->storages[static_cast<size_t>(number)].input < 0 && endOf(*node.metadata) > endOf(root)) {
    throw ir::UnsupportedInputs(
        "memory behind the elements of a result is read, which simpler operators may not leave");
  }
}

void Functionalizer::processOperator(NodeId recorded) {
  const Node& node = recorded_->node(recorded);
  if (!node.writes.empty()) {
    return processWrite(recorded);
  }
  if (isLazyView(*recorded_, recorded)) {
    refuseHiddenMemory(recorded);
    for (const NodeId result :
         views_ == ViewsStand::kWhereRecorded ? resultsOf(*recorded_, recorded) : std::vector<NodeId>()) {
      read(result);
    }
    return; // replayed when it is read
  }
  if (fake::isEffectful(node.target)) {
    return processEffect(recorded);
  }
  std::vector<Argument> arguments = readArguments(node, node.arguments.size());
  if (!defineDecomposed(recorded, arguments)) {
    defineResults(recorded, functional_.emit(node.target, std::move(arguments)));
  }
  if (copiesMemory(*recorded_, recorded)) {
    defineMemoryAround(recorded);
  }
}

/// What the call leaves around its result is what lies around its operand now, whose value may be elsewhere.
void Functionalizer::defineMemoryAround(NodeId recorded) {
  const TensorMetadata& result = metadata(recorded);
  const NodeId value = read(recorded);
  const NodeId around = readFlat(metadata(*referenceIn(recorded_->node(recorded).arguments[0])).storage);
  const NodeId whole = functional_.emit(
      "aten::as_strided_scatter", {ir::nodeArgument(around), ir::nodeArgument(value), ir::integerList(result.sizes),
                                   ir::integerList(result.strides), Argument{result.offset}});
  memory_.refresh(result.storage, whole);
  cached(recorded) = {memory_.current(result.storage).version, value};
}

/// The call's results stand behind the token.
void Functionalizer::processEffect(NodeId recorded) {
  const Node& node = recorded_->node(recorded);
  const NodeId call = functional_.emitEffect(node.target, readArguments(node, node.arguments.size()));
  const size_t returns = fake::operatorOf(node.target).schema().returns().size();
  if (returns == 1) { // what the recorded call is itself
    defineResults(recorded, functional_.element(call, 1, std::nullopt));
  } else if (returns > 1) {
    defineResults(recorded, call, 1);
  }
}

void Functionalizer::processWrite(NodeId recorded) {
  const Node& node = recorded_->node(recorded);
  const fake::OperatorTraits& traits = fake::traitsOf(fake::operatorOf(node.target));
  const size_t count = traits.functional->schema().arguments().size();
  std::vector<Argument> arguments = readArguments(node, count);
  std::vector<TensorMetadata> results = node.functionalResults;
  if (traits.functionalTarget == "aten::bernoulli.p") {
    const NodeId drawn = drawInMemoryOrder(functional_, std::move(arguments), metadata(node.writes[0]), results[0]);
    return write(node.writes[0], drawn, results[0]);
  }
  if (traits.functionalTarget == "aten::normal_functional" && drawsOneByOne(metadata(node.writes[0]))) {
    const NodeId drawn = drawNormalOneByOne(functional_, arguments, metadata(node.writes[0]), results[0]);
    return write(node.writes[0], drawn, results[0]);
  }
  std::vector<const TensorMetadata*> expected;
  for (const TensorMetadata& result : results) {
    expected.push_back(&result);
  }
  const auto decomposed = decompose(functional_, decomposing_, memory_,
                                    {traits.functionalTarget, arguments, std::move(expected), node.name});
  const NodeId call = decomposed ? -1 : functional_.emit(traits.functionalTarget, std::move(arguments));
  const auto& returns = traits.functional->schema().returns();
  const bool givesList = returns.size() == 1 && returns[0].type()->kind() == c10::TypeKind::ListType;
  auto resultAt = [&](size_t position) {
    if (decomposed) {
      functional_.graph.node((*decomposed)[position]).metadata = results[position];
      return (*decomposed)[position];
    }
    if (returns.size() == 1 && !givesList) {
      functional_.graph.node(call).metadata = results[position];
      return call;
    }
    return functional_.element(call, static_cast<int64_t>(position), results[position]);
  };
  // First what the operator returns besides, then a value for each written tensor.
  const size_t besides = results.size() - node.writes.size();
  size_t position = 0;
  for (NodeId result : resultsOf(*recorded_, recorded)) {
    const int number = metadata(result).storage;
    if (position < besides && (number < 0 || storage(number).root == result)) {
      define(result, resultAt(position));
    }
    ++position;
  }
  for (size_t i = 0; i < node.writes.size(); ++i) {
    const NodeId written = resultAt(besides + i);
    functional_.graph.node(written).metadata->storage =
        metadata(node.writes[i]).storage; // what is saved of it lies there
    write(node.writes[i], written, results[besides + i]);
  }
}

/// `written` is what the functional form's result looks like; `recorded` is the tensor that gets it.
void Functionalizer::write(NodeId recorded, NodeId value, const TensorMetadata& written) {
  const NodeId read = memory_.write(functional_, recorded, value, written);
  if (read >= 0) {
    cached(recorded) = {memory_.writes(metadata(recorded).storage), read};
  }
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
  const auto values =
      decompose(functional_, decomposing_, memory_, {call.target, arguments, std::move(expected), call.name});
  for (size_t i = 0; values && i < results.size(); ++i) {
    if (results[i] >= 0) {
      functional_.graph.node((*values)[i]).metadata = metadata(results[i]);
      define(results[i], (*values)[i]);
    }
  }
  return values.has_value();
}

NodeId Functionalizer::read(NodeId recorded) {
  const ir::Node& node = recorded_->node(recorded);
  Cached& known = cached(recorded);
  if (!node.metadata || node.metadata->storage < 0) {
    TORCH_INTERNAL_ASSERT(known.value >= 0, "nothing defines `", node.name, "`");
    return known.value;
  }
  const int number = node.metadata->storage;
  const StorageValue now = memory_.current(number);
  if (known.value >= 0 && known.version == now.version) {
    return known.value;
  }
  NodeId value = -1;
  const NodeId root = storage(number).root;
  if (!now.isFlat && recorded == root) {
    value = now.node;
  } else if (!now.isFlat && (now.version == 0 || node.target != "aten::as_strided") &&
             isLazyView(*recorded_, operatorBehind(*recorded_, recorded))) {
    return replay(recorded);
  } else if (!now.isFlat && memory_.covers(number, metadata(root)) && node.metadata->dtype == metadata(root).dtype &&
             !node.metadata->conjugate && !node.metadata->negative) {
    // Never from its recorded parent, which by now may be a value with memory of its own.
    value = functional_.emit("aten::as_strided",
                             {ir::nodeArgument(read(root)), ir::integerList(node.metadata->sizes),
                              ir::integerList(node.metadata->strides), Argument{node.metadata->offset}});
    functional_.graph.node(value).metadata = node.metadata;
  } else {
    value = memory_.readGeometry(functional_, number, *node.metadata);
  }
  cached(recorded) = {memory_.current(number).version, value};
  return value;
}

/// Calls a view operator again on what its argument is now.
NodeId Functionalizer::replay(NodeId recorded) {
  const NodeId call = operatorBehind(*recorded_, recorded);
  const ir::Node& node = recorded_->node(call);
  std::vector<Argument> arguments = readArguments(node, node.arguments.size());
  const NodeId value = functional_.emit(node.target, std::move(arguments));
  functional_.graph.node(value).line = node.line; // of the view, not of what reads it
  functional_.graph.node(value).sequence = node.sequence;
  functional_.graph.node(value).original = node.target;
  defineResults(call, value);
  return cached(recorded).value;
}

} // namespace touchstone::aot_autograd
