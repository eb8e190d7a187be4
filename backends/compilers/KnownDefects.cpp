#include "backends/compilers/KnownDefects.h"

#include "backends/compilers/DefectOperators.h"

#include <torch/csrc/jit/runtime/graph_executor.h>

#include <algorithm>
#include <utility>

namespace touchstone::compilers {

namespace {

using ir::Graph;
using ir::Node;
using ir::NodeKind;

// Of the process: a backward may be compiled on a thread of its own.
DefectsAvoided* innermost = nullptr;

} // namespace

const std::vector<KnownDefect>& knownDefects() {
  constexpr bool kShowsAlone = true;
  // A gradient that is wrong is a value where the Program asks for it, and what its formula raises is raised in the forward.
  constexpr std::string_view kGradient = "Differs/", kRaised = "BackendRejected/",
                             kBackward = "BackendRejected/backward";
  static const std::vector<KnownDefect> table{
      {"bool_of_one_element_is_a_number", "InternalError/", "We don't have an op for", hasBool, CallForm::kStandIn},
      {"zeros_of_both_signs", "Differs/", "", hasZeroOfOneSign, CallForm::kOwnOfBits},
      // Before what is written with effects, past which no write is moved.
      {"write_becomes_a_result", "", "", isInPlaceOfAten, CallForm::kStandIn, kShowsAlone},
      {"write_becomes_a_result", "Differs/", "", isInPlaceOfAten, CallForm::kStandIn, kShowsAlone, isInTheWayOfWrites},
      {"write_becomes_a_result", "BackendRejected/forward", "", isInPlaceOfAten, CallForm::kStandIn, kShowsAlone,
       isInTheWayOfWrites},
      {"unread_draw_is_left_out", "", "", draws, CallForm::kStandInWithEffects},
      {"constant_that_is_returned_is_shared", "", "", isMadeOfConstants, CallForm::kStandInOfGraph},
      {"views_that_a_schema_hides", "", "", hidesViews, CallForm::kStandInThatMayAlias},
      {"write_to_a_list_is_left_out", "", "", writesToList, CallForm::kStandInThatMayAlias},
      {"write_to_a_list_is_left_out", "Differs/gradient", "", writesToList, CallForm::kStandInThatMayAlias},
      {"write_to_a_list_is_left_out", kBackward, "", writesToList, CallForm::kStandInThatMayAlias},
      {"write_to_statistics_is_not_seen", "", "", writesStatistics, CallForm::kStandInThatMayAlias},
      {"equal_values_become_one", "Differs/partition", "", hasEqual, CallForm::kStandInWithEffects},
      {"equal_values_become_one", "Differs/identity", "", hasEqual, CallForm::kStandInWithEffects},
      {"equal_values_become_one", "Differs/effect", "", hasEqual, CallForm::kStandInWithEffects},
      {"equal_values_become_one", kRaised, "modified by an inplace operation", hasEqual, CallForm::kStandInWithEffects},
      {"addmm_in_two_steps", "Differs/strides", "", isAddmm, CallForm::kStandIn, kShowsAlone},
      {"addmm_in_two_steps", "Differs/dtype", "", isAddmm, CallForm::kStandIn, kShowsAlone},
      {"addmm_in_two_steps", "Differs/partition", "", isAddmm, CallForm::kStandIn, kShowsAlone},
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
      {"transposed_behind_a_write", "Differs/shape", "", isTransposedAgain, CallForm::kStandIn},
      {"transposed_behind_a_write", "Differs/values", "", isTransposedAgain, CallForm::kStandIn},
      {"transposed_behind_a_write", "BackendRejected/forward", "", isTransposedAgain, CallForm::kStandIn},
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
      {"gradient_of_a_variance", kGradient, "", isStandardDeviation, CallForm::kStandIn, kShowsAlone},
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
      {"gradient_before_a_batch_norm_of_nothing", "InternalError/backward", "We don't have an op for", isBatchNorm,
       CallForm::kStandIn, kShowsAlone, isBesideBatchNorm},
      {"gradient_of_a_product_with_a_vector", kRaised, "failed in the TorchScript interpreter", isMatmul,
       CallForm::kStandIn, kShowsAlone},
      {"view_beside_a_pooling", kRaised, "vector::_M_range_check", isPoolingWithIndices, CallForm::kStandIn},
      {"product_of_two_concatenations", kRaised, "failed in the TorchScript interpreter", isCat, CallForm::kStandIn},
      {"gradient_where_a_value_is_nan", kGradient, "", isMasked, CallForm::kStandIn, kShowsAlone},
      {"product_with_a_transposed_is_linear", "Differs/values", "", isProductWithTransposed, CallForm::kStandIn,
       kShowsAlone, isTransposition},
      {"gradient_of_a_product_has_other_strides", "Differs/strides", "", isProduct, CallForm::kStandIn},
      {"gradient_of_a_product_has_other_strides", "Differs/values", "", isProduct, CallForm::kStandIn, kShowsAlone,
       isTransposition},
      {"gradient_of_another_dtype", kRaised, "failed in the TorchScript interpreter", mixesDtypes, CallForm::kStandIn},
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
      {"part_of_a_gradient_behind_a_write", "Differs/gradient_values", "", isViewThatIsWritten, CallForm::kStandIn},
      {.name = "part_of_a_gradient_behind_a_write_elsewhere",
       .symptom = "Differs/gradient_values",
       .concerns = isViewThatIsReturned,
       .form = CallForm::kStandIn,
       .beside = writesToWhatIsGiven},
      {"write_to_a_view_of_addmm", "BackendRejected", "a leaf Variable that requires grad", isAnyOperator,
       CallForm::kStandIn},
      {"hook_on_a_result_beside", kRaised, "'NoneType'", isAnyOperator, CallForm::kStandIn},
      {"hook_on_a_result_beside", kRaised, "but hook returned", isAnyOperator, CallForm::kStandIn},
      {"formula_saves_what_is_written", kRaised, "modified by an inplace operation", isAnyOperator, CallForm::kStandIn},
      {"formula_saves_what_is_written", kRaised, "has been modified inplace", savesWhatIsWritten, CallForm::kStandIn,
       kShowsAlone, isBesideWhatIsWritten},
      {"formula_saves_what_is_written", "Differs/version", "eager true, compiled false", savesWhatIsWritten,
       CallForm::kStandIn, kShowsAlone, isBesideWhatIsWritten},
      {"part_of_a_backward_is_over", kBackward, "backward through the graph a second time", isAnyOperator,
       CallForm::kStandIn},
      {"tangents_added_before_a_product", "Differs/gradient_values", "", isAddmm, CallForm::kStandIn},
      {"equal_values_are_differentiated_as_one", "Differs/gradient_values", "", hasEqual, CallForm::kOwnApart},
      {"gradients_added_in_another_order", "Differs/gradient_values", "eager nan", isAnyOperator, CallForm::kOwnApart},
      {"gradients_added_in_another_order", "Differs/gradient_values", "compiled nan", isAnyOperator,
       CallForm::kOwnApart},
      {"large_gradients_in_another_order", "Differs/gradient_values", "", readsWhatIsReadThrice, CallForm::kOwnApart},
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

std::set<std::string_view> DefectsAvoided::met() const {
  std::set<std::string_view> names = met_;
  for (const KnownDefect& defect : knownDefects()) {
    if (defect.beside != nullptr && !besides_.contains(defect.name)) {
      names.erase(defect.name);
    }
  }
  return names;
}

CallForm DefectsAvoided::formOf(const Graph& graph, const Node& node) {
  // What is not left is to go wrong in no way.
  if (left_ && (left_(graph, node) || node.kind == NodeKind::kElement)) {
    return CallForm::kOwn;
  }
  CallForm form = left_ && node.kind == NodeKind::kOperator ? CallForm::kStandIn : CallForm::kOwn;
  bool isApart = false;
  for (const KnownDefect& defect : knownDefects()) {
    if (defect.beside != nullptr && defect.beside(graph, node)) {
      besides_.insert(defect.name);
    }
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
