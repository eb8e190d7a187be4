#include "backends/faults/NativeFault.h"

#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/MemoryFormat.h>

#include <algorithm>

namespace touchstone::faults {

namespace {

using aot_autograd::ViewAndMutationMetadata;
using backends::CompiledGraph;
using ir::Argument;
using ir::Graph;
using ir::Node;
using ir::nodeArgument;

/// Every result that is meant becomes what is made of it.
CallChange onResults(std::function<bool(const at::Tensor& result)> isMeant,
                     std::function<at::Tensor(const at::Tensor& result)> made) {
  return [=](const CompiledGraph& compiled, std::vector<at::Tensor> inputs, CallHistory&) {
    const std::vector<at::Tensor> given = inputs;
    std::vector<at::Tensor> results = compiled.run(std::move(inputs));
    for (at::Tensor& result : results) {
      const auto isResult = [&](const at::Tensor& input) { return input.is_same(result); };
      if (result.defined() && !std::any_of(given.begin(), given.end(), isResult) && isMeant(result)) {
        result = made(result);
      }
    }
    return results;
  };
}

/// Laid out in the order of its dimensions, whatever it was.
at::Tensor laidInOrder(const at::Tensor& result) {
  return result.clone(at::MemoryFormat::Contiguous);
}

at::Tensor cloned(const at::Tensor& result) {
  return result.clone();
}

bool isFresh(const at::Tensor& result) {
  return !result.is_view();
}

/// Where results lie is changed.
PlanChange onPlaces(std::function<bool(const aot_autograd::PlacePlan& place)> isMeant,
                    std::function<void(ir::TensorMetadata& geometry)> change) {
  return [=](ViewAndMutationMetadata& plan) {
    for (aot_autograd::MadePlan& made : plan.made) {
      if (isMeant(made.place)) {
        change(made.place.geometry);
      }
    }
  };
}

bool isInInput(const aot_autograd::PlacePlan& place) {
  return place.inputStorage >= 0;
}

bool isInNew(const aot_autograd::PlacePlan& place) {
  return place.memory >= 0;
}

void toStart(ir::TensorMetadata& geometry) {
  geometry.offset = 0;
}

/// Whether two nodes read the same memory as a view of it or are it.
NodeRewrite copied(std::vector<std::string_view> names) {
  return onCalls(std::move(names), [](Graph& graph, const Node& node) -> Instead {
    return emit(graph, node, "aten::clone", {nodeArgument(emitSame(graph, node)), Argument{}});
  });
}

} // namespace

NativeFaultList viewFaults() {
  constexpr FaultClass kClass = FaultClass::kViews;
  return {
      {"fresh_results_contiguous", kClass, kMetadataStage, "a new result is contiguous", "eager's is not",
       onResults([](const at::Tensor& result) { return isFresh(result) && !result.is_contiguous(); }, laidInOrder)},
      {"channels_last_lost", kClass, kMetadataStage, "a new result in channels_last is contiguous", "such a result",
       onResults(
           [](const at::Tensor& result) {
             return isFresh(result) && result.dim() == 4 && !result.is_contiguous() &&
                    result.is_contiguous(at::MemoryFormat::ChannelsLast);
           },
           laidInOrder)},
      {"transposed_matrix_contiguous", kClass, kMetadataStage,
       "a new matrix that is transposed in memory is contiguous", "such a result",
       onResults(
           [](const at::Tensor& result) {
             return isFresh(result) && result.dim() == 2 && !result.is_contiguous() && result.t().is_contiguous();
           },
           laidInOrder)},
      {"three_dimensions_contiguous", kClass, kMetadataStage, "a new result of three dimensions is contiguous",
       "eager's is not",
       onResults(
           [](const at::Tensor& result) { return isFresh(result) && result.dim() == 3 && !result.is_contiguous(); },
           laidInOrder)},
      {"view_result_copied", kClass, kMetadataStage, "a result that is a view is a copy", "a view is returned",
       onResults([](const at::Tensor& result) { return result.is_view(); }, cloned)},
      {"view_of_view_result_copied", kClass, kMetadataStage, "a result with an offset is a copy",
       "a view that does not begin at its base's beginning is returned",
       onResults([](const at::Tensor& result) { return result.is_view() && result.storage_offset() > 0; }, cloned)},
      {"whole_view_result_copied", kClass, kMetadataStage, "a result of whole numbers that is a view is a copy",
       "such a view is returned",
       onResults([](const at::Tensor& result) { return result.is_view() && !result.is_floating_point(); }, cloned)},
      {"expanded_result_copied", kClass, kMetadataStage, "an expanded result has memory for all elements",
       "an expanded view is returned",
       onResults(
           [](const at::Tensor& result) {
             return std::find(result.strides().begin(), result.strides().end(), 0) != result.strides().end() &&
                    result.numel() > 0;
           },
           laidInOrder)},
      {"view_without_dimensions_copied", kClass, kMetadataStage, "a result without dimensions that is a view is a copy",
       "one element of a tensor is returned",
       onResults([](const at::Tensor& result) { return result.is_view() && result.dim() == 0; }, cloned)},
      {"offset_in_argument_lost", kClass, kMetadataStage, "a result in an argument's memory begins at its beginning",
       "a slice of an argument is returned", onPlaces(isInInput, toStart)},
      {"offset_in_new_memory_lost", kClass, kMetadataStage, "a view of a new result begins at its beginning",
       "a slice of a new result is returned", onPlaces(isInNew, toStart)},
      {"offset_of_whole_numbers_lost", kClass, kMetadataStage,
       "a result of whole numbers in an argument's memory begins at its beginning",
       "a slice of such an argument is returned", PlanChange([](ViewAndMutationMetadata& plan) {
         for (aot_autograd::MadePlan& made : plan.made) {
           const auto type = static_cast<at::ScalarType>(made.place.geometry.dtype.value);
           if (isInInput(made.place) && at::isIntegralType(type, true)) {
             made.place.geometry.offset = 0;
           }
         }
       })},
      {"strides_of_view_recomputed", kClass, kMetadataStage,
       "a result in an argument's memory has the strides of a contiguous tensor",
       "a transposed or expanded view of an argument is returned",
       onPlaces([](const aot_autograd::PlacePlan& place) { return isInInput(place) && place.geometry.offset == 0; },
                [](ir::TensorMetadata& geometry) { geometry.strides = ir::contiguousStrides(geometry.sizes); })},
      {"square_view_transposed", kClass, kMetadataStage, "a square view of an argument changes its strides",
       "a square matrix in an argument is returned",
       onPlaces(
           [](const aot_autograd::PlacePlan& place) {
             return isInInput(place) && place.geometry.sizes.size() == 2 &&
                    place.geometry.sizes[0] == place.geometry.sizes[1];
           },
           [](ir::TensorMetadata& geometry) { std::swap(geometry.strides[0], geometry.strides[1]); })},
      {"negative_bit_lost", kClass, kMetadataStage, "a result forgets that its memory is negated or conjugated",
       "a lazy view of a complex tensor is returned",
       onPlaces([](const aot_autograd::PlacePlan&) { return true; },
                [](ir::TensorMetadata& geometry) { geometry.conjugate = geometry.negative = false; })},
      {"clone_is_alias", kClass, kCapturedStage, "clone() gives the tensor itself",
       "one of the two is written to or returned", dropped({"clone"})},
      {"contiguous_does_nothing", kClass, kCapturedStage, "contiguous() gives the tensor itself",
       "it is not contiguous", dropped({"contiguous"})},
      {"reshape_copies", kClass, kCapturedStage, "reshape() gives a copy",
       "it could be a view, and is returned or written to", copied({"reshape", "flatten", "ravel"})},
      {"view_copies", kClass, kCapturedStage, "view() gives a copy", "the view is returned or written to",
       copied({"view"})},
      {"unsqueeze_copies", kClass, kCapturedStage, "unsqueeze() and squeeze() give a copy",
       "the view is returned or written to", copied({"unsqueeze", "squeeze"})},
      {"diagonal_copies", kClass, kCapturedStage, "diagonal() gives a copy", "the view is returned or written to",
       copied({"diagonal"})},
      {"detach_copies", kClass, kCapturedStage, "detach() gives a copy", "the alias is returned or written to",
       copied({"detach"})},
      {"memory_format_of_clone_lost", kClass, kCapturedStage, "clone() keeps the layout, whatever it was asked for",
       "clone(memory_format=…)", withArgument({"clone"}, 1, Argument{})},
      {"memory_format_of_contiguous_lost", kClass, kCapturedStage, "contiguous() forgets its memory format",
       "contiguous(memory_format=torch.channels_last)",
       onCalls({"contiguous"},
               [](Graph& graph, const Node& node) -> Instead {
                 const auto* format = std::get_if<ir::MemoryFormatConstant>(&node.arguments[1].payload);
                 return format != nullptr && format->value != 0
                            ? Instead(emitWith(graph, node, 1, Argument{ir::MemoryFormatConstant{0}}))
                            : std::nullopt;
               })},
      {"like_is_contiguous", kClass, kCapturedStage, "zeros_like and its kind are contiguous",
       "what they are like is not, and the result is returned",
       onCalls({"zeros_like", "ones_like", "full_like"},
               [](Graph& graph, const Node& node) -> Instead {
                 return node.arguments.back() == Argument{} ? Instead(emitWith(graph, node, node.arguments.size() - 1,
                                                                               Argument{ir::MemoryFormatConstant{0}}))
                                                            : std::nullopt;
               })},
      {"offset_of_strided_lost", kClass, kCapturedStage, "as_strided forgets its offset", "as_strided with an offset",
       withArgument({"as_strided"}, 3, number(int64_t{0}))},
      {"expand_copies", kClass, kCapturedStage, "expand() gives a copy", "the view is returned or written to",
       copied({"expand", "expand_as"})},
  };
}

} // namespace touchstone::faults
