#include "backends/decompositions/Families.h"
#include "backends/decompositions/Precision.h"
#include "backends/decompositions/Scalars.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/result_type.h>
#include <ATen/ops/special_erfcx.h>
#include <ATen/ops/where.h>

#include <c10/util/MathConstants.h>

#include <cmath>
#include <limits>

namespace touchstone::decompositions {

namespace {

/// x * logarithm(y), 0 wherever x is, but for a y that is not a number.
template <class Logarithm>
at::Tensor timesLogarithm(const at::Tensor& x, const at::Tensor& y, Logarithm logarithm) {
  const at::ScalarType dtype = floatingOf(at::result_type(x, y));
  const Widened in(x.to(dtype), y.to(dtype));
  const at::Tensor product = at::where(in[0].eq(0), 0, in[0] * logarithm(in[1]));
  return in.narrow(at::where(in[1].isnan(), std::numeric_limits<double>::quiet_NaN(), product));
}

/// The three overloads.
template <class Logarithm>
void addTimesLogarithm(DecompositionTable& table, const std::string& tensors, const std::string& scalarFirst,
                       const std::string& scalarLast, Logarithm logarithm) {
  table.add(tensors, [=](const at::Tensor& x, const at::Tensor& y) { return timesLogarithm(x, y, logarithm); });
  table.add(scalarFirst, [=](const at::Scalar& x, const at::Tensor& y) {
    const at::ScalarType dtype = floatingOf(at::result_type(x, y));
    return timesLogarithm(tensorOf(x, dtype, y), y.to(dtype), logarithm);
  });
  table.add(scalarLast, [=](const at::Tensor& x, const at::Scalar& y) {
    const at::ScalarType dtype = floatingOf(at::result_type(x, y));
    return timesLogarithm(x.to(dtype), tensorOf(y, dtype, x), logarithm);
  });
}

/// The logarithm of e^a + e^b, or of 2^a + 2^b.
at::Tensor logarithmOfSum(const at::Tensor& self, const at::Tensor& other, bool isBinary) {
  if (self.is_complex() || other.is_complex()) {
    throw NotDecomposed("of complex numbers");
  }
  const Widened in(self, other);
  const at::Tensor distance = (in[0] - in[1]).abs().neg();
  const at::Tensor rest = isBinary ? distance.exp2().log1p() * (1 / c10::ln_2<double>) : distance.exp().log1p();
  const at::Tensor isSameInfinity = in[0].isinf().logical_and(in[0].eq(in[1]));
  return in.narrow(at::where(isSameInfinity, in[0], at::maximum(in[0], in[1]) + rest));
}

at::Tensor sinc(const at::Tensor& self) {
  const Widened in(self.to(floatingOf(self.scalar_type())));
  const at::Tensor product = in[0] * c10::pi<double>;
  return in.narrow(at::where(in[0].eq(0), 1, product.sin() / product));
}

at::Tensor entropy(const at::Tensor& self) {
  const Widened in(self.to(floatingOf(self.scalar_type())));
  const at::Tensor& x = in[0];
  const at::Tensor elsewhere = at::where(x.eq(0), x, -std::numeric_limits<double>::infinity());
  return in.narrow(at::where(x.isnan(), x, at::where(x.gt(0), x.neg() * x.log(), elsewhere)));
}

at::Tensor logNormalDistribution(const at::Tensor& self) {
  const Widened in(self.to(floatingOf(self.scalar_type())));
  const at::Tensor scaled = in[0] * M_SQRT1_2;
  const at::Tensor tail = (at::special_erfcx(scaled.neg()) / 2).log() - scaled * scaled;
  return in.narrow(at::where(in[0].lt(-1), tail, (scaled.erfc() / -2).log1p()));
}

} // namespace

void addLimits(DecompositionTable& table) {
  addTimesLogarithm(table, "aten::xlogy.Tensor", "aten::xlogy.Scalar_Self", "aten::xlogy.Scalar_Other",
                    [](const at::Tensor& y) { return y.log(); });
  addTimesLogarithm(table, "aten::special_xlog1py", "aten::special_xlog1py.self_scalar",
                    "aten::special_xlog1py.other_scalar", [](const at::Tensor& y) { return y.log1p(); });
  table.add("aten::logaddexp",
            [](const at::Tensor& self, const at::Tensor& other) { return logarithmOfSum(self, other, false); });
  table.add("aten::logaddexp2",
            [](const at::Tensor& self, const at::Tensor& other) { return logarithmOfSum(self, other, true); });
  table.add("aten::sinc", sinc);
  table.add("aten::special_entr", entropy);
  table.add("aten::special_log_ndtr", logNormalDistribution);
}

} // namespace touchstone::decompositions
