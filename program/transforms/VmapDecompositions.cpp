#include "program/transforms/VmapDecompositions.h"

#include <ATen/OpMathType.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/result_type.h>
#include <ATen/ops/scatter.h>
#include <ATen/ops/sign.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <torch/library.h>

#include <tuple>

// After `torch/_decomp/decompositions.py`, and `torch/_refs/__init__.py` for addr.

namespace touchstone::transforms {
namespace {

bool isMean(int64_t reduction) {
  return reduction == at::Reduction::Mean;
}

/// Runs a formula as its kernel does for half precision: in the wider dtype, the result back in the first one's.
template <class Formula>
at::Tensor widened(Formula formula, const at::Tensor& gradient, const at::Tensor& self, const at::Tensor& target) {
  const auto wide = [](const at::Tensor& tensor) {
    return at::isFloatingType(tensor.scalar_type()) ? tensor.to(at::toOpMathType(tensor.scalar_type())) : tensor;
  };
  const at::ScalarType dtype = c10::promoteTypes(at::result_type(gradient, self), target.scalar_type());
  return formula(wide(gradient), wide(self), wide(target)).to(dtype);
}

at::Tensor mseLossBackward(const at::Tensor& gradient, const at::Tensor& self, const at::Tensor& target,
                           int64_t reduction) {
  const double norm = isMean(reduction) ? 2.0 / static_cast<double>(self.numel()) : 2.0;
  return widened([norm](const auto& g, const auto& x, const auto& y) { return (x - y) * norm * g; }, gradient, self,
                 target);
}

double meanNorm(const at::Tensor& self, int64_t reduction) {
  return isMean(reduction) ? 1.0 / static_cast<double>(self.numel()) : 1.0;
}

at::Tensor smoothL1LossBackward(const at::Tensor& gradient, const at::Tensor& self, const at::Tensor& target,
                                int64_t reduction, double beta) {
  const double norm = meanNorm(self, reduction);
  return widened(
      [=](const auto& g, const auto& x, const auto& y) {
        const at::Tensor difference = x - y;
        const at::Tensor scaled = g * norm;
        return at::where(difference.abs() < beta, scaled * difference / beta, scaled * difference.sign());
      },
      gradient, self, target);
}

at::Tensor huberLossBackward(const at::Tensor& gradient, const at::Tensor& self, const at::Tensor& target,
                             int64_t reduction, double delta) {
  const double norm = meanNorm(self, reduction);
  return widened(
      [=](const auto& g, const auto& x, const auto& y) {
        const at::Tensor difference = x - y;
        const at::Tensor inner = at::where(difference > delta, g * norm * delta, difference * norm * g);
        return at::where(difference < -delta, g * -norm * delta, inner);
      },
      gradient, self, target);
}

int64_t channelDimension(const at::Tensor& self) {
  return self.dim() < 2 ? 0 : 1;
}

// The weights of classes, in the shape of the scores but for sizes of 1.
at::Tensor weightsFor(const at::Tensor& self, const at::Tensor& weight) {
  if (self.dim() < 2) {
    return weight;
  }
  std::vector<int64_t> shape(self.dim(), 1);
  shape[1] = weight.size(0);
  return weight.view(shape);
}

using Loss = std::tuple<at::Tensor, at::Tensor>; // and the weight of all

Loss nllLossForward(const at::Tensor& scores, const at::Tensor& target, const std::optional<at::Tensor>& weight,
                    int64_t reduction, int64_t ignored) {
  const int64_t channel = channelDimension(scores);
  const bool isWeighted = weight && weight->defined();
  at::Tensor weights = isWeighted ? weightsFor(scores, *weight) : at::Tensor();
  const at::Tensor self = isWeighted ? scores * weights : scores;
  const at::Tensor counts = target != ignored;
  const at::Tensor index = at::where(counts, target, 0).unsqueeze(channel);
  at::Tensor result = at::where(counts, -at::gather(self, channel, index).squeeze(channel), 0);
  if (reduction == at::Reduction::None && self.dim() > 1) {
    return {result, self.new_full({}, 0.0)};
  }
  at::Tensor total;
  if (isWeighted) {
    total = at::where(counts, at::gather(weights.expand(self.sizes()), channel, index).squeeze(channel), 0).sum();
  } else {
    total = counts.sum().to(self.options());
  }
  if (reduction != at::Reduction::None) {
    result = result.sum();
    result = isMean(reduction) ? result / total : result;
  }
  return {result, total};
}

at::Tensor nllLossBackward(const at::Tensor& given, const at::Tensor& self, const at::Tensor& classes,
                           const std::optional<at::Tensor>& weight, int64_t reduction, int64_t ignored,
                           const at::Tensor& total) {
  const int64_t channel = channelDimension(self);
  at::Tensor gradient = isMean(reduction) ? given / total : given;
  const at::Tensor target = (self.dim() == 1 && classes.dim() > 0 ? classes.select(0, 0) : classes).unsqueeze(channel);
  const at::Tensor counts = target != ignored;
  const at::Tensor chosen = at::scatter(at::zeros_like(self), channel, at::where(counts, target, 0), -1.0);
  if (chosen.dim() > gradient.dim() && gradient.dim() > 0) {
    gradient = gradient.unsqueeze(channel);
  }
  if (weight && weight->defined()) {
    gradient = gradient * weightsFor(self, *weight);
  }
  return chosen * at::where(counts, gradient, 0);
}

at::Tensor decomposedAddr(const at::Tensor& self, const at::Tensor& left, const at::Tensor& right,
                          const at::Scalar& beta, const at::Scalar& alpha) {
  const at::Tensor product = at::outer(left, right);
  if (self.scalar_type() == at::kBool) {
    const at::Tensor scaled = alpha.toBool() ? product : at::zeros_like(product);
    return beta.toBool() ? self.logical_or(scaled) : scaled;
  }
  return beta.equal(0) ? product * alpha : self * beta + product * alpha;
}

at::Tensor widenedAddr(const at::Tensor& self, const at::Tensor& left, const at::Tensor& right, const at::Scalar& beta,
                       const at::Scalar& alpha) {
  return widened([&](const auto& x, const auto& y, const auto& z) { return decomposedAddr(x, y, z, beta, alpha); },
                 self, left, right);
}

bool isRegistered(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").hasKernelForDispatchKey(
      c10::DispatchKey::FuncTorchBatched);
}

} // namespace

void registerVmapDecompositions() {
  static const bool once = [] {
    if (isRegistered("aten::mse_loss_backward")) {
      return true;
    }
    static auto* library =
        new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::FuncTorchBatched, __FILE__, __LINE__);
    library->impl("mse_loss_backward", mseLossBackward);
    library->impl("smooth_l1_loss_backward", smoothL1LossBackward);
    library->impl("huber_loss_backward", huberLossBackward);
    library->impl("nll_loss_forward", nllLossForward);
    library->impl("nll_loss2d_forward", nllLossForward);
    library->impl("nll_loss_backward", nllLossBackward);
    library->impl("nll_loss2d_backward", nllLossBackward);
    library->impl("addr", widenedAddr);
    return true;
  }();
  static_cast<void>(once);
}

} // namespace touchstone::transforms
