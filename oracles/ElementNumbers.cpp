#include "oracles/ElementNumbers.h"

#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"
#include "graph/program/Boxing.h"
#include "graph/program/Interpreter.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/broadcast_tensors.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/full.h>
#include <c10/core/ScalarType.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>

namespace touchstone::oracles {

using graph::Argument;
using graph::Node;
using graph::NodeId;

namespace {

constexpr uint64_t kPrime = 0x9E3779B97F4A7C15ULL;

uint64_t mix(uint64_t hash, uint64_t value) {
  hash ^= value + kPrime + (hash << 6) + (hash >> 2);
  hash ^= hash >> 32;
  hash *= 0xD6E8FEB86659FD93ULL;
  return hash ^ (hash >> 32);
}

int64_t positive(uint64_t hash) {
  const auto number = static_cast<int64_t>(hash & 0x7FFFFFFFFFFFFFFFULL);
  return number == ElementNumbers::kZero ? 1 : number;
}

/// `aten::slice` of `aten::slice.Tensor`.
std::string baseName(const std::string& target) {
  return target.substr(0, target.find('.'));
}

/// Operators without an alias in their schema that move elements, and put zeros elsewhere.
bool isMove(const std::string& name) {
  static const std::set<std::string> names{"aten::clone",
                                           "aten::contiguous",
                                           "aten::copy",
                                           "aten::copy_",
                                           "aten::_unsafe_view",
                                           "aten::reshape",
                                           "aten::_reshape_copy",
                                           "aten::cat",
                                           "aten::stack",
                                           "aten::expand_copy",
                                           "aten::flip",
                                           "aten::roll",
                                           "aten::repeat",
                                           "aten::rot90",
                                           "aten::select_scatter",
                                           "aten::slice_scatter",
                                           "aten::diagonal_scatter",
                                           "aten::as_strided_scatter",
                                           "aten::as_strided_copy",
                                           "aten::view_copy",
                                           "aten::slice_copy",
                                           "aten::select_copy",
                                           "aten::select_backward",
                                           "aten::slice_backward",
                                           "aten::diagonal_backward",
                                           "aten::lift",
                                           "aten::lift_fresh_copy",
                                           "aten::tril",
                                           "aten::triu",
                                           "aten::_to_copy",
                                           "aten::unfold_copy",
                                           "aten::permute_copy",
                                           "aten::transpose_copy",
                                           "aten::diagonal_copy",
                                           "aten::channel_shuffle",
                                           "aten::pixel_shuffle",
                                           "aten::pixel_unshuffle",
                                           "aten::expand_as",
                                           "aten::resolve_conj",
                                           "aten::resolve_neg"};
  return names.contains(name);
}

/// Views after which the bits are read in another way.
bool isReinterpretation(const Node& node) {
  const std::string name = baseName(node.target);
  return name == "aten::view_as_real" || name == "aten::view_as_complex" || node.target == "aten::view.dtype" ||
         name == "aten::_conj" || name == "aten::_neg_view";
}

bool isView(const c10::FunctionSchema& schema) {
  const auto& returns = schema.returns();
  return !returns.empty() && returns[0].alias_info() != nullptr && !returns[0].alias_info()->isWrite();
}

bool isCommutative(const std::string& name) {
  static const std::set<std::string> names{"aten::add",         "aten::mul",        "aten::maximum",
                                           "aten::minimum",     "aten::eq",         "aten::ne",
                                           "aten::logical_and", "aten::logical_or", "aten::logical_xor",
                                           "aten::bitwise_and", "aten::bitwise_or", "aten::bitwise_xor"};
  return names.contains(name);
}

/// A constant argument as text that is equal for equal values; nothing for what decides about memory alone.
std::string constantText(const Argument& argument) {
  struct Visitor {
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(graph::NodeReference) const { return "_"; }
    std::string operator()(bool value) const { return value ? "1" : "0"; }
    std::string operator()(int64_t value) const { return fmt::format("{}", value); }
    std::string operator()(double value) const { return fmt::format("{:.17g}", value); }
    std::string operator()(std::complex<double> value) const {
      return fmt::format("{:.17g}+{:.17g}j", value.real(), value.imag());
    }
    std::string operator()(const std::string& value) const { return "'" + value + "'"; }
    std::string operator()(graph::DtypeConstant value) const { return graph::dtypeName(value); }
    std::string operator()(graph::LayoutConstant) const { return ""; }
    std::string operator()(graph::MemoryFormatConstant) const { return ""; }
    std::string operator()(const graph::DeviceConstant&) const { return ""; }
    std::string operator()(const Argument::Container& container) const {
      std::string text = "[";
      for (const Argument& item : container.items) {
        text += constantText(item) + ",";
      }
      return text + "]";
    }
  };
  return std::visit(Visitor{}, argument.payload);
}

/// A copy with these strides; -1 stands in gaps.
at::Tensor laidOut(const at::Tensor& dense, const graph::TensorMetadata& metadata) {
  if (graph::mayOverlap(metadata)) {
    throw NotComparable("a result has several elements in one place of its memory");
  }
  at::Tensor result = at::empty_strided(metadata.sizes, metadata.strides, at::kLong);
  at::as_strided(result, {static_cast<int64_t>(result.storage().nbytes() / sizeof(int64_t))}, {1}, 0).fill_(-1);
  return result.copy_(dense);
}

/// Calls `fill` for each element in logical order.
at::Tensor filled(const graph::TensorMetadata& metadata, const std::function<int64_t(int64_t)>& fill) {
  at::Tensor dense = at::empty(metadata.sizes, at::kLong);
  auto* data = dense.mutable_data_ptr<int64_t>();
  for (int64_t i = 0; i < dense.numel(); ++i) {
    data[i] = fill(i);
  }
  return laidOut(dense, metadata);
}

std::vector<int64_t> elementsOf(const at::Tensor& numbers) {
  const at::Tensor dense = numbers.contiguous();
  const auto* data = dense.const_data_ptr<int64_t>();
  return {data, data + dense.numel()};
}

} // namespace

int64_t ElementNumbers::number(Producer producer) {
  uint64_t hash = std::hash<std::string>()(producer.text);
  for (int64_t from : producer.from) {
    hash = mix(hash, static_cast<uint64_t>(from));
  }
  const int64_t number = positive(mix(hash, static_cast<uint64_t>(producer.kind)));
  producers_.try_emplace(number, std::move(producer));
  return number;
}

int64_t ElementNumbers::ofMemory(const std::string& memory, int64_t position, int64_t elementSize) {
  return number(
      {fmt::format("element {} of `{}` by {} bytes", position, memory, elementSize), {}, Producer::Kind::kMemory});
}

int64_t ElementNumbers::ofTangent(int64_t element) {
  return number({"tangent", {element}});
}

int64_t ElementNumbers::ofSum(int64_t left, int64_t right, const std::string& dtype) {
  if (left == kZero || right == kZero) {
    return left == kZero ? right : left;
  }
  Producer sum{"sum " + dtype, {}};
  for (int64_t addend : {left, right}) {
    const auto known = producers_.find(addend);
    if (known != producers_.end() && known->second.text == sum.text) {
      sum.from.insert(sum.from.end(), known->second.from.begin(), known->second.from.end());
    } else {
      sum.from.push_back(addend);
    }
  }
  std::sort(sum.from.begin(), sum.from.end());
  return number(std::move(sum));
}

int64_t ElementNumbers::elementOf(int64_t result, int64_t output, int64_t position) {
  return number({fmt::format("result {}, element {}", output, position), {result}});
}

bool ElementNumbers::isOfMemory(int64_t number) const {
  const auto known = producers_.find(number);
  return known != producers_.end() && known->second.kind == Producer::Kind::kMemory;
}

/// One Graph.
class ElementNumbers::Run {
 public:
  Run(ElementNumbers& numbers, const graph::Graph& graph, bool isBackward)
      : numbers_(numbers), graph_(graph), isBackward_(isBackward), results_(graph.nodes().size()) {}

