#include "backends/aot_autograd/Functionalizer.h"

#include "backends/fake/OperatorTraits.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"
#include "program/values/CompiledProgram.h"

#include <c10/core/ScalarType.h>

#include <stdexcept>

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

} // namespace

Functionalizer::Current& Functionalizer::current(int storage) {
  if (static_cast<size_t>(storage) >= current_.size()) {
    current_.resize(recorded_->storages.size());
  }
  return current_[static_cast<size_t>(storage)];
}

Functionalizer::Cached& Functionalizer::cached(NodeId recorded) {
  if (static_cast<size_t>(recorded) >= cached_.size()) {
    cached_.resize(recorded_->nodes().size());
  }
  return cached_[static_cast<size_t>(recorded)];
}

NodeId Functionalizer::emit(const std::string& target, std::vector<Argument> arguments) {
  const NodeId node = functional_.addOperator(target, std::move(arguments));
  Node& added = functional_.node(node);
  added.backward = backward_;
  added.line = line_;
  added.sequence = sequence_;
  return node;
}

void Functionalizer::process(NodeId end, bool backward) {
  backward_ = backward;
  for (; next_ < end; ++next_) {
    const Node& node = recorded_->node(next_);
    line_ = node.line;
    sequence_ = node.sequence;
    switch (node.kind) {
      case NodeKind::kPlaceholder: {
        const NodeId placeholder = functional_.addPlaceholder(node.name);
        functional_.node(placeholder).metadata = node.metadata;
        define(next_, placeholder);
        break;
      }
      case NodeKind::kConstant:
        cached(next_).value =
            functional_.addConstant(node.name, recorded_->constants().at(static_cast<size_t>(node.constant)));
        break;
      case NodeKind::kOperator: processOperator(next_); break;
      case NodeKind::kCallable: throw std::logic_error("`" + node.target + "` is no operator and was recorded as one");
      case NodeKind::kElement: break; // with its operator
    }
  }
}

std::vector<NodeId> Functionalizer::processBackward(const std::vector<NodeId>& tangents, NodeId end) {
  std::vector<NodeId> placeholders;
  for (const NodeId tangent : tangents) {
    process(tangent + 1, true);
    placeholders.push_back(tangent < 0 ? -1 : read(tangent));
  }
  process(end, true);
  return placeholders;
}

