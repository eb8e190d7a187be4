#include "backends/compilers/KnownDefects.h"

#include "graph/ir/Subgraph.h"
#include "graph/runtime/Interpreter.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/enum_tag.h>
#include <ATen/ops/view_as_real.h>
#include <c10/core/ScalarType.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

namespace touchstone::compilers {

namespace {

using ir::Graph;
using ir::Node;
using ir::NodeKind;

// Of the process: a backward may be compiled on a thread of its own.
DefectsAvoided* innermost = nullptr;

bool isCallOf(const Node& node, std::initializer_list<std::string_view> targets) {
  return node.kind == NodeKind::kOperator && std::find(targets.begin(), targets.end(), node.target) != targets.end();
}

bool isAnyOperator(const Graph&, const Node& node) {
  return node.kind == NodeKind::kOperator;
}

bool draws(const Graph&, const Node& node) {
  if (node.kind != NodeKind::kOperator) {
    return false;
  }
  const auto op = runtime::findOperator(node.target);
  return op.has_value() && op->hasTag(at::Tag::nondeterministic_seeded);
}

/// A tensor that is made of constants alone.
bool isMadeOfConstants(const Graph&, const Node& node) {
  bool readsNothing = node.kind == NodeKind::kConstant || node.kind == NodeKind::kOperator;
  for (const ir::Argument& argument : node.arguments) {
    ir::forEachReference(argument, [&](ir::NodeId) { readsNothing = false; });
  }
  return readsNothing;
}

bool isComplex(const Node& node) {
  return node.metadata.has_value() && c10::isComplexType(static_cast<at::ScalarType>(node.metadata->dtype.value));
}

/// Reads or makes a complex tensor.
bool isOfComplexTensors(const Graph& graph, const Node& node) {
  bool found = isComplex(node);
  ir::forEachOperand(node, [&](ir::NodeId operand) { found = found || isComplex(graph.node(operand)); });
  return found && node.kind == NodeKind::kOperator;
}

/// Gives views, or operands themselves, and its schema does not say so.
bool hidesViews(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::broadcast_tensors", "aten::meshgrid", "aten::meshgrid.indexing", "aten::atleast_1d",
                         "aten::atleast_2d", "aten::atleast_3d", "aten::type_as", "aten::dropout",
                         "aten::alpha_dropout", "aten::feature_dropout", "aten::feature_alpha_dropout"});
}

/// Writes to the tensors of a list, which TorchScript's schemas of aliases do not say of it.
bool writesToList(const Graph&, const Node& node) {
  const auto op = node.kind == NodeKind::kOperator ? runtime::findOperator(node.target) : std::nullopt;
  return op.has_value() && std::any_of(op->schema().arguments().begin(), op->schema().arguments().end(),
                                       [](const c10::Argument& argument) {
                                         return argument.alias_info() != nullptr && argument.alias_info()->isWrite() &&
                                                argument.type()->kind() == c10::TypeKind::ListType;
                                       });
}

/// The same, or constants of one value: TorchScript pools them.
bool isEqual(const Graph& graph, const ir::Argument& left, const ir::Argument& right) {
  const auto* ofLeft = std::get_if<ir::NodeReference>(&left.payload);
  const auto* ofRight = std::get_if<ir::NodeReference>(&right.payload);
  if (left == right || ofLeft == nullptr || ofRight == nullptr ||
      graph.node(ofLeft->node).kind != NodeKind::kConstant || graph.node(ofRight->node).kind != NodeKind::kConstant) {
    return left == right;
  }
  const at::Tensor& value = runtime::constantOf(graph, graph.node(ofLeft->node));
  const at::Tensor& other = runtime::constantOf(graph, graph.node(ofRight->node));
  return value.scalar_type() == other.scalar_type() && value.equal(other);
}

/// Another one computes the same.
bool hasEqual(const Graph& graph, const Node& node) {
  return node.kind == NodeKind::kOperator &&
         std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const Node& other) {
           return &other != &node && other.target == node.target &&
                  std::equal(
                      other.arguments.begin(), other.arguments.end(), node.arguments.begin(), node.arguments.end(),
                      [&](const ir::Argument& left, const ir::Argument& right) { return isEqual(graph, left, right); });
         });
}