  std::vector<at::Tensor> run(const std::vector<at::Tensor>& inputs) {
    size_t next = 0;
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes().size()); ++id) {
      const Node& node = graph_.node(id);
      switch (node.kind) {
        case graph::NodeKind::kPlaceholder: result(id) = {inputs.at(next++)}; break;
        case graph::NodeKind::kConstant: result(id) = {ofConstant(node)}; break;
        case graph::NodeKind::kElement: result(id) = {element(node)}; break;
        case graph::NodeKind::kOperator: call(id); break;
        case graph::NodeKind::kCallable:
          throw NotComparable("`" + node.target + "`, which is no operator, is part of a Graph");
      }
      trackDtype(id);
    }
    std::vector<at::Tensor> outputs;
    for (const Argument& item : std::get<Argument::Container>(graph_.output.payload).items) {
      const auto* reference = std::get_if<graph::NodeReference>(&item.payload);
      outputs.push_back(reference != nullptr ? tensorOf(reference->node) : at::Tensor());
    }
    return outputs;
  }

 private:
  /// Tensors by output; a computed one of several outputs is made when an element is taken.
  struct Result {
    Result() = default;
    Result(at::Tensor tensor) : value(std::move(tensor)) {}
    c10::IValue value;
    int64_t computed = 0; // of several outputs: what they are computed by
    graph::DtypeConstant dtype{-1}; // of what the numbers stand for; -1: of several
  };

  Result& result(NodeId id) { return results_[static_cast<size_t>(id)]; }

  at::Tensor tensorOf(NodeId id) {
    const c10::IValue& value = result(id).value;
    if (!value.isTensor()) {
      throw NotComparable(fmt::format("node {} is used as a tensor, which it is not", graph_.node(id).name));
    }
    return value.toTensor();
  }

  /// Found out on tensors without values where a node has none.
  graph::TensorMetadata metadataOf(const Node& node, const c10::OperatorHandle& op) {
    if (node.metadata) {
      return *node.metadata;
    }
    torch::jit::Stack stack;
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      stack.push_back(graph::boxArgument(node.arguments[i], op.schema().arguments()[i], [&](NodeId reference) {
        const Result& given = result(reference);
        if (!given.value.isTensor() || given.dtype.value < 0) {
          throw NotComparable(fmt::format("node {} ({}) has no metadata", node.name, node.target));
        }
        if (const at::Tensor* number = wrappedNumber(graph::nodeArgument(reference))) {
          return c10::IValue(*number);
        }
        graph::TensorMetadata metadata = graph::metadataOf(given.value.toTensor());
        metadata.dtype = given.dtype;
        return c10::IValue(graph::metaTensor(metadata));
      }));
    }
    op.callBoxed(stack);
    if (stack.size() != 1 || !stack[0].isTensor()) {
      throw NotComparable(fmt::format("node {} ({}) has no metadata", node.name, node.target));
    }
    return graph::metadataOf(stack[0].toTensor());
  }

  /// A move without metadata keeps the dtype of what it moves.
  void trackDtype(NodeId id) {
    const Node& node = graph_.node(id);
    if (node.metadata) {
      result(id).dtype = node.metadata->dtype;
    } else if (node.kind == graph::NodeKind::kConstant) {
      const auto* tensor = static_cast<const at::Tensor*>(graph_.constants()[static_cast<size_t>(node.constant)].get());
      result(id).dtype = {static_cast<int64_t>(tensor->scalar_type())};
    } else if (!node.arguments.empty() && result(id).dtype.value < 0) {
      if (const std::optional<NodeId> first = firstReference(node.arguments[0])) {
        result(id).dtype = result(*first).dtype;
      }
    }
  }

  static std::optional<NodeId> firstReference(const Argument& argument) {
    if (const auto* reference = std::get_if<graph::NodeReference>(&argument.payload)) {
      return reference->node;
    }
    const auto* container = std::get_if<Argument::Container>(&argument.payload);
    return container != nullptr && !container->items.empty() ? firstReference(container->items[0]) : std::nullopt;
  }

  at::Tensor ofConstant(const Node& node) {
    const auto tensor =
        std::static_pointer_cast<const at::Tensor>(graph_.constants()[static_cast<size_t>(node.constant)]);
    const at::Tensor dense = tensor->detach().contiguous();
    const auto size = static_cast<size_t>(dense.element_size());
    const auto* bytes = static_cast<const char*>(dense.const_data_ptr());
    const std::string dtype = c10::toString(dense.scalar_type());
    graph::TensorMetadata metadata;
    metadata.sizes = tensor->sizes().vec();
    metadata.strides = tensor->strides().vec();
    return filled(metadata, [&](int64_t i) {
      std::string text;
      for (size_t byte = 0; byte < size; ++byte) {
        text += fmt::format("{:02x}", static_cast<unsigned char>(bytes[static_cast<size_t>(i) * size + byte]));
      }
      return numbers_.number({fmt::format("constant {} {}", dtype, text), {}});
    });
  }

  at::Tensor element(const Node& node) {
    const NodeId source = std::get<graph::NodeReference>(node.arguments[0].payload).node;
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
    const auto dot = node.target.find('.');
    const auto op = c10::Dispatcher::singleton().findSchema(
        {node.target.substr(0, dot), dot == std::string::npos ? "" : node.target.substr(dot + 1)});
    if (!op) {
      throw NotComparable("the operator " + node.target + " is not known");
    }
    const std::string name = baseName(node.target);
    if (isConstantFactory(node, name)) {
      result(id) = ofFactory(node, name, *op);
    } else if ((isView(op->schema()) && !isReinterpretation(node)) || isMove(name)) {
      result(id).value = move(node, name, *op);
      const auto* given =
          name == "aten::_to_copy" ? std::get_if<graph::DtypeConstant>(&node.arguments.at(1).payload) : nullptr;
      result(id).dtype = given != nullptr ? *given : result(id).dtype;
    } else if (op->schema().is_mutable()) {
      throw NotComparable("`" + node.target + "` writes");
    } else if (isReinterpretation(node) || op->hasTag(at::Tag::pointwise)) {
      result(id) = pointwise(node, name, *op);
      result(id).dtype = metadataOf(node, *op).dtype;
    } else {
      general(id, *op);
    }
  }

  c10::IValue boxed(const Argument& argument, const c10::Argument& schema) {
    return graph::boxArgument(argument, schema, [&](NodeId reference) { return result(reference).value; });
  }

  /// Numbers of another dtype say so.
  at::Tensor converted(const at::Tensor& numbers, const graph::DtypeConstant& from, const graph::DtypeConstant& to) {
    if (from == to) {
      return numbers;
    }
    graph::TensorMetadata metadata;
    metadata.sizes = numbers.sizes().vec();
    metadata.strides = numbers.strides().vec();
    const std::vector<int64_t> given = elementsOf(numbers);
    const std::string text = "to " + graph::dtypeName(from) + " " + graph::dtypeName(to);
    return filled(metadata, [&](int64_t i) {
      const int64_t each = given[static_cast<size_t>(i)];
      return each == kZero ? kZero : numbers_.number({text, {each}});
    });
  }

  /// Each tensor among the arguments is converted before it is moved.
  c10::IValue boxedAs(const Argument& argument, const c10::Argument& schema, graph::DtypeConstant wanted) {
    return graph::boxArgument(argument, schema, [&](NodeId reference) -> c10::IValue {
      const Result& given = result(reference);
      return wanted.value >= 0 && given.dtype.value >= 0 && given.value.isTensor()
                 ? converted(given.value.toTensor(), given.dtype, wanted)
                 : given.value;
    });
  }

  c10::IValue move(const Node& node, const std::string& name, const c10::OperatorHandle& op) {
    const auto& parameters = op.schema().arguments();
    // A write keeps the dtype of what is written to.
    graph::DtypeConstant wanted = node.metadata ? node.metadata->dtype : graph::DtypeConstant{-1};
    if (!node.metadata || name == "aten::copy_") {
      const std::optional<NodeId> first = firstReference(node.arguments.at(0));
      wanted = first ? result(*first).dtype : wanted;
    }
    if (name == "aten::_to_copy") {
      if (const auto* given = std::get_if<graph::DtypeConstant>(&node.arguments.at(1).payload)) {
        wanted = *given;
      }
      const at::Tensor source = boxedAs(node.arguments[0], parameters[0], wanted).toTensor();
      return node.metadata && at::IntArrayRef(node.metadata->sizes) == source.sizes() ? laidOut(source, *node.metadata)
                                                                                      : source.clone();
    }
    torch::jit::Stack stack;
    const bool convertsNone = isView(op.schema());
    for (size_t i = 0; i < parameters.size(); ++i) {
      stack.push_back(convertsNone ? boxed(node.arguments[i], parameters[i])
                                   : boxedAs(node.arguments[i], parameters[i], wanted));
    }
    op.callBoxed(stack);
    if (stack.size() != 1) {
      throw NotComparable("`" + node.target + "` gives several results");
    }
    return stack[0];
  }

  static bool isConstantFactory(const Node& node, const std::string& name) {
    static const std::set<std::string> names{
        "aten::zeros",          "aten::zeros_like", "aten::new_zeros",     "aten::full",      "aten::full_like",
        "aten::new_full",       "aten::ones",       "aten::ones_like",     "aten::new_ones",  "aten::scalar_tensor",
        "aten::empty",          "aten::empty_like", "aten::empty_strided", "aten::new_empty", "aten::new_empty_strided",
        "aten::empty_permuted", "aten::zero"};
    return names.contains(name) || node.target == "aten::fill.Scalar";
  }

  at::Tensor ofFactory(const Node& node, const std::string& name, const c10::OperatorHandle& op) {
    const graph::TensorMetadata metadata = metadataOf(node, op);
    std::string value;
    if (name.find("zero") != std::string::npos) {
      value = "0";
    } else if (name.find("ones") != std::string::npos) {
      value = "1";
    } else if (name.find("empty") != std::string::npos) {
      value = "uninitialized";
    } else {
      const size_t position = name == "aten::scalar_tensor" ? 0 : name == "aten::new_full" ? 2 : 1;
      value = constantText(node.arguments.at(position));
    }
    const int64_t number =
        value == "0" ? kZero : numbers_.number({"constant " + graph::dtypeName(metadata.dtype) + " " + value, {}});
    return filled(metadata, [&](int64_t) { return number; });
  }

  std::string constantsOf(const Node& node) const {
    std::string text = node.target + "(";
    for (const Argument& argument : node.arguments) {
      text += (isNumber(argument) ? numberText(argument) : constantText(argument)) + ";";
    }
    return text + ")";
  }

  /// A Python number that the dispatcher has wrapped into a tensor.
  const at::Tensor* wrappedNumber(const Argument& argument) const {
    const auto* reference = std::get_if<graph::NodeReference>(&argument.payload);
    const Node* node = reference != nullptr ? &graph_.node(reference->node) : nullptr;
    if (node == nullptr || node->kind != graph::NodeKind::kConstant) {
      return nullptr;
    }
    const auto* tensor = static_cast<const at::Tensor*>(graph_.constants()[static_cast<size_t>(node->constant)].get());
    return tensor->unsafeGetTensorImpl()->is_wrapped_number() ? tensor : nullptr;
  }
  bool isNumber(const Argument& argument) const { return wrappedNumber(argument) != nullptr; }

  std::string numberText(const Argument& argument) const {
    const at::Scalar number = wrappedNumber(argument)->item();
    return number.isComplex()
               ? constantText({std::complex<double>(number.toComplexDouble().real(), number.toComplexDouble().imag())})
           : number.isFloatingPoint() ? constantText({number.toDouble()})
                                      : constantText({number.toLong()});
  }

  at::Tensor pointwise(const Node& node, const std::string& name, const c10::OperatorHandle& op) {
    const graph::TensorMetadata metadata = metadataOf(node, op);
    std::vector<at::Tensor> tensors;
    // `add.Scalar` of a number is `add.Tensor` of that number.
    std::string text = name + constantsOf(node).substr(node.target.size()) + " " + graph::dtypeName(metadata.dtype);
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      const Argument& argument = node.arguments[i];
      const auto* reference = std::get_if<graph::NodeReference>(&argument.payload);
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
      given.push_back(elementsOf(each));
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
        return numbers_.ofSum(from[0], from[1], graph::dtypeName(metadata.dtype));
      }
      if (isBackward_ && isLinear(name) && from[0] == kZero) {
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

  /// In their first operand.
  static bool isLinear(const std::string& name) {
    static const std::set<std::string> names{"aten::neg",
                                             "aten::div",
                                             "aten::mul",
                                             "aten::_conj",
                                             "aten::threshold_backward",
                                             "aten::tanh_backward",
                                             "aten::sigmoid_backward"};
    return names.contains(name);
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
    const graph::DtypeConstant dtype = result(id).dtype;
    return dtype.value >= 0 ? graph::dtypeName(dtype) : "?";
  }

  /// Zeros alone give zeros.
  static bool isLinearInAll(const std::string& name) {
    static const std::set<std::string> names{"aten::sum",
                                             "aten::mean",
                                             "aten::mm",
                                             "aten::bmm",
                                             "aten::mv",
                                             "aten::dot",
                                             "aten::cumsum",
                                             "aten::gather",
                                             "aten::index",
                                             "aten::index_select",
                                             "aten::scatter_add",
                                             "aten::index_add",
                                             "aten::index_put",
                                             "aten::scatter",
                                             "aten::take",
                                             "aten::masked_select",
                                             "aten::masked_scatter",
                                             "aten::constant_pad_nd",
                                             "aten::view_as_real",
                                             "aten::view_as_complex"};
    return names.contains(name) || name.ends_with("_backward");
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

  /// What an operator and all that it was given come to; kZero in a backward where all its tensors are.
  int64_t computedBy(const Node& node) {
    Producer producer;
    producer.text = batchNormText(node);
    if (producer.text.empty()) {
      producer.text = constantsOf(node);
    }
    bool anyGiven = false;
    bool anyTensor = false;
    const std::function<void(const Argument&)> visit = [&](const Argument& argument) {
      if (isNumber(argument)) {
        return; // among the constants
      }
      if (const auto* reference = std::get_if<graph::NodeReference>(&argument.payload)) {
        const at::Tensor given = tensorOf(reference->node);
        if (!given.defined()) {
          producer.text += " undefined";
          return;
        }
        anyTensor = true;
        producer.text += fmt::format(" {}[{}]", dtypeText(reference->node), fmt::join(given.sizes(), ","));
        const std::vector<int64_t> elements = elementsOf(given);
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
    if (isBackward_ && anyTensor && !anyGiven && isLinearInAll(baseName(node.target))) {
      return kZero;
    }
    return numbers_.number(std::move(producer));
  }

  void general(NodeId id, const c10::OperatorHandle& op) {
    const Node& node = graph_.node(id);
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
  const graph::Graph& graph_;
  const bool isBackward_;
  std::vector<Result> results_;
};

bool ElementNumbers::computes(const graph::Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const Node& node) {
    if (node.kind != graph::NodeKind::kOperator) {
      return node.kind == graph::NodeKind::kCallable;
    }
    const auto dot = node.target.find('.');
    const auto op = c10::Dispatcher::singleton().findSchema(
        {node.target.substr(0, dot), dot == std::string::npos ? "" : node.target.substr(dot + 1)});
    return !op || !(isView(op->schema()) || isMove(baseName(node.target)));
  });
}

std::vector<at::Tensor> ElementNumbers::run(const graph::Graph& graph, const std::vector<at::Tensor>& inputs,
                                            bool isBackward) {
  try {
    return Run(*this, graph, isBackward).run(inputs);
  } catch (const c10::Error& error) {
    throw NotComparable(std::string("an operator that moves elements raises: ") + error.what_without_backtrace());
  }
}

std::string ElementNumbers::textOf(int64_t number, int depth) const {
  const auto known = producers_.find(number);
  if (number == kZero || known == producers_.end()) {
    return "0";
  }
  std::string text = known->second.text;
  if (known->second.from.size() == 1 && depth > 0) {
    text += " of " + textOf(known->second.from[0], depth - 1);
  } else if (known->second.from.size() > 1 && depth > 0) {
    text += fmt::format(" of {} elements", known->second.from.size());
  }
  return text;
}

std::string ElementNumbers::firstDifference(int64_t left, int64_t right) const {
  for (int depth = 0; depth < 200; ++depth) {
    const auto first = producers_.find(left);
    const auto second = producers_.find(right);
    const bool goesOn = first != producers_.end() && second != producers_.end() &&
                        first->second.text == second->second.text &&
                        first->second.from.size() == second->second.from.size();
    if (!goesOn) {
      break;
    }
    const auto parted =
        std::mismatch(first->second.from.begin(), first->second.from.end(), second->second.from.begin());
    if (parted.first == first->second.from.end()) {
      break;
    }
    left = *parted.first;
    right = *parted.second;
  }
  return textOf(left, 2) + " / " + textOf(right, 2);
}

} // namespace touchstone::oracles
