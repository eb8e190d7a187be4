#include "graph/ir/Unsupported.h"
#include "program/torch_names/HandWritten.h"
#include "program/torch_names/OperatorCall.h"
#include "program/values/TracedCheckpoint.h"

#include <fmt/format.h>

// Normalization of torch/nn/functional.py, each after the function of its name there.
namespace touchstone::torch_names {
namespace {

// Statistics of one value per channel mean nothing; `sizes` is (batch, channels, …).
void checkBatchSize(at::IntArrayRef sizes) {
  if (sizes.empty()) {
    raise("IndexError", "tuple index out of range");
  }
  int64_t values = sizes[0];
  for (size_t i = 2; i < sizes.size(); ++i) {
    values *= sizes[i];
  }
  if (values == 1) {
    raise("ValueError", fmt::format("Expected more than 1 value per channel when training, got input size {}",
                                    shown(values::Value::size(sizes))));
  }
}

/// No version counts what is written to running statistics, so that nothing tells a checkpoint of it.
void checkStatistics(const HandArguments& a) {
  if (values::TracedCheckpoint::isActive() && a[1].isTensor()) {
    throw ir::Unsupported("a checkpointed function updates running statistics");
  }
}

void checkBatchNorm(const HandArguments& a) {
  const bool training = a.truth(5);
  if (training) {
    checkStatistics(a);
    checkBatchSize(a.tensor(0).sizes());
  }
  const double eps = a.real(7);
  if (training && eps <= 0.0) {
    raise("ValueError", "batch_norm eps must be positive during training, but got " + shown(a[7]));
  }
  if (eps < 0.0) {
    raise("ValueError", "batch_norm eps must be non-negative, but got " + shown(a[7]));
  }
}

void checkInstanceNorm(const HandArguments& a) {
  if (a.truth(5)) {
    checkStatistics(a);
    int64_t values = 1;
    for (int64_t size : a.tensor(0).sizes().slice(std::min<size_t>(2, a.tensor(0).dim()))) {
      values *= size;
    }
    if (values == 1) {
      raise("ValueError", fmt::format("Expected more than 1 spatial element when training, got input size {}",
                                      shown(values::Value::size(a.tensor(0).sizes()))));
    }
  }
}

void checkGroupNorm(const HandArguments& a) {
  const at::Tensor& input = a.tensor(0);
  const int64_t groups = a.integer(1);
  if (input.dim() < 2) {
    raise("RuntimeError", fmt::format("Expected at least 2 dimensions for input tensor but received {}", input.dim()));
  }
  if (groups == 0) {
    raise("ZeroDivisionError", "integer division or modulo by zero");
  }
  std::vector<int64_t> sizes{input.size(0) * input.size(1) / groups, groups};
  sizes.insert(sizes.end(), input.sizes().begin() + 2, input.sizes().end());
  checkBatchSize(sizes);
}

values::Value localResponseNorm(const HandArguments& a, const Python& python) {
  const at::Tensor& input = a.tensor(0);
  if (input.dim() < 3) {
    raise("ValueError", fmt::format("Expected 3D or higher dimensionality                          input (got {} "
                                    "dimensions)",
                                    input.dim()));
  }
  if (input.numel() == 0) {
    return a[0];
  }
  const int64_t size = a.integer(1);
  const values::Value before = number(size / 2);
  const values::Value after = number((size - 1) / 2);
  const values::Value zero = number(0);
  const values::Value one = number(1);
  values::Value div = python.method("mul", {a[0], a[0]});
  if (input.dim() == 3) {
    div = python.method("unsqueeze", {div, one});
    div = python.functional("pad", {div, values::Value::tuple({zero, zero, before, after})});
    div = python.functional("avg_pool2d", {div, values::Value::tuple({a[1], one})}, {{"stride", one}});
    div = python.method("squeeze", {div, one});
  } else {
    div = python.method("view",
                        {div, number(input.size(0)), one, number(input.size(1)), number(input.size(2)), number(-1)});
    div = python.functional("pad", {div, values::Value::tuple({zero, zero, zero, zero, before, after})});
    div = python.functional("avg_pool3d", {div, values::Value::tuple({a[1], one, one})}, {{"stride", one}});
    div = python.method("view", {python.method("squeeze", {div, one}), integers(input.sizes())});
  }
  div = python.method("pow", {python.method("add", {python.method("mul", {div, a[2]}), a[4]}), a[3]});
  return python.binary("/", a[0], div);
}

values::Value normalize(const HandArguments& a, const Python& python) {
  values::Value norm = python.method("norm", {a[0], a[1], a[2]}, {{"keepdim", flag(true)}});
  const bool toOut = !a[4].isNone();
  norm = python.method(toOut ? "clamp_min_" : "clamp_min", {norm, a[3]});
  norm = python.method("expand_as", {norm, a[0]});
  return toOut ? python.torch("div", {a[0], norm}, {{"out", a[4]}}) : python.binary("/", a[0], norm);
}

constexpr NameSpace kNormSpace = NameSpace::kFunctional;

const HandWritten kNormalizationFunctions[] = {
    {kNormSpace, "batch_norm",
     "input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05",
     "_VF.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn)", checkBatchNorm},
    {kNormSpace, "instance_norm",
     "input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, "
     "eps=1e-05",
     "_VF.instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn)",
     checkInstanceNorm},
    {kNormSpace, "layer_norm", "input, normalized_shape, weight=None, bias=None, eps=1e-05",
     "_VF.layer_norm(input, normalized_shape, weight, bias, eps, cudnn)"},
    {kNormSpace, "rms_norm", "input, normalized_shape, weight=None, eps=None",
     "_VF.rms_norm(input, normalized_shape, weight, eps)"},
    {kNormSpace, "group_norm", "input, num_groups, weight=None, bias=None, eps=1e-05",
     "_VF.group_norm(input, num_groups, weight, bias, eps, cudnn)", checkGroupNorm},
    {kNormSpace, "local_response_norm", "input, size, alpha=0.0001, beta=0.75, k=1.0", localResponseNorm},
    {kNormSpace, "normalize", "input, p=2.0, dim=1, eps=1e-12, out=None", normalize},
};

} // namespace

c10::ArrayRef<HandWritten> normalizationFunctions() {
  return kNormalizationFunctions;
}

} // namespace touchstone::torch_names
