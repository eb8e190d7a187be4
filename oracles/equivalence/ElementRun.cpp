#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"
#include "graph/ir/Subgraph.h"
#include "graph/runtime/Interpreter.h"
#include "oracles/equivalence/ElementNumbers.h"
#include "oracles/equivalence/ElementOperators.h"
#include "program/values/Boxing.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/broadcast_tensors.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

namespace touchstone::equivalence {

using ir::Argument;
using ir::Node;
using ir::NodeId;

namespace {

/// A copy with these strides; -1 stands in gaps.
at::Tensor laidOut(const at::Tensor& dense, const ir::TensorMetadata& metadata) {
  if (ir::mayOverlap(metadata)) {
    throw NotComparable("a result has several elements in one place of its memory");
  }
  at::Tensor result = at::empty_strided(metadata.sizes, metadata.strides, at::kLong);
  at::as_strided(result, {static_cast<int64_t>(result.storage().nbytes() / sizeof(int64_t))}, {1}, 0).fill_(-1);
  return result.copy_(dense);
}

/// Calls `fill` for each element in logical order.
at::Tensor filled(const ir::TensorMetadata& metadata, const std::function<int64_t(int64_t)>& fill) {
  at::Tensor dense = at::empty(metadata.sizes, at::kLong);
  auto* data = dense.mutable_data_ptr<int64_t>();
  for (int64_t i = 0; i < dense.numel(); ++i) {
    data[i] = fill(i);
  }
  return laidOut(dense, metadata);
}

} // namespace

/// One Graph.
class ElementNumbers::Run {
 public:
  Run(ElementNumbers& numbers, const ir::Graph& graph, const std::vector<bool>& tangents)
      : numbers_(numbers), graph_(graph), tangents_(tangents), results_(graph.nodes().size()) {}

