#include "backends/decompositions/Families.h"
#include "backends/decompositions/Precision.h"
#include "backends/decompositions/Scalars.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/result_type.h>
#include <ATen/ops/rsub.h>
#include <ATen/ops/where.h>

namespace touchstone::decompositions {

namespace {

/// Over the elements of a mean, as kernels divide: by 0 as well.
double shareOf(const at::Tensor& input, int64_t reduction) {
  return reduction == at::Reduction::Mean ? 1.0 / static_cast<double>(input.numel()) : 1.0;
}

/// Truth values as numbers of the other one's dtype: they have no difference.
at::Tensor differenceOf(const at::Tensor& self, const at::Tensor& target) {
  const at::ScalarType dtype = at::result_type(self, target);
  return self.to(dtype) - target.to(dtype);
}

at::Tensor mseLoss(const at::Tensor& self, const at::Tensor& target, int64_t reduction) {
  const at::Tensor distance = differenceOf(self, target); // rounded, before it is squared
  return reducedLoss(distance * distance, reduction);
}

at::Tensor mseLossBackward(const at::Tensor& grad, const at::Tensor& self, const at::Tensor& target,
                           int64_t reduction) {
  const Widened in(grad, self, target);
  const at::Tensor result = differenceOf(in[1], in[2]) * (2 * shareOf(self, reduction)) * in[0];
  return result.to(self.scalar_type());
}

at::Tensor smoothL1Loss(const at::Tensor& self, const at::Tensor& target, int64_t reduction, double beta) {
  const Widened in(self, target);
  const at::Tensor distance = differenceOf(in[0], in[1]).abs();
  if (beta == 0) {
    return reducedLoss(differenceOf(self, target).abs(), reduction);
  }
  const at::Tensor loss = at::where(distance.lt(beta), distance * 0.5 * distance / beta, distance - 0.5 * beta);
  return reducedLoss(in.narrow(loss), reduction);
}

at::Tensor smoothL1LossBackward(const at::Tensor& grad, const at::Tensor& self, const at::Tensor& target,
                                int64_t reduction, double beta) {
  const Widened in(grad, self, target);
  const at::Tensor distance = differenceOf(in[1], in[2]);
  const at::Tensor full = in[0] * shareOf(self, reduction);
  const at::Tensor within = distance * shareOf(self, reduction) * in[0] / beta;
  // At a distance of 0 and a beta of 0 eager's kernels say -1; torch/_decomp says 0.
  const at::Tensor result = at::where(distance.le(-beta), full.neg(), at::where(distance.ge(beta), full, within));
  return result.to(self.scalar_type());
}

at::Tensor huberLoss(const at::Tensor& self, const at::Tensor& target, int64_t reduction, double delta) {
  if (delta <= 0) {
    throw NotDecomposed("a delta that eager refuses");
  }
  const Widened in(self, target);
  const at::Tensor distance = differenceOf(in[0], in[1]).abs();
  const at::Tensor loss = at::where(distance.le(delta), distance * 0.5 * distance, (distance - 0.5 * delta) * delta);
  return reducedLoss(loss.to(self.scalar_type()), reduction);
}

at::Tensor huberLossBackward(const at::Tensor& grad, const at::Tensor& self, const at::Tensor& target,
                             int64_t reduction, double delta) {
  const Widened in(grad, self, target);
  const at::Tensor distance = differenceOf(in[1], in[2]);
  const at::Tensor full = in[0] * shareOf(self, reduction) * delta;
  const at::Tensor within = distance * shareOf(self, reduction) * in[0];
  const at::Tensor result = at::where(distance.lt(-delta), full.neg(), at::where(distance.gt(delta), full, within));
  return result.to(self.scalar_type());
}

// From here on every step rounds to the dtype, as in eager.

at::Tensor softMarginLoss(const at::Tensor& self, const at::Tensor& target, int64_t reduction) {
  return reducedLoss((self.neg() * target).exp().log1p().to(self.scalar_type()), reduction);
}

at::Tensor softMarginLossBackward(const at::Tensor& grad, const at::Tensor& self, const at::Tensor& target,
                                  int64_t reduction) {
  const at::Tensor exponential = (target.neg() * self).exp();
  return (target * exponential * -shareOf(self, reduction) / (exponential + 1) * grad).to(self.scalar_type());
}

at::Tensor weighed(const at::Tensor& loss, const std::optional<at::Tensor>& weight) {
  return isGiven(weight) ? (loss * *weight).to(loss.scalar_type()) : loss;
}

at::Tensor binaryCrossEntropyBackward(const at::Tensor& grad, const at::Tensor& self, const at::Tensor& target,
                                      const std::optional<at::Tensor>& weight, int64_t reduction) {
  constexpr float kLeast = 1e-12F; // for float64 as well
  const at::Tensor variance = (at::rsub(self, 1) * self).clamp_min(kLeast);
  const at::Tensor result = weighed(grad * (self - target) / variance, weight);
  return reduction == at::Reduction::Mean ? result / self.numel() : result;
}

} // namespace

void addLosses(DecompositionTable& table) {
  table.add("aten::mse_loss", mseLoss);
  table.add("aten::mse_loss_backward", mseLossBackward);
  table.add("aten::smooth_l1_loss", smoothL1Loss);
  table.add("aten::smooth_l1_loss_backward", smoothL1LossBackward);
  table.add("aten::huber_loss", huberLoss);
  table.add("aten::huber_loss_backward", huberLossBackward);
  table.add("aten::soft_margin_loss", softMarginLoss);
  table.add("aten::soft_margin_loss_backward", softMarginLossBackward);
  table.add("aten::binary_cross_entropy_backward", binaryCrossEntropyBackward);
  table.addComposite("aten::binary_cross_entropy_with_logits");
}

} // namespace touchstone::decompositions
