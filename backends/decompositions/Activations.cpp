#include "backends/decompositions/Families.h"
#include "backends/decompositions/Precision.h"
#include "backends/decompositions/Scalars.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/rsub.h>
#include <ATen/ops/where.h>

#include <cmath>
#include <tuple>

namespace touchstone::decompositions {

namespace {

at::Tensor hardenedSigmoid(const at::Tensor& x) {
  return at::clamp(x + 3, 0, 6) / 6;
}

at::Tensor softenedRelu(const at::Tensor& x, const at::Scalar& beta, const at::Scalar& threshold) {
  const at::Tensor scaled = x * beta;
  return at::where(scaled.gt(threshold), x, scaled.exp().log1p() / beta);
}

at::Tensor hardtanh(const at::Tensor& self, const at::Scalar& low, const at::Scalar& high) {
  const at::ScalarType dtype = self.scalar_type();
  return at::clamp(self, scalarIn(low, dtype), scalarIn(high, dtype));
}

at::Tensor gelu(const at::Tensor& self, c10::string_view approximate) {
  requireOwnGelu(self, approximate);
  const Widened in(self);
  const at::Tensor& x = in[0];
  if (approximate == "tanh") {
    const at::Tensor inner = (x + x * x * x * 0.044715) * (M_SQRT2 * M_2_SQRTPI * 0.5);
    return in.narrow(x * 0.5 * (inner.tanh() + 1));
  }
  return in.narrow(x * 0.5 * ((x * M_SQRT1_2).erf() + 1));
}

at::Tensor logit(const at::Tensor& self, std::optional<double> eps) {
  const at::ScalarType dtype = floatingOf(self.scalar_type());
  const Widened in(self.to(dtype));
  at::Tensor x = in[0];
  if (eps && *eps >= 0) {
    x = at::where(x.lt(*eps), *eps, at::where(x.gt(1 - *eps), 1 - *eps, x));
  }
  return in.narrow((x / at::rsub(x, 1)).log());
}

std::tuple<at::Tensor, at::Tensor> logSigmoid(const at::Tensor& self) {
  const Widened in(self);
  const at::Tensor buffer = in[0].abs().neg().exp();
  const at::Tensor result = in.narrow(in[0].clamp_max(0) - buffer.log1p());
  return {result, self.is_cpu() ? in.narrow(buffer) : at::empty({0}, self.options())}; // CUDA's kernel keeps nothing
}

} // namespace

void addActivations(DecompositionTable& table) {
  table.addComposite("aten::celu");
  table.add("aten::elu",
            [](const at::Tensor& self, const at::Scalar& alpha, const at::Scalar& scale, const at::Scalar& inputScale) {
              const Widened in(self);
              const at::Tensor negative = (in[0] * inputScale).expm1() * (alpha.toDouble() * scale.toDouble());
              return in.narrow(at::where(in[0].gt(0), in[0] * scale, negative));
            });
  table.add("aten::leaky_relu", [](const at::Tensor& self, const at::Scalar& slope) {
    const Widened in(self);
    return in.narrow(at::where(in[0].gt(0), in[0], in[0] * slope));
  });
  table.add("aten::_prelu_kernel", [](const at::Tensor& self, const at::Tensor& weight) {
    const Widened in(self, weight);
    return in.narrow(at::where(in[0].gt(0), in[0], in[0] * in[1]));
  });
  table.add("aten::threshold", [](const at::Tensor& self, const at::Scalar& threshold, const at::Scalar& value) {
    const Widened in(self);
    const at::ScalarType dtype = in[0].scalar_type();
    return in.narrow(at::where(in[0].le(scalarIn(threshold, dtype)), scalarIn(value, dtype), in[0]));
  });

  table.add("aten::hardsigmoid", [](const at::Tensor& self) {
    const Widened in(self);
    return in.narrow(hardenedSigmoid(in[0]));
  });
  table.add("aten::hardswish", [](const at::Tensor& self) {
    const Widened in(self);
    return in.narrow(in[0] * at::clamp(in[0] + 3, 0, 6) / 6);
  });
  table.add("aten::hardtanh", hardtanh);
  table.add("aten::hardshrink", [](const at::Tensor& self, const at::Scalar& lambda) {
    const Widened in(self);
    return in.narrow(at::where(in[0].abs().le(lambda), 0, in[0]));
  });

  table.add("aten::silu", [](const at::Tensor& self) {
    const Widened in(self);
    return in.narrow(in[0] / (in[0].neg().exp() + 1));
  });
  table.add("aten::mish", [](const at::Tensor& self) {
    const Widened in(self);
    return in.narrow(in[0] * in[0].exp().log1p().tanh());
  });
  table.add("aten::softplus", [](const at::Tensor& self, const at::Scalar& beta, const at::Scalar& threshold) {
    const Widened in(self);
    return in.narrow(softenedRelu(in[0], beta, threshold));
  });
  table.add("aten::gelu", gelu);
  table.add("aten::glu", [](const at::Tensor& self, int64_t dim) {
    const Widened in(self);
    const int64_t half = self.size(dim) / 2;
    return in.narrow(in[0].narrow(dim, 0, half) * in[0].narrow(dim, half, half).sigmoid());
  });
  table.add("aten::logit", logit);
  table.add("aten::log_sigmoid_forward", logSigmoid);
}

} // namespace touchstone::decompositions