  std::vector<at::Tensor> run(const std::vector<at::Tensor>& inputs) {
    size_t next = 0;
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes().size()); ++id) {
      const Node& node = graph_.node(id);
      isBackward_ = dependsOnTangents(id, next);
      result(id).isBackward = isBackward_;
      switch (node.kind) {
        case ir::NodeKind::kPlaceholder: result(id).value = inputs.at(next++); break;
        case ir::NodeKind::kConstant: result(id).value = ofConstant(node); break;
        case ir::NodeKind::kElement: result(id).value = element(node); break;
        case ir::NodeKind::kOperator: call(id); break;
        case ir::NodeKind::kCallable:
          throw NotComparable("`" + node.target + "`, which is no operator, is part of a Graph");
      }
      trackDtype(id);
    }
    std::vector<at::Tensor> outputs;
    for (const Argument& item : std::get<Argument::Container>(graph_.output.payload).items) {
      const auto* reference = std::get_if<ir::NodeReference>(&item.payload);
      outputs.push_back(reference != nullptr ? tensorOf(reference->node) : at::Tensor());
    }
    return outputs;
  }

 private:
  /// Tensors by output; a computed one of several outputs is made when an element is taken.
  struct Result {
    c10::IValue value;
    int64_t computed = 0; // of several outputs: what they are computed by
    ir::DtypeConstant dtype{-1}; // of what the numbers stand for; -1: of several
    bool isBackward = false; // depends on a tangent: what is computed again of the forward does not
  };

  bool dependsOnTangents(NodeId id, size_t placeholder) {
    const Node& node = graph_.node(id);
    if (node.kind == ir::NodeKind::kPlaceholder) {
      return placeholder < tangents_.size() && tangents_[placeholder];
    }
    bool depends = false;
    ir::forEachOperand(node, [&](NodeId operand) { depends = depends || result(operand).isBackward; });
    return depends;
  }

  Result& result(NodeId id) { return results_[static_cast<size_t>(id)]; }

  at::Tensor tensorOf(NodeId id) {
    const c10::IValue& value = result(id).value;
    if (!value.isTensor()) {
      throw NotComparable(fmt::format("node {} is used as a tensor, which it is not", graph_.node(id).name));
    }
    return value.toTensor();
  }

  /// Found out on tensors without values where a node has none.
  ir::TensorMetadata metadataOf(const Node& node, const c10::OperatorHandle& op) {
    if (node.metadata) {
      return *node.metadata;
    }
    torch::jit::Stack stack;
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      stack.push_back(values::boxArgument(node.arguments[i], op.schema().arguments()[i], [&](NodeId reference) {
        const Result& given = result(reference);
        if (!given.value.isTensor() || given.dtype.value < 0) {
          throw NotComparable(fmt::format("node {} ({}) has no metadata", node.name, node.target));
        }
        if (const at::Tensor* number = wrappedNumber(ir::nodeArgument(reference))) {
          return c10::IValue(*number);
        }
        ir::TensorMetadata metadata = runtime::metadataOf(given.value.toTensor());
        metadata.dtype = given.dtype;
        return c10::IValue(runtime::metaTensor(metadata));
      }));
    }
    op.callBoxed(stack);
    if (stack.size() != 1 || !stack[0].isTensor()) {
      throw NotComparable(fmt::format("node {} ({}) has no metadata", node.name, node.target));
    }
    return runtime::metadataOf(stack[0].toTensor());
  }

  /// A move without metadata keeps the dtype of what it moves.
  void trackDtype(NodeId id) {
    const Node& node = graph_.node(id);
    if (node.metadata) {
      result(id).dtype = node.metadata->dtype;
    } else if (node.kind == ir::NodeKind::kConstant) {
      result(id).dtype = {static_cast<int64_t>(runtime::constantOf(graph_, node).scalar_type())};
    } else if (!node.arguments.empty() && result(id).dtype.value < 0) {
      if (const std::optional<NodeId> first = firstReference(node.arguments[0])) {
        result(id).dtype = result(*first).dtype;
      }
    }
  }

  static std::optional<NodeId> firstReference(const Argument& argument) {
    if (const auto* reference = std::get_if<ir::NodeReference>(&argument.payload)) {
      return reference->node;
    }
    const auto* container = std::get_if<Argument::Container>(&argument.payload);
    return container != nullptr && !container->items.empty() ? firstReference(container->items[0]) : std::nullopt;
  }

  at::Tensor ofConstant(const Node& node) {
    const at::Tensor& tensor = runtime::constantOf(graph_, node);
    const at::Tensor dense = tensor.detach().contiguous();
    const auto size = static_cast<size_t>(dense.element_size());
    const auto* bytes = static_cast<const char*>(dense.const_data_ptr());
    const std::string dtype = c10::toString(dense.scalar_type());
    ir::TensorMetadata metadata;
    metadata.sizes = tensor.sizes().vec();
    metadata.strides = tensor.strides().vec();
    return filled(metadata, [&](int64_t i) {
      std::string text;
      for (size_t byte = 0; byte < size; ++byte) {
        text += fmt::format("{:02x}", static_cast<unsigned char>(bytes[static_cast<size_t>(i) * size + byte]));
      }
      return numbers_.number({fmt::format("constant {} {}", dtype, text), {}});
    });
  }

  at::Tensor element(const Node& node) {
    const NodeId source = std::get<ir::NodeReference>(node.arguments[0].payload).node;
    const int64_t index = std::get<int64_t>(node.arguments[1].payload);
    const Result& from = result(source);
    if (from.value.isList()) {
      return from.value.toListRef()[static_cast<size_t>(index)].toTensor();
    }
    if (!node.metadata) {
      return {};
    }
    const int64_t computed = from.computed;
    return computed == kZero
               ? filled(*node.metadata, [](int64_t) { return kZero; })
               : filled(*node.metadata, [&](int64_t i) { return numbers_.elementOf(computed, index, i); });
  }

  void call(NodeId id) {
    const Node& node = graph_.node(id);
    const auto op = runtime::findOperator(node.target);
    if (!op) {
      throw NotComparable("the operator " + node.target + " is not known");
    }
    switch (effectOf(node, *op)) {
      case ElementEffect::kConstant: result(id).value = ofFactory(node, *op); break;
      case ElementEffect::kView: result(id).value = view(node, *op); break;
      case ElementEffect::kMove: move(id, *op); break;
      case ElementEffect::kWrite: throw NotComparable("`" + node.target + "` writes");
      case ElementEffect::kReinterpretation:
      case ElementEffect::kPointwise: pointwise(id, *op); break;
      case ElementEffect::kGeneral: general(id, *op); break;
    }
  }

  /// Numbers of another dtype say so.
  at::Tensor converted(const at::Tensor& numbers, const ir::DtypeConstant& from, const ir::DtypeConstant& to) {
    if (from == to) {
      return numbers;
    }
    ir::TensorMetadata metadata;
    metadata.sizes = numbers.sizes().vec();
    metadata.strides = numbers.strides().vec();
    const std::vector<int64_t> given = numbersIn(numbers);
    const std::string text = "to " + ir::dtypeName(from) + " " + ir::dtypeName(to);
    return filled(metadata, [&](int64_t i) {
      const int64_t each = given[static_cast<size_t>(i)];
      return each == kZero ? kZero : numbers_.number({text, {each}});
    });
  }

  /// Each tensor among the arguments is converted before it is moved.
  c10::IValue boxedAs(const Argument& argument, const c10::Argument& schema, ir::DtypeConstant wanted) {
    return values::boxArgument(argument, schema, [&](NodeId reference) -> c10::IValue {
      const Result& given = result(reference);
      return wanted.value >= 0 && given.dtype.value >= 0 && given.value.isTensor()
                 ? converted(given.value.toTensor(), given.dtype, wanted)
                 : given.value;
    });
  }

  static c10::IValue onlyResult(const Node& node, const c10::OperatorHandle& op, torch::jit::Stack stack) {
    op.callBoxed(stack);
    if (stack.size() != 1) {
      throw NotComparable("`" + node.target + "` gives several results");
    }
    return stack[0];
  }

  c10::IValue view(const Node& node, const c10::OperatorHandle& op) {
    torch::jit::Stack stack;
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      stack.push_back(values::boxArgument(node.arguments[i], op.schema().arguments()[i],
                                          [&](NodeId reference) { return result(reference).value; }));
    }
    return onlyResult(node, op, std::move(stack));
  }

  void move(NodeId id, const c10::OperatorHandle& op) {
    const Node& node = graph_.node(id);
    const auto& parameters = op.schema().arguments();
    const std::string_view name = ir::withoutOverload(node.target);
    // A write keeps the dtype of what is written to.
    ir::DtypeConstant wanted = node.metadata ? node.metadata->dtype : ir::DtypeConstant{-1};
    if (!node.metadata || name == "aten::copy_") {
      const std::optional<NodeId> first = firstReference(node.arguments.at(0));
      wanted = first ? result(*first).dtype : wanted;
    }
    if (name == "aten::_to_copy") {
      const auto* given = std::get_if<ir::DtypeConstant>(&node.arguments.at(1).payload);
      wanted = given != nullptr ? *given : wanted;
      const at::Tensor source = boxedAs(node.arguments[0], parameters[0], wanted).toTensor();
      const bool isLaidOut = node.metadata && at::IntArrayRef(node.metadata->sizes) == source.sizes();
      result(id).value = isLaidOut ? laidOut(source, *node.metadata) : source.clone();
      result(id).dtype = wanted;
      return;
    }
    torch::jit::Stack stack;
    for (size_t i = 0; i < parameters.size(); ++i) {
      stack.push_back(boxedAs(node.arguments[i], parameters[i], wanted));
    }
    result(id).value = onlyResult(node, op, std::move(stack));
  }

  at::Tensor ofFactory(const Node& node, const c10::OperatorHandle& op) {
    const ir::TensorMetadata metadata = metadataOf(node, op);
    const ConstantFill fill = fillOf(node);
    const std::string value = fill.text != nullptr ? fill.text : constantText(node.arguments.at(fill.argument));
    const int64_t number =
        value == "0" ? kZero : numbers_.number({"constant " + ir::dtypeName(metadata.dtype) + " " + value, {}});
    return filled(metadata, [&](int64_t) { return number; });
  }

  std::string constantsOf(const Node& node) const {
    std::string text = node.target + "(";
    const auto op = runtime::findOperator(node.target);
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      if (!op || !isAboutMemory(op->schema().arguments()[i])) {
        const Argument& argument = node.arguments[i];
        text += (isNumber(argument) ? numberText(argument) : constantText(argument)) + ";";
      }
    }
    return text + ")";
  }

  /// A Python number that the dispatcher has wrapped into a tensor.
  const at::Tensor* wrappedNumber(const Argument& argument) const {
    const auto* reference = std::get_if<ir::NodeReference>(&argument.payload);
    const Node* node = reference != nullptr ? &graph_.node(reference->node) : nullptr;
    if (node == nullptr || node->kind != ir::NodeKind::kConstant) {
      return nullptr;
    }
    const at::Tensor& tensor = runtime::constantOf(graph_, *node);
    return tensor.unsafeGetTensorImpl()->is_wrapped_number() ? &tensor : nullptr;
  }
  bool isNumber(const Argument& argument) const { return wrappedNumber(argument) != nullptr; }

  std::string numberText(const Argument& argument) const {
    const at::Scalar number = wrappedNumber(argument)->item();
    return number.isComplex()
               ? constantText({std::complex<double>(number.toComplexDouble().real(), number.toComplexDouble().imag())})
           : number.isFloatingPoint() ? constantText({number.toDouble()})
                                      : constantText({number.toLong()});
  }

  void pointwise(NodeId id, const c10::OperatorHandle& op) {
    const Node& node = graph_.node(id);
    const ir::TensorMetadata metadata = metadataOf(node, op);
    result(id).value = ofPlaces(node, metadata);
    result(id).dtype = metadata.dtype;
  }

  at::Tensor ofPlaces(const Node& node, const ir::TensorMetadata& metadata) {
    const std::string name(ir::withoutOverload(node.target));
    std::vector<at::Tensor> tensors;
    // `add.Scalar` of a number is `add.Tensor` of that number.
    std::string text = name + constantsOf(node).substr(node.target.size()) + " " + ir::dtypeName(metadata.dtype);
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      const Argument& argument = node.arguments[i];
      const auto* reference = std::get_if<ir::NodeReference>(&argument.payload);
      if (reference != nullptr && !isNumber(argument)) {
        tensors.push_back(tensorOf(reference->node));
        text += " " + dtypeText(reference->node);
      }
    }
    const bool isConjugate = name == "aten::_conj" || name == "aten::conj_physical";
    if (tensors.empty()) {
      throw NotComparable("`" + node.target + "` takes no tensor");
    }
    const auto broadcast = at::broadcast_tensors(tensors);
    if (broadcast[0].sizes() != at::IntArrayRef(metadata.sizes)) {
      return filled(metadata,
                    [&, computed = computedBy(node)](int64_t i) { return numbers_.elementOf(computed, 0, i); });
    }
    std::vector<std::vector<int64_t>> given;
    given.reserve(broadcast.size());
    for (const at::Tensor& each : broadcast) {
      given.push_back(numbersIn(each));
    }
    if (node.target == "aten::view.dtype") { // the same bits: whatever reads them says as what
      return filled(metadata, [&](int64_t i) { return given[0][static_cast<size_t>(i)]; });
    }
    const bool isSum =
        node.target == "aten::add.Tensor" && tensors.size() == 2 && constantText(node.arguments[2]) == "1";
    const bool sorts = isCommutative(name) && tensors.size() == 2 && (name != "aten::add" || isSum);
    return filled(metadata, [&](int64_t i) {
      std::vector<int64_t> from;
      from.reserve(given.size());
      for (const auto& each : given) {
        from.push_back(each[static_cast<size_t>(i)]);
      }
      if (isConjugate) {
        return conjugate(from[0]);
      }
      if (isBackward_ && isSum) {
        return numbers_.ofSum(from[0], from[1], ir::dtypeName(metadata.dtype));
      }
      if (isBackward_ && isLinearInFirst(name) && from[0] == kZero) {
        return kZero;
      }
      if (isBackward_ && name == "aten::mul" && std::find(from.begin(), from.end(), kZero) != from.end()) {
        return kZero;
      }
      if (sorts) {
        std::sort(from.begin(), from.end());
      }
      return numbers_.number({text, std::move(from)});
    });
  }

  int64_t conjugate(int64_t number) {
    const auto known = numbers_.conjugates_.find(number);
    if (known != numbers_.conjugates_.end()) {
      return known->second;
    }
    const int64_t made = number == kZero ? kZero : numbers_.number({"conjugate", {number}});
    numbers_.conjugates_[number] = made;
    numbers_.conjugates_[made] = number;
    return made;
  }

  std::string dtypeText(NodeId id) {
    const ir::DtypeConstant dtype = result(id).dtype;
    return dtype.value >= 0 ? ir::dtypeName(dtype) : "?";
  }

  /// One text for the three operators that a batch norm becomes, as far as they are the same; empty: no such call.
  std::string batchNormText(const Node& node) const {
    const auto constant = [&](size_t position) { return constantText(node.arguments.at(position)); };
    if (node.target == "aten::native_batch_norm") {
      return "batch_norm " + constant(5) + " " + constant(6) + " " + constant(7);
    }
    if (node.target == "aten::_native_batch_norm_legit_no_training") {
      return "batch_norm 0 " + constant(5) + " " + constant(6);
    }
    if (node.target == "aten::_native_batch_norm_legit.no_stats") {
      return "batch_norm " + constant(3) + " " + constant(4) + " " + constant(5);
    }
    return "";
  }

  /// `_index_put_impl` with or without checks of its indices is `index_put`.
  static std::string indexPutText(const Node& node) {
    return ir::withoutOverload(node.target) == "aten::_index_put_impl" ||
                   ir::withoutOverload(node.target) == "aten::index_put"
               ? "index_put " + constantText(node.arguments.at(1)) + " " + constantText(node.arguments.at(3))
               : "";
  }

  /// What an operator and all that it was given come to; kZero in a backward where all its tensors are.
  int64_t computedBy(const Node& node) {
    Producer producer;
    producer.text = batchNormText(node);
    if (producer.text.empty()) {
      producer.text = indexPutText(node);
    }
    if (producer.text.empty()) {
      producer.text = constantsOf(node);
    }
    bool anyGiven = false;
    bool anyTensor = false;
    const std::function<void(const Argument&)> visit = [&](const Argument& argument) {
      if (isNumber(argument)) {
        return; // among the constants
      }
      if (const auto* reference = std::get_if<ir::NodeReference>(&argument.payload)) {
        const at::Tensor given = tensorOf(reference->node);
        if (!given.defined()) {
          producer.text += " undefined";
          return;
        }
        anyTensor = true;
        producer.text += fmt::format(" {}[{}]", dtypeText(reference->node), fmt::join(given.sizes(), ","));
        const std::vector<int64_t> elements = numbersIn(given);
        anyGiven =
            anyGiven || std::any_of(elements.begin(), elements.end(), [](int64_t each) { return each != kZero; });
        producer.from.insert(producer.from.end(), elements.begin(), elements.end());
      } else if (const auto* container = std::get_if<Argument::Container>(&argument.payload)) {
        for (const Argument& item : container->items) {
          visit(item);
        }
      }
    };
    for (const Argument& argument : node.arguments) {
      visit(argument);
    }
    if (isBackward_ && anyTensor && !anyGiven && isLinearInAll(ir::withoutOverload(node.target))) {
      return kZero;
    }
    return numbers_.number(std::move(producer));
  }

  /// A sum in a backward adds up gradients, as additions do.
  at::Tensor summed(const Node& node, const ir::TensorMetadata& metadata) {
    at::Tensor given = tensorOf(std::get<ir::NodeReference>(node.arguments[0].payload).node);
    std::vector<int64_t> dims(static_cast<size_t>(given.dim()));
    std::iota(dims.begin(), dims.end(), 0);
    if (node.target == "aten::sum.dim_IntList") {
      const auto* named = std::get_if<Argument::Container>(&node.arguments[1].payload);
      if (named != nullptr && !named->items.empty()) {
        dims.clear();
        for (const Argument& dim : named->items) {
          dims.push_back(std::get<int64_t>(dim.payload));
        }
      }
    }
    for (int64_t& dim : dims) {
      dim = dim < 0 ? dim + given.dim() : dim;
    }
    std::sort(dims.begin(), dims.end());
    for (size_t i = dims.size(); i-- > 0;) { // behind the others
      given = given.movedim(dims[i], -1);
    }
    const int64_t count =
        std::accumulate(metadata.sizes.begin(), metadata.sizes.end(), int64_t{1}, std::multiplies<>());
    const std::vector<int64_t> numbers = numbersIn(given);
    const size_t each = count == 0 ? 0 : numbers.size() / static_cast<size_t>(count);
    return filled(metadata, [&](int64_t i) {
      int64_t sum = kZero;
      for (size_t k = 0; k < each; ++k) {
        sum = numbers_.ofSum(sum, numbers[static_cast<size_t>(i) * each + k], ir::dtypeName(metadata.dtype));
      }
      return sum;
    });
  }

  void general(NodeId id, const c10::OperatorHandle& op) {
    const Node& node = graph_.node(id);
    const bool isSum = node.target == "aten::sum" || node.target == "aten::sum.dim_IntList";
    if (isBackward_ && isSum && std::holds_alternative<std::monostate>(node.arguments.back().payload)) {
      result(id).value = summed(node, metadataOf(node, op));
      return;
    }
    int64_t computed = computedBy(node);
    if (op.hasTag(at::Tag::nondeterministic_seeded)) {
      computed = numbers_.number({fmt::format("draw {}", numbers_.draws_++), {computed}});
    }
    result(id).computed = computed;
    const auto& returns = op.schema().returns();
    if (returns.size() == 1 && returns[0].type()->kind() == c10::TypeKind::TensorType) {
      result(id).value = computed == kZero ? filled(metadataOf(node, op), [](int64_t) { return kZero; })
                                           : filled(metadataOf(node, op),
                                                    [&](int64_t i) { return numbers_.elementOf(computed, 0, i); });
    }
  }

  ElementNumbers& numbers_;
  const ir::Graph& graph_;
  const std::vector<bool>& tangents_;
  bool isBackward_ = false; // of the node that runs
  std::vector<Result> results_;
};

bool ElementNumbers::computes(const ir::Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const Node& node) {
    if (node.kind != ir::NodeKind::kOperator) {
      return node.kind == ir::NodeKind::kCallable;
    }
    const auto op = runtime::findOperator(node.target);
    const ElementEffect effect = op ? effectOf(node, *op) : ElementEffect::kGeneral;
    return effect != ElementEffect::kView && effect != ElementEffect::kMove &&
           effect != ElementEffect::kReinterpretation;
  });
}

std::vector<at::Tensor> ElementNumbers::run(const ir::Graph& graph, const std::vector<at::Tensor>& inputs,
                                            const std::vector<bool>& tangents) {
  try {
    return Run(*this, graph, tangents).run(inputs);
  } catch (const c10::Error& error) {
    throw NotComparable(std::string("an operator that moves elements raises: ") + error.what_without_backtrace());
  }
}

} // namespace touchstone::equivalence