/// Reads and makes tensors of several floating-point dtypes.
bool mixesDtypes(const Graph& graph, const Node& node) {
  std::set<int64_t> dtypes;
  const auto note = [&](const Node& each) {
    if (each.metadata.has_value() && c10::isFloatingType(static_cast<at::ScalarType>(each.metadata->dtype.value))) {
      dtypes.insert(each.metadata->dtype.value);
    }
  };
  note(node);
  ir::forEachOperand(node, [&](ir::NodeId operand) { note(graph.node(operand)); });
  return node.kind == NodeKind::kOperator && dtypes.size() > 1;
}

bool isBesideMixedDtypes(const Graph& graph, const Node& node) {
  return isAnyOperator(graph, node) && !mixesDtypes(graph, node);
}

/// Writes to what it is called on: `aten::add_.Tensor`.
bool isInPlace(const Graph&, const Node& node) {
  return node.kind == NodeKind::kOperator && node.target.substr(0, node.target.find('.')).ends_with('_');
}

bool isCat(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::cat"});
}

/// A mean over a list of dimensions that is empty, or None: over all.
bool isMeanOverNoDimension(const Graph&, const Node& node) {
  if (!isCallOf(node, {"aten::mean.dim"})) {
    return false;
  }
  const auto* dimensions = std::get_if<ir::Argument::Container>(&node.arguments.at(1).payload);
  return dimensions == nullptr || dimensions->items.empty();
}

bool isProduct(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::matmul", "aten::mm", "aten::bmm", "aten::mv", "aten::addmm", "aten::linear"});
}

bool isMatmul(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::matmul"});
}

bool isTransposition(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::t", "aten::transpose.int"});
}

/// The node that an argument is.
const Node* nodeOf(const Graph& graph, const Node& node, size_t argument) {
  const auto* reference = std::get_if<ir::NodeReference>(&node.arguments.at(argument).payload);
  return reference == nullptr ? nullptr : &graph.node(reference->node);
}

bool isTransposedAgain(const Graph& graph, const Node& node) {
  const Node* operand = isTransposition(graph, node) ? nodeOf(graph, node, 0) : nullptr;
  return operand != nullptr && isTransposition(graph, *operand);
}

bool isProductWithTransposed(const Graph& graph, const Node& node) {
  const Node* operand = isMatmul(graph, node) ? nodeOf(graph, node, 1) : nullptr;
  return operand != nullptr && isTransposition(graph, *operand);
}

bool isDetach(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::detach"});
}

bool isReciprocal(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::reciprocal", "aten::rsqrt"});
}

bool isQuotient(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::div.Tensor"});
}

/// The number that an argument is, or a constant tensor of one element holds.
std::optional<double> numberOf(const Graph& graph, const ir::Argument& argument) {
  if (const auto* integer = std::get_if<int64_t>(&argument.payload)) {
    return static_cast<double>(*integer);
  }
  if (const auto* number = std::get_if<double>(&argument.payload)) {
    return *number;
  }
  const auto* reference = std::get_if<ir::NodeReference>(&argument.payload);
  if (reference == nullptr || graph.node(reference->node).kind != NodeKind::kConstant) {
    return std::nullopt;
  }
  const at::Tensor& tensor = runtime::constantOf(graph, graph.node(reference->node));
  return tensor.numel() == 1 && !tensor.is_complex() ? std::optional(tensor.item<double>()) : std::nullopt;
}

/// The sign bits of the zeros that a constant or the numbers of an operator hold.
std::set<bool> signsOfZeros(const Graph& graph, const Node& node) {
  std::set<bool> signs;
  if (node.kind == NodeKind::kConstant) {
    const at::Tensor& constant = runtime::constantOf(graph, node);
    if (hasSignedZeros(constant)) {
      const at::Tensor parts = constant.is_complex() ? at::view_as_real(constant) : constant;
      const at::Tensor negative = parts.signbit().masked_select(parts == 0);
      for (const bool sign : {false, true}) {
        if ((negative == sign).any().item<bool>()) {
          signs.insert(sign);
        }
      }
    }
  } else if (node.kind == NodeKind::kOperator) {
    for (const ir::Argument& argument : node.arguments) {
      if (const auto* number = std::get_if<double>(&argument.payload); number != nullptr && *number == 0) {
        signs.insert(std::signbit(*number));
      }
    }
  }
  return signs;
}

