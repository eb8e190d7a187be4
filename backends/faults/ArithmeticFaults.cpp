#include "backends/faults/NativeFault.h"

#include "graph/ir/Arguments.h"

namespace touchstone::faults {

namespace {

using ir::Argument;
using ir::Graph;
using ir::Node;
using ir::nodeArgument;

/// Calls of `outer` on the result of `inner` become what `rewrite` makes of both.
NodeRewrite onPair(std::string_view outer, std::string_view inner,
                   std::function<Instead(Graph& graph, const Node& outer, const Node& inner)> rewrite) {
  return [outer, inner, rewrite = std::move(rewrite)](Graph& graph, const Node& node) -> Instead {
    const Node* given = isCall(node, outer) ? operand(graph, node, 0) : nullptr;
    if (given == nullptr || !isCall(*given, inner)) {
      return std::nullopt;
    }
    return rewrite(graph, node, Node(*given)); // a copy: the Graph grows
  };
}

/// The same where the second one is undone by the first one, or so it is thought.
NodeRewrite cancelled(std::string_view outer, std::string_view inner) {
  return onPair(outer, inner, [](Graph&, const Node&, const Node& given) -> Instead {
    const ir::NodeId source = nodeOf(given.arguments[0]);
    return source < 0 ? std::nullopt : std::optional(source);
  });
}

bool isNumber(const Graph& graph, const Node& node, size_t position, double value) {
  return position < node.arguments.size() && numberOf(graph, node.arguments[position]) == value;
}

bool isSame(const Node& node) {
  return node.arguments.size() > 1 && nodeOf(node.arguments[0]) >= 0 && node.arguments[0] == node.arguments[1];
}

Instead likeFirst(Graph& graph, const Node& node, const char* target) {
  return emit(graph, node, target, {node.arguments[0], Argument{}, Argument{}, Argument{}, Argument{}, Argument{}});
}

Instead fullLikeFirst(Graph& graph, const Node& node, double value) {
  return emit(graph, node, "aten::full_like",
              {node.arguments[0], number(value), Argument{}, Argument{}, Argument{}, Argument{}, Argument{}});
}

Argument timesOne() {
  return number(int64_t{1});
}

/// (x + c) + d becomes x + (c + d).
Instead reassociated(Graph& graph, const Node& outer, const Node& inner) {
  const auto first = numberOf(graph, inner.arguments[1]), second = numberOf(graph, outer.arguments[1]);
  if (first && second) {
    return emit(graph, outer, "aten::add.Scalar", {inner.arguments[0], number(*first + *second), timesOne()});
  }
  if (nodeOf(inner.arguments[1]) < 0 || nodeOf(outer.arguments[1]) < 0 ||
      !isFloating(graph, nodeOf(outer.arguments[1]))) {
    return std::nullopt;
  }
  const ir::NodeId sum = emit(graph, outer, "aten::add.Tensor", {inner.arguments[1], outer.arguments[1], timesOne()});
  return emit(graph, outer, "aten::add.Tensor", {inner.arguments[0], nodeArgument(sum), timesOne()});
}

/// (x + c) * d becomes x * d + c * d.
Instead distributed(Graph& graph, const Node& outer, const Node& inner) {
  const auto added = numberOf(graph, inner.arguments[1]), factor = numberOf(graph, outer.arguments[1]);
  if (!added || !factor) {
    return std::nullopt;
  }
  const ir::NodeId product = emit(graph, outer, "aten::mul.Scalar", {inner.arguments[0], number(*factor)});
  return emit(graph, outer, "aten::add.Scalar", {nodeArgument(product), number(*added * *factor), timesOne()});
}

Instead multipliedByReciprocal(Graph& graph, const Node& node) {
  const auto divisor = node.arguments.size() == 2 ? numberOf(graph, node.arguments[1]) : std::nullopt;
  if (!divisor || *divisor == 0 || !isFloating(graph, nodeOf(node.arguments[0]))) {
    return std::nullopt;
  }
  return emit(graph, node, "aten::mul.Scalar", {node.arguments[0], number(1 / *divisor)});
}

Instead onSame(const Node& node, const std::function<Instead()>& made) {
  return isSame(node) ? made() : std::nullopt;
}

/// pow(x, n) becomes a product where n is this number.
NodeRewrite power(double exponent, std::function<Instead(Graph& graph, const Node& node)> made) {
  return onCalls({"pow.Tensor_Scalar"}, [=](Graph& graph, const Node& node) -> Instead {
    return isNumber(graph, node, 1, exponent) ? made(graph, node) : std::nullopt;
  });
}

} // namespace

NativeFaultList arithmeticFaults() {
  constexpr FaultClass kClass = FaultClass::kRewriting;
  return {
      {"negation_twice_is_once", kClass, kFunctionalStage, "-(-x) becomes -x", "a negated value is negated",
       onPair("neg", "neg",
              [](Graph&, const Node& outer, const Node&) -> Instead { return nodeOf(outer.arguments[0]); })},
      {"abs_undoes_negation", kClass, kFunctionalStage, "abs(-x) becomes x",
       "abs of a negated value that has been positive or negative", cancelled("abs", "neg")},
      {"log_undoes_exp", kClass, kFunctionalStage, "log(exp(x)) becomes x", "log of an exp that overflows or rounds",
       cancelled("log", "exp")},
      {"exp_undoes_log", kClass, kFunctionalStage, "exp(log(x)) becomes x", "exp of a log of what is not positive",
       cancelled("exp", "log")},
      {"abs_undoes_sign", kClass, kFunctionalStage, "abs(sign(x)) becomes sign(x)", "abs of a sign that is negative",
       onPair("abs", "sign",
              [](Graph&, const Node& outer, const Node&) -> Instead { return nodeOf(outer.arguments[0]); })},
      {"sqrt_undoes_square", kClass, kFunctionalStage, "sqrt(x ** 2) becomes x",
       "the root of a square of a negative value",
       onPair("sqrt", "pow",
              [](Graph& graph, const Node&, const Node& inner) -> Instead {
                return isNumber(graph, inner, 1, 2) ? std::optional(nodeOf(inner.arguments[0])) : std::nullopt;
              })},
      {"relu_of_negation_swapped", kClass, kFunctionalStage, "relu(-x) becomes -relu(x)", "relu of a negated value",
       onPair("relu", "neg",
              [](Graph& graph, const Node& outer, const Node& inner) -> Instead {
                const ir::NodeId relu = emit(graph, outer, "aten::relu", {inner.arguments[0]});
                return emit(graph, outer, "aten::neg", {nodeArgument(relu)});
              })},
      {"sigmoid_of_negation", kClass, kFunctionalStage, "sigmoid(-x) becomes 1 - sigmoid(x)",
       "sigmoid of a negated value; a rounding, and zero for large ones",
       onPair("sigmoid", "neg",
              [](Graph& graph, const Node& outer, const Node& inner) -> Instead {
                const ir::NodeId of = emit(graph, outer, "aten::sigmoid", {inner.arguments[0]});
                return emit(graph, outer, "aten::rsub.Scalar", {nodeArgument(of), number(1.0), timesOne()});
              })},
      {"times_zero_is_zero", kClass, kFunctionalStage, "x * 0 becomes zeros",
       "a value that is NaN or infinite is multiplied by 0",
       onCalls({"mul"},
               [](Graph& graph, const Node& node) -> Instead {
                 return isNumber(graph, node, 1, 0) ? likeFirst(graph, node, "aten::zeros_like") : std::nullopt;
               })},
      {"difference_of_equals", kClass, kFunctionalStage, "x - x becomes zeros", "NaN or an infinity minus itself",
       onCalls({"sub.Tensor"},
               [](Graph& graph, const Node& node) -> Instead {
                 return onSame(node, [&]() -> Instead { return likeFirst(graph, node, "aten::zeros_like"); });
               })},
      {"quotient_of_equals", kClass, kFunctionalStage, "x / x becomes ones", "0, NaN or an infinity divided by itself",
       onCalls({"div.Tensor"},
               [](Graph& graph, const Node& node) -> Instead {
                 const bool isReal = isFloating(graph, nodeOf(node.arguments[0]));
                 return onSame(
                     node, [&]() -> Instead { return isReal ? likeFirst(graph, node, "aten::ones_like") : Instead(); });
               })},
      {"comparison_with_itself", kClass, kFunctionalStage, "x == x becomes True", "a NaN is compared with itself",
       onCalls({"eq.Tensor"},
               [](Graph& graph, const Node& node) -> Instead {
                 return onSame(node, [&]() -> Instead {
                   const ir::NodeId other = emit(graph, node, "aten::ne.Tensor", node.arguments);
                   const ir::NodeId same = emit(graph, node, "aten::eq.Tensor", node.arguments);
                   return emit(graph, node, "aten::logical_or", {nodeArgument(other), nodeArgument(same)});
                 });
               })},
      {"square_for_each_power", kClass, kFunctionalStage, "x ** 3 becomes x * x", "a third power",
       power(3,
             [](Graph& graph, const Node& node) -> Instead {
               return emit(graph, node, "aten::mul.Tensor", {node.arguments[0], node.arguments[0]});
             })},
      {"power_zero_is_x_over_x", kClass, kFunctionalStage, "x ** 0 becomes x / x",
       "0, NaN or an infinity to the power of 0",
       power(0,
             [](Graph& graph, const Node& node) -> Instead {
               return isFloating(graph, nodeOf(node.arguments[0]))
                          ? Instead(emit(graph, node, "aten::div.Tensor", {node.arguments[0], node.arguments[0]}))
                          : std::nullopt;
             })},
      {"power_half_is_root", kClass, kFunctionalStage, "x ** 0.5 becomes exp(log(x) / 2)", "a root is taken as a power",
       power(0.5,
             [](Graph& graph, const Node& node) -> Instead {
               const ir::NodeId log = emit(graph, node, "aten::log", {node.arguments[0]});
               const ir::NodeId half = emit(graph, node, "aten::mul.Scalar", {nodeArgument(log), number(0.5)});
               return emit(graph, node, "aten::exp", {nodeArgument(half)});
             })},
      {"division_by_reciprocal", kClass, kFunctionalStage, "x / c becomes x * (1 / c)",
       "c is no power of two, and the product rounds otherwise",
       onCalls({"div.Tensor", "div.Scalar"}, multipliedByReciprocal)},
      {"floor_division_truncates", kClass, kFunctionalStage, "division that rounds down rounds towards zero",
       "a negative quotient is rounded down",
       [](Graph& graph, const Node& node) -> Instead {
         if (isCall(node, {"floor_divide"})) {
           return emit(graph, node, node.target.ends_with("Scalar") ? "aten::div.Scalar_mode" : "aten::div.Tensor_mode",
                       {node.arguments[0], node.arguments[1], Argument{std::string("trunc")}});
         }
         const bool isFloor = isCall(node, {"div.Tensor_mode", "div.Scalar_mode"}) &&
                              node.arguments[2] == Argument{std::string("floor")};
         return isFloor ? Instead(emitWith(graph, node, 2, Argument{std::string("trunc")})) : std::nullopt;
       }},
      {"remainder_takes_sign_of_dividend", kClass, kFunctionalStage, "x % c is computed as fmod",
       "the operands have other signs",
       [](Graph& graph, const Node& node) -> Instead {
         return isCall(node, {"remainder.Tensor", "remainder.Scalar"})
                    ? Instead(
                          emit(graph, node, "aten::fmod" + node.target.substr(node.target.find('.')), node.arguments))
                    : std::nullopt;
       }},
      {"clamp_in_other_order", kClass, kFunctionalStage, "clamp takes the upper bound first",
       "the lower bound is above the upper one",
       onCalls({"clamp"},
               [](Graph& graph, const Node& node) -> Instead {
                 const auto low = numberOf(graph, node.arguments[1]);
                 const auto high = node.arguments.size() > 2 ? numberOf(graph, node.arguments[2]) : std::nullopt;
                 if (node.target != "aten::clamp" || !low || !high || *low <= *high) {
                   return std::nullopt;
                 }
                 return emitWith(graph, node, 2, node.arguments[1]);
               })},
      {"where_of_negation_unswapped", kClass, kFunctionalStage, "where(~c, a, b) becomes where(c, a, b)",
       "a condition is negated",
       onCalls({"where.self"},
               [](Graph& graph, const Node& node) -> Instead {
                 const Node* condition = operand(graph, node, 0);
                 return condition != nullptr && isCall(*condition, {"logical_not", "bitwise_not"})
                            ? Instead(emitWith(graph, node, 0, Argument(condition->arguments[0])))
                            : std::nullopt;
               })},
      {"negated_comparison", kClass, kFunctionalStage, "~(x < y) becomes x >= y", "one of them is NaN",
       [](Graph& graph, const Node& node) -> Instead {
         const Node* given = isCall(node, {"logical_not", "bitwise_not"}) ? operand(graph, node, 0) : nullptr;
         if (given == nullptr || !isCall(*given, {"lt.Tensor", "lt.Scalar"})) {
           return std::nullopt;
         }
         return emit(graph, node, "aten::ge" + given->target.substr(given->target.find('.')),
                     std::vector<Argument>(given->arguments));
       }},
      {"sum_reassociated", kClass, kFunctionalStage, "(x + y) + z becomes x + (y + z)", "two sums in a row that round",
       onPair("add", "add", reassociated)},
      {"product_distributed", kClass, kFunctionalStage, "(x + c) * d becomes x * d + c * d",
       "numbers are added, then multiplied by", onPair("mul", "add", distributed)},
      {"reversed_difference", kClass, kFunctionalStage, "c - x becomes x - c", "a value is subtracted from a number",
       onCalls({"rsub.Scalar", "rsub.Tensor"},
               [](Graph& graph, const Node& node) -> Instead {
                 return emit(graph, node, "aten::sub" + node.target.substr(node.target.find('.')), node.arguments);
               })},
      {"atan2_swapped", kClass, kFunctionalStage, "atan2(y, x) becomes atan2(x, y)", "atan2 of two values",
       withSwapped({"atan2"}, 0, 1)},
      {"isnan_is_false", kClass, kFunctionalStage, "isnan(x) becomes x != x of the value without NaN", "a value is NaN",
       onCalls({"isnan"},
               [](Graph& graph, const Node& node) -> Instead {
                 const ir::NodeId clean =
                     emit(graph, node, "aten::nan_to_num", {node.arguments[0], Argument{}, Argument{}, Argument{}});
                 graph.node(clean).metadata.reset();
                 return emit(graph, node, "aten::ne.Tensor", {nodeArgument(clean), nodeArgument(clean)});
               })},
      {"addcmul_without_factor", kClass, kFunctionalStage, "addcmul forgets its factor",
       "addcmul with a value other than 1", withArgument({"addcmul", "addcdiv"}, 3, timesOne())},
      {"addmm_without_factors", kClass, kFunctionalStage, "addmm forgets beta and alpha",
       "addmm with a beta other than 1", withArgument({"addmm", "baddbmm", "addmv", "addr"}, 3, timesOne())},
      {"logsumexp_overflows", kClass, kFunctionalStage, "logsumexp becomes log(sum(exp(x)))",
       "the sum overflows or rounds",
       onCalls({"logsumexp"},
               [](Graph& graph, const Node& node) -> Instead {
                 const ir::NodeId exp = emit(graph, node, "aten::exp", {node.arguments[0]});
                 const ir::NodeId sum = emit(graph, node, "aten::sum.dim_IntList",
                                             {nodeArgument(exp), node.arguments[1], node.arguments[2], Argument{}});
                 return emit(graph, node, "aten::log", {nodeArgument(sum)});
               })},
      {"log1p_is_log", kClass, kFunctionalStage, "log1p(x) becomes log(1 + x)", "the sum rounds",
       onCalls({"log1p"},
               [](Graph& graph, const Node& node) -> Instead {
                 const ir::NodeId sum =
                     emit(graph, node, "aten::add.Scalar", {node.arguments[0], number(int64_t{1}), timesOne()});
                 return emit(graph, node, "aten::log", {nodeArgument(sum)});
               })},
      {"expm1_is_exp", kClass, kFunctionalStage, "expm1(x) becomes exp(x) - 1", "the exponential rounds",
       onCalls({"expm1"},
               [](Graph& graph, const Node& node) -> Instead {
                 const ir::NodeId exp = emit(graph, node, "aten::exp", {node.arguments[0]});
                 return emit(graph, node, "aten::sub.Scalar", {nodeArgument(exp), number(int64_t{1}), timesOne()});
               })},
      {"hypot_by_squares", kClass, kFunctionalStage, "hypot(x, y) becomes sqrt(x * x + y * y)",
       "a square overflows or rounds",
       onCalls({"hypot"},
               [](Graph& graph, const Node& node) -> Instead {
                 const ir::NodeId x = emit(graph, node, "aten::mul.Tensor", {node.arguments[0], node.arguments[0]});
                 const ir::NodeId y = emit(graph, node, "aten::mul.Tensor", {node.arguments[1], node.arguments[1]});
                 const ir::NodeId sum =
                     emit(graph, node, "aten::add.Tensor", {nodeArgument(x), nodeArgument(y), timesOne()});
                 return emit(graph, node, "aten::sqrt", {nodeArgument(sum)});
               })},
      {"minimum_is_maximum_of_numbers", kClass, kFunctionalStage, "clamp_max becomes clamp_min",
       "a value is bounded above alone", NodeRewrite([](Graph& graph, const Node& node) -> Instead {
         const char* target = node.target == "aten::clamp_max"          ? "aten::clamp_min"
                              : node.target == "aten::clamp_max.Tensor" ? "aten::clamp_min.Tensor"
                                                                        : nullptr;
         return target == nullptr ? std::nullopt : Instead(emit(graph, node, target, node.arguments));
       })},
      {"xor_is_or", kClass, kFunctionalStage, "x ^ y becomes x | y", "both have the same bit",
       renamed({"bitwise_xor.Tensor"}, "aten::bitwise_or.Tensor")},
      {"lerp_swapped", kClass, kFunctionalStage, "lerp(x, y, w) goes from y to x", "lerp of two values",
       withSwapped({"lerp"}, 0, 1)},
      {"reciprocal_of_product", kClass, kFunctionalStage, "x / (y * c) becomes x / y / c",
       "a quotient by a scaled value that rounds",
       onCalls({"div.Tensor"},
               [](Graph& graph, const Node& node) -> Instead {
                 const Node* below = operand(graph, node, 1);
                 if (below == nullptr || !isCall(*below, {"mul.Tensor", "mul.Scalar"})) {
                   return std::nullopt;
                 }
                 const auto factor = numberOf(graph, below->arguments[1]);
                 if (!factor) {
                   return std::nullopt;
                 }
                 const ir::NodeId first =
                     emit(graph, node, "aten::div.Tensor", {node.arguments[0], Argument(below->arguments[0])});
                 return emit(graph, node, "aten::div.Scalar", {nodeArgument(first), number(*factor)});
               })},
      {"ones_are_neutral", kClass, kFunctionalStage, "x * ones becomes x in the shape of x",
       "the ones have more elements than x",
       onCalls({"mul.Tensor"},
               [](Graph& graph, const Node& node) -> Instead {
                 const Node* ones = operand(graph, node, 1);
                 return ones != nullptr && isCall(*ones, {"ones", "ones_like", "new_ones"})
                            ? Instead(nodeOf(node.arguments[0]))
                            : std::nullopt;
               })},
      {"sign_of_zero", kClass, kFunctionalStage, "sign(x) becomes 1 where x is 0", "a sign of 0",
       onCalls(
           {"sign"},
           [](Graph& graph, const Node& node) -> Instead {
             const ir::NodeId isBelow = emit(graph, node, "aten::lt.Scalar", {node.arguments[0], number(int64_t{0})});
             graph.node(isBelow).metadata.reset();
             const Instead plus = fullLikeFirst(graph, node, 1), minus = fullLikeFirst(graph, node, -1);
             return emit(graph, node, "aten::where.self",
                         {nodeArgument(isBelow), nodeArgument(*minus), nodeArgument(*plus)});
           })},
  };
}

} // namespace touchstone::faults
