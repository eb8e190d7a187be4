#include "backends/faults/NativeFault.h"

#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"
#include "graph/ir/Subgraph.h"

#include <algorithm>

namespace touchstone::faults {

namespace {

using ir::Argument;
using ir::Graph;
using ir::Node;
using ir::nodeArgument;
using ir::NodeId;

/// Sums of gradients; `outer`: of one that is a sum already.
bool isAccumulation(const Graph& graph, const Node& node, bool outer) {
  if (!isCall(node, "add.Tensor") || nodeOf(node.arguments[0]) < 0 || nodeOf(node.arguments[1]) < 0) {
    return false;
  }
  const auto isSum = [&](size_t position) {
    const Node& given = *operand(graph, node, position);
    return given.backward && isCall(given, "add.Tensor");
  };
  return !outer || isSum(0) || isSum(1);
}

NodeRewrite accumulates(bool outer, size_t kept) {
  return [=](Graph& graph, const Node& node) -> Instead {
    return isAccumulation(graph, node, outer) ? Instead(nodeOf(node.arguments[kept])) : std::nullopt;
  };
}

/// A sum over dimensions of at least this many becomes the sum over the first, and the first elements of the others.
Instead summedOverFirst(Graph& graph, const Node& node, size_t dimensions) {
  std::vector<int64_t> dims = integersOf(node.arguments[1]);
  const auto* keeps = std::get_if<bool>(&node.arguments[2].payload);
  if (dims.size() < dimensions || keeps == nullptr || !*keeps) {
    return std::nullopt;
  }
  NodeId sum = node.arguments.empty() ? -1 : nodeOf(node.arguments[0]);
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i == 0 && dimensions > 1) {
      sum = emit(graph, node, "aten::sum.dim_IntList",
                 {nodeArgument(sum), ir::integerList({dims[i]}), Argument{true}, Argument{}});
    } else {
      sum = emit(graph, node, "aten::slice.Tensor",
                 {nodeArgument(sum), number(dims[i]), number(int64_t{0}), number(int64_t{1}), number(int64_t{1})});
    }
  }
  return sum;
}

bool isTangent(const Node& node) {
  return node.kind == ir::NodeKind::kPlaceholder && node.name.starts_with("tangent");
}

std::vector<NodeId> tangentsOf(const Graph& graph) {
  std::vector<NodeId> tangents;
  std::copy_if(graph.placeholders().begin(), graph.placeholders().end(), std::back_inserter(tangents),
               [&](NodeId id) { return isTangent(graph.node(id)); });
  return tangents;
}

bool looksLike(const Node& left, const Node& right) {
  return left.metadata && right.metadata && left.metadata->sizes == right.metadata->sizes &&
         left.metadata->dtype == right.metadata->dtype;
}

Argument exchanged(const Argument& argument, NodeId left, NodeId right) {
  const NodeId node = nodeOf(argument);
  if (node >= 0) {
    return nodeArgument(node == left ? right : node == right ? left : node);
  }
  if (const auto* container = std::get_if<Argument::Container>(&argument.payload)) {
    Argument::Container copy = *container;
    for (Argument& item : copy.items) {
      item = exchanged(item, left, right);
    }
    return Argument{std::move(copy)};
  }
  return argument;
}

void exchange(Graph& graph, NodeId left, NodeId right) {
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    for (Argument& argument : graph.node(static_cast<NodeId>(i)).arguments) {
      argument = exchanged(argument, left, right);
    }
  }
  graph.output = exchanged(graph.output, left, right);
}

void swapTangents(Graph& graph) {
  const std::vector<NodeId> tangents = tangentsOf(graph);
  for (size_t i = 1; i < tangents.size(); ++i) {
    if (looksLike(graph.node(tangents[i - 1]), graph.node(tangents[i]))) {
      exchange(graph, tangents[i - 1], tangents[i]);
      return;
    }
  }
}

/// Every read of a tangent by the backward becomes one of what is made of it.
void changeTangents(Graph& graph, size_t from, const std::function<Instead(Graph&, const Node&, NodeId)>& made) {
  std::vector<NodeId> tangents = tangentsOf(graph);
  if (tangents.size() <= from) {
    return;
  }
  tangents.erase(tangents.begin(), tangents.begin() + static_cast<std::ptrdiff_t>(from));
  rewriteNodes(graph, [&](Graph& into, const Node& node) -> Instead {
    if (node.kind != ir::NodeKind::kOperator) {
      return std::nullopt;
    }
    Node changed = node;
    bool isChanged = false;
    for (Argument& argument : changed.arguments) {
      const NodeId read = nodeOf(argument);
      if (read >= 0 && isTangent(into.node(read)) && std::any_of(tangents.begin(), tangents.end(), [&](NodeId each) {
            return graph.node(each).name == into.node(read).name;
          })) {
        if (const Instead instead = made(into, Node(into.node(read)), read)) {
          argument = nodeArgument(*instead);
          isChanged = true;
        }
      }
    }
    return isChanged ? Instead(emitSame(into, changed)) : std::nullopt;
  });
}