/// Has a zero, and another node has one of the other sign.
bool hasZeroOfOneSign(const Graph& graph, const Node& node) {
  const std::set<bool> signs = signsOfZeros(graph, node);
  return !signs.empty() && std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const Node& other) {
    const std::set<bool> others = signsOfZeros(graph, other);
    return &other != &node && !others.empty() && (others.size() == 2 || signs != others);
  });
}

/// One of its operands is a bool, or a tensor of one, which may be folded. A number that stands for a tensor has no metadata.
bool hasBool(const Graph& graph, const Node& node) {
  const auto isBool = [&](const ir::Argument& argument) {
    const auto* reference = std::get_if<ir::NodeReference>(&argument.payload);
    if (reference == nullptr || graph.node(reference->node).kind == NodeKind::kPlaceholder) {
      return std::holds_alternative<bool>(argument.payload);
    }
    if (graph.node(reference->node).kind == NodeKind::kConstant) {
      const at::Tensor& constant = runtime::constantOf(graph, graph.node(reference->node));
      return constant.scalar_type() == at::kBool && constant.numel() == 1;
    }
    const std::optional<ir::TensorMetadata>& made = graph.node(reference->node).metadata;
    return made.has_value() && static_cast<at::ScalarType>(made->dtype.value) == at::kBool &&
           std::all_of(made->sizes.begin(), made->sizes.end(), [](int64_t size) { return size == 1; });
  };
  return isCallOf(node, {"aten::add.Tensor", "aten::sub.Tensor", "aten::mul.Tensor", "aten::div.Tensor",
                         "aten::add.Scalar", "aten::sub.Scalar", "aten::mul.Scalar", "aten::div.Scalar"}) &&
         std::any_of(node.arguments.begin(), node.arguments.end(), isBool);
}

bool isSoftplus(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::softplus"});
}

/// x + 0, x - 0, x * 1, x / 1.
bool hasNeutralOperand(const Graph& graph, const Node& node) {
  const bool isSum = isCallOf(node, {"aten::add.Scalar", "aten::sub.Scalar", "aten::add.Tensor", "aten::sub.Tensor"});
  const bool isProduct =
      isCallOf(node, {"aten::mul.Scalar", "aten::div.Scalar", "aten::mul.Tensor", "aten::div.Tensor"});
  return (isSum && numberOf(graph, node.arguments.at(1)) == 0) ||
         (isProduct && numberOf(graph, node.arguments.at(1)) == 1);
}

bool isAddmm(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::addmm"});
}

bool isHardtanh(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::hardtanh"});
}

bool isThreshold(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::threshold"});
}

bool isClampByTensor(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::clamp.Tensor"});
}

bool isLarger(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::max.other", "aten::min.other"});
}

bool isHardsigmoid(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::hardsigmoid"});
}

using Concerns = decltype(KnownDefect::concerns);

/// Those that go into an operator that is concerned, and are not.
bool isBefore(const Graph& graph, const Node& node, Concerns concerns) {
  std::set<ir::NodeId> before;
  for (auto last = graph.nodes().rbegin(); last != graph.nodes().rend(); ++last) {
    const auto id = static_cast<ir::NodeId>(graph.nodes().rend() - last - 1);
    if (concerns(graph, *last) || before.contains(id)) {
      ir::forEachOperand(*last, [&](ir::NodeId operand) { before.insert(operand); });
    }
    if (&*last == &node) {
      return before.contains(id) && !concerns(graph, node);
    }
  }
  return false;
}

bool isBeforeClampByTensor(const Graph& graph, const Node& node) {
  return isBefore(graph, node, isClampByTensor);
}

bool isBesideComplexTensors(const Graph& graph, const Node& node) {
  return isAnyOperator(graph, node) && !isOfComplexTensors(graph, node);
}

/// And is no clamp by a tensor itself.
bool isBesideClampByTensor(const Graph& graph, const Node& node) {
  return isAnyOperator(graph, node) && !isClampByTensor(graph, node);
}

