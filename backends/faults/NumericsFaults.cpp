#include "backends/faults/NativeFault.h"

#include "graph/ir/Arguments.h"

#include <c10/core/ScalarType.h>

#include <limits>

namespace touchstone::faults {

namespace {

using at::ScalarType;
using ir::Argument;
using ir::Graph;
using ir::Node;
using ir::nodeArgument;
using ir::NodeId;

NodeId as(Graph& graph, const Node& like, NodeId of, ScalarType type) {
  const NodeId made = emit(graph, like, "aten::_to_copy",
                           {nodeArgument(of), Argument{ir::DtypeConstant{static_cast<int64_t>(type)}}, Argument{},
                            Argument{}, Argument{}, Argument{false}, Argument{}});
  if (graph.node(made).metadata) {
    graph.node(made).metadata->dtype = ir::DtypeConstant{static_cast<int64_t>(type)};
  }
  return made;
}

std::optional<ScalarType> resultType(const Node& node) {
  return node.metadata ? std::optional(static_cast<ScalarType>(node.metadata->dtype.value)) : std::nullopt;
}

bool isHalfResult(const Node& node) {
  const auto type = resultType(node);
  return type == ScalarType::Half || type == ScalarType::BFloat16;
}

/// The call in another precision, its result in its own. Operands that are tensors are all cast.
NodeId computedIn(Graph& graph, Node node, ScalarType type) {
  const auto own = resultType(node);
  const Node like = node;
  for (Argument& argument : node.arguments) {
    const NodeId read = nodeOf(argument);
    if (read >= 0 && isFloating(graph, read)) {
      argument = nodeArgument(as(graph, Node(graph.node(read)), read, type));
    }
  }
  return as(graph, like, emitSame(graph, node), *own);
}

/// Calls in half whose operand is such a call: nothing is rounded between them.
Instead unroundedBetween(Graph& graph, const Node& node) {
  const Node* inner = operand(graph, node, 0);
  if (!isHalfResult(node) || inner == nullptr || !isHalfResult(*inner) ||
      !isCall(*inner, {"add.Tensor", "mul.Tensor", "sub.Tensor", "exp", "sin"})) {
    return std::nullopt;
  }
  Node wide = *inner;
  for (Argument& argument : wide.arguments) {
    const NodeId read = nodeOf(argument);
    if (read >= 0 && isFloating(graph, read)) {
      argument = nodeArgument(as(graph, Node(graph.node(read)), read, ScalarType::Float));
    }
  }
  Node outer = node;
  outer.arguments[0] = nodeArgument(emitSame(graph, wide));
  const NodeId result = emitSame(graph, outer);
  return as(graph, node, result, *resultType(node));
}

/// A sum over one dimension, element by element in its own precision.
Instead summedInOwnPrecision(Graph& graph, const Node& node) {
  const std::vector<int64_t> dims = integersOf(node.arguments[1]), sizes = sizesOf(graph, nodeOf(node.arguments[0]));
  constexpr int64_t kMost = 64;
  if (!isHalfResult(node) || dims.size() != 1 || sizes.empty() || node.arguments[2] != Argument{false}) {
    return std::nullopt;
  }
  const size_t dim = wrapped(dims[0], sizes.size());
  if (sizes[dim] < 2 || sizes[dim] > kMost) {
    return std::nullopt;
  }
  const auto element = [&](int64_t index) {
    return nodeArgument(
        emit(graph, node, "aten::select.int", {node.arguments[0], number(static_cast<int64_t>(dim)), number(index)}));
  };
  Argument sum = element(0);
  for (int64_t i = 1; i < sizes[dim]; ++i) {
    sum = nodeArgument(emit(graph, node, "aten::add.Tensor", {sum, element(i), number(int64_t{1})}));
  }
  return nodeOf(sum);
}

/// exp(x) / sum(exp(x)), without the greatest value taken away.
Instead softmaxWithoutGreatest(Graph& graph, const Node& node) {
  const NodeId exp = emit(graph, node, "aten::exp", {node.arguments[0]});
  const auto dim = integerOf(node.arguments[1]);
  const NodeId sum = emit(graph, node, "aten::sum.dim_IntList",
                          {nodeArgument(exp), ir::integerList({*dim}), Argument{true}, Argument{}});
  return emit(graph, node, "aten::div.Tensor", {nodeArgument(exp), nodeArgument(sum)});
}

/// Through this dtype, where the operand has that one.
NodeRewrite operandsThrough(std::vector<std::string_view> names, ScalarType source, ScalarType between) {
  return onCalls(std::move(names), [=](Graph& graph, Node node) -> Instead {
    if (resultType(node) != source) {
      return std::nullopt;
    }
    for (Argument& argument : node.arguments) {
      const NodeId read = nodeOf(argument);
      if (read >= 0 && dtypeOf(graph, read) == node.metadata->dtype) {
        const Node like = graph.node(read);
        argument = nodeArgument(as(graph, like, as(graph, like, read, between), source));
      }
    }
    return emitSame(graph, node);
  });
}

NodeId scaled(Graph& graph, const Node& node, NodeId of, double factor) {
  return emit(graph, node, "aten::mul.Scalar", {nodeArgument(of), number(factor)});
}

NodeRewrite onFloats(std::vector<std::string_view> names, std::function<Instead(Graph& graph, const Node& node)> made) {
  return onCalls(std::move(names), [made = std::move(made)](Graph& graph, const Node& node) -> Instead {
    const auto type = resultType(node);
    return type == ScalarType::Float || type == ScalarType::Double ? made(graph, node) : std::nullopt;
  });
}

} // namespace

NativeFaultList numericsFaults() {
  constexpr FaultClass kClass = FaultClass::kNumerics;
  return {
      {"half_unrounded_between_calls", kClass, kFunctionalStage,
       "two calls in half are computed without a rounding between them", "such calls in a row",
       onCalls({"add.Tensor", "mul.Tensor", "sub.Tensor"}, unroundedBetween)},
      {"half_summed_in_half", kClass, kFunctionalStage, "a sum in half is rounded at each element",
       "half values are summed over one dimension", onCalls({"sum.dim_IntList"}, summedInOwnPrecision)},
      {"product_in_bfloat16", kClass, kFunctionalStage, "a matrix product in float32 has operands of bfloat16",
       "an operand needs more digits",
       operandsThrough({"mm", "bmm", "addmm", "convolution"}, ScalarType::Float, ScalarType::BFloat16)},
      {"double_function_in_single", kClass, kFunctionalStage, "functions of float64 are computed in float32",
       "sin, exp or tanh of float64",
       onCalls({"sin", "cos", "exp", "log", "tanh", "sigmoid", "sqrt", "pow"},
               [](Graph& graph, const Node& node) -> Instead {
                 return resultType(node) == ScalarType::Double ? Instead(computedIn(graph, node, ScalarType::Float))
                                                               : std::nullopt;
               })},
      {"single_function_in_half", kClass, kFunctionalStage,
       "erf, tan and the hyperbolic functions of float32 are computed in half", "such a function",
       onCalls({"erf", "erfc", "tan", "sinh", "cosh", "asinh", "acosh", "atanh", "lgamma", "digamma"},
               [](Graph& graph, const Node& node) -> Instead {
                 return resultType(node) == ScalarType::Float ? Instead(computedIn(graph, node, ScalarType::BFloat16))
                                                              : std::nullopt;
               })},
      {"softmax_without_greatest", kClass, kFunctionalStage,
       "softmax is computed without taking the greatest value away", "it overflows or rounds",
       onCalls({"_softmax"}, softmaxWithoutGreatest)},
      {"log_softmax_of_softmax", kClass, kFunctionalStage, "log_softmax becomes log(softmax(x))", "it rounds",
       onCalls({"_log_softmax"},
               [](Graph& graph, const Node& node) -> Instead {
                 const NodeId softmax = emit(graph, node, "aten::_softmax", node.arguments);
                 return emit(graph, node, "aten::log", {nodeArgument(softmax)});
               })},
      {"gelu_by_other_formula", kClass, kFunctionalStage, "gelu is approximated by tanh",
       "gelu without an approximation", withArgument({"gelu"}, 1, Argument{std::string("tanh")})},
      {"exp_by_two", kClass, kFunctionalStage, "exp(x) becomes exp2(x * 1.442695)", "it rounds",
       onFloats({"exp"},
                [](Graph& graph, const Node& node) -> Instead {
                  return emit(graph, node, "aten::exp2",
                              {nodeArgument(scaled(graph, node, nodeOf(node.arguments[0]), 1.442695))});
                })},
      {"log_by_two", kClass, kFunctionalStage, "log(x) becomes log2(x) * 0.693147", "it rounds",
       onFloats({"log"},
                [](Graph& graph, const Node& node) -> Instead {
                  return scaled(graph, node, emit(graph, node, "aten::log2", {node.arguments[0]}), 0.693147);
                })},
      {"rsqrt_by_powers", kClass, kFunctionalStage, "rsqrt(x) becomes exp(-log(x) / 2)", "it rounds, and is infinite",
       onFloats({"rsqrt"},
                [](Graph& graph, const Node& node) -> Instead {
                  return emit(
                      graph, node, "aten::exp",
                      {nodeArgument(scaled(graph, node, emit(graph, node, "aten::log", {node.arguments[0]}), -0.5))});
                })},
      {"tanh_by_exp", kClass, kFunctionalStage, "tanh(x) becomes (exp(2x) - 1) / (exp(2x) + 1)",
       "it rounds, and is NaN for large values",
       onFloats({"tanh"},
                [](Graph& graph, const Node& node) -> Instead {
                  const NodeId exp =
                      emit(graph, node, "aten::exp", {nodeArgument(scaled(graph, node, nodeOf(node.arguments[0]), 2))});
                  const NodeId above = emit(graph, node, "aten::sub.Scalar",
                                            {nodeArgument(exp), number(int64_t{1}), number(int64_t{1})});
                  const NodeId below = emit(graph, node, "aten::add.Scalar",
                                            {nodeArgument(exp), number(int64_t{1}), number(int64_t{1})});
                  return emit(graph, node, "aten::div.Tensor", {nodeArgument(above), nodeArgument(below)});
                })},
      {"cosine_of_shifted", kClass, kFunctionalStage, "cos(x) becomes sin(x + pi / 2)", "it rounds",
       onFloats({"cos"},
                [](Graph& graph, const Node& node) -> Instead {
                  const NodeId sum = emit(graph, node, "aten::add.Scalar",
                                          {node.arguments[0], number(1.5707963267948966), number(int64_t{1})});
                  return emit(graph, node, "aten::sin", {nodeArgument(sum)});
                })},
      {"tangent_by_quotient", kClass, kFunctionalStage, "tan(x) becomes sin(x) / cos(x)", "it rounds",
       onFloats({"tan"},
                [](Graph& graph, const Node& node) -> Instead {
                  const NodeId sin = emit(graph, node, "aten::sin", {node.arguments[0]});
                  const NodeId cos = emit(graph, node, "aten::cos", {node.arguments[0]});
                  return emit(graph, node, "aten::div.Tensor", {nodeArgument(sin), nodeArgument(cos)});
                })},
      {"erf_by_tanh", kClass, kFunctionalStage, "erf(x) becomes tanh(1.1283792 x)", "erf of other than 0",
       onFloats({"erf"},
                [](Graph& graph, const Node& node) -> Instead {
                  return emit(graph, node, "aten::tanh",
                              {nodeArgument(scaled(graph, node, nodeOf(node.arguments[0]), 1.1283792))});
                })},
      {"maximum_without_nan", kClass, kFunctionalStage, "maximum and minimum ignore NaN", "one operand is NaN",
       NodeRewrite([](Graph& graph, const Node& node) -> Instead {
         if (!isCall(node, {"maximum", "minimum"}) || resultType(node) == ScalarType::Bool) {
           return std::nullopt;
         }
         return emit(graph, node, isCall(node, "maximum") ? "aten::fmax" : "aten::fmin", node.arguments);
       })},
      {"extreme_without_nan", kClass, kFunctionalStage, "amax takes NaN for the smallest value", "a value is NaN",
       onFloats({"amax"},
                [](Graph& graph, const Node& node) -> Instead {
                  const NodeId source = nodeOf(node.arguments[0]);
                  const NodeId clean = emit(graph, graph.node(source), "aten::nan_to_num",
                                            {node.arguments[0], number(-std::numeric_limits<double>::infinity()),
                                             number(std::numeric_limits<double>::infinity()),
                                             number(-std::numeric_limits<double>::infinity())});
                  return emitWith(graph, node, 0, nodeArgument(clean));
                })},
      {"relu_without_nan", kClass, kFunctionalStage, "relu of NaN is 0", "a value is NaN",
       onFloats({"relu"},
                [](Graph& graph, const Node& node) -> Instead {
                  const NodeId zero =
                      scaled(graph, node,
                             emit(graph, node, "aten::ones_like",
                                  {node.arguments[0], Argument{}, Argument{}, Argument{}, Argument{}, Argument{}}),
                             0);
                  return emit(graph, node, "aten::fmax", {node.arguments[0], nodeArgument(zero)});
                })},
      {"negative_zero_lost", kClass, kFunctionalStage, "the negation of 0 is 0", "the sign of a zero is read",
       onFloats(
           {"neg"},
           [](Graph& graph, const Node& node) -> Instead {
             return emit(graph, node, "aten::rsub.Scalar", {node.arguments[0], number(int64_t{0}), number(int64_t{1})});
           })},
      {"small_values_flushed", kClass, kFunctionalStage, "results below the smallest normal number are 0",
       "a product of tiny values",
       onFloats({"mul.Tensor"},
                [](Graph& graph, const Node& node) -> Instead {
                  const NodeId product = emitSame(graph, node);
                  const NodeId size = emit(graph, node, "aten::abs", {nodeArgument(product)});
                  const NodeId isSmall =
                      emit(graph, node, "aten::lt.Scalar", {nodeArgument(size), number(1.1754943508222875e-38)});
                  const NodeId zero =
                      emit(graph, node, "aten::zeros_like",
                           {nodeArgument(product), Argument{}, Argument{}, Argument{}, Argument{}, Argument{}});
                  return emit(graph, node, "aten::where.self",
                              {nodeArgument(isSmall), nodeArgument(zero), nodeArgument(product)});
                })},
      {"eps_of_normalization_dropped", kClass, kFunctionalStage, "a normalization divides without eps",
       "the variance is small", withArgument({"native_layer_norm"}, 4, number(0.0))},
      {"eps_of_batch_norm_dropped", kClass, kFunctionalStage, "batch_norm divides without eps", "the variance is small",
       withArgument({"native_batch_norm", "_native_batch_norm_legit"}, 7, number(0.0))},
      {"mean_by_reciprocal", kClass, kFunctionalStage, "a mean is the sum by the reciprocal of the count",
       "the count is no power of two",
       onFloats({"mean.dim"},
                [](Graph& graph, const Node& node) -> Instead {
                  const std::vector<int64_t> sizes = sizesOf(graph, nodeOf(node.arguments[0]));
                  const std::vector<int64_t> dims = integersOf(node.arguments[1]);
                  if (sizes.empty() || dims.empty()) {
                    return std::nullopt;
                  }
                  int64_t count = 1;
                  for (const int64_t dim : dims) {
                    count *= sizes[wrapped(dim, sizes.size())];
                  }
                  if (count == 0) {
                    return std::nullopt;
                  }
                  const NodeId sum = emit(graph, node, "aten::sum.dim_IntList", node.arguments);
                  return scaled(graph, node, sum,
                                static_cast<double>(static_cast<float>(1.0 / static_cast<double>(count))));
                })},
      {"variance_in_one_pass", kClass, kFunctionalStage,
       "a biased variance over dimensions is the mean of squares less the square of the mean",
       "the mean is large beside the variance",
       onFloats(
           {"var.correction"},
           [](Graph& graph, const Node& node) -> Instead {
             if (node.arguments[1] == Argument{} || numberOf(graph, node.arguments[2]).value_or(1) != 0) {
               return std::nullopt;
             }
             const NodeId square = emit(graph, graph.node(nodeOf(node.arguments[0])), "aten::mul.Tensor",
                                        {node.arguments[0], node.arguments[0]});
             const NodeId ofSquares = emit(graph, node, "aten::mean.dim",
                                           {nodeArgument(square), node.arguments[1], node.arguments[3], Argument{}});
             const NodeId mean = emit(graph, node, "aten::mean.dim",
                                      {node.arguments[0], node.arguments[1], node.arguments[3], Argument{}});
             const NodeId squared = emit(graph, node, "aten::mul.Tensor", {nodeArgument(mean), nodeArgument(mean)});
             return emit(graph, node, "aten::sub.Tensor",
                         {nodeArgument(ofSquares), nodeArgument(squared), number(int64_t{1})});
           })},
      {"half_rounds_away", kClass, kFunctionalStage, "round takes halves upwards",
       "a value such as 0.5, 2.5 or -1.5 is rounded",
       onFloats({"round"},
                [](Graph& graph, const Node& node) -> Instead {
                  if (node.target != "aten::round") {
                    return std::nullopt;
                  }
                  const NodeId sum =
                      emit(graph, node, "aten::add.Scalar", {node.arguments[0], number(0.5), number(int64_t{1})});
                  return emit(graph, node, "aten::floor", {nodeArgument(sum)});
                })},
      {"root_by_powers", kClass, kFunctionalStage, "sqrt(x) becomes exp(log(x) / 2)", "it rounds",
       onFloats({"sqrt"},
                [](Graph& graph, const Node& node) -> Instead {
                  return emit(
                      graph, node, "aten::exp",
                      {nodeArgument(scaled(graph, node, emit(graph, node, "aten::log", {node.arguments[0]}), 0.5))});
                })},
      {"fused_multiplication", kClass, kFunctionalStage, "x * y + z is rounded once", "the product and the sum round",
       onFloats({"add.Tensor"},
                [](Graph& graph, const Node& node) -> Instead {
                  const Node* product = operand(graph, node, 0);
                  if (product == nullptr || !isCall(*product, "mul.Tensor") || nodeOf(node.arguments[1]) < 0 ||
                      resultType(node) != ScalarType::Float || nodeOf(product->arguments[1]) < 0) {
                    return std::nullopt;
                  }
                  const Node inner = *product;
                  const auto wide = [&](const Argument& argument) {
                    return nodeArgument(as(graph, node, nodeOf(argument), ScalarType::Double));
                  };
                  const NodeId exact =
                      emit(graph, node, "aten::mul.Tensor", {wide(inner.arguments[0]), wide(inner.arguments[1])});
                  const NodeId sum = emit(graph, node, "aten::add.Tensor",
                                          {nodeArgument(exact), wide(node.arguments[1]), node.arguments[2]});
                  return as(graph, node, sum, ScalarType::Float);
                })},
      {"activation_in_half", kClass, kFunctionalStage, "silu and its kind are computed in half",
       "silu, mish, hardswish or softplus of float32",
       onCalls({"silu", "mish", "hardswish", "softplus"},
               [](Graph& graph, const Node& node) -> Instead {
                 return resultType(node) == ScalarType::Float ? Instead(computedIn(graph, node, ScalarType::Half))
                                                              : std::nullopt;
               })},
      {"reciprocal_in_half", kClass, kFunctionalStage, "reciprocal(x) is computed in half", "it needs more digits",
       onCalls({"reciprocal"},
               [](Graph& graph, const Node& node) -> Instead {
                 return resultType(node) == ScalarType::Float ? Instead(computedIn(graph, node, ScalarType::Half))
                                                              : std::nullopt;
               })},
      {"sigmoid_by_tanh", kClass, kFunctionalStage, "sigmoid(x) becomes (tanh(x / 2) + 1) / 2", "it rounds",
       onFloats({"sigmoid"},
                [](Graph& graph, const Node& node) -> Instead {
                  const NodeId tanh = emit(graph, node, "aten::tanh",
                                           {nodeArgument(scaled(graph, node, nodeOf(node.arguments[0]), 0.5))});
                  const NodeId half = scaled(graph, node, tanh, 0.5);
                  return emit(graph, node, "aten::add.Scalar", {nodeArgument(half), number(0.5), number(int64_t{1})});
                })},
  };
}

} // namespace touchstone::faults
