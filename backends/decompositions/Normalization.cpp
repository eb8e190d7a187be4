#include "backends/decompositions/Families.h"
#include "backends/decompositions/Precision.h"

#include <ATen/OpMathType.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/amin.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/div.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/reciprocal.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <c10/util/accumulate.h>

#include <array>
#include <numeric>
#include <tuple>

namespace touchstone::decompositions {
namespace {

using OptionalTensor = std::optional<at::Tensor>;
using Normed = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

std::vector<int64_t> dimensionsBetween(int64_t first, int64_t last) {
  std::vector<int64_t> dims(static_cast<size_t>(last - first));
  std::iota(dims.begin(), dims.end(), first);
  return dims;
}

/// How a kernel of the CPU goes through a row, in registers of AVX2: where it overflows on the way, the result is NaN.
struct Row {
  bool isShort = false; // fills no register
  /// Elements that fill no register, and are taken in first, one by one; then those of the only register. -1: another way.
  int64_t leading = -1;
  /// A row that registers fill begins with the mean of their first lane, which is squared and multiplied by zero: how far
  /// apart that lane's elements are. 0: the row begins with what does not fill a register.
  int64_t step = 0;
  /// Lanes that take in one element of each register: 0 where another way is known.
  int64_t lanes = 0;
};

Row rowOf(const at::Tensor& input, int64_t elements, bool isByRow = true) {
  if (!input.is_cpu()) {
    return {};
  }
  constexpr int64_t kRegister = 32; // bytes
  const auto narrow = static_cast<int64_t>(input.element_size());
  const auto wide = static_cast<int64_t>(c10::elementSize(at::toOpMathType(input.scalar_type())));
  Row row{.isShort = elements * narrow < kRegister};
  if (isByRow) {
    row.leading =
        row.isShort || (narrow == wide && elements * narrow < 2 * kRegister) ? elements % (kRegister / narrow) : -1;
    row.step = elements * narrow % kRegister == 0 ? kRegister / wide : 0;
    row.lanes = row.leading < 0 && narrow == wide ? kRegister / narrow : 0;
  }
  return row;
}

/// Zero, or NaN where the mean of a row's elements overflows as each is taken in: Welford's algorithm adds to it a part of
/// how far the element is from it. `rows`: in double precision, [.., elements], of values of `dtype`. One number a row.
at::Tensor overflowsOnTheWay(const at::Tensor& rows, int64_t leading, at::ScalarType dtype) {
  const int64_t elements = rows.size(-1);
  const at::Tensor order = at::cat({rows.slice(-1, elements - leading), rows.slice(-1, 0, elements - leading)}, -1);
  const at::Tensor counts = at::arange(1, elements + 1, rows.options());
  const at::Tensor means = at::div(at::cumsum(at::div(order, elements), -1), at::div(counts, elements));
  const at::Tensor steps = at::sub(order.slice(-1, 1), means.slice(-1, 0, elements - 1)).to(dtype);
  return at::sum(at::mul(steps, 0), -1);
}

/// As above for a kernel whose lanes each have a mean of what they take in, which are added to that of the last elements.
at::Tensor overflowsInLanes(const at::Tensor& rows, int64_t lanes, at::ScalarType dtype) {
  const int64_t registers = rows.size(-1) / lanes;
  const at::Tensor byLane = rows.slice(-1, 0, registers * lanes).unflatten(-1, {registers, lanes}).transpose(-1, -2);
  const at::Tensor means = at::sum(at::div(byLane, registers), -1, true).expand(byLane.sizes()).flatten(-2);
  const at::Tensor joined = at::cat({rows.slice(-1, registers * lanes), means}, -1);
  return at::sum(overflowsOnTheWay(byLane, 0, dtype), -1).add(overflowsOnTheWay(joined, 0, dtype));
}

/// Mean and reciprocal deviation over the last dimensions from `first`, which stay with size 1.
std::tuple<at::Tensor, at::Tensor> moments(const at::Tensor& wide, int64_t first, double epsilon, const Row& row) {
  const std::vector<int64_t> dims = dimensionsBetween(first, wide.dim());
  const at::Tensor exact = wide.to(at::kDouble); // nearer to the truth than what kernels remember
  // Sums of doubles may overflow where kernels, which add means, do not.
  const double scale = wide.scalar_type() == at::kDouble ? 0x1p-64 : 1;
  const at::Tensor mean = at::div(at::mean(at::mul(exact, scale), dims, true), scale);
  const at::Tensor centered = at::sub(exact, mean);
  at::Tensor variance = at::mean(at::mul(centered, centered), dims, true).to(wide.scalar_type());
  at::Tensor rounded = mean.to(wide.scalar_type());
  if (row.leading >= 0) {
    const at::Tensor overflows = overflowsOnTheWay(exact.flatten(first), row.leading, wide.scalar_type());
    rounded = rounded.add(overflows.reshape(rounded.sizes()));
  } else if (row.lanes > 0) {
    rounded =
        rounded.add(overflowsInLanes(exact.flatten(first), row.lanes, wide.scalar_type()).reshape(rounded.sizes()));
  } else if (row.isShort) {
    rounded = rounded.add(at::mul(at::sub(at::amax(wide, dims, true), at::amin(wide, dims, true)), 0));
  }
  if (row.isShort) {
    variance = variance.add(at::mul(at::mul(rounded, rounded), 0));
  }
  if (row.step > 0) {
    const at::Tensor lane = exact.flatten(first).slice(-1, 0, std::nullopt, row.step);
    const at::Tensor ofLane =
        at::mean(lane, dimensionsBetween(first, first + 1)).to(wide.scalar_type()).reshape(variance.sizes());
    variance = variance.add(at::mul(at::mul(ofLane, ofLane), 0));
  }
  return {rounded, at::rsqrt(variance.add(epsilon))};
}

/// Multiplied and added with one rounding, as kernels do.
at::Tensor scaledAndMoved(const at::Tensor& wide, const at::Tensor& scale, const OptionalTensor& shift) {
  return isGiven(shift) ? at::addcmul(widened(*shift), wide, scale) : at::mul(wide, scale);
}

at::Tensor movedBy(const at::Tensor& wide, const OptionalTensor& shift) {
  return isGiven(shift) ? wide.add(widened(*shift)) : wide;
}

Normed layerNorm(const at::Tensor& input, at::IntArrayRef shape, const OptionalTensor& weight,
                 const OptionalTensor& bias, double epsilon) {
  if (input.numel() == 0) {
    throw NotDecomposed("of nothing");
  }
  const at::Tensor wide = widened(input);
  const int64_t first = input.dim() - static_cast<int64_t>(shape.size());
  const int64_t elements = c10::multiply_integers(shape);
  const auto [mean, inverse] = moments(wide, first, epsilon, rowOf(input, elements));
  const at::Tensor normal = at::isReducedFloatingType(input.scalar_type())
                                ? at::addcmul(at::mul(mean, inverse).neg(), wide, inverse)
                                : at::mul(at::sub(wide, mean), inverse);
  const at::Tensor result = isGiven(weight) ? scaledAndMoved(normal, widened(*weight), bias) : movedBy(normal, bias);
  const at::ScalarType dtype = dtypeOfStatistics(input, {&weight, &bias});
  return {result.to(input.scalar_type()), mean.to(dtype), inverse.to(dtype)};
}

/// `grad`: of what was normalized, before moments took part. As a sum of multiples of it, of `wide` and of one.
at::Tensor throughMoments(const at::Tensor& grad, const at::Tensor& wide, const at::Tensor& mean,
                          const at::Tensor& inverse, at::IntArrayRef dims) {
  double share = 1;
  for (const int64_t dim : dims) {
    share /= static_cast<double>(wide.size(dim));
  }
  const at::Tensor products = at::sum(at::mul(grad, wide), dims, true);
  const at::Tensor sum = at::sum(grad, dims, true);
  // Multiplied and added with one rounding and in the kernel's order: where parts overflow, it is the kernel's.
  const at::Tensor difference = at::addcmul(products.neg(), sum, mean);
  const at::Tensor ofInput = at::mul(at::mul(at::mul(at::mul(difference, inverse), inverse), inverse), share);
  const at::Tensor ofOne = at::addcmul(at::mul(ofInput.neg(), mean), sum, inverse, -share);
  return at::addcmul(at::mul(inverse, grad), ofInput, wide).add(ofOne);
}

Normed layerNormBackward(const at::Tensor& grad, const at::Tensor& input, at::IntArrayRef shape, const at::Tensor& mean,
                         const at::Tensor& rstd, const OptionalTensor& weight, const OptionalTensor& bias,
                         std::array<bool, 3> wanted) {
  const int64_t first = input.dim() - static_cast<int64_t>(shape.size());
  const bool areParametersWanted = wanted[1] || wanted[2];
  if (input.numel() == 0 || (wanted[1] && !isGiven(weight)) || (wanted[2] && !isGiven(bias))) {
    throw NotDecomposed("of nothing, and the gradients of parameters that there are not");
  }
  if (areParametersWanted && dtypeOfStatistics(input, {&weight, &bias}) != input.scalar_type()) {
    throw NotDecomposed("of float32 parameters that the kernel adds up in the narrower dtype of the input");
  }
  const at::Tensor wideGrad = widened(grad);
  const at::Tensor inverse = widened(rstd);
  const at::Tensor normal = at::mul(at::sub(widened(input), widened(mean)), inverse);
  const std::vector<int64_t> outer = dimensionsBetween(0, first);
  const auto overRows = [&](const at::Tensor& each, const at::Tensor& parameter) {
    return (outer.empty() ? each : at::sum(each, outer)).to(parameter.scalar_type());
  };
  Normed result;
  if (wanted[0]) {
    const at::Tensor scaled = isGiven(weight) ? at::mul(wideGrad, widened(*weight)) : wideGrad;
    std::get<0>(result) =
        throughMoments(scaled, widened(input), widened(mean), inverse, dimensionsBetween(first, input.dim()))
            .to(input.scalar_type());
  }
  if (wanted[1]) {
    std::get<1>(result) = overRows(at::mul(wideGrad, normal), *weight);
  }
  if (wanted[2]) {
    std::get<2>(result) = overRows(wideGrad.clone(), *bias);
  }
  return result;
}

/// Channels in groups: batch, group, channel of the group, position.
struct Grouped {
  int64_t batch;
  int64_t channels;
  int64_t positions;
  int64_t groups;