bool isBatchNorm(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::batch_norm"});
}

/// Writes to its running statistics, which its schema does not say.
bool writesStatistics(const Graph& graph, const Node& node) {
  return isBatchNorm(graph, node) && nodeOf(graph, node, 3) != nullptr &&
         std::get_if<bool>(&node.arguments.at(5).payload) != nullptr && std::get<bool>(node.arguments.at(5).payload);
}

bool isBeforeBatchNorm(const Graph& graph, const Node& node) {
  return isBefore(graph, node, isBatchNorm);
}

bool isPower(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::pow.Tensor_Scalar", "aten::pow.Tensor_Tensor"});
}

/// A result of the Graph that another node of it reads.
bool isResultThatIsRead(const Graph& graph, const Node& node) {
  if (node.kind != NodeKind::kOperator && node.kind != NodeKind::kElement) {
    return false;
  }
  const auto reads = [&](const ir::Argument& argument) {
    bool found = false;
    ir::forEachReference(argument, [&](ir::NodeId id) { found = found || &graph.node(id) == &node; });
    return found;
  };
  return reads(graph.output) && std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const Node& other) {
           return std::any_of(other.arguments.begin(), other.arguments.end(), reads);
         });
}

/// Its gradient is multiplied by 0 where eager's kernel writes 0.
bool isMasked(const Graph&, const Node& node) {
  return isCallOf(
      node, {"aten::clamp", "aten::clamp.Tensor", "aten::relu", "aten::relu6", "aten::hardtanh", "aten::threshold",
             "aten::hardshrink", "aten::hardswish", "aten::max.other", "aten::min.other", "aten::where.self"});
}

bool isUnderAutocast(const Graph&, const Node& node) {
  return node.kind == NodeKind::kOperator && !node.state.autocast.empty();
}

bool isStandardDeviation(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::std", "aten::std.dim", "aten::std.correction", "aten::var", "aten::var.dim",
                         "aten::var.correction"});
}

/// A linear map by what is a vector, as far as is known.
bool isLinearByVector(const Graph& graph, const Node& node) {
  const Node* weight = isCallOf(node, {"aten::linear"}) ? nodeOf(graph, node, 1) : nullptr;
  return weight != nullptr && (!weight->metadata.has_value() || weight->metadata->sizes.size() == 1);
}

/// A linear map from nothing.
bool isLinearOfNothing(const Graph& graph, const Node& node) {
  const Node* weight = isCallOf(node, {"aten::linear"}) ? nodeOf(graph, node, 1) : nullptr;
  return weight != nullptr &&
         (!weight->metadata.has_value() || (!weight->metadata->sizes.empty() && weight->metadata->sizes.back() == 0));
}

bool isBesideLinearByVector(const Graph& graph, const Node& node) {
  return isAnyOperator(graph, node) && !isLinearByVector(graph, node);
}

} // namespace

