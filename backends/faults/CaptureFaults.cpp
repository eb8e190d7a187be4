#include "backends/faults/NativeFault.h"

#include "graph/ir/Arguments.h"

#include <map>
#include <set>
#include <string>

namespace touchstone::faults {

namespace {

using ir::Argument;
using ir::Graph;
using ir::Node;
using ir::nodeArgument;
using ir::NodeId;

Argument preserving() {
  return Argument{};
}

/// A flag at this position, where it is set, is not.
NodeRewrite withoutFlag(std::vector<std::string_view> names, size_t position) {
  return onCalls(std::move(names), [=](Graph& graph, const Node& node) -> Instead {
    const bool isSet = position < node.arguments.size() && node.arguments[position] == Argument{true};
    return isSet ? Instead(emitWith(graph, node, position, Argument{false})) : std::nullopt;
  });
}

/// Calls that write and whose result nobody reads: taken out where `isMeant` says so.
GraphChange withoutWrites(std::function<bool(const Graph& graph, const Node& node, bool isLast)> isMeant) {
  return [=](Graph& graph) {
    const std::vector<int> uses = useCounts(graph);
    std::set<std::string> lost;
    NodeId last = -1;
    for (size_t i = 0; i < graph.nodes().size(); ++i) {
      last = isInPlace(graph.nodes()[i]) && uses[i] == 0 ? static_cast<NodeId>(i) : last;
    }
    for (size_t i = 0; i < graph.nodes().size(); ++i) {
      const Node& node = graph.nodes()[i];
      if (isInPlace(node) && uses[i] == 0 && isMeant(graph, node, static_cast<NodeId>(i) == last)) {
        lost.insert(node.name);
      }
    }
    int position = 0;
    std::set<int> gone;
    for (const Node& node : graph.nodes()) {
      if (lost.contains(node.name)) {
        gone.insert(position);
      }
      ++position;
    }
    position = static_cast<int>(graph.placeholders().size()); // those come first, and are not shown
    rewriteNodes(graph, [&](Graph&, const Node& node) -> Instead {
      return gone.contains(position++) ? Instead(nodeOf(node.arguments[0])) : std::nullopt;
    });
  };
}

/// A write to a view goes to a copy of it.
Instead writeToCopy(Graph& graph, const Node& node) {
  const Node* target = isInPlace(node) ? operand(graph, node, 0) : nullptr;
  if (target == nullptr || !isView(*target)) {
    return std::nullopt;
  }
  const NodeId copy = emit(graph, node, "aten::clone", {node.arguments[0], preserving()});
  return emitWith(graph, node, 0, nodeArgument(copy));
}

/// The state in which nodes run is changed.
GraphChange withState(std::function<void(Node& node)> change) {
  return [=](Graph& graph) {
    for (size_t i = 0; i < graph.nodes().size(); ++i) {
      change(graph.node(static_cast<NodeId>(i)));
    }
  };
}

/// Each operator remembers the first number that it was called with.
void poolNumbers(Graph& graph) {
  std::map<std::string, Argument> first;
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    Node& node = graph.node(static_cast<NodeId>(i));
    if (isCall(node, {"add", "mul", "sub", "div"}) && numberOf(graph, node.arguments[1])) {
      node.arguments[1] = first.emplace(node.target, node.arguments[1]).first->second;
    }
  }
}

/// Of calls of one operator on each other's result those behind the second are lost.
void unrollTwice(Graph& graph) {
  const auto chained = [](const Graph& into, const Node& node) -> const Node* {
    const Node* before = node.kind == ir::NodeKind::kOperator ? operand(into, node, 0) : nullptr;
    return before != nullptr && before->target == node.target ? before : nullptr;
  };
  rewriteNodes(graph, [&](Graph& into, const Node& node) -> Instead {
    const Node* before = chained(into, node);
    return before != nullptr && chained(into, *before) != nullptr ? Instead(nodeOf(node.arguments[0])) : std::nullopt;
  });
}

Instead negativeDimension(Graph& graph, const Node& node) {
  const auto dim = integerOf(node.arguments[1]);
  return dim && *dim < -1 ? Instead(emitWith(graph, node, 1, number(*dim + 1))) : std::nullopt;
}

/// An operator with a write, `add_`, becomes the one without; what is read later is the old value.
Instead writeOfNobody(Graph& graph, const Node& node) {
  const Node* target = isInPlace(node) ? operand(graph, node, 0) : nullptr;
  if (target == nullptr || target->kind == ir::NodeKind::kPlaceholder || isView(*target) ||
      !isCall(node, {"add_", "mul_", "sub_", "div_"})) {
    return std::nullopt;
  }
  std::string target_ = node.target;
  target_.erase(target_.find("_."), 1);
  return emit(graph, node, target_, node.arguments);
}

} // namespace

