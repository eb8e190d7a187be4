#include "backends/faults/NativeFault.h"

#include "graph/ir/Arguments.h"

namespace touchstone::faults {

namespace {

using ir::Argument;
using ir::Graph;
using ir::Node;
using ir::nodeArgument;
using ir::NodeId;

/// An activation's gradient by its own formula: of the tangent and the saved value.
NodeRewrite formula(std::string_view name, std::function<NodeId(Graph& graph, const Node& node)> made) {
  return onCalls({name}, [=](Graph& graph, const Node& node) -> Instead { return made(graph, node); });
}

NodeId product(Graph& graph, const Node& node, NodeId left, NodeId right) {
  return emit(graph, node, "aten::mul.Tensor", {nodeArgument(left), nodeArgument(right)});
}

NodeId given(const Node& node, size_t position) {
  return nodeOf(node.arguments[position]);
}

/// 1 - x
NodeId oneMinus(Graph& graph, const Node& node, NodeId of) {
  return emit(graph, node, "aten::rsub.Scalar", {nodeArgument(of), number(int64_t{1}), number(int64_t{1})});
}

Instead withOneLess(Graph& graph, const Node& node) {
  const auto exponent = numberOf(graph, node.arguments[1]);
  return exponent && *exponent >= 1
             ? Instead(emit(graph, node, "aten::pow.Tensor_Scalar", {node.arguments[0], number(*exponent + 1)}))
             : std::nullopt;
}

} // namespace

NativeFaultList gradientFormulaFaults() {
  constexpr FaultClass kClass = FaultClass::kJoint;
  return {
      {"sigmoid_gradient_without_complement", kClass, kJointStage, "the gradient of sigmoid forgets (1 - y)",
       "sigmoid has a gradient",
       formula("sigmoid_backward",
               [](Graph& graph, const Node& node) { return product(graph, node, given(node, 0), given(node, 1)); })},
      {"tanh_gradient_without_square", kClass, kJointStage, "the gradient of tanh is 1 - y, not 1 - y * y",
       "tanh has a gradient",
       formula("tanh_backward",
               [](Graph& graph, const Node& node) {
                 return product(graph, node, given(node, 0), oneMinus(graph, node, given(node, 1)));
               })},
      {"relu_gradient_at_zero", kClass, kJointStage, "relu has the gradient 1 at 0", "a relu of 0 has a gradient",
       formula(
           "threshold_backward",
           [](Graph& graph, const Node& node) {
             const NodeId negated = emit(graph, node, "aten::neg", {node.arguments[1]});
             const NodeId below = emit(graph, node, "aten::threshold_backward",
                                       {node.arguments[0], nodeArgument(negated), node.arguments[2]});
             return emit(graph, node, "aten::sub.Tensor", {node.arguments[0], nodeArgument(below), number(int64_t{1})});
           })},
      {"softmax_gradient_without_sum", kClass, kJointStage,
       "the gradient of softmax forgets the sum over the dimension", "softmax has a gradient",
       formula("_softmax_backward_data",
               [](Graph& graph, const Node& node) { return product(graph, node, given(node, 0), given(node, 1)); })},
      {"log_softmax_gradient_without_sum", kClass, kJointStage, "the gradient of log_softmax is the tangent",
       "log_softmax has a gradient", dropped({"_log_softmax_backward_data"})},
      {"gelu_gradient_of_other_formula", kClass, kJointStage, "the gradient of gelu is that of the other approximation",
       "gelu has a gradient",
       onCalls({"gelu_backward"},
               [](Graph& graph, const Node& node) -> Instead {
                 const bool isTanh = node.arguments[2] == Argument{std::string("tanh")};
                 return emitWith(graph, node, 2, Argument{std::string(isTanh ? "none" : "tanh")});
               })},
      {"leaky_gradient_is_relus", kClass, kJointStage, "the gradient of leaky_relu is 0 below 0",
       "leaky_relu of a negative value has a gradient", withArgument({"leaky_relu_backward"}, 2, number(0.0))},
      {"softplus_gradient_of_default", kClass, kJointStage, "the gradient of softplus is that of beta 1",
       "softplus with another beta has a gradient", withArgument({"softplus_backward"}, 2, number(int64_t{1}))},
      {"hardtanh_gradient_unbounded", kClass, kJointStage, "the gradient of hardtanh ignores the lower bound",
       "a value lies below the bound", withArgument({"hardtanh_backward"}, 2, number(-1e30))},
      {"elu_gradient_of_input", kClass, kJointStage, "the gradient of elu takes its result for its input",
       "elu of a negative value has a gradient",
       onCalls({"elu_backward"},
               [](Graph& graph, const Node& node) -> Instead {
                 const auto* isResult = std::get_if<bool>(&node.arguments[4].payload);
                 return isResult == nullptr ? std::nullopt : Instead(emitWith(graph, node, 4, Argument{!*isResult}));
               })},
      {"clamp_gradient_without_bounds", kClass, kJointStage, "clamp has no gradient at its bounds",
       "a value lies on a bound of clamp",
       [](Graph& graph, const Node& node) -> Instead {
         if (isCall(node, {"ge.Scalar", "le.Scalar"})) {
           return emit(graph, node, isCall(node, "ge") ? "aten::gt.Scalar" : "aten::lt.Scalar", node.arguments);
         }
         return std::nullopt;
       }},
      {"power_gradient_with_wrong_exponent", kClass, kJointStage, "the gradient of x ** n has the exponent n",
       "a power above 2 has a gradient", onCalls({"pow.Tensor_Scalar"}, withOneLess)},
      {"mean_gradient_is_sums", kClass, kJointStage, "a division by a number in the backward is left out",
       "the mean of all elements has a gradient, or a value that is divided by a number", dropped({"div.Scalar"})},
      {"root_gradient_without_two", kClass, kJointStage, "the gradient of sqrt forgets the factor 2",
       "sqrt has a gradient",
       [](Graph& graph, const Node& node) -> Instead {
         const Node* below = isCall(node, "div.Tensor") ? operand(graph, node, 1) : nullptr;
         const bool isDouble = below != nullptr && isCall(*below, {"mul.Tensor", "mul.Scalar"}) &&
                               numberOf(graph, below->arguments[1]) == 2;
         return isDouble ? Instead(emitWith(graph, node, 1, Argument(below->arguments[0]))) : std::nullopt;
       }},
      {"abs_gradient_at_zero", kClass, kJointStage, "abs has the gradient 1 at 0", "an abs of 0 has a gradient",
       onCalls({"sgn"},
               [](Graph& graph, const Node& node) -> Instead {
                 const NodeId isBelow = emit(graph, node, "aten::lt.Scalar", {node.arguments[0], number(int64_t{0})});
                 const NodeId ones =
                     emit(graph, node, "aten::ones_like",
                          {node.arguments[0], Argument{}, Argument{}, Argument{}, Argument{}, Argument{}});
                 const NodeId minus = emit(graph, node, "aten::neg", {nodeArgument(ones)});
                 return emit(graph, node, "aten::where.self",
                             {nodeArgument(isBelow), nodeArgument(minus), nodeArgument(ones)});
               })},
      {"cumulative_gradient_not_reversed", kClass, kJointStage, "flips in the backward are left out",
       "cumsum or flip has a gradient", dropped({"flip"})},
      {"layer_norm_gradients_swapped", kClass, kJointStage, "weight and bias of layer_norm get each other's gradient",
       "weight and bias of layer_norm require grad",
       [](Graph& graph, const Node& node) -> Instead {
         const Node* call = node.kind == ir::NodeKind::kElement ? operand(graph, node, 0) : nullptr;
         const auto index = call == nullptr ? std::nullopt : integerOf(node.arguments[1]);
         if (!index || *index == 0 || !isCall(*call, "native_layer_norm_backward")) {
           return std::nullopt;
         }
         const NodeId other = graph.addElement(given(node, 0), 3 - *index);
         graph.node(other).metadata = node.metadata;
         return other;
       }},
      {"transposed_product_gradient", kClass, kJointStage, "the backward does not transpose square matrices",
       "a product of square matrices has a gradient",
       onCalls({"t", "transpose"},
               [](Graph& graph, const Node& node) -> Instead {
                 const std::vector<int64_t> sizes = sizesOf(graph, given(node, 0));
                 return sizes.size() == 2 && sizes[0] == sizes[1] ? Instead(given(node, 0)) : std::nullopt;
               })},
      {"max_pool_gradient_without_index", kClass, kJointStage, "the gradient of max_pool goes by average",
       "max_pool2d has a gradient",
       onCalls({"max_pool2d_with_indices_backward"},
               [](Graph& graph, const Node& node) -> Instead {
                 const NodeId zero = emit(graph, node, "aten::mul.Scalar", {node.arguments[7], number(int64_t{0})});
                 return emitWith(graph, node, 7, nodeArgument(zero));
               })},
      {"average_pool_gradient_counts_padding", kClass, kJointStage,
       "the gradient of avg_pool2d counts the padding the other way", "avg_pool2d with padding has a gradient",
       onCalls({"avg_pool2d_backward"},
               [](Graph& graph, const Node& node) -> Instead {
                 const auto* counts = std::get_if<bool>(&node.arguments[6].payload);
                 return counts == nullptr ? std::nullopt : Instead(emitWith(graph, node, 6, Argument{!*counts}));
               })},
      {"padding_index_has_gradient", kClass, kJointStage, "the gradient of an embedding ignores its padding index",
       "an embedding with a padding index has a gradient",
       withArgument({"embedding_dense_backward"}, 3, number(int64_t{-1}))},
      {"dropout_gradient_unscaled", kClass, kJointStage, "the gradient of dropout is not scaled",
       "dropout has a gradient", withArgument({"native_dropout_backward"}, 2, number(1.0))},
      {"triangle_gradient_of_other_half", kClass, kJointStage, "the gradient of tril is its upper half",
       "tril has a gradient", renamed({"tril"}, "aten::triu")},
      {"diagonal_gradient_to_main", kClass, kJointStage, "the gradient of a diagonal goes to the main one",
       "another diagonal has a gradient", withArgument({"diagonal_backward"}, 2, number(int64_t{0}))},
      {"huber_gradient_of_default", kClass, kJointStage, "the gradient of a smooth loss is that of beta 1",
       "smooth_l1_loss with another beta has a gradient",
       withArgument({"smooth_l1_loss_backward", "huber_loss_backward"}, 4, number(1.0))},
      {"squared_loss_gradient_halved", kClass, kJointStage, "the gradient of a squared difference forgets the factor 2",
       "mse_loss has a gradient",
       onCalls({"mse_loss_backward"},
               [](Graph& graph, const Node& node) -> Instead {
                 const NodeId whole = emitSame(graph, node);
                 return emit(graph, node, "aten::mul.Scalar", {nodeArgument(whole), number(0.5)});
               })},
  };
}

} // namespace touchstone::faults
