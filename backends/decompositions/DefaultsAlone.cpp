#include "backends/decompositions/Families.h"
#include "backends/decompositions/Precision.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/alias.h>
#include <ATen/ops/native_batch_norm.h>
#include <ATen/ops/native_batch_norm_backward.h>
#include <ATen/ops/where.h>

#include <array>
#include <optional>
#include <tuple>

namespace touchstone::decompositions {

namespace {

using Optional = std::optional<at::Tensor>;

at::Tensor eluBackward(const at::Tensor& grad, const at::Scalar& alpha, const at::Scalar& scale,
                       const at::Scalar& inputScale, bool isResult, const at::Tensor& selfOrResult) {
  const Widened in(grad, selfOrResult);
  const double factor = alpha.toDouble() * scale.toDouble();
  const at::Tensor negative =
      isResult ? in[0] * inputScale * (in[1] + factor) : in[0] * inputScale * factor * (in[1] * inputScale).exp();
  return in.narrow(at::where(in[1].le(0), negative, in[0] * scale));
}

at::Tensor hardtanhBackward(const at::Tensor& grad, const at::Tensor& self, const at::Scalar& low,
                            const at::Scalar& high) {
  const Widened in(grad, self);
  return in.narrow(at::where(in[1].le(low).logical_or(in[1].ge(high)), 0, in[0]));
}

at::Tensor hardswishBackward(const at::Tensor& grad, const at::Tensor& self) {
  const Widened in(grad, self);
  return in.narrow(at::where(in[1].le(-3), 0, at::where(in[1].lt(3), in[0] * (in[1] / 3 + 0.5), in[0])));
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> cudnnBatchNorm(
    const at::Tensor& input, const at::Tensor& weight, const Optional& bias, const Optional& runningMean,
    const Optional& runningVariance, bool training, double momentum, double epsilon) {
  if (training && (isGiven(runningMean) || isGiven(runningVariance))) {
    throw NotDecomposed("it writes running statistics");
  }
  const auto [output, mean, inverse] =
      at::native_batch_norm(input, weight, bias, runningMean, runningVariance, training, momentum, epsilon);
  const at::Tensor reserve = input.new_zeros({0}, at::TensorOptions().dtype(at::kByte));
  return training ? std::tuple(output, mean, inverse, reserve)
                  : std::tuple(output, weight.new_zeros({0}), weight.new_zeros({0}), reserve);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> cudnnBatchNormBackward(
    const at::Tensor& input, const at::Tensor& grad, const at::Tensor& weight, const Optional& runningMean,
    const Optional& runningVariance, const Optional& savedMean, const Optional& savedInverse, double epsilon,
    const at::Tensor& /*reserve*/) {
  return at::native_batch_norm_backward(grad, input, weight, runningMean, runningVariance, savedMean, savedInverse,
                                        /*train=*/true, epsilon, {true, true, true});
}

} // namespace

void addDefaultsAlone(DecompositionTable& table) {
  table.add("aten::elu_backward", eluBackward);
  table.add("aten::hardtanh_backward", hardtanhBackward);
  table.add("aten::hardswish_backward", hardswishBackward);
  table.add("aten::cudnn_batch_norm", cudnnBatchNorm);
  table.add("aten::cudnn_batch_norm_backward", cudnnBatchNormBackward);
  table.add("aten::detach", [](const at::Tensor& self) { return at::alias(self); });
  table.add("aten::conj_physical", [](const at::Tensor& self) {
    requireReal(self); // of a complex one it is the simplest operator
    return at::alias(self);
  });
  table.add("aten::is_same_size",
            [](const at::Tensor& self, const at::Tensor& other) { return self.sizes() == other.sizes(); });
}

} // namespace touchstone::decompositions