NativeFaultList captureFaults() {
  constexpr FaultClass kClass = FaultClass::kCapture;
  return {
      {"last_write_dropped", kClass, kCapturedStage, "the last write of a Graph is not recorded",
       "its result is used by nobody as a value",
       withoutWrites([](const Graph&, const Node&, bool isLast) { return isLast; })},
      {"write_under_no_grad_dropped", kClass, kCapturedStage, "writes under no_grad are not recorded",
       "a tensor is written to under no_grad",
       withoutWrites([](const Graph&, const Node& node, bool) { return !node.state.gradEnabled; })},
      {"write_to_local_dropped", kClass, kCapturedStage, "a write to a value of the Program's own is not recorded",
       "what is written to is no argument", withoutWrites([](const Graph& graph, const Node& node, bool) {
         const Node* target = operand(graph, node, 0);
         return target != nullptr && target->kind == ir::NodeKind::kOperator && !isView(*target);
       })},
      {"write_of_copy_dropped", kClass, kCapturedStage, "copy_ is not recorded",
       "a tensor or a subscript is assigned to",
       withoutWrites([](const Graph&, const Node& node, bool) { return isCall(node, "copy_"); })},
      {"write_to_view_of_view_dropped", kClass, kCapturedStage, "a write to a view of a view is not recorded",
       "a view of a view is written to", withoutWrites([](const Graph& graph, const Node& node, bool) {
         const Node* target = operand(graph, node, 0);
         const Node* base = target != nullptr && isView(*target) ? operand(graph, *target, 0) : nullptr;
         return base != nullptr && isView(*base);
       })},
      {"alias_of_view_lost", kClass, kCapturedStage, "a write to a view goes to a copy", "a view is written to",
       NodeRewrite(writeToCopy)},
      {"write_made_functional", kClass, kCapturedStage,
       "a write to a value of the Program's own becomes a new value that nobody reads",
       "such a value is written to, then read under its name", NodeRewrite(writeOfNobody)},
      {"numbers_pooled", kClass, kCapturedStage, "an operator remembers the first number that it was called with",
       "one operator is called with two numbers", GraphChange(poolNumbers)},
      {"loop_unrolled_twice", kClass, kCapturedStage,
       "of calls of one operator on each other's result those behind the second are lost",
       "an operator is applied three times in a row, whatever its other arguments", GraphChange(unrollTwice)},
      {"no_grad_forgotten", kClass, kCapturedStage, "calls under no_grad are recorded with autograd on",
       "a gradient could pass by a region of no_grad", withState([](Node& node) { node.state.gradEnabled = true; })},
      {"enable_grad_forgotten", kClass, kCapturedStage, "calls under enable_grad inside no_grad stay without gradient",
       "the first call is under no_grad, a later one is not", GraphChange([](Graph& graph) {
         bool isOff = false;
         for (size_t i = 0; i < graph.nodes().size(); ++i) {
           Node& node = graph.node(static_cast<NodeId>(i));
           isOff = isOff || (node.kind == ir::NodeKind::kOperator && !node.state.gradEnabled);
           node.state.gradEnabled = node.state.gradEnabled && !isOff;
         }
       })},
      {"detach_forgotten", kClass, kCapturedStage, "detach() is an alias that has a gradient",
       "a gradient could pass by detach()", renamed({"detach"}, "aten::alias")},
      {"alpha_dropped", kClass, kCapturedStage, "add and sub forget alpha", "add or sub with an alpha other than 1",
       withArgument({"add.Tensor", "sub.Tensor", "add_.Tensor", "sub_.Tensor", "rsub"}, 2, number(int64_t{1}))},
      {"rounding_mode_dropped", kClass, kCapturedStage, "div with a rounding mode is recorded as another",
       "div rounds towards zero",
       withArgument({"div.Tensor_mode", "div.Scalar_mode"}, 2, Argument{std::string("floor")})},
      {"keepdim_dropped", kClass, kCapturedStage, "a reduction forgets keepdim", "a sum or a mean keeps its dimension",
       withoutFlag({"sum.dim_IntList", "mean.dim"}, 2)},
      {"keepdim_of_extremes_dropped", kClass, kCapturedStage, "amax and amin forget keepdim",
       "an extreme keeps its dimension", withoutFlag({"amax", "amin", "argmax", "argmin", "any.dim", "all.dim"}, 2)},
      {"dtype_of_sum_dropped", kClass, kCapturedStage, "a sum forgets the dtype that it was asked for",
       "a sum with a dtype",
       [](Graph& graph, const Node& node) -> Instead {
         const size_t position = node.target == "aten::sum" ? 1 : 3;
         const bool isMeant = isCall(node, {"sum", "mean.dim"}) && position < node.arguments.size() &&
                              node.arguments[position] != Argument{};
         return isMeant ? Instead(emitWith(graph, node, position, Argument{})) : std::nullopt;
       }},
      {"dtype_of_cumsum_dropped", kClass, kCapturedStage, "cumsum forgets the dtype that it was asked for",
       "cumsum with a dtype", withArgument({"cumsum", "cumprod"}, 2, Argument{})},
      {"correction_dropped", kClass, kCapturedStage, "a variance is always unbiased",
       "var or std with another correction",
       withArgument({"var.correction", "std.correction", "var_mean.correction"}, 2, number(int64_t{1}))},
      {"biased_variance_dropped", kClass, kCapturedStage, "a variance forgets that it is biased",
       "var or std of all elements, biased",
       onCalls({"var", "std"},
               [](Graph& graph, const Node& node) -> Instead {
                 const bool isMeant =
                     node.target == "aten::var" || node.target == "aten::std"; // others have dimensions here
                 return isMeant && node.arguments[1] == Argument{false}
                            ? Instead(emitWith(graph, node, 1, Argument{true}))
                            : std::nullopt;
               })},
      {"second_bound_of_clamp_dropped", kClass, kCapturedStage, "clamp with two bounds keeps the lower one",
       "a value lies above the upper bound", withArgument({"clamp", "clamp_"}, 2, Argument{})},
      {"negative_dimension_off_by_one", kClass, kCapturedStage, "a dimension below -1 is the one behind it",
       "softmax, cumsum, select or unbind of dimension -2",
       onCalls({"softmax.int", "log_softmax.int", "cumsum", "cumprod", "select.int", "unbind.int"}, negativeDimension)},
      {"last_dimensions_transposed_first", kClass, kCapturedStage, "transpose(-1, -2) changes the first two dimensions",
       "the tensor has three dimensions",
       onCalls({"transpose.int"},
               [](Graph& graph, Node node) -> Instead {
                 if (integerOf(node.arguments[1]).value_or(0) >= 0 || integerOf(node.arguments[2]).value_or(0) >= 0) {
                   return std::nullopt;
                 }
                 node.arguments[1] = number(int64_t{0});
                 node.arguments[2] = number(int64_t{1});
                 return emitSame(graph, node);
               })},
      {"dimension_of_cat_dropped", kClass, kCapturedStage, "cat along a negative dimension is one along the first",
       "cat along dimension -1",
       onCalls({"cat", "stack"},
               [](Graph& graph, const Node& node) -> Instead {
                 const auto dim = integerOf(node.arguments[1]);
                 return dim && *dim < 0 ? Instead(emitWith(graph, node, 1, number(int64_t{0}))) : std::nullopt;
               })},
      {"accumulate_dropped", kClass, kCapturedStage, "index_put_ forgets accumulate", "an index is accumulated to",
       withoutFlag({"index_put_", "index_put"}, 3)},
      {"approximation_dropped", kClass, kCapturedStage, "gelu forgets its approximation",
       "gelu with the approximation tanh", withArgument({"gelu"}, 1, Argument{std::string("none")})},
      {"eps_of_layer_norm_dropped", kClass, kCapturedStage, "layer_norm takes the default eps",
       "layer_norm with another eps", withArgument({"layer_norm"}, 4, number(1e-5))},
      {"slope_dropped", kClass, kCapturedStage, "leaky_relu takes the default slope", "leaky_relu with another slope",
       withArgument({"leaky_relu", "leaky_relu_"}, 1, number(0.01))},
      {"alpha_of_elu_dropped", kClass, kCapturedStage, "elu takes the default alpha", "elu with another alpha",
       withArgument({"elu"}, 1, number(int64_t{1}))},
      {"beta_of_softplus_dropped", kClass, kCapturedStage, "softplus takes the default beta",
       "softplus with another beta", withArgument({"softplus"}, 1, number(int64_t{1}))},
      {"copy_of_cast_dropped", kClass, kCapturedStage, "to(copy=True) may give the tensor itself",
       "the dtype stays and the copy is written to or returned",
       onCalls({"to.dtype"},
               [](Graph& graph, const Node& node) -> Instead {
                 return node.arguments[3] == Argument{true} ? Instead(emitWith(graph, node, 3, Argument{false}))
                                                            : std::nullopt;
               })},
      {"diagonal_of_triangle_dropped", kClass, kCapturedStage, "tril and triu take the main diagonal",
       "tril or triu of another diagonal", withArgument({"tril", "triu", "tril_", "triu_"}, 1, number(int64_t{0}))},
      {"descending_dropped", kClass, kCapturedStage, "sort forgets descending", "a descending sort",
       withoutFlag({"sort", "argsort"}, 2)},
      {"smallest_dropped", kClass, kCapturedStage, "topk gives the largest", "topk of the smallest",
       onCalls({"topk"},
               [](Graph& graph, const Node& node) -> Instead {
                 return node.arguments[3] == Argument{false} ? Instead(emitWith(graph, node, 3, Argument{true}))
                                                             : std::nullopt;
               })},
      {"step_of_slice_dropped", kClass, kCapturedStage, "a slice forgets its step", "a slice with a step",
       withArgument({"slice.Tensor"}, 4, number(int64_t{1}))},
  };
}

} // namespace touchstone::faults
