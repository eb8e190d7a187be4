#include "backends/faults/NativeFault.h"

#include "graph/ir/Arguments.h"

#include <c10/core/ScalarType.h>

#include <cmath>

namespace touchstone::faults {

namespace {

using at::ScalarType;
using ir::Argument;
using ir::Graph;
using ir::Node;
using ir::nodeArgument;
using ir::NodeId;

Argument dtypeConstant(ScalarType type) {
  return Argument{ir::DtypeConstant{static_cast<int64_t>(type)}};
}

NodeId cast(Graph& graph, const Node& like, NodeId node, ScalarType type) {
  const NodeId made =
      emit(graph, like, "aten::_to_copy",
           {nodeArgument(node), dtypeConstant(type), Argument{}, Argument{}, Argument{}, Argument{false}, Argument{}});
  if (graph.node(made).metadata) {
    graph.node(made).metadata->dtype = ir::DtypeConstant{static_cast<int64_t>(type)};
  }
  return made;
}

std::optional<ScalarType> typeOf(const Graph& graph, NodeId node) {
  const auto known = dtypeOf(graph, node);
  return known ? std::optional(static_cast<ScalarType>(known->value)) : std::nullopt;
}

bool isOf(const Graph& graph, NodeId node, ScalarType type) {
  return typeOf(graph, node) == type;
}

bool isResultOf(const Node& node, ScalarType type) {
  return node.metadata && node.metadata->dtype.value == static_cast<int64_t>(type);
}

/// A call by a number that changes nothing gives what it was given, whatever its dtype.
NodeRewrite neutral(std::vector<std::string_view> names, double value) {
  return onCalls(std::move(names), [=](Graph& graph, const Node& node) -> Instead {
    const bool isMeant = node.arguments.size() > 1 && numberOf(graph, node.arguments[1]) == value;
    return isMeant && nodeOf(node.arguments[0]) >= 0 ? Instead(nodeOf(node.arguments[0])) : std::nullopt;
  });
}

/// A cast of a cast: the first one is left out where `isMeant` says so of the dtypes in order.
NodeRewrite castChain(std::function<bool(ScalarType source, ScalarType between, ScalarType last)> isMeant) {
  return onCalls({"_to_copy"}, [=](Graph& graph, const Node& node) -> Instead {
    const Node* inner = operand(graph, node, 0);
    if (inner == nullptr || !isCall(*inner, "_to_copy")) {
      return std::nullopt;
    }
    const NodeId source = nodeOf(inner->arguments[0]);
    const auto first = typeOf(graph, source), between = typeOf(graph, nodeOf(node.arguments[0]));
    if (!first || !between || !node.metadata ||
        !isMeant(*first, *between, static_cast<ScalarType>(node.metadata->dtype.value))) {
      return std::nullopt;
    }
    return emitWith(graph, node, 0, nodeArgument(source));
  });
}

Instead resultAs(Graph& graph, const Node& node, ScalarType type) {
  return cast(graph, node, emitSame(graph, node), type);
}

/// A whole tensor and a real number: the result is whole.
Instead wholeByRealNumber(Graph& graph, const Node& node) {
  const auto value = node.arguments.size() > 1 ? numberOf(graph, node.arguments[1]) : std::nullopt;
  if (!isInteger(graph, nodeOf(node.arguments[0])) || !value || !node.metadata ||
      !at::isFloatingType(static_cast<ScalarType>(node.metadata->dtype.value))) {
    return std::nullopt;
  }
  return resultAs(graph, node, *typeOf(graph, nodeOf(node.arguments[0])));
}

/// The second operand has no dimensions, the first has: its dtype counts all the same.
Instead zeroDimensionsPromote(Graph& graph, const Node& node) {
  const NodeId left = nodeOf(node.arguments[0]), right = nodeOf(node.arguments[1]);
  const bool isMeant = left >= 0 && right >= 0 && graph.node(right).kind != ir::NodeKind::kConstant &&
                       isFloating(graph, left) && isFloating(graph, right) && !sizesOf(graph, left).empty() &&
                       sizesOf(graph, right).empty() && dtypeOf(graph, left) != dtypeOf(graph, right);
  return isMeant ? resultAs(graph, node, at::promoteTypes(*typeOf(graph, left), *typeOf(graph, right))) : std::nullopt;
}

Instead truncatedNumber(Graph& graph, const Node& node) {
  const auto value = node.arguments.size() > 1 ? numberOf(graph, node.arguments[1]) : std::nullopt;
  if (!value || !isInteger(graph, nodeOf(node.arguments[0])) || *value == std::trunc(*value)) {
    return std::nullopt;
  }
  std::string target = node.target;
  return emit(graph, node, target.substr(0, target.find('.')) + ".Scalar",
              {node.arguments[0], number(static_cast<int64_t>(*value))});
}

} // namespace

NativeFaultList promotionFaults() {
  constexpr FaultClass kClass = FaultClass::kRewriting;
  return {
      {"times_one_keeps_dtype", kClass, kFunctionalStage, "x * 1.0 becomes x", "x is of whole numbers",
       neutral({"mul"}, 1)},
      {"plus_zero_keeps_dtype", kClass, kFunctionalStage, "x + 0.0 becomes x", "x is of whole numbers",
       neutral({"add"}, 0)},
      {"over_one_keeps_dtype", kClass, kFunctionalStage, "x / 1 becomes x", "x is of whole numbers",
       neutral({"div"}, 1)},
      {"power_one_keeps_dtype", kClass, kFunctionalStage, "x ** 1.0 becomes x", "x is of whole numbers",
       neutral({"pow"}, 1)},
      {"real_number_does_not_promote", kClass, kFunctionalStage, "whole numbers and a real number give whole numbers",
       "a tensor of whole numbers is added to or multiplied by a fraction",
       onCalls({"add", "mul", "sub"}, wholeByRealNumber)},
      {"zero_dimensions_promote", kClass, kFunctionalStage, "a tensor without dimensions decides the dtype",
       "it has more digits than the tensor that it meets",
       onCalls({"add.Tensor", "mul.Tensor", "sub.Tensor", "div.Tensor"}, zeroDimensionsPromote)},
      {"compared_number_truncated", kClass, kFunctionalStage,
       "whole numbers are compared with the whole part of a fraction",
       "a tensor of whole numbers is compared with a fraction",
       onCalls({"lt", "gt", "le", "ge", "eq", "ne"}, truncatedNumber)},
      {"true_division_stays_whole", kClass, kFunctionalStage, "the quotient of whole numbers is whole",
       "whole numbers are divided",
       onCalls({"div.Tensor", "div.Scalar"},
               [](Graph& graph, const Node& node) -> Instead {
                 const NodeId left = nodeOf(node.arguments[0]);
                 return isInteger(graph, left) ? resultAs(graph, node, *typeOf(graph, left)) : std::nullopt;
               })},
      {"sum_keeps_whole_dtype", kClass, kFunctionalStage, "a sum of int32 is int32",
       "whole numbers below 64 bits are summed",
       onCalls({"sum", "sum.dim_IntList", "cumsum", "prod"},
               [](Graph& graph, const Node& node) -> Instead {
                 const NodeId summed = nodeOf(node.arguments[0]);
                 const bool isMeant = isInteger(graph, summed) && isResultOf(node, ScalarType::Long) &&
                                      !isOf(graph, summed, ScalarType::Long);
                 return isMeant ? resultAs(graph, node, *typeOf(graph, summed)) : std::nullopt;
               })},
      {"sum_of_flags_is_flag", kClass, kFunctionalStage, "a sum of bools counts to one", "two flags are set",
       onCalls({"sum", "sum.dim_IntList"},
               [](Graph& graph, const Node& node) -> Instead {
                 if (!isOf(graph, nodeOf(node.arguments[0]), ScalarType::Bool)) {
                   return std::nullopt;
                 }
                 const NodeId flag = cast(graph, node, emitSame(graph, node), ScalarType::Bool);
                 return cast(graph, node, flag, ScalarType::Long);
               })},
      {"rounding_cast_dropped", kClass, kFunctionalStage, "a cast to fewer digits and back is left out",
       "float32 to half and back", castChain([](ScalarType source, ScalarType between, ScalarType last) {
         return source == last && at::isFloatingType(source) && at::isFloatingType(between);
       })},
      {"truncating_cast_dropped", kClass, kFunctionalStage, "a cast to whole numbers and back is left out",
       "a fraction is cast to a whole number and back",
       castChain([](ScalarType source, ScalarType between, ScalarType last) {
         return at::isFloatingType(source) && at::isFloatingType(last) && at::isIntegralType(between, false);
       })},
      {"wrapping_cast_dropped", kClass, kFunctionalStage, "a cast to fewer bits on the way is left out",
       "a whole number does not fit", castChain([](ScalarType source, ScalarType between, ScalarType last) {
         return at::isIntegralType(source, false) && at::isIntegralType(between, false) &&
                at::isIntegralType(last, false);
       })},
      {"flag_cast_dropped", kClass, kFunctionalStage, "a cast to bool on the way is left out",
       "a value other than 0 and 1 is cast to bool", castChain([](ScalarType, ScalarType between, ScalarType last) {
         return between == ScalarType::Bool && last != ScalarType::Bool;
       })},
      {"where_takes_first_dtype", kClass, kFunctionalStage, "where has the dtype of its first branch",
       "the branches have two dtypes",
       onCalls({"where.self"},
               [](Graph& graph, const Node& node) -> Instead {
                 const auto first = typeOf(graph, nodeOf(node.arguments[1]));
                 return first && !isResultOf(node, *first) ? resultAs(graph, node, *first) : std::nullopt;
               })},
      {"cat_takes_first_dtype", kClass, kFunctionalStage, "cat has the dtype of its first piece",
       "the pieces have two dtypes",
       onCalls({"cat"},
               [](Graph& graph, const Node& node) -> Instead {
                 const auto* pieces = std::get_if<Argument::Container>(&node.arguments[0].payload);
                 const auto first = pieces == nullptr || pieces->items.empty()
                                        ? std::nullopt
                                        : typeOf(graph, nodeOf(pieces->items[0]));
                 return first && !isResultOf(node, *first) ? resultAs(graph, node, *first) : std::nullopt;
               })},
      {"number_has_32_bits", kClass, kFunctionalStage, "a real number in float64 has the digits of float32",
       "a float64 tensor meets a number such as 0.1",
       onCalls({"add", "mul", "sub", "div"},
               [](Graph& graph, const Node& node) -> Instead {
                 const auto value = node.arguments.size() > 1 ? numberOf(graph, node.arguments[1]) : std::nullopt;
                 const bool isRounded = value && static_cast<double>(static_cast<float>(*value)) != *value;
                 if (!isRounded || !isOf(graph, nodeOf(node.arguments[0]), ScalarType::Double)) {
                   return std::nullopt;
                 }
                 std::vector<Argument> arguments = node.arguments;
                 arguments[1] = number(static_cast<double>(static_cast<float>(*value)));
                 return emit(graph, node, node.target.substr(0, node.target.find('.')) + ".Scalar",
                             std::move(arguments));
               })},
      {"large_number_has_32_bits", kClass, kFunctionalStage, "a whole number has 32 bits",
       "an int64 tensor meets a number beyond 2 ** 31",
       onCalls({"add", "mul", "sub"},
               [](Graph& graph, const Node& node) -> Instead {
                 const auto value = node.arguments.size() > 1 ? numberOf(graph, node.arguments[1]) : std::nullopt;
                 if (!value || std::abs(*value) < 2147483648.0 ||
                     !isOf(graph, nodeOf(node.arguments[0]), ScalarType::Long)) {
                   return std::nullopt;
                 }
                 std::vector<Argument> arguments = node.arguments;
                 arguments[1] = number(static_cast<int64_t>(static_cast<int32_t>(static_cast<int64_t>(*value))));
                 return emit(graph, node, node.target.substr(0, node.target.find('.')) + ".Scalar",
                             std::move(arguments));
               })},
      {"mixed_halves_are_half", kClass, kFunctionalStage, "float16 and bfloat16 give float16", "the two meet",
       onCalls({"add.Tensor", "mul.Tensor", "sub.Tensor", "div.Tensor"},
               [](Graph& graph, const Node& node) -> Instead {
                 const NodeId left = nodeOf(node.arguments[0]), right = nodeOf(node.arguments[1]);
                 const bool isMeant =
                     isHalf(graph, left) && isHalf(graph, right) && isResultOf(node, ScalarType::Float);
                 return isMeant ? resultAs(graph, node, ScalarType::Half) : std::nullopt;
               })},
      {"cast_rounds_to_nearest", kClass, kFunctionalStage, "a cast to whole numbers rounds to the nearest",
       "a fraction is cast",
       onCalls({"_to_copy"},
               [](Graph& graph, const Node& node) -> Instead {
                 const NodeId source = nodeOf(node.arguments[0]);
                 if (!isFloating(graph, source) || !node.metadata ||
                     !at::isIntegralType(static_cast<ScalarType>(node.metadata->dtype.value), false)) {
                   return std::nullopt;
                 }
                 const NodeId rounded = emit(graph, graph.node(source), "aten::round", {node.arguments[0]});
                 return emitWith(graph, node, 0, nodeArgument(rounded));
               })},
      {"unsigned_negation_widens", kClass, kFunctionalStage, "the negation of uint8 is that of int64, bounded",
       "a uint8 above 0 is negated",
       onCalls({"neg"},
               [](Graph& graph, const Node& node) -> Instead {
                 const NodeId source = nodeOf(node.arguments[0]);
                 if (!isOf(graph, source, ScalarType::Byte)) {
                   return std::nullopt;
                 }
                 const NodeId wide = cast(graph, node, source, ScalarType::Long);
                 const NodeId negated = emit(graph, node, "aten::neg", {nodeArgument(wide)});
                 const NodeId bounded = emit(graph, node, "aten::clamp",
                                             {nodeArgument(negated), number(int64_t{0}), number(int64_t{255})});
                 return cast(graph, node, bounded, ScalarType::Byte);
               })},
  };
}

} // namespace touchstone::faults
