#include "backends/decompositions/Families.h"
#include "backends/decompositions/Precision.h"
#include "backends/decompositions/Scalars.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/atan2.h>
#include <ATen/ops/div.h>
#include <ATen/ops/gcd.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/real.h>
#include <ATen/ops/result_type.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/where.h>

#include <c10/util/MathConstants.h>

#include <cmath>

namespace touchstone::decompositions {

namespace {

at::Tensor addcmul(const at::Tensor& self, const at::Tensor& first, const at::Tensor& second, const at::Scalar& value) {
  const Widened in(self, first, second);
  for (size_t i = 0; i < 3; ++i) {
    requireReal(in[i]);
  }
  const at::ScalarType dtype = at::promote_types(in[0].scalar_type(), at::result_type(in[1], in[2]));
  return in.narrow(in[0] + in[1] * scalarIn(value, dtype) * in[2]);
}

at::Tensor addcdiv(const at::Tensor& self, const at::Tensor& dividend, const at::Tensor& divisor,
                   const at::Scalar& value) {
  const Widened in(self, dividend, divisor);
  for (size_t i = 0; i < 3; ++i) {
    requireReal(in[i]);
  }
  return in.narrow(in[0] + in[1] * value / in[2]);
}

at::Tensor angle(const at::Tensor& self) {
  if (self.is_complex()) {
    return at::atan2(at::imag(self), at::real(self));
  }
  const at::Tensor x = self.to(floatingOf(self.scalar_type()));
  return at::where(x.isnan(), x, at::where(x.lt(0), tensorOf(c10::pi<double>, x.scalar_type(), x), 0));
}

at::Tensor lerpByScalar(const at::Tensor& self, const at::Tensor& end, const at::Scalar& weight) {
  requireReal(self);
  const Widened in(self, end);
  const double share = weight.toDouble();
  if (std::abs(share) < 0.5) {
    return in.narrow(in[0] + (in[1] - in[0]) * share);
  }
  return in.narrow(in[1] - (in[1] - in[0]) * (1 - share));
}

at::Tensor lerpByTensor(const at::Tensor& self, const at::Tensor& end, const at::Tensor& weight) {
  if (weight.scalar_type() != self.scalar_type()) {
    throw NotDecomposed("a weight that eager refuses");
  }
  requireReal(self);
  const Widened in(self, end, weight);
  const at::Tensor way = in[1] - in[0];
  const at::Tensor result = at::where(in[2].abs().lt(0.5), in[0] + in[2] * way, in[1] - way * at::rsub(in[2], 1));
  return in.narrow(result);
}

at::Tensor lcm(const at::Tensor& self, const at::Tensor& other) {
  const at::Tensor divisor = at::gcd(self, other);
  const at::Tensor isZero = divisor.eq(0);
  const at::Tensor quotient = at::div(self, at::where(isZero, 1, divisor), "trunc");
  return at::where(isZero, 0, (quotient * other).abs());
}

at::Tensor round(const at::Tensor& self, int64_t decimals) {
  if (decimals == 0) {
    return self.round();
  }
  constexpr int64_t kMost = 37;
  if (std::abs(decimals) > kMost) {
    throw NotDecomposed("the power of ten is infinite");
  }
  const Widened in(self);
  const double power = std::pow(10, std::abs(decimals));
  return in.narrow(decimals > 0 ? (in[0] * power).round() / power : (in[0] / power).round() * power);
}

at::Tensor rsubScalar(const at::Tensor& self, const at::Scalar& other, const at::Scalar& alpha) {
  return at::sub(tensorOf(other, at::result_type(self, other), self), self, alpha);
}

at::Tensor isInfinite(const at::Tensor& self, double infinity) {
  return self.eq(infinity);
}

/// The kernel of libtorch fills its range in place, through an operator that has no functional form.
at::Tensor mvlgamma(const at::Tensor& self, int64_t dimensions) {
  requireReal(self);
  const auto p = static_cast<double>(dimensions);
  const bool isWhole = at::isIntegralType(self.scalar_type(), true);
  const at::Tensor halves =
      at::arange(-p / 2 + 0.5, 0.5, 0.5,
                 self.options().dtype(isWhole ? at::get_default_dtype_as_scalartype() : self.scalar_type()));
  return halves.add(self.unsqueeze(-1)).lgamma().sum(-1).add(p * (p - 1) * std::log(c10::pi<double>) / 4);
}

} // namespace

void addElementwise(DecompositionTable& table) {
  table.add("aten::addcmul", addcmul);
  table.add("aten::addcdiv", addcdiv);
  table.add("aten::angle", angle);
  table.add("aten::deg2rad", [](const at::Tensor& self) { return self * (c10::pi<double> / 180); });
  table.add("aten::rad2deg", [](const at::Tensor& self) { return self * (180 / c10::pi<double>); });
  table.add("aten::frac", [](const at::Tensor& self) { return self - self.trunc(); });
  table.add("aten::floor_divide",
            [](const at::Tensor& self, const at::Tensor& other) { return at::div(self, other, "floor"); });
  table.add("aten::floor_divide.Scalar",
            [](const at::Tensor& self, const at::Scalar& other) { return at::div(self, other, "floor"); });
  table.add("aten::isposinf", [](const at::Tensor& self) { return isInfinite(self, INFINITY); });
  table.add("aten::isneginf", [](const at::Tensor& self) { return isInfinite(self, -INFINITY); });
  table.add("aten::lcm", lcm);
  table.add("aten::lerp.Scalar", lerpByScalar);
  table.add("aten::lerp.Tensor", lerpByTensor);
  table.add("aten::round.decimals", round);
  table.add("aten::rsub.Tensor", [](const at::Tensor& self, const at::Tensor& other, const at::Scalar& alpha) {
    return at::sub(other, self, alpha);
  });
  table.add("aten::rsub.Scalar", rsubScalar);
  table.add("aten::sgn", [](const at::Tensor& self) {
    requireReal(self);
    return self.sign();
  });
  table.add("aten::mvlgamma", mvlgamma);
}

} // namespace touchstone::decompositions