const std::vector<KnownDefect>& knownDefects() {
  constexpr bool kShowsAlone = true;
  // A gradient that is wrong is a value where the Program asks for it, and what its formula raises is raised in the forward.
  constexpr std::string_view kGradient = "Differs/", kRaised = "BackendRejected/",
                             kBackward = "BackendRejected/backward";
  static const std::vector<KnownDefect> table{
      {"bool_of_one_element_is_a_number", "InternalError/", "We don't have an op for", hasBool, CallForm::kStandIn},
      {"zeros_of_both_signs", "Differs/", "", hasZeroOfOneSign, CallForm::kOwnOfBits},
      {"unread_draw_is_left_out", "", "", draws, CallForm::kStandInWithEffects},
      {"constant_that_is_returned_is_shared", "", "", isMadeOfConstants, CallForm::kStandInOfGraph},
      {"views_that_a_schema_hides", "", "", hidesViews, CallForm::kStandInThatMayAlias},
      {"write_to_a_list_is_left_out", "", "", writesToList, CallForm::kStandInThatMayAlias},
      {"write_to_a_list_is_left_out", "Differs/gradient", "", writesToList, CallForm::kStandInThatMayAlias},
      {"write_to_a_list_is_left_out", kBackward, "", writesToList, CallForm::kStandInThatMayAlias},
      {"write_becomes_a_result", "", "", isInPlace, CallForm::kStandIn, kShowsAlone},
      {"write_to_statistics_is_not_seen", "", "", writesStatistics, CallForm::kStandInThatMayAlias},
      {"equal_values_become_one", "Differs/partition", "", hasEqual, CallForm::kStandInWithEffects},
      {"equal_values_become_one", "Differs/identity", "", hasEqual, CallForm::kStandInWithEffects},
      {"equal_values_become_one", "Differs/effect", "", hasEqual, CallForm::kStandInWithEffects},
      {"addmm_in_two_steps", "Differs/strides", "", isAddmm, CallForm::kStandIn, kShowsAlone},
      {"addmm_in_two_steps", "Differs/dtype", "", isAddmm, CallForm::kStandIn, kShowsAlone},
      {"addmm_in_two_steps", "Differs/values", "", isAddmm, CallForm::kStandIn, kShowsAlone},
      {"addmm_in_two_steps", "BackendRejected/forward", "view size is not compatible", isAddmm, CallForm::kStandIn,
       kShowsAlone},
      {"concatenation_of_a_concatenation", "Differs/values", "", isCat, CallForm::kStandIn},
      {"neutral_operand_is_left_out", "", "", hasNeutralOperand, CallForm::kStandIn},
      {"transposed_twice", "Differs/identity", "the same tensor", isTransposedAgain, CallForm::kStandIn},
      {"transposed_twice", "Differs/leaf", "", isTransposedAgain, CallForm::kStandIn},
      {"transposed_twice", "Differs/requires_grad", "eager false, compiled true", isTransposedAgain,
       CallForm::kStandIn},
      {"transposed_twice", "Differs/gradient", "", isTransposedAgain, CallForm::kStandIn},
      {"detach_is_left_out", "Differs/identity", "the same tensor", isDetach, CallForm::kStandIn},
      {"autocast_by_other_lists", "", "", isUnderAutocast, CallForm::kStandIn},
      {"gradient_times_a_mask", kGradient, "compiled nan", isMasked, CallForm::kStandIn, kShowsAlone},
      {"gradient_of_a_hardtanh_at_its_bound", kGradient, "", isHardtanh, CallForm::kStandIn, kShowsAlone},
      {"gradient_of_a_threshold_at_it", kGradient, "", isThreshold, CallForm::kStandIn, kShowsAlone},
      {"gradient_of_a_softplus", kGradient, "", isSoftplus, CallForm::kStandIn, kShowsAlone},
      {"gradient_of_a_mean_over_no_dimension", kGradient, "", isMeanOverNoDimension, CallForm::kStandIn, kShowsAlone},
      {"gradient_of_a_clamp_by_a_tensor", kGradient, "", isClampByTensor, CallForm::kStandIn, kShowsAlone},
      {"gradient_of_a_clamp_by_a_tensor", "InternalError/backward", "We don't have an op for", isClampByTensor,
       CallForm::kStandIn, kShowsAlone, isBesideClampByTensor},
      {"gradient_before_a_clamp_by_a_tensor", kRaised, "failed in the TorchScript interpreter", isClampByTensor,
       CallForm::kStandIn, kShowsAlone, isBeforeClampByTensor},
      {"gradient_before_a_clamp_by_a_tensor", kGradient, "", isClampByTensor, CallForm::kStandIn, kShowsAlone,
       isBeforeClampByTensor},
      {"gradient_of_a_maximum_of_equals", kGradient, "", isLarger, CallForm::kStandIn, kShowsAlone},
      {"gradient_of_a_deviation_of_one_element", kGradient, "compiled nan", isStandardDeviation, CallForm::kStandIn,
       kShowsAlone},
      {"gradient_of_a_reciprocal", kGradient, "", isReciprocal, CallForm::kStandIn, kShowsAlone},
      {"gradient_of_a_quotient", kGradient, "", isQuotient, CallForm::kStandIn, kShowsAlone},
      {"gradient_of_a_power", kGradient, "", isPower, CallForm::kStandIn, kShowsAlone},
      {"gradient_of_a_hardsigmoid", kGradient, "", isHardsigmoid, CallForm::kStandIn, kShowsAlone},
      {"gradient_of_complex_numbers", kGradient, "", isOfComplexTensors, CallForm::kStandIn, kShowsAlone},
      {"gradient_of_complex_numbers", kRaised, "", isOfComplexTensors, CallForm::kStandIn, kShowsAlone},
      {"gradient_of_complex_numbers", "InternalError/backward", "We don't have an op for", isOfComplexTensors,
       CallForm::kStandIn, kShowsAlone, isBesideComplexTensors},
      {"linear_with_a_vector_as_weight", kRaised, "failed in the TorchScript interpreter", isLinearByVector,
       CallForm::kStandIn, kShowsAlone, isBesideLinearByVector},
      {"gradient_of_a_linear_map_of_nothing", kRaised, "failed in the TorchScript interpreter", isLinearOfNothing,
       CallForm::kStandIn, kShowsAlone},
      {"gradient_before_a_batch_norm_of_nothing", kRaised, "failed in the TorchScript interpreter", isBatchNorm,
       CallForm::kStandIn, kShowsAlone, isBeforeBatchNorm},
      {"gradient_before_a_batch_norm_of_nothing", "InternalError/", "We don't have an op for", isBatchNorm,
       CallForm::kStandIn, kShowsAlone, isBeforeBatchNorm},
      {"gradient_of_a_product_with_a_vector", kRaised, "failed in the TorchScript interpreter", isMatmul,
       CallForm::kStandIn, kShowsAlone},
      {"product_of_two_concatenations", kRaised, "failed in the TorchScript interpreter", isCat, CallForm::kStandIn},
      {"gradient_where_a_value_is_nan", kGradient, "", isMasked, CallForm::kStandIn, kShowsAlone},
      {"product_with_a_transposed_is_linear", "Differs/values", "", isProductWithTransposed, CallForm::kStandIn,
       kShowsAlone, isTransposition},
      {"gradient_of_a_product_has_other_strides", "Differs/strides", "", isProduct, CallForm::kStandIn},
      {"gradient_of_a_product_has_other_strides", "Differs/values", "", isProduct, CallForm::kStandIn, kShowsAlone,
       isTransposition},
      {"gradient_of_another_dtype", kBackward, "failed in the TorchScript interpreter", mixesDtypes,
       CallForm::kStandIn},
      {"gradient_of_another_dtype", "InternalError/backward", "We don't have an op for", mixesDtypes,
       CallForm::kStandIn},
      {"gradient_of_another_dtype", "InternalError/backward", "failed in the TorchScript interpreter", mixesDtypes,
       CallForm::kStandIn},
      {"gradient_of_another_dtype", "Differs/gradient_values", "", mixesDtypes, CallForm::kStandIn, kShowsAlone,
       isBesideMixedDtypes},
      {"autocast_by_other_lists", "Differs/gradient", "", isUnderAutocast, CallForm::kStandIn},
      {"autocast_by_other_lists", kBackward, "", isUnderAutocast, CallForm::kStandIn},
      {"part_of_the_gradient_of_a_result", "Differs/gradient_values", "", isResultThatIsRead, CallForm::kOwnHandedOn},
      {"part_of_the_gradient_of_a_result", "Differs/values", "", isResultThatIsRead, CallForm::kOwnHandedOn},
      {"part_of_the_gradient_of_a_result", "BackendRejected/forward", "appears to not have been used in the graph",
       isResultThatIsRead, CallForm::kOwnHandedOn},
      {"gradient_that_becomes_zero", "Differs/gradient_presence", "eager None, compiled a tensor", isAnyOperator,
       CallForm::kStandIn},
      {"gradient_that_becomes_zero", kBackward, "is not implemented", isAnyOperator, CallForm::kStandIn},
      {"result_beside_one_that_requires_grad", "Differs/requires_grad", "eager false, compiled true", isAnyOperator,
       CallForm::kStandIn},
      {"result_beside_one_that_requires_grad", "Differs/input_metadata", "requires_grad: eager false, compiled true",
       isAnyOperator, CallForm::kStandIn},
      {"result_beside_one_that_requires_grad", "BackendRejected/forward", "Inference tensors cannot be saved",
       isAnyOperator, CallForm::kStandIn},
      {"result_beside_one_that_requires_grad", "BackendRejected/forward", "don't support automatic differentiation",
       isAnyOperator, CallForm::kStandIn},
      {"result_that_is_no_view", "Differs/requires_grad", "eager true, compiled false", isAnyOperator,
       CallForm::kStandIn},
      {"result_that_is_no_view", "Differs/recompiles", "", isAnyOperator, CallForm::kStandIn},
      {"write_behind_a_result", "Differs/gradient_presence", "eager a tensor, compiled None", isAnyOperator,
       CallForm::kStandIn},
      {"write_to_a_view_of_addmm", "BackendRejected", "a leaf Variable that requires grad", isAnyOperator,
       CallForm::kStandIn},
      {"hook_on_a_result_beside", kRaised, "'NoneType'", isAnyOperator, CallForm::kStandIn},
      {"hook_on_a_result_beside", kRaised, "but hook returned", isAnyOperator, CallForm::kStandIn},
      {"formula_saves_what_is_written", kRaised, "modified by an inplace operation", isAnyOperator, CallForm::kStandIn},
      {"tangents_added_before_a_product", "Differs/gradient_values", "", isAddmm, CallForm::kStandIn},
      {"equal_values_are_differentiated_as_one", "Differs/gradient_values", "", hasEqual, CallForm::kOwnApart},
      {"gradients_added_in_another_order", "Differs/gradient_values", "eager nan", isAnyOperator, CallForm::kOwnApart},
      {"gradients_added_in_another_order", "Differs/gradient_values", "compiled nan", isAnyOperator,
       CallForm::kOwnApart},
  };
  return table;
}

