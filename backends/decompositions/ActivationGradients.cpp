#include "backends/decompositions/Families.h"
#include "backends/decompositions/Precision.h"
#include "backends/decompositions/Scalars.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/rsub.h>
#include <ATen/ops/where.h>

#include <cmath>
#include <tuple>

// Missing are those whose kernels disagree with themselves about NaN, by whether it lies in the part of memory that they go
// through in vectors: those of elu, hardswish, hardtanh, hardshrink, softshrink and logit.

namespace touchstone::decompositions {

namespace {

/// 1 - y^2: kernels do not round the square; torch/_decomp does, and loses what is left near 1.
at::Tensor withoutSquare(const at::Tensor& y) {
  return at::where(y.abs().lt(0.5), at::rsub(y * y, 1), at::rsub(y, 1) * (y + 1));
}

at::Tensor leakyReluBackward(const at::Tensor& grad, const at::Tensor& self, const at::Scalar& slope,
                             bool /*selfIsResult*/) {
  const Widened in(grad, self);
  return in.narrow(at::where(in[1].gt(0), in[0], in[0] * slope));
}

std::tuple<at::Tensor, at::Tensor> preluBackward(const at::Tensor& grad, const at::Tensor& self,
                                                 const at::Tensor& weight) {
  const Widened in(grad, self, weight);
  const at::Tensor isPositive = in[1].gt(0);
  return {in.narrow(at::where(isPositive, in[0], in[0] * in[2])), in.narrow(at::where(isPositive, 0, in[0] * in[1]))};
}

at::Tensor thresholdBackward(const at::Tensor& grad, const at::Tensor& self, const at::Scalar& threshold) {
  const Widened in(grad, self);
  return in.narrow(at::where(in[1].le(scalarIn(threshold, in[1].scalar_type())), 0, in[0]));
}

at::Tensor softplusBackward(const at::Tensor& grad, const at::Tensor& self, const at::Scalar& beta,
                            const at::Scalar& threshold) {
  const Widened in(grad, self);
  const at::Tensor scaled = in[1] * beta;
  const at::Tensor exponential = scaled.exp();
  return in.narrow(at::where(scaled.gt(threshold), in[0], in[0] * exponential / (exponential + 1)));
}

at::Tensor geluBackward(const at::Tensor& grad, const at::Tensor& self, c10::string_view approximate) {
  requireOwnGelu(self, approximate);
  const Widened in(grad, self);
  const at::Tensor& x = in[1];
  if (approximate == "tanh") {
    constexpr double kBeta = M_SQRT2 * M_2_SQRTPI * 0.5;
    constexpr double kKappa = 0.044715;
    const at::Tensor square = x * x;
    const at::Tensor tanh = ((x + square * x * kKappa) * kBeta).tanh();
    const at::Tensor left = (tanh + 1) * 0.5;
    const at::Tensor right = x * 0.5 * at::rsub(tanh * tanh, 1) * ((square * (3 * kKappa) + 1) * kBeta);
    return in.narrow(in[0] * (left + right));
  }
  const at::Tensor cumulative = ((x * M_SQRT1_2).erf() + 1) * 0.5;
  const at::Tensor density = (x * x * -0.5).exp() * (M_2_SQRTPI * M_SQRT1_2 * 0.5);
  return in.narrow(in[0] * (cumulative + x * density));
}

at::Tensor gluBackward(const at::Tensor& grad, const at::Tensor& self, int64_t dim) {
  const int64_t half = self.size(dim) / 2;
  const at::Tensor gate = self.narrow(dim, half, half).sigmoid(); // rounded
  const Widened in(grad, self.narrow(dim, 0, half), gate);
  const at::Tensor gateGrad = at::rsub(in[2], 1) * in[2] * in[1] * in[0];
  return at::cat({gate * grad, in.narrow(gateGrad)}, dim);
}

at::Tensor siluBackward(const at::Tensor& grad, const at::Tensor& self) {
  const Widened in(grad, self);
  const at::Tensor sigmoid = in[1].sigmoid();
  return in.narrow(in[0] * sigmoid * (in[1] * at::rsub(sigmoid, 1) + 1));
}

at::Tensor mishBackward(const at::Tensor& grad, const at::Tensor& self) {
  const Widened in(grad, self);
  const at::Tensor tanh = in[1].exp().log1p().tanh();
  return in.narrow(in[0] * (tanh + in[1] * in[1].sigmoid() * at::rsub(tanh * tanh, 1)));
}

at::Tensor logSigmoidBackward(const at::Tensor& grad, const at::Tensor& self, const at::Tensor& buffer) {
  const Widened in(grad, self, buffer); // the buffer as it was rounded
  const at::Tensor isNegative = in[1].lt(0);
  const at::Tensor kept = self.is_cpu() ? in[2] : in[1].abs().neg().exp();
  const at::Tensor share = kept / (kept + 1);
  return in.narrow(at::where(isNegative, at::rsub(share, 1), share) * in[0]);
}

} // namespace

void addActivationGradients(DecompositionTable& table) {
  table.add("aten::leaky_relu_backward", leakyReluBackward);
  table.add("aten::_prelu_kernel_backward", preluBackward);
  table.addComposite("aten::rrelu_with_noise_backward");
  table.add("aten::threshold_backward", thresholdBackward);
  table.add("aten::hardsigmoid_backward", [](const at::Tensor& grad, const at::Tensor& self) {
    const Widened in(grad, self);
    return in.narrow(at::where(in[1].gt(-3).logical_and(in[1].lt(3)), in[0] * (1.0F / 6), 0));
  });
  table.add("aten::softplus_backward", softplusBackward);
  table.add("aten::gelu_backward", geluBackward);
  table.add("aten::glu_backward", gluBackward);
  table.add("aten::silu_backward", siluBackward);
  table.add("aten::mish_backward", mishBackward);
  table.add("aten::sigmoid_backward", [](const at::Tensor& grad, const at::Tensor& output) {
    const Widened in(grad, output);
    requireReal(in[1]);
    return in.narrow(in[0] * (at::rsub(in[1], 1) * in[1]));
  });
  table.add("aten::tanh_backward", [](const at::Tensor& grad, const at::Tensor& output) {
    const Widened in(grad, output);
    requireReal(in[1]);
    return in.narrow(in[0] * withoutSquare(in[1]));
  });
  table.add("aten::log_sigmoid_backward", logSigmoidBackward);
  table.add("aten::native_dropout_backward", [](const at::Tensor& grad, const at::Tensor& mask, double scale) {
    requireReal(grad);
    return grad * (mask.to(grad.scalar_type()) * scale);
  });
}

} // namespace touchstone::decompositions
