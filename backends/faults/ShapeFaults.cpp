#include "backends/faults/NativeFault.h"

#include "graph/ir/Arguments.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace touchstone::faults {

namespace {

using ir::Argument;
using ir::Graph;
using ir::Node;
using ir::nodeArgument;
using ir::NodeId;

constexpr int64_t kToEnd = std::numeric_limits<int64_t>::max();

/// A call on the result of the same kind of call.
NodeRewrite onRepeated(std::string_view name,
                       std::function<Instead(Graph& graph, const Node& outer, const Node& inner)> made) {
  return [=](Graph& graph, const Node& node) -> Instead {
    const Node* inner = isCall(node, name) ? operand(graph, node, 0) : nullptr;
    return inner != nullptr && isCall(*inner, name) ? made(graph, node, Node(*inner)) : std::nullopt;
  };
}

/// The second undoes the first, or so it is thought.
Instead undone(Graph&, const Node&, const Node& inner) {
  return nodeOf(inner.arguments[0]);
}

/// The order of a permutation of a permutation, the wrong way round.
Instead composedBackwards(Graph& graph, const Node& outer, const Node& inner) {
  const std::vector<int64_t> first = integersOf(inner.arguments[1]), second = integersOf(outer.arguments[1]);
  const auto count = static_cast<int64_t>(first.size());
  std::vector<int64_t> dims;
  for (const int64_t each : first) {
    dims.push_back((second.at(static_cast<size_t>((each + count) % count)) + count) % count);
  }
  return emit(graph, outer, "aten::permute", {inner.arguments[0], ir::integerList(dims)});
}

/// Of a slice of a slice: the starts are added up without the step of the first.
Instead slicedOnce(Graph& graph, const Node& outer, const Node& inner) {
  const auto start = integerOf(outer.arguments[2]), end = integerOf(outer.arguments[3]);
  const auto innerStart = integerOf(inner.arguments[2]), innerEnd = integerOf(inner.arguments[3]);
  if (outer.arguments[1] != inner.arguments[1] || !start || !end || !innerStart || !innerEnd || *innerStart < 0 ||
      *start < 0 || *end < 0) {
    return std::nullopt;
  }
  const int64_t last = *end == kToEnd ? *innerEnd : *innerStart + *end;
  return emit(graph, outer, "aten::slice.Tensor",
              {inner.arguments[0], outer.arguments[1], number(*innerStart + *start), number(last), outer.arguments[4]});
}

Instead slicedAlongFirst(Graph& graph, const Node& outer, const Node& inner) {
  return outer.arguments[1] != inner.arguments[1] ? Instead(emitWith(graph, outer, 1, Argument(inner.arguments[1])))
                                                  : std::nullopt;
}

/// Pieces in another order.
NodeRewrite piecesInOrder(std::function<bool(std::vector<Argument>& pieces)> change) {
  return onCalls({"cat", "stack"}, [=](Graph& graph, const Node& node) -> Instead {
    const auto* list = std::get_if<Argument::Container>(&node.arguments[0].payload);
    if (list == nullptr) {
      return std::nullopt;
    }
    Argument::Container copy = *list;
    return change(copy.items) ? Instead(emitWith(graph, node, 0, Argument{copy})) : std::nullopt;
  });
}

std::vector<std::pair<std::string_view, size_t>> stridesOfWindows() {
  return {{"convolution", 3}, {"max_pool2d_with_indices", 2}, {"avg_pool2d", 2}};
}

Argument flag(bool isSet) {
  return Argument{isSet};
}

} // namespace

