#include "program/evaluator/Modules.h"
#include "program/semantics/Slices.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <array>

// Linear, convolutions, embedding, dropout, pooling and activations, after `torch/nn/modules`.

namespace touchstone::evaluator {

using namespace semantics;
namespace {

void buildLinear(ModuleBuilder& builder) {
  const int64_t inFeatures = builder.integer("in_features");
  const int64_t outFeatures = builder.integer("out_features");
  const at::Tensor weight = builder.addParameter("weight", {outFeatures, inFeatures});
  const at::Tensor bias = builder.addParameter("bias", {outFeatures}, builder.flag("bias"));
  builder.initializeLinear(weight, bias);
}

// The padding before and after each dimension, last dimension first, as `F.pad` wants it.
values::Value paddingOfBothSides(const ModuleCall& call, size_t dimensions) {
  const values::Value& padding = call.hyper("padding");
  values::ValueList result(2 * dimensions, intValue(0));
  auto at = [&](const std::string& name, size_t dimension) {
    const values::Value& value = call.hyper(name);
    return indexOf(value.items() ? (*value.items())[dimension] : value, call.modules.dispatch);
  };
  for (size_t dimension = 0; dimension < dimensions; ++dimension) {
    const size_t place = 2 * (dimensions - 1 - dimension);
    if (!padding.is<std::string>()) {
      result[place] = result[place + 1] = intValue(at("padding", dimension));
    } else if (padding.as<std::string>() == "same") {
      const int64_t total = at("dilation", dimension) * (at("kernel_size", dimension) - 1);
      result[place] = intValue(total / 2);
      result[place + 1] = intValue(total - total / 2);
    }
  }
  return values::Value::list(std::move(result));
}

template <size_t Dimensions>
void buildConvolution(ModuleBuilder& builder) {
  const int64_t inChannels = builder.integer("in_channels");
  const int64_t outChannels = builder.integer("out_channels");
  const int64_t groups = builder.integer("groups");
  if (groups <= 0) {
    raiseError("ValueError", "groups must be a positive integer");
  }
  if (inChannels % groups != 0) {
    raiseError("ValueError", "in_channels must be divisible by groups");
  }
  if (outChannels % groups != 0) {
    raiseError("ValueError", "out_channels must be divisible by groups");
  }
  if (const auto* padding = builder.hyper("padding").maybe<std::string>()) {
    for (int64_t stride : builder.sizes("stride", Dimensions)) {
      if (*padding == "same" && stride != 1) {
        raiseError("ValueError", "padding='same' is not supported for strided convolutions");
      }
    }
  }
  std::vector<int64_t> shape = {outChannels, inChannels / groups};
  for (int64_t size : builder.sizes("kernel_size", Dimensions)) {
    shape.push_back(size);
  }
  const at::Tensor weight = builder.addParameter("weight", shape);
  const at::Tensor bias = builder.addParameter("bias", {outChannels}, builder.flag("bias"));
  builder.initializeLinear(weight, bias);
}

template <size_t Dimensions>
values::Value forwardConvolution(const ModuleCall& call) {
  values::Value input = call.input();
  values::Value padding = call.hyper("padding");
  const values::Value& mode = call.hyper("padding_mode");
  if (mode.as<std::string>() != "zeros") {
    input = call.functional("pad", {input, paddingOfBothSides(call, Dimensions)}, {{"mode", mode}});
    padding = intValue(0);
  }
  return call.functional(fmt::format("conv{}d", Dimensions),
                         {input, call.field("weight"), call.field("bias"), call.hyper("stride"), padding,
                          call.hyper("dilation"), call.hyper("groups")});
}

void buildEmbedding(ModuleBuilder& builder) {
  const int64_t count = builder.integer("num_embeddings");
  int64_t padding = -1;
  if (!builder.hyper("padding_idx").isNone()) {
    padding = builder.integer("padding_idx");
    if (padding >= count || padding < -count) {
      raiseError("AssertionError", "Padding_idx must be within num_embeddings");
    }
    padding = padding < 0 ? padding + count : padding;
    builder.setHyper("padding_idx", intValue(padding));
  }
  const at::Tensor weight = builder.addParameter("weight", {count, builder.integer("embedding_dim")});
  const at::NoGradGuard noGrad;
  weight.normal_(0, 1);
  if (padding >= 0) {
    weight.select(0, padding).fill_(0);
  }
}

void checkDropout(ModuleBuilder& builder) {
  const values::Value& p = builder.hyper("p");
  if (compareNumbers(p, floatValue(0)) < 0 || compareNumbers(p, floatValue(1)) == 1) {
    raiseError("ValueError", fmt::format("dropout probability has to be between 0 and 1, but got {}",
                                         p.is<double>() ? fmt::format("{}", p.as<double>())
                                                        : fmt::format("{}", builder.integer("p"))));
  }
}

// A pool steps by its own size where no stride is given.
void buildPool(ModuleBuilder& builder) {
  if (builder.hyper("stride").isNone()) {
    builder.setHyper("stride", builder.hyper("kernel_size"));
  }
}

constexpr const char* kConvolutionParameters =
    "in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, "
    "padding_mode='zeros', device=None, dtype=None";

const std::vector<ModuleType>& layerTable() {
  static const std::vector<ModuleType> table = {
      {"Identity", "", nullptr, [](const ModuleCall& call) { return call.input(); }},
      {"Linear", "in_features, out_features, bias=True, device=None, dtype=None", buildLinear,
       "functional.linear(input, weight, bias)"},
      {"Conv1d", kConvolutionParameters, buildConvolution<1>, forwardConvolution<1>},
      {"Conv2d", kConvolutionParameters, buildConvolution<2>, forwardConvolution<2>},
      {"Conv3d", kConvolutionParameters, buildConvolution<3>, forwardConvolution<3>},
      {"Embedding",
       "num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, "
       "sparse=False, device=None, dtype=None",
       buildEmbedding,
       "functional.embedding(input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)"},
      {"Dropout", "p=0.5, inplace=False", checkDropout, "functional.dropout(input, p, training, inplace)"},
      {"MaxPool2d", "kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False", buildPool,
       "functional.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode=ceil_mode, "
       "return_indices=return_indices)"},
      {"AvgPool2d",
       "kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None", buildPool,
       "functional.avg_pool2d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)"},
      {"ReLU", "inplace=False", nullptr, "functional.relu(input, inplace=inplace)"},
      {"GELU", "approximate='none'", nullptr, "functional.gelu(input, approximate=approximate)"},
      {"Sigmoid", "", nullptr, "torch.sigmoid(input)"},
      {"Tanh", "", nullptr, "torch.tanh(input)"},
  };
  return table;
}

} // namespace

c10::ArrayRef<ModuleType> layerModules() {
  return layerTable();
}

} // namespace touchstone::evaluator