void ignoreTangentStrides(Graph& graph) {
  changeTangents(graph, 0, [](Graph& into, const Node& tangent, NodeId id) -> Instead {
    if (!tangent.metadata || isContiguous(*tangent.metadata)) {
      return std::nullopt;
    }
    return emit(into, tangent, "aten::as_strided",
                {nodeArgument(id), ir::integerList(tangent.metadata->sizes),
                 ir::integerList(ir::contiguousStrides(tangent.metadata->sizes)), Argument{}});
  });
}

void ignoreLaterTangents(Graph& graph) {
  changeTangents(graph, 1, [](Graph& into, const Node& tangent, NodeId id) -> Instead {
    return emit(into, tangent, "aten::mul.Scalar", {nodeArgument(id), number(int64_t{0})});
  });
}

std::vector<Argument>& outputsOf(Graph& graph) {
  return std::get<Argument::Container>(graph.output.payload).items;
}

void swapGradients(Graph& graph) {
  std::vector<Argument>& outputs = outputsOf(graph);
  for (size_t i = 1; i < outputs.size(); ++i) {
    const NodeId left = nodeOf(outputs[i - 1]), right = nodeOf(outputs[i]);
    if (left >= 0 && right >= 0 && left != right && looksLike(graph.node(left), graph.node(right))) {
      std::swap(outputs[i - 1], outputs[i]);
      return;
    }
  }
}

void loseLastGradient(Graph& graph) {
  std::vector<Argument>& outputs = outputsOf(graph);
  if (outputs.size() > 2) {
    outputs.back() = Argument{};
  }
}

NodeRewrite branchWithoutGradient(size_t position) {
  return onCalls({"where.self"}, [=](Graph& graph, const Node& node) -> Instead {
    const size_t other = 3 - position;
    const Node* zeros = operand(graph, node, other);
    const bool isZero =
        zeros != nullptr && (isCall(*zeros, {"zeros", "zeros_like", "new_zeros", "scalar_tensor", "full"}) ||
                             numberOf(graph, node.arguments[other]) == 0);
    return isZero ? Instead(emit(graph, node, "aten::mul.Scalar", {node.arguments[position], number(int64_t{0})}))
                  : std::nullopt;
  });
}

} // namespace