LoneOperatorsDifferentiated::LoneOperatorsDifferentiated() {
  torch::jit::debugSetAutodiffSubgraphInlining(false);
}

LoneOperatorsDifferentiated::~LoneOperatorsDifferentiated() {
  torch::jit::debugSetAutodiffSubgraphInlining(true);
}

DefectsAvoided::DefectsAvoided(std::set<std::string_view> names)
    : avoided_(std::move(names)), outer_(std::exchange(innermost, this)) {
  const bool handsOn = std::any_of(knownDefects().begin(), knownDefects().end(), [&](const KnownDefect& defect) {
    return (defect.form == CallForm::kOwnHandedOn || defect.form == CallForm::kOwnApart) &&
           avoided_.contains(defect.name);
  });
  if (handsOn) {
    loneOperators_.emplace();
  }
}

DefectsAvoided::DefectsAvoided(Operators left) : left_(std::move(left)), outer_(std::exchange(innermost, this)) {
  loneOperators_.emplace();
}

DefectsAvoided::~DefectsAvoided() {
  innermost = outer_;
}

CallForm DefectsAvoided::formOf(const Graph& graph, const Node& node) {
  // What is not left is to go wrong in no way.
  if (left_ && (left_(graph, node) || node.kind == NodeKind::kElement)) {
    return CallForm::kOwn;
  }
  CallForm form = left_ && node.kind == NodeKind::kOperator ? CallForm::kStandIn : CallForm::kOwn;
  bool isApart = false;
  for (const KnownDefect& defect : knownDefects()) {
    if (!defect.concerns(graph, node)) {
      continue;
    }
    met_.insert(defect.name);
    // With effects it is not folded, either; any stand-in has no formula, and is differentiated apart.
    if ((left_ || avoided_.contains(defect.name)) && form <= CallForm::kStandIn) {
      isApart = isApart || (!left_ && defect.form == CallForm::kOwnApart);
      form = std::max(form, defect.form);
    }
  }
  // A stand-in would be made one with an equal one.
  return isApart && form == CallForm::kStandIn ? CallForm::kStandInWithEffects : form;
}

CallForm callFormOf(const Graph& graph, const Node& node) {
  const CallForm form = innermost == nullptr ? CallForm::kOwn : innermost->formOf(graph, node);
  // TorchScript knows by name what draws: of two stand-ins it would make one.
  return form == CallForm::kStandIn && draws(graph, node) ? CallForm::kStandInWithEffects : form;
}

} // namespace touchstone::compilers