/// The tensors that an operator call returned: itself, or the elements that follow it.
std::vector<NodeId> Functionalizer::resultsOf(NodeId recorded) const {
  if (recorded_->node(recorded).metadata) {
    return {recorded};
  }
  std::vector<NodeId> results;
  for (auto next = static_cast<size_t>(recorded) + 1; next < recorded_->nodes().size(); ++next) {
    const Node& node = recorded_->nodes()[next];
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
bool Functionalizer::isLazyView(NodeId recorded) const {
  if (!recorded_->node(recorded).writes.empty()) {
    return false;
  }
  const std::vector<NodeId> results = resultsOf(recorded);
  for (NodeId result : results) {
    const int number = metadata(result).storage;
    if (number < 0 || storage(number).root == result) {
      return false;
    }
  }
  return !results.empty();
}

NodeId Functionalizer::operatorBehind(NodeId recorded) const {
  while (recorded_->node(recorded).kind == NodeKind::kElement) {
    recorded = *referenceIn(recorded_->node(recorded).arguments[0]);
  }
  return recorded;
}

void Functionalizer::define(NodeId recorded, NodeId value) {
  const int number = metadata(recorded).storage;
  if (number >= 0 && storage(number).root == recorded && current(number).value < 0) {
    current(number).value = value;
  }
  cached(recorded) = {number >= 0 ? current(number).version : 0, value};
}

/// `value` is the call; its elements are added as they were recorded.
void Functionalizer::defineResults(NodeId recorded, NodeId value) {
  const Node& call = recorded_->node(recorded);
  if (call.metadata) {
    functional_.node(value).metadata = call.metadata;
    define(recorded, value);
    return;
  }
  cached(recorded).value = value;
  for (auto next = static_cast<size_t>(recorded) + 1; next < recorded_->nodes().size(); ++next) {
    const Node& node = recorded_->nodes()[next];
    if (node.kind != NodeKind::kElement) {
      break;
    }
    const NodeId parent = cached(*referenceIn(node.arguments[0])).value;
    const NodeId element = functional_.addElement(parent, std::get<int64_t>(node.arguments[1].payload));
    functional_.node(element).metadata = node.metadata;
    functional_.node(element).backward = backward_;
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
  if (isLazyView(recorded)) {
    refuseHiddenMemory(recorded);
    return; // replayed when it is read
  }
  std::vector<Argument> arguments = readArguments(node, node.arguments.size());
  if (!defineDecomposed(recorded, arguments)) {
    defineResults(recorded, emit(node.target, std::move(arguments)));
  }
}

void Functionalizer::processWrite(NodeId recorded) {
  const Node& node = recorded_->node(recorded);
  const fake::OperatorTraits& traits = fake::traitsOf(fake::operatorOf(node.target));
  const size_t count = traits.functional->schema().arguments().size();
  std::vector<Argument> arguments = readArguments(node, count);
  std::vector<TensorMetadata> results = node.functionalResults;
  if (traits.functionalTarget == "aten::bernoulli.p") {
    const NodeId drawn = drawInMemoryOrder(std::move(arguments), metadata(node.writes[0]), results[0]);
    return write(node.writes[0], drawn, results[0]);
  }
  if (traits.functionalTarget == "aten::normal_functional" && drawsOneByOne(metadata(node.writes[0]))) {
    const NodeId drawn = drawNormalOneByOne(arguments, metadata(node.writes[0]), results[0]);
    return write(node.writes[0], drawn, results[0]);
  }
  std::vector<const TensorMetadata*> expected;
  for (const TensorMetadata& result : results) {
    expected.push_back(&result);
  }
  const auto decomposed = decompose(traits.functionalTarget, arguments, expected, node.name);
  const NodeId call = decomposed ? -1 : emit(traits.functionalTarget, std::move(arguments));
  const auto& returns = traits.functional->schema().returns();
  const bool givesList = returns.size() == 1 && returns[0].type()->kind() == c10::TypeKind::ListType;
  auto resultAt = [&](size_t position) {
    if (decomposed) {
      functional_.node((*decomposed)[position]).metadata = results[position];
      return (*decomposed)[position];
    }
    if (returns.size() == 1 && !givesList) {
      functional_.node(call).metadata = results[position];
      return call;
    }
    const NodeId element = functional_.addElement(call, static_cast<int64_t>(position));
    functional_.node(element).metadata = results[position];
    functional_.node(element).backward = backward_;
    return element;
  };
  // First what the operator returns besides, then a value for each written tensor.
  const size_t besides = results.size() - node.writes.size();
  size_t position = 0;
  for (NodeId result : resultsOf(recorded)) {
    const int number = metadata(result).storage;
    if (position < besides && (number < 0 || storage(number).root == result)) {
      define(result, resultAt(position));
    }
    ++position;
  }
  for (size_t i = 0; i < node.writes.size(); ++i) {
    const NodeId written = resultAt(besides + i);
    functional_.node(written).metadata->storage = metadata(node.writes[i]).storage; // what is saved of it lies there
    write(node.writes[i], written, results[besides + i]);
  }
}

int Functionalizer::writes(int number) const {
  return static_cast<size_t>(number) < current_.size() ? current_[static_cast<size_t>(number)].version : 0;
}

int64_t Functionalizer::length(int number) const {
  const ir::TracedStorage& traced = storage(number);
  return traced.bytes / static_cast<int64_t>(c10::elementSize(static_cast<c10::ScalarType>(traced.dtype.value)));
}

bool Functionalizer::covers(int number, const TensorMetadata& geometry) const {
  return geometry.offset == 0 && geometry.dtype == storage(number).dtype && !geometry.conjugate && !geometry.negative &&
         ir::elementCount(geometry) == length(number) && ir::isDense(geometry);
}

} // namespace touchstone::aot_autograd