  at::Tensor wide(const at::Tensor& tensor) const {
    return widened(tensor).reshape({batch, groups, channels / groups, positions});
  }
  at::Tensor byGroup(const at::Tensor& tensor) const { return widened(tensor).reshape({batch, groups, 1, 1}); }
  at::Tensor byChannel(const at::Tensor& tensor) const {
    return widened(tensor).reshape({1, groups, channels / groups, 1});
  }
};

Normed groupNorm(const at::Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias, int64_t batch,
                 int64_t channels, int64_t positions, int64_t groups, double epsilon) {
  if (input.numel() == 0) {
    throw NotDecomposed("of nothing");
  }
  const Grouped grouped{batch, channels, positions, groups};
  const at::Tensor wide = grouped.wide(input);
  const int64_t elements = channels / groups * positions;
  const bool isByRow = input.suggest_memory_format() == at::MemoryFormat::Contiguous;
  const auto [mean, inverse] = moments(wide, 2, epsilon, rowOf(input, elements, isByRow));
  at::Tensor result;
  if (isGiven(weight) || isGiven(bias)) {
    const at::Tensor scale = isGiven(weight) ? at::mul(inverse, grouped.byChannel(*weight)) : inverse;
    const at::Tensor down = scale.neg();
    const at::Tensor shift = isGiven(bias) ? at::addcmul(grouped.byChannel(*bias), down, mean) : at::mul(down, mean);
    result = at::addcmul(shift, wide, scale);
  } else {
    result = at::mul(at::sub(wide, mean), inverse);
  }
  const at::ScalarType dtype = dtypeOfStatistics(input, {&weight, &bias});
  return {result.reshape(input.sizes()).to(input.scalar_type()), mean.reshape({batch, groups}).to(dtype),
          inverse.reshape({batch, groups}).to(dtype)};
}

Normed groupNormBackward(const at::Tensor& grad, const at::Tensor& input, const at::Tensor& mean,
                         const at::Tensor& rstd, const OptionalTensor& weight, int64_t batch, int64_t channels,
                         int64_t positions, int64_t groups, std::array<bool, 3> wanted) {
  if (input.numel() == 0) {
    throw NotDecomposed("of nothing");
  }
  const Grouped grouped{batch, channels, positions, groups};
  const at::Tensor wideGrad = grouped.wide(grad);
  const at::Tensor inverse = grouped.byGroup(rstd);
  const at::Tensor normal = at::mul(at::sub(grouped.wide(input), grouped.byGroup(mean)), inverse);
  const at::ScalarType dtype = dtypeOfStatistics(input, {&weight});
  const auto byChannel = [&](const at::Tensor& each) {
    return at::sum(each, at::IntArrayRef{0, 3}).reshape({channels}).to(dtype);
  };
  Normed result;
  if (wanted[0]) {
    const at::Tensor scaled = isGiven(weight) ? at::mul(wideGrad, grouped.byChannel(*weight)) : wideGrad;
    const at::Tensor inner = throughMoments(scaled, grouped.wide(input), grouped.byGroup(mean), inverse, {2, 3});
    std::get<0>(result) = inner.reshape(input.sizes()).to(input.scalar_type());
  }
  if (wanted[1]) {
    std::get<1>(result) = byChannel(at::mul(wideGrad, normal));
  }
  if (wanted[2]) {
    std::get<2>(result) = byChannel(wideGrad);
  }
  return result;
}

/// The norm of what is narrower than float32 stays float32.
std::tuple<at::Tensor, at::Tensor> weightNorm(const at::Tensor& direction, const at::Tensor& length, int64_t dim) {
  dim = c10::maybe_wrap_dim(dim, direction.dim());
  std::vector<int64_t> others = dimensionsBetween(0, direction.dim());
  others.erase(others.begin() + dim);
  const at::Tensor wide = widened(direction);
  const at::Tensor norm = at::sqrt(at::sum(at::mul(wide, wide), others, true));
  return {at::mul(wide, widened(length).div(norm)).to(direction.scalar_type()), norm.reshape(length.sizes())};
}

/// The factor is rounded to the dtype before it multiplies.
at::Tensor renormed(const at::Tensor& self, const at::Scalar& power, int64_t dim, const at::Scalar& largest) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  std::vector<int64_t> others = dimensionsBetween(0, self.dim());
  others.erase(others.begin() + dim);
  const at::Tensor norm =
      at::linalg_vector_norm(widened(self), power.toDouble(), at::OptionalIntArrayRef(others), true);
  const at::Tensor factor = at::mul(at::reciprocal(norm.add(1e-7)), largest.toDouble());
  const at::Tensor isLarger = norm.gt(largest.toDouble());
  return at::mul(self, at::where(isLarger, factor, at::ones({}, norm.options())).to(self.scalar_type()));
}

} // namespace

void addNormalization(DecompositionTable& table) {
  table.add("aten::native_layer_norm", layerNorm);
  table.add("aten::native_layer_norm_backward", layerNormBackward);
  table.add("aten::native_group_norm", groupNorm);
  table.add("aten::native_group_norm_backward", groupNormBackward);
  table.add("aten::_weight_norm_interface", weightNorm);
  table.add("aten::renorm", renormed);
}

} // namespace touchstone::decompositions
