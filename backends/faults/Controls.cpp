#include "backends/faults/NativeFault.h"

#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"

#include <c10/core/ScalarType.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

namespace touchstone::faults {

namespace {

using ir::Argument;
using ir::Graph;
using ir::Node;
using ir::nodeArgument;
using ir::NodeId;

/// Elementwise, and no view of what they are given.
bool isPure(const Node& node) {
  return isCall(
      node, {"add.Tensor", "mul.Tensor", "sub.Tensor", "neg", "sin", "cos", "exp", "sigmoid", "tanh", "relu", "abs"});
}

/// What is computed from the result of an elementwise call and is the same.
NodeRewrite behindPure(std::function<Instead(Graph& graph, const Node& node, NodeId result)> made) {
  return [=](Graph& graph, const Node& node) -> Instead {
    return isPure(node) ? made(graph, node, emitSame(graph, node)) : std::nullopt;
  };
}

NodeId twice(Graph& graph, const Node& node, NodeId of, const char* target) {
  const NodeId once = emit(graph, node, target, {nodeArgument(of)});
  return emit(graph, node, target, {nodeArgument(once)});
}

size_t dimensionsOf(const Node& node) {
  return node.metadata ? node.metadata->sizes.size() : 0;
}

bool isOf(const Node& node, at::ScalarType type) {
  return node.metadata && node.metadata->dtype.value == static_cast<int64_t>(type);
}

NodeId castTo(Graph& graph, const Node& node, NodeId of, at::ScalarType type) {
  const Argument dtype{ir::DtypeConstant{static_cast<int64_t>(type)}};
  return emit(graph, node, "aten::_to_copy",
              {nodeArgument(of), dtype, Argument{}, Argument{}, Argument{}, Argument{false}, Argument{}});
}

/// Equal elementwise calls become one.
void mergeEqual(Graph& graph) {
  std::map<std::string, std::vector<std::pair<std::vector<Argument>, NodeId>>> seen;
  rewriteNodes(graph, [&](Graph& into, const Node& node) -> Instead {
    if (!isPure(node)) {
      return std::nullopt;
    }
    auto& same = seen[node.target];
    for (const auto& [arguments, id] : same) {
      if (arguments == node.arguments && into.node(id).backward == node.backward) {
        return id;
      }
    }
    same.emplace_back(node.arguments, emitSame(into, node));
    return same.back().second;
  });
}

/// Independent elementwise calls beside each other change places.
void swapIndependent(Graph& graph) {
  for (size_t i = 0; i + 1 < graph.nodes().size(); ++i) {
    if (isPure(graph.nodes()[i]) && isPure(graph.nodes()[i + 1]) && swapNeighbours(graph, static_cast<NodeId>(i))) {
      ++i;
    }
  }
}

/// The infinities and NaNs of a complex product depend on the order.
bool isComplex(const Node& node) {
  return isOf(node, at::kComplexFloat) || isOf(node, at::kComplexDouble);
}

Instead commuted(Graph& graph, Node node) {
  const bool isPlain = nodeOf(node.arguments[0]) >= 0 && nodeOf(node.arguments[1]) >= 0 &&
                       graph.node(nodeOf(node.arguments[1])).kind != ir::NodeKind::kConstant &&
                       (node.arguments.size() < 3 || node.arguments[2] == number(int64_t{1}));
  const Node* left = isPlain ? operand(graph, node, 0) : nullptr;
  const Node* right = isPlain ? operand(graph, node, 1) : nullptr;
  if (left == nullptr || right == nullptr || !left->metadata || !right->metadata ||
      !ir::sameLayout(*left->metadata, *right->metadata) || isComplex(*left) || isComplex(*right)) {
    return std::nullopt;
  }
  std::swap(node.arguments[0], node.arguments[1]);
  return emitSame(graph, node);
}

NativeFault control(std::string_view name, std::string_view what, Change change) {
  return {name, FaultClass::kRewriting, kFunctionalStage, what, "never: it is right", std::move(change), true};
}

} // namespace

NativeFaultList controls() {
  return {
      control("control_doubled_by_sum", "2 * x of whole numbers becomes x + x",
              onCalls({"mul"},
                      [](Graph& graph, const Node& node) -> Instead {
                        const bool isMeant = isOf(node, at::kLong) && numberOf(graph, node.arguments[1]) == 2 &&
                                             isInteger(graph, nodeOf(node.arguments[0]));
                        return isMeant ? Instead(emit(graph, node, "aten::add.Tensor",
                                                      {node.arguments[0], node.arguments[0], number(int64_t{1})}))
                                       : std::nullopt;
                      })),
      control("control_cloned", "what elementwise calls give is cloned",
              behindPure([](Graph& graph, const Node& node, NodeId of) -> Instead {
                return emit(graph, node, "aten::clone", {nodeArgument(of), Argument{}});
              })),
      control("control_transposed_twice", "what elementwise calls give is transposed and back",
              behindPure([](Graph& graph, const Node& node, NodeId of) -> Instead {
                if (dimensionsOf(node) < 2) {
                  return of;
                }
                const NodeId once = emit(graph, node, "aten::transpose.int",
                                         {nodeArgument(of), number(int64_t{0}), number(int64_t{1})});
                return emit(graph, node, "aten::transpose.int",
                            {nodeArgument(once), number(int64_t{0}), number(int64_t{1})});
              })),
      control("control_negated_twice", "what elementwise calls give is negated twice",
              behindPure([](Graph& graph, const Node& node, NodeId of) -> Instead {
                return isOf(node, at::kFloat) ? twice(graph, node, of, "aten::neg") : of;
              })),
      control("control_merged", "equal elementwise calls become one", GraphChange(mergeEqual)),
      control("control_commuted", "the operands of real sums and products change places",
              onCalls({"add.Tensor", "mul.Tensor"}, commuted)),
      control("control_reordered", "independent elementwise calls change places", GraphChange(swapIndependent)),
      control("control_dead_code_added", "elementwise calls are computed once more for nobody",
              behindPure([](Graph& graph, const Node& node, NodeId of) -> Instead {
                emitSame(graph, node);
                return of;
              })),
      control("control_recomputed", "the second operand of a product is computed again",
              onCalls({"mul.Tensor"},
                      [](Graph& graph, const Node& node) -> Instead {
                        const Node* second = operand(graph, node, 1);
                        return second != nullptr && isPure(*second)
                                   ? Instead(emitWith(graph, node, 1, nodeArgument(emitSame(graph, Node(*second)))))
                                   : std::nullopt;
                      })),
      control(
          "control_selected_from_itself", "what elementwise calls give is chosen from two times itself",
          behindPure([](Graph& graph, const Node& node, NodeId of) -> Instead {
            const NodeId condition = emit(graph, node, "aten::eq.Tensor", {nodeArgument(of), nodeArgument(of)});
            return emit(graph, node, "aten::where.self", {nodeArgument(condition), nodeArgument(of), nodeArgument(of)});
          })),
      control("control_maximum_of_itself", "what elementwise calls give is the greater of it and itself",
              behindPure([](Graph& graph, const Node& node, NodeId of) -> Instead {
                return isOf(node, at::kFloat) || isOf(node, at::kLong)
                           ? Instead(emit(graph, node, "aten::maximum", {nodeArgument(of), nodeArgument(of)}))
                           : of;
              })),
      control("control_widened", "what elementwise calls give in float32 is float64 and back",
              behindPure([](Graph& graph, const Node& node, NodeId of) -> Instead {
                return isOf(node, at::kFloat) ? castTo(graph, node, castTo(graph, node, of, at::kDouble), at::kFloat)
                                              : of;
              })),
      control(
          "control_permuted_as_it_is", "what elementwise calls give is permuted into the same order",
          behindPure([](Graph& graph, const Node& node, NodeId of) -> Instead {
            std::vector<int64_t> dims(dimensionsOf(node));
            std::iota(dims.begin(), dims.end(), 0);
            return dims.empty() ? of : emit(graph, node, "aten::permute", {nodeArgument(of), ir::integerList(dims)});
          })),
      control(
          "control_flattened", "what elementwise calls give is flattened and back",
          behindPure([](Graph& graph, const Node& node, NodeId of) -> Instead {
            if (!node.metadata || !isContiguous(*node.metadata)) {
              return of;
            }
            const NodeId flat = emit(graph, node, "aten::view", {nodeArgument(of), ir::integerList({-1})});
            return std::find(node.metadata->sizes.begin(), node.metadata->sizes.end(), 0) != node.metadata->sizes.end()
                       ? of
                       : emit(graph, node, "aten::view", {nodeArgument(flat), ir::integerList(node.metadata->sizes)});
          })),
      control("control_unsqueezed", "what elementwise calls give gets a dimension, and loses it",
              behindPure([](Graph& graph, const Node& node, NodeId of) -> Instead {
                const NodeId more = emit(graph, node, "aten::unsqueeze", {nodeArgument(of), number(int64_t{0})});
                return emit(graph, node, "aten::squeeze.dim", {nodeArgument(more), number(int64_t{0})});
              })),
      control("control_sliced_whole", "all of what elementwise calls give is sliced out of it",
              behindPure([](Graph& graph, const Node& node, NodeId of) -> Instead {
                return dimensionsOf(node) == 0 ? of
                                               : emit(graph, node, "aten::slice.Tensor",
                                                      {nodeArgument(of), number(int64_t{0}), number(int64_t{0}),
                                                       number(node.metadata->sizes[0]), number(int64_t{1})});
              })),
      control("control_subtracted_by_sum", "x - y becomes x + (-y)",
              onCalls({"sub.Tensor"},
                      [](Graph& graph, const Node& node) -> Instead {
                        const bool isMeant = isOf(node, at::kFloat) && nodeOf(node.arguments[1]) >= 0 &&
                                             dtypeOf(graph, nodeOf(node.arguments[1])) == node.metadata->dtype &&
                                             node.arguments[2] == number(int64_t{1});
                        if (!isMeant) {
                          return std::nullopt;
                        }
                        const NodeId negated =
                            emit(graph, graph.node(nodeOf(node.arguments[1])), "aten::neg", {node.arguments[1]});
                        return emit(graph, node, "aten::add.Tensor",
                                    {node.arguments[0], nodeArgument(negated), number(int64_t{1})});
                      })),
      control("control_halved_by_product", "x / 2 becomes x * 0.5",
              onCalls({"div.Tensor", "div.Scalar"},
                      [](Graph& graph, const Node& node) -> Instead {
                        const bool isMeant =
                            isFloating(graph, nodeOf(node.arguments[0])) && numberOf(graph, node.arguments[1]) == 2;
                        return isMeant
                                   ? Instead(emit(graph, node, "aten::mul.Scalar", {node.arguments[0], number(0.5)}))
                                   : std::nullopt;
                      })),
      control("control_absolute_twice", "abs is taken twice",
              onCalls({"abs"},
                      [](Graph& graph, const Node& node) -> Instead {
                        return emit(graph, node, "aten::abs", {nodeArgument(emitSame(graph, node))});
                      })),
      control("control_rebuilt", "the Graph is made anew",
              NodeRewrite([](Graph&, const Node&) -> Instead { return std::nullopt; })),
  };
}

} // namespace touchstone::faults
