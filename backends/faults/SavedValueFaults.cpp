#include "backends/faults/NativeFault.h"

#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"

#include <c10/core/ScalarType.h>

#include <algorithm>

namespace touchstone::faults {

namespace {

using at::ScalarType;
using ir::Argument;
using ir::Graph;
using ir::Node;
using ir::nodeArgument;
using ir::NodeId;

std::vector<Argument>& itemsOf(Graph& graph) {
  return std::get<Argument::Container>(graph.output.payload).items;
}

std::optional<ScalarType> savedType(const Graph& graph, NodeId node) {
  const auto dtype = dtypeOf(graph, node);
  return dtype ? std::optional(static_cast<ScalarType>(dtype->value)) : std::nullopt;
}

/// Each saved value that is meant becomes what is made of it, at the end of the forward Graph.
SavedChange onSaved(std::function<Instead(Graph& graph, NodeId saved)> made) {
  return [made = std::move(made)](SavedOutputs saved) {
    std::vector<Argument>& items = itemsOf(saved.forward);
    for (size_t i = saved.begin; i < items.size(); ++i) {
      if (const NodeId node = nodeOf(items[i]); node >= 0) {
        if (const Instead instead = made(saved.forward, node)) {
          itemsOf(saved.forward)[i] = nodeArgument(*instead);
        }
      }
    }
  };
}

/// A call that gives something like what is saved.
NodeId call(Graph& graph, NodeId of, std::string target, std::vector<Argument> more = {}) {
  more.insert(more.begin(), nodeArgument(of));
  return emit(graph, graph.node(of), std::move(target), std::move(more));
}

NodeId savedAs(Graph& graph, NodeId of, ScalarType type) {
  return call(graph, of, "aten::_to_copy",
              {Argument{ir::DtypeConstant{static_cast<int64_t>(type)}}, Argument{}, Argument{}, Argument{},
               Argument{false}, Argument{}});
}

/// Through a dtype of fewer digits and back.
SavedChange roundedThrough(ScalarType source, ScalarType between) {
  return onSaved([=](Graph& graph, NodeId saved) -> Instead {
    return savedType(graph, saved) == source ? Instead(savedAs(graph, savedAs(graph, saved, between), source))
                                             : std::nullopt;
  });
}

bool looksLike(const Graph& graph, NodeId left, NodeId right) {
  const auto& first = graph.node(left).metadata;
  const auto& second = graph.node(right).metadata;
  return first && second && first->sizes == second->sizes && first->dtype == second->dtype;
}

/// The first two saved values that look alike, of those from here on.
SavedChange swapped(size_t from) {
  return [from](SavedOutputs saved) {
    std::vector<Argument>& items = itemsOf(saved.forward);
    for (size_t i = saved.begin + from; i < items.size(); ++i) {
      for (size_t j = i + 1; j < items.size(); ++j) {
        const NodeId left = nodeOf(items[i]), right = nodeOf(items[j]);
        if (left >= 0 && right >= 0 && looksLike(saved.forward, left, right)) {
          std::swap(items[i], items[j]);
          return;
        }
      }
    }
  };
}

Instead readInOrder(Graph& graph, NodeId saved) {
  const auto metadata = graph.node(saved).metadata;
  const bool isDense = metadata && !isContiguous(*metadata) &&
                       std::find(metadata->strides.begin(), metadata->strides.end(), 0) == metadata->strides.end();
  return isDense ? Instead(call(graph, saved, "aten::as_strided",
                                {ir::integerList(metadata->sizes),
                                 ir::integerList(ir::contiguousStrides(metadata->sizes)), Argument{metadata->offset}}))
                 : std::nullopt;
}

/// Packed into bytes of eight flags, what is left over of the last one is lost.
Instead packedFlags(Graph& graph, NodeId saved) {
  const auto layout = graph.node(saved).metadata;
  if (savedType(graph, saved) != ScalarType::Bool || !isContiguous(*layout)) {
    return std::nullopt;
  }
  const int64_t count = ir::elementCount(*layout), whole = count / 8 * 8;
  if (count == whole) {
    return std::nullopt;
  }
  const NodeId flat = call(graph, saved, "aten::view", {ir::integerList({-1})});
  const NodeId kept = call(graph, flat, "aten::slice.Tensor",
                           {number(int64_t{0}), number(int64_t{0}), number(whole), number(int64_t{1})});
  const NodeId padded =
      call(graph, kept, "aten::constant_pad_nd", {ir::integerList({0, count - whole}), number(int64_t{0})});
  return call(graph, padded, "aten::view", {ir::integerList(layout->sizes)});
}

/// The input of an elementwise call is saved in place of its result.
SavedChange operandSaved(std::vector<std::string_view> names) {
  return onSaved([names = std::move(names)](Graph& graph, NodeId saved) -> Instead {
    const Node& node = graph.node(saved);
    const bool isMeant =
        std::any_of(names.begin(), names.end(), [&](std::string_view name) { return isCall(node, name); });
    const NodeId source = isMeant ? nodeOf(node.arguments[0]) : -1;
    return source >= 0 && looksLike(graph, saved, source) ? Instead(source) : std::nullopt;
  });
}

/// What is saved of an input is the value that it is given in the end.
void savedAfterWrite(SavedOutputs saved) {
  std::vector<Argument>& items = itemsOf(saved.forward);
  for (size_t i = saved.begin; i < items.size(); ++i) {
    const NodeId input = nodeOf(items[i]);
    if (input < 0 || saved.forward.node(input).kind != ir::NodeKind::kPlaceholder) {
      continue;
    }
    for (size_t memory = 0; memory < saved.begin; ++memory) {
      const NodeId written = nodeOf(items[memory]);
      const Node* from = written < 0 ? nullptr : operand(saved.forward, saved.forward.node(written), 0);
      if (from != nullptr && from->name == saved.forward.node(input).name && looksLike(saved.forward, written, input)) {
        items[i] = items[memory];
      }
    }
  }
}

} // namespace

NativeFaultList savedValueFaults() {
  constexpr FaultClass kClass = FaultClass::kSavedValues;
  return {
      {"saved_in_half", kClass, kForwardStage, "float32 values are saved as float16",
       "a gradient reads a saved value that needs more digits", roundedThrough(ScalarType::Float, ScalarType::Half)},
      {"double_saved_in_single", kClass, kForwardStage, "float64 values are saved as float32",
       "a gradient reads a saved float64 value that needs more digits",
       roundedThrough(ScalarType::Double, ScalarType::Float)},
      {"index_saved_in_byte", kClass, kForwardStage, "saved whole numbers have 7 bits", "a saved index is above 127",
       roundedThrough(ScalarType::Long, ScalarType::Char)},
      {"saved_without_nan", kClass, kForwardStage, "NaN is saved as 0", "a gradient reads a saved NaN or infinity",
       onSaved([](Graph& graph, NodeId saved) -> Instead {
         return isFloating(graph, saved)
                    ? Instead(call(graph, saved, "aten::nan_to_num", {Argument{}, Argument{}, Argument{}}))
                    : std::nullopt;
       })},
      {"saved_read_in_order", kClass, kForwardStage, "saved values are read in the order of their memory",
       "a saved value is transposed", onSaved(readInOrder)},
      {"saved_flags_packed", kClass, kForwardStage, "of saved flags those behind the last whole byte are lost",
       "a mask is saved whose count is no multiple of 8", onSaved(packedFlags)},
      {"saved_after_write", kClass, kForwardStage, "what is saved of an argument is what it is in the end",
       "a saved argument is written to", SavedChange(savedAfterWrite)},
      {"saved_scalar_of_first", kClass, kForwardStage, "saved values without dimensions are all the first one",
       "two such values are saved", SavedChange([](SavedOutputs saved) {
         std::vector<Argument>& items = itemsOf(saved.forward);
         NodeId first = -1;
         for (size_t i = saved.begin; i < items.size(); ++i) {
           const NodeId node = nodeOf(items[i]);
           if (node >= 0 && sizesOf(saved.forward, node).empty()) {
             first = first < 0 ? node : first;
             items[i] = looksLike(saved.forward, first, node) ? nodeArgument(first) : items[i];
           }
         }
       })},
      {"saved_row_repeated", kClass, kForwardStage, "of a saved matrix of 16 rows or more the last one is the first",
       "such a matrix is saved", onSaved([](Graph& graph, NodeId saved) -> Instead {
         const std::vector<int64_t> sizes = sizesOf(graph, saved);
         if (sizes.size() != 2 || sizes[0] < 16) {
           return std::nullopt;
         }
         const NodeId first = call(graph, saved, "aten::slice.Tensor",
                                   {number(int64_t{0}), number(int64_t{0}), number(int64_t{1}), number(int64_t{1})});
         return call(
             graph, saved, "aten::slice_scatter",
             {nodeArgument(first), number(int64_t{0}), number(sizes[0] - 1), number(sizes[0]), number(int64_t{1})});
       })},
  };
}

NativeFaultList partitionFaults() {
  constexpr FaultClass kClass = FaultClass::kPartition;
  const auto onRecomputed = [](std::function<Instead(Graph & graph, const Node& node)> made) -> GraphChange {
    return [made](Graph& graph) {
      rewriteNodes(graph, [&](Graph& into, const Node& node) -> Instead {
        return node.kind == ir::NodeKind::kOperator && !node.backward ? made(into, node) : std::nullopt;
      });
    };
  };
  return {
      {"saved_values_swapped", kClass, kForwardStage, "two saved values change places",
       "two of them have the same dtype and sizes", swapped(0)},
      {"later_saved_values_swapped", kClass, kForwardStage, "two saved values behind the third change places",
       "five values are saved, two of them alike", swapped(3)},
      {"input_saved_for_exp", kClass, kForwardStage, "the input of exp is saved in place of its result",
       "exp has a gradient", operandSaved({"exp", "exp2", "expm1"})},
      {"input_saved_for_activation", kClass, kForwardStage,
       "the input of tanh and sigmoid is saved in place of the result", "tanh or sigmoid has a gradient",
       operandSaved({"tanh", "sigmoid"})},
      {"input_saved_for_product", kClass, kForwardStage, "the input of a product is saved in place of its result",
       "the result of a product is saved", operandSaved({"mul", "add", "sub"})},
      {"input_saved_for_root", kClass, kForwardStage, "the input of sqrt is saved in place of its result",
       "sqrt or rsqrt has a gradient", operandSaved({"sqrt", "rsqrt", "reciprocal"})},
      {"draws_made_again", kClass, kForwardStage, "random numbers for the backward are drawn again",
       "a gradient reads what was drawn", onSaved([](Graph& graph, NodeId saved) -> Instead {
         const Node node = graph.node(saved);
         return isRandom(node) ? Instead(emitSame(graph, node)) : std::nullopt;
       })},
      {"recomputed_call_skipped", kClass, kMergedStage, "what is computed again leaves out calls of one operand",
       "sin, exp or neg is computed again", onRecomputed([](Graph& graph, const Node& node) -> Instead {
         const bool isMeant = isCall(node, {"sin", "cos", "exp", "neg", "abs", "tanh", "sigmoid", "relu", "sqrt"}) &&
                              isFloating(graph, nodeOf(node.arguments[0]));
         return isMeant ? Instead(nodeOf(node.arguments[0])) : std::nullopt;
       })},
      {"recomputed_in_bfloat16", kClass, kMergedStage, "what is computed again is rounded to bfloat16",
       "a sum or a product is computed again", onRecomputed([](Graph& graph, const Node& node) -> Instead {
         const auto type = node.metadata ? static_cast<ScalarType>(node.metadata->dtype.value) : ScalarType::Undefined;
         if (type != ScalarType::Float || !isCall(node, {"add", "mul", "sub", "sin", "cos", "exp"})) {
           return std::nullopt;
         }
         const NodeId whole = emitSame(graph, node);
         return savedAs(graph, savedAs(graph, whole, ScalarType::BFloat16), type);
       })},
      {"recomputed_with_other_number", kClass, kMergedStage, "what is computed again adds 1 in place of another number",
       "x + c is computed again", onRecomputed([](Graph& graph, const Node& node) -> Instead {
         const bool isMeant = isCall(node, {"add", "sub"}) && numberOf(graph, node.arguments[1]) &&
                              isFloating(graph, nodeOf(node.arguments[0]));
         return isMeant ? Instead(emit(graph, node, isCall(node, "add") ? "aten::add.Scalar" : "aten::sub.Scalar",
                                       {node.arguments[0], number(int64_t{1}), number(int64_t{1})}))
                        : std::nullopt;
       })},
      {"recomputed_operands_swapped", kClass, kMergedStage, "what is computed again subtracts the other way",
       "x - y is computed again", onRecomputed([](Graph& graph, Node node) -> Instead {
         if (!isCall(node, {"sub.Tensor", "div.Tensor"}) || nodeOf(node.arguments[1]) < 0) {
           return std::nullopt;
         }
         std::swap(node.arguments[0], node.arguments[1]);
         return emitSame(graph, node);
       })},
      {"recomputed_slice_from_start", kClass, kMergedStage, "a slice that is taken again begins at 0",
       "a slice is computed again", onRecomputed([](Graph& graph, Node node) -> Instead {
         const auto start = isCall(node, "slice.Tensor") ? integerOf(node.arguments[2]) : std::nullopt;
         const auto end = start ? integerOf(node.arguments[3]) : std::nullopt;
         const std::vector<int64_t> sizes = start && node.metadata ? node.metadata->sizes : std::vector<int64_t>();
         const auto dim = sizes.empty() ? std::nullopt : integerOf(node.arguments[1]);
         if (!start || *start <= 0 || !end || !dim || node.arguments[4] != number(int64_t{1})) {
           return std::nullopt;
         }
         node.arguments[2] = number(int64_t{0});
         node.arguments[3] = number(sizes[wrapped(*dim, sizes.size())]);
         return emitSame(graph, node);
       })},
  };
}

} // namespace touchstone::faults