NativeFaultList jointFaults() {
  constexpr FaultClass kClass = FaultClass::kJoint;
  return {
      {"broadcast_sum_averages", kClass, kJointStage, "the gradient of what was broadcast is the mean, not the sum",
       "an operand is broadcast over one dimension or several",
       onCalls({"sum.dim_IntList"},
               [](Graph& graph, const Node& node) -> Instead {
                 return emit(graph, node, "aten::mean.dim",
                             {node.arguments[0], node.arguments[1], node.arguments[2], node.arguments[3]});
               })},
      {"broadcast_sum_over_first", kClass, kJointStage,
       "the gradient of what was broadcast is summed over one dimension alone",
       "an operand is broadcast over two dimensions or more",
       onCalls({"sum.dim_IntList"}, [](Graph& graph, const Node& node) { return summedOverFirst(graph, node, 2); })},
      {"broadcast_sum_takes_first", kClass, kJointStage, "the gradient of what was broadcast is its first part",
       "an operand is broadcast over a dimension that it has",
       onCalls({"sum.dim_IntList"}, [](Graph& graph, const Node& node) { return summedOverFirst(graph, node, 1); })},
      {"gradient_sign_dropped", kClass, kJointStage, "the negation in a gradient is left out",
       "the second operand of a difference or a quotient has a gradient", dropped({"neg"})},
      {"accumulation_keeps_first", kClass, kJointStage, "of two gradients of one value the first is kept",
       "a value is used twice", accumulates(false, 0)},
      {"accumulation_keeps_last", kClass, kJointStage, "of two gradients of one value the last is kept",
       "a value is used twice", accumulates(false, 1)},
      {"third_use_has_no_gradient", kClass, kJointStage, "of three gradients of one value two are added up",
       "a value is used three times", accumulates(true, 0)},
      {"accumulation_doubles", kClass, kJointStage, "of two gradients of one value the first is added to itself",
       "a value is used twice",
       onCalls({"add.Tensor"},
               [](Graph& graph, const Node& node) -> Instead {
                 return isAccumulation(graph, node, false) ? Instead(emitWith(graph, node, 1, node.arguments[0]))
                                                           : std::nullopt;
               })},
      {"tangents_swapped", kClass, kBackwardStage, "the tangents of two outputs change places",
       "two outputs have the same dtype and sizes", GraphChange(swapTangents)},
      {"later_tangents_ignored", kClass, kBackwardStage, "the tangents of all outputs but the first count as zero",
       "a gradient depends on the second output", GraphChange(ignoreLaterTangents)},
      {"tangent_taken_for_contiguous", kClass, kBackwardStage, "a tangent is read in the order of its memory",
       "the tangent that was planned is not contiguous", GraphChange(ignoreTangentStrides)},
      {"gradients_swapped", kClass, kBackwardStage, "the gradients of two inputs change places",
       "two inputs beside each other have the same dtype and sizes", GraphChange(swapGradients)},
      {"last_of_many_gradients_lost", kClass, kBackwardStage, "the last gradient is None",
       "three inputs or more require grad", GraphChange(loseLastGradient)},
      {"first_branch_has_no_gradient", kClass, kJointStage, "where gives its first branch no gradient",
       "the first branch of a where requires grad", branchWithoutGradient(1)},
      {"second_branch_has_no_gradient", kClass, kJointStage, "where gives its second branch no gradient",
       "the second branch of a where requires grad", branchWithoutGradient(2)},
      {"gradient_of_view_to_start", kClass, kJointStage, "the gradient of a slice goes to the beginning of its base",
       "a slice that does not begin at 0 has a gradient",
       onCalls({"slice_backward"},
               [](Graph& graph, Node node) -> Instead {
                 const auto dim = integerOf(node.arguments[2]), start = integerOf(node.arguments[3]);
                 const auto step = integerOf(node.arguments[5]);
                 const std::vector<int64_t> sizes = sizesOf(graph, nodeOf(node.arguments[0]));
                 if (!dim || !step || sizes.empty() || start.value_or(0) == 0) {
                   return std::nullopt;
                 }
                 const int64_t count = sizes[wrapped(*dim, sizes.size())];
                 node.arguments[3] = number(int64_t{0});
                 node.arguments[4] = number(count == 0 ? 0 : (count - 1) * *step + 1);
                 return emitSame(graph, node);
               })},
      {"gradient_of_select_to_start", kClass, kJointStage, "the gradient of an element goes to the first one",
       "a selected index that is not 0 has a gradient", withArgument({"select_backward"}, 3, number(int64_t{0}))},
      {"gradient_of_permutation_permuted", kClass, kJointStage,
       "the gradient of a permutation is permuted again, not back", "three dimensions change places in a cycle",
       onCalls({"permute"},
               [](Graph& graph, const Node& node) -> Instead {
                 const std::vector<int64_t> dims = integersOf(node.arguments[1]);
                 std::vector<int64_t> inverse(dims.size());
                 for (size_t i = 0; i < dims.size(); ++i) {
                   const auto count = static_cast<int64_t>(dims.size());
                   inverse[static_cast<size_t>((dims[i] + count) % count)] = static_cast<int64_t>(i);
                 }
                 return inverse == dims ? std::nullopt : Instead(emitWith(graph, node, 1, ir::integerList(inverse)));
               })},
      {"gradient_of_piece_from_start", kClass, kJointStage, "a slice that the backward takes begins at 0",
       "the second piece of a cat has a gradient",
       onCalls({"slice.Tensor"},
               [](Graph& graph, Node node) -> Instead {
                 const auto dim = integerOf(node.arguments[1]), start = integerOf(node.arguments[2]);
                 const bool isMeant = dim && start.value_or(0) > 0 && node.metadata && !node.metadata->sizes.empty() &&
                                      node.arguments[4] == number(int64_t{1});
                 if (!isMeant) {
                   return std::nullopt;
                 }
                 node.arguments[2] = number(int64_t{0});
                 node.arguments[3] = number(node.metadata->sizes[wrapped(*dim, node.metadata->sizes.size())]);
                 return emitSame(graph, node);
               })},
      {"repeated_index_counts_once", kClass, kJointStage, "the gradient of an index is put, not added",
       "an index repeats an element",
       withArgument({"index_put", "_unsafe_index_put", "_index_put_impl"}, 3, Argument{false})},
      {"gathered_gradient_counts_once", kClass, kJointStage, "the gradient of what was gathered is put, not added",
       "an element is gathered twice", renamed({"scatter_add"}, "aten::scatter.src")},
      {"gradient_through_cast_is_rounded", kClass, kJointStage, "the gradient of a cast has been bfloat16 on its way",
       "a gradient passes a cast and needs more digits",
       onCalls({"_to_copy"},
               [](Graph& graph, const Node& node) -> Instead {
                 Node rounded = node;
                 rounded.arguments[1] = Argument{ir::DtypeConstant{15}};
                 const NodeId first = emitSame(graph, rounded);
                 return emitWith(graph, node, 0, nodeArgument(first));
               })},
  };
}

} // namespace touchstone::faults
