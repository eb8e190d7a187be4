#include "backends/partitioners/OperatorKinds.h"

#include "backends/fake/OperatorTraits.h"
#include "program/operators/OperatorFacts.h"

#include <ATen/core/enum_tag.h>

#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace touchstone::partitioners {

namespace {

using Names = std::unordered_set<std::string_view>;

const Names kElementwiseList{"add",         "sub",         "div",
                             "atan2",       "mul",         "max",
                             "min",         "pow",         "remainder",
                             "fmod",        "__and__",     "__or__",
                             "__xor__",     "__lshift__",  "__rshift__",
                             "eq",          "ne",          "ge",
                             "gt",          "le",          "lt",
                             "abs",         "bitwise_not", "ceil",
                             "floor",       "frac",        "neg",
                             "relu",        "round",       "silu",
                             "trunc",       "log",         "log10",
                             "log1p",       "log2",        "lgamma",
                             "exp",         "expm1",       "erf",
                             "erfc",        "cos",         "acos",
                             "cosh",        "sin",         "asin",
                             "sinh",        "tan",         "atan",
                             "tanh",        "atanh",       "sqrt",
                             "rsqrt",       "reciprocal",  "sigmoid",
                             "softplus",    "threshold",   "threshold_backward",
                             "clamp",       "where",       "lerp",
                             "addcmul",     "gelu",        "gelu_backward",
                             "sum",         "mean",        "_grad_sum_to_size",
                             "sum_to_size", "amax",        "to",
                             "type_as",     "squeeze",     "unsqueeze",
                             "rsub",        "_to_copy"};

const Names kViewList{"squeeze", "unsqueeze",  "alias",   "view",   "slice", "t",
                      "expand",  "as_strided", "permute", "select", "split"};

const Names kFusedList{"clone",
                       "full_like",
                       "var",
                       "std",
                       "_unsafe_view",
                       "reshape",
                       "broadcast_tensors",
                       "scalar_tensor",
                       "ones",
                       "new_zeros",
                       "lift_fresh_copy",
                       "arange",
                       "triu",
                       "var_mean",
                       "isinf",
                       "any",
                       "full",
                       "zeros",
                       "empty",
                       "empty_like",
                       "argmax",
                       "maximum",
                       "_low_memory_max_pool_offsets_to_indices",
                       "index",
                       "gather",
                       "zeros_like"};

const Names kFusedDraws{"native_dropout", "rand_like", "randn_like"};

const Names kComputeIntensiveList{"mm",
                                  "convolution",
                                  "convolution_backward",
                                  "bmm",
                                  "addmm",
                                  "_scaled_dot_product_flash_attention",
                                  "_scaled_dot_product_efficient_attention",
                                  "_flash_attention_forward",
                                  "_efficient_attention_forward",
                                  "upsample_bilinear2d",
                                  "_scaled_mm"};

/// Operators of which an overload says that it works element by element.
const std::unordered_set<std::string>& taggedPointwise() {
  static const std::unordered_set<std::string> names = [] {
    std::unordered_set<std::string> found;
    c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
    for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
      const auto op = dispatcher.findSchema(name);
      if (op && op->hasTag(at::Tag::pointwise)) {
        found.emplace(operators::atenName(name.name));
      }
    }
    return found;
  }();
  return names;
}

OperatorKind kindOfTarget(const std::string& target, RecomputeList list) {
  const std::string_view packet = operators::atenName(target);
  OperatorKind kind;
  kind.isView = kViewList.contains(packet);
  const fake::OperatorTraits& traits = fake::traitsOf(fake::operatorOf(target));
  kind.isRandom = traits.isRandom || traits.isEffect;
  kind.isComputeIntensive = kComputeIntensiveList.contains(packet);
  kind.isLift = packet == "lift_fresh_copy" || packet == "lift_fresh";
  kind.isConcatenation = packet == "cat";
  const bool isFused = kFusedList.contains(packet) || kind.isView || taggedPointwise().contains(std::string(packet));
  kind.isRecomputable =
      !kind.isRandom && (kElementwiseList.contains(packet) || (list == RecomputeList::kInductor && isFused));
  kind.isFusible = kind.isRecomputable || kFusedDraws.contains(packet);
  return kind;
}

} // namespace

OperatorKind kindOf(const ir::Node& node, RecomputeList list) {
  if (node.kind == ir::NodeKind::kElement) {
    return {.isRecomputable = true, .isFusible = true};
  }
  if (node.kind != ir::NodeKind::kOperator) {
    return {};
  }
  thread_local std::unordered_map<std::string, OperatorKind> known[2];
  auto& kinds = known[list == RecomputeList::kInductor ? 0 : 1];
  const auto found = kinds.find(node.target);
  return found != kinds.end() ? found->second
                              : kinds.emplace(node.target, kindOfTarget(node.target, list)).first->second;
}

} // namespace touchstone::partitioners
