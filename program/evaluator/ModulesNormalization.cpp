#include "program/evaluator/Modules.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <fmt/ranges.h>

#include <array>

// Batch, instance, layer and group normalization, after `torch/nn/modules/{batchnorm,instancenorm,normalization}.py`.

namespace touchstone::evaluator {
namespace {

void addScale(ModuleBuilder& builder, at::IntArrayRef sizes, bool affine) {
  const at::Tensor weight = builder.addParameter("weight", sizes, affine);
  const at::Tensor bias = builder.addParameter("bias", sizes, affine && builder.flag("bias"));
  const at::NoGradGuard noGrad;
  if (weight.defined()) {
    weight.fill_(1);
  }
  if (bias.defined()) {
    bias.zero_();
  }
}

void buildWithStatistics(ModuleBuilder& builder) {
  const int64_t features = builder.integer("num_features");
  addScale(builder, {features}, builder.flag("affine"));
  const at::TensorOptions options = builder.tensorOptions();
  const bool tracks = builder.flag("track_running_stats");
  builder.addBuffer("running_mean", tracks ? at::zeros({features}, options) : at::Tensor());
  builder.addBuffer("running_var", tracks ? at::ones({features}, options) : at::Tensor());
  builder.addBuffer("num_batches_tracked", tracks ? at::zeros({}, options.dtype(at::kLong)) : at::Tensor());
}

template <int64_t... kDimensions>
void checkDimensions(const ModuleCall& call) {
  const int64_t given = call.inputTensor().dim();
  if (((given != kDimensions) && ...)) {
    raiseError("ValueError", fmt::format("expected {}D input (got {}D input)",
                                         fmt::join(std::array{kDimensions...}, "D or "), given));
  }
}

template <int64_t... kDimensions>
values::Value forwardBatchNorm(const ModuleCall& call) {
  checkDimensions<kDimensions...>(call);
  const bool training = call.module.training;
  const bool tracks = call.flag("track_running_stats");
  const values::Value& momentum = call.hyper("momentum");
  values::Value factor = momentum.isNone() ? floatValue(0) : momentum;
  const values::Value batches = call.field("num_batches_tracked");
  if (training && tracks && !batches.isNone()) {
    call.method("add_", {batches, intValue(1)});
    if (momentum.isNone()) {
      const double count = complexOf(call.method("item", {batches})).real();
      if (count == 0) {
        raiseError("ZeroDivisionError", "float division by zero");
      }
      factor = floatValue(1.0 / count);
    }
  }
  const values::Value mean = call.field("running_mean");
  const values::Value variance = call.field("running_var");
  const bool usesBatch = training || (mean.isNone() && variance.isNone());
  const bool passes = !training || tracks;
  return call.functional("batch_norm",
                         {call.input(), passes ? mean : values::Value(), passes ? variance : values::Value(),
                          call.field("weight"), call.field("bias"), boolValue(usesBatch), factor, call.hyper("eps")});
}

values::Value forwardInstanceNorm2d(const ModuleCall& call) {
  checkDimensions<3, 4>(call);
  const at::Tensor& input = call.inputTensor();
  const bool isBatched = input.dim() == 4;
  const int64_t featureDimension = input.dim() - 3;
  const int64_t features = call.integer("num_features");
  if (input.size(featureDimension) != features && call.flag("affine")) {
    raiseError("ValueError", fmt::format("expected input's size at dim={} to match num_features ({}), but got: {}.",
                                         featureDimension, features, input.size(featureDimension)));
  }
  const values::Value& momentum = call.hyper("momentum");
  const values::Value given = isBatched ? call.input() : call.method("unsqueeze", {call.input(), intValue(0)});
  const values::Value result = call.functional(
      "instance_norm", {given, call.field("running_mean"), call.field("running_var"), call.field("weight"),
                        call.field("bias"), boolValue(call.module.training || !call.flag("track_running_stats")),
                        momentum.isNone() ? floatValue(0) : momentum, call.hyper("eps")});
  return isBatched ? result : call.method("squeeze", {result, intValue(0)});
}

const std::vector<ModuleType>& normalizationTable() {
  static const char* const batchNorm =
      "num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, "
      "bias=True";
  static const std::vector<ModuleType> table = {
      {"BatchNorm1d", batchNorm, buildWithStatistics, forwardBatchNorm<2, 3>},
      {"BatchNorm2d", batchNorm, buildWithStatistics, forwardBatchNorm<4>},
      {"BatchNorm3d", batchNorm, buildWithStatistics, forwardBatchNorm<5>},
      {"InstanceNorm2d",
       "num_features, eps=1e-05, momentum=0.1, affine=False, track_running_stats=False, device=None, dtype=None, "
       "bias=True",
       buildWithStatistics, forwardInstanceNorm2d},
      {"LayerNorm", "normalized_shape, eps=1e-05, elementwise_affine=True, bias=True, device=None, dtype=None",
       [](ModuleBuilder& builder) {
         if (!builder.hyper("normalized_shape").items()) {
           builder.setHyper("normalized_shape", values::Value::tuple({builder.hyper("normalized_shape")}));
         }
         addScale(builder, builder.sizes("normalized_shape"), builder.flag("elementwise_affine"));
       },
       "functional.layer_norm(input, normalized_shape, weight, bias, eps)"},
      {"GroupNorm", "num_groups, num_channels, eps=1e-05, affine=True, device=None, dtype=None, bias=True",
       [](ModuleBuilder& builder) {
         const int64_t channels = builder.integer("num_channels");
         const int64_t groups = builder.integer("num_groups");
         if (groups != 0 && channels % groups != 0) {
           raiseError("ValueError",
                      fmt::format("num_channels ({}) must be divisible by num_groups ({})", channels, groups));
         }
         addScale(builder, {channels}, builder.flag("affine"));
       },
       "functional.group_norm(input, num_groups, weight, bias, eps)"},
  };
  return table;
}

} // namespace

c10::ArrayRef<ModuleType> normalizationModules() {
  return normalizationTable();
}

} // namespace touchstone::evaluator