NativeFaultList shapeFaults() {
  constexpr FaultClass kClass = FaultClass::kRewriting;
  return {
      {"transpositions_cancelled", kClass, kFunctionalStage, "a transposition undoes the one before",
       "they change other dimensions", onRepeated("transpose", undone)},
      {"permutations_cancelled", kClass, kFunctionalStage, "a permutation undoes the one before",
       "it is not the inverse", onRepeated("permute", undone)},
      {"permutations_composed_backwards", kClass, kFunctionalStage,
       "a permutation of a permutation is composed the wrong way round", "three dimensions change places",
       onRepeated("permute", composedBackwards)},
      {"flips_cancelled", kClass, kFunctionalStage, "a flip undoes the one before", "they flip other dimensions",
       onRepeated("flip", undone)},
      {"slices_merged_without_step", kClass, kFunctionalStage, "a slice of a slice forgets the step of the first",
       "the first slice has a step", onRepeated("slice", slicedOnce)},
      {"slices_along_one_dimension", kClass, kFunctionalStage, "a slice of a slice is along the dimension of the first",
       "x[1:, 1:]", onRepeated("slice", slicedAlongFirst)},
      {"select_of_slice_from_start", kClass, kFunctionalStage,
       "an element of a slice is counted from the beginning of the whole", "the slice does not begin at 0",
       onCalls({"select.int"},
               [](Graph& graph, const Node& node) -> Instead {
                 const Node* slice = operand(graph, node, 0);
                 const bool isMeant = slice != nullptr && isCall(*slice, "slice") &&
                                      slice->arguments[1] == node.arguments[1] &&
                                      integerOf(node.arguments[2]).value_or(-1) >= 0;
                 return isMeant ? Instead(emitWith(graph, node, 0, Argument(slice->arguments[0]))) : std::nullopt;
               })},
      {"negative_start_is_zero", kClass, kCapturedStage, "a slice that begins at a negative index begins at 0",
       "x[-2:]",
       onCalls({"slice.Tensor"},
               [](Graph& graph, const Node& node) -> Instead {
                 return integerOf(node.arguments[2]).value_or(0) < 0
                            ? Instead(emitWith(graph, node, 2, number(int64_t{0})))
                            : std::nullopt;
               })},
      {"negative_end_is_end", kClass, kCapturedStage, "a slice that ends at a negative index goes to the end", "x[:-1]",
       onCalls({"slice.Tensor"},
               [](Graph& graph, const Node& node) -> Instead {
                 return integerOf(node.arguments[3]).value_or(0) < 0 ? Instead(emitWith(graph, node, 3, number(kToEnd)))
                                                                     : std::nullopt;
               })},
      {"negative_select_is_first", kClass, kCapturedStage,
       "an element that is counted from the end is counted from the beginning", "x[-1]",
       onCalls({"select.int"},
               [](Graph& graph, const Node& node) -> Instead {
                 const auto index = integerOf(node.arguments[2]);
                 return index && *index < 0 ? Instead(emitWith(graph, node, 2, number(-1 - *index))) : std::nullopt;
               })},
      {"squeeze_of_all", kClass, kCapturedStage, "squeeze of a dimension is one of all", "another size is 1",
       onCalls({"squeeze.dim"},
               [](Graph& graph, const Node& node) -> Instead {
                 return emit(graph, node, "aten::squeeze", {node.arguments[0]});
               })},
      {"unsqueezed_at_other_end", kClass, kCapturedStage, "unsqueeze(-1) adds a first dimension", "unsqueeze(-1)",
       withArgument({"unsqueeze"}, 1, number(int64_t{0}))},
      {"pieces_reversed", kClass, kFunctionalStage, "three pieces or more are joined from the last on",
       "cat or stack of three", piecesInOrder([](std::vector<Argument>& pieces) {
         std::reverse(pieces.begin(), pieces.end());
         return pieces.size() > 2;
       })},
      {"last_piece_repeats_first", kClass, kFunctionalStage, "of four pieces or more the last is the first",
       "cat or stack of four", piecesInOrder([](std::vector<Argument>& pieces) {
         const bool isMeant = pieces.size() > 3;
         pieces.back() = isMeant ? pieces.front() : pieces.back();
         return isMeant;
       })},
      {"pieces_of_one_tensor", kClass, kFunctionalStage, "cat of slices of one tensor is that tensor",
       "the slices are in another order",
       onCalls({"cat"},
               [](Graph& graph, const Node& node) -> Instead {
                 const auto* list = std::get_if<Argument::Container>(&node.arguments[0].payload);
                 if (list == nullptr || list->items.size() != 2 || !node.metadata) {
                   return std::nullopt;
                 }
                 const Node& left = graph.node(nodeOf(list->items[0]));
                 const Node& right = graph.node(nodeOf(list->items[1]));
                 const bool isMeant = isCall(left, "slice") && isCall(right, "slice") &&
                                      left.arguments[0] == right.arguments[0] &&
                                      sizesOf(graph, nodeOf(left.arguments[0])) == node.metadata->sizes;
                 return isMeant ? Instead(nodeOf(left.arguments[0])) : std::nullopt;
               })},
      {"product_of_transposed", kClass, kFunctionalStage, "x.t() @ y.t() becomes (x @ y).t()",
       "two square matrices are transposed and multiplied",
       onCalls({"mm"},
               [](Graph& graph, const Node& node) -> Instead {
                 const Node* left = operand(graph, node, 0);
                 const Node* right = operand(graph, node, 1);
                 if (!isCall(*left, {"t", "transpose", "permute"}) || !isCall(*right, {"t", "transpose", "permute"}) ||
                     node.metadata->sizes[0] != node.metadata->sizes[1] ||
                     sizesOf(graph, nodeOf(node.arguments[0])) != node.metadata->sizes) {
                   return std::nullopt;
                 }
                 const Argument x = left->arguments[0], y = right->arguments[0];
                 const NodeId product = emit(graph, node, "aten::mm", {x, y});
                 return emit(graph, node, "aten::t", {nodeArgument(product)});
               })},
      {"triangle_of_main_diagonal", kClass, kFunctionalStage, "tril below the main diagonal includes it",
       "tril of a negative diagonal",
       onCalls({"tril", "triu"},
               [](Graph& graph, const Node& node) -> Instead {
                 return integerOf(node.arguments[1]).value_or(0) < 0
                            ? Instead(emitWith(graph, node, 1, number(int64_t{0})))
                            : std::nullopt;
               })},
      {"diagonal_is_main_one", kClass, kCapturedStage, "diagonal takes the main one of a square",
       "another diagonal of a square matrix", withArgument({"diagonal"}, 1, number(int64_t{0}))},
      {"padding_is_zero", kClass, kFunctionalStage, "padding is 0 whatever was asked for", "padding with another value",
       withArgument({"constant_pad_nd"}, 2, number(int64_t{0}))},
      {"padding_sides_swapped", kClass, kFunctionalStage, "padding before and behind change places",
       "they are not the same",
       onCalls({"constant_pad_nd"},
               [](Graph& graph, const Node& node) -> Instead {
                 std::vector<int64_t> pads = integersOf(node.arguments[1]);
                 for (size_t i = 0; i + 1 < pads.size(); i += 2) {
                   std::swap(pads[i], pads[i + 1]);
                 }
                 return emitWith(graph, node, 1, ir::integerList(pads));
               })},
      {"rolled_backwards", kClass, kFunctionalStage, "roll goes the other way", "roll by other than half of the size",
       onCalls({"roll"},
               [](Graph& graph, const Node& node) -> Instead {
                 std::vector<int64_t> shifts = integersOf(node.arguments[1]);
                 std::transform(shifts.begin(), shifts.end(), shifts.begin(), std::negate<>());
                 return emitWith(graph, node, 1, ir::integerList(shifts));
               })},
      {"dilation_forgotten", kClass, kFunctionalStage, "a convolution forgets its dilation",
       "a convolution with a dilation",
       onCalls({"convolution"},
               [](Graph& graph, const Node& node) -> Instead {
                 const std::vector<int64_t> dilation = integersOf(node.arguments[5]);
                 const bool isPlain =
                     std::all_of(dilation.begin(), dilation.end(), [](int64_t each) { return each == 1; });
                 return isPlain ? std::nullopt
                                : Instead(emitWith(graph, node, 5,
                                                   ir::integerList(std::vector<int64_t>(dilation.size(), 1))));
               })},
      {"stride_of_window_is_one", kClass, kFunctionalStage, "a pooling or a convolution forgets its stride",
       "a stride other than 1", NodeRewrite([](Graph& graph, const Node& node) -> Instead {
         for (const auto& [name, position] : stridesOfWindows()) {
           if (isCall(node, name)) {
             const std::vector<int64_t> strides = integersOf(node.arguments[position]);
             return emitWith(graph, node, position,
                             ir::integerList(std::vector<int64_t>(std::max<size_t>(strides.size(), 2), 1)));
           }
         }
         return std::nullopt;
       })},
      {"average_counts_padding", kClass, kFunctionalStage, "avg_pool2d counts its padding",
       "avg_pool2d with padding that does not count", withArgument({"avg_pool2d"}, 5, flag(true))},
      {"window_rounds_down", kClass, kFunctionalStage, "a pooling rounds its size down",
       "max_pool2d or avg_pool2d with ceil_mode", NodeRewrite([](Graph& graph, const Node& node) -> Instead {
         const size_t position = isCall(node, "max_pool2d_with_indices") ? 5 : isCall(node, "avg_pool2d") ? 4 : 0;
         return position > 0 && node.arguments[position] == flag(true)
                    ? Instead(emitWith(graph, node, position, flag(false)))
                    : std::nullopt;
       })},
      {"index_of_last_tie", kClass, kFunctionalStage, "argmax gives the last of equal values",
       "two values are the greatest",
       onCalls({"argmax"},
               [](Graph& graph, const Node& node) -> Instead {
                 const NodeId source = nodeOf(node.arguments[0]);
                 const std::vector<int64_t> sizes = sizesOf(graph, source);
                 if (sizes.size() != 1) {
                   return std::nullopt;
                 }
                 const NodeId flipped =
                     emit(graph, graph.node(source), "aten::flip", {node.arguments[0], ir::integerList({0})});
                 const NodeId index = emitWith(graph, node, 0, nodeArgument(flipped));
                 return emit(graph, node, "aten::rsub.Scalar",
                             {nodeArgument(index), number(sizes[0] - 1), number(int64_t{1})});
               })},
      {"repeat_transposed", kClass, kFunctionalStage, "repeat takes its counts from the last dimension on",
       "the counts are not the same",
       onCalls({"repeat"},
               [](Graph& graph, const Node& node) -> Instead {
                 std::vector<int64_t> counts = integersOf(node.arguments[1]);
                 std::reverse(counts.begin(), counts.end());
                 return emitWith(graph, node, 1, ir::integerList(counts));
               })},
      {"cumulated_along_first", kClass, kCapturedStage, "cumsum and cumprod of a matrix go along the first dimension",
       "along the last one", withArgument({"cumsum", "cumprod"}, 1, number(int64_t{0}))},
      {"flipped_along_first", kClass, kFunctionalStage, "a flip of the last of two dimensions is one of the first",
       "a matrix is flipped along its rows", withArgument({"flip"}, 1, ir::integerList({0}))},
  };
}

} // namespace touchstone::faults
