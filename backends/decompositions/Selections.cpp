#include "backends/decompositions/Families.h"
#include "backends/decompositions/Scalars.h"

#include <ATen/TensorOperators.h>
#include <ATen/native/TypeProperties.h>
#include <ATen/ops/bucketize.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/result_type.h>
#include <ATen/ops/searchsorted.h>
#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>
#include <limits>

namespace touchstone::decompositions {

namespace {

using Bound = std::optional<at::Tensor>;

/// Where they are equal it is the tensor's own 0, negative or not; a bound that is not a number wins.
at::Tensor boundedBy(const at::Tensor& self, const at::Tensor& bound, const at::Tensor& isBeyond) {
  return at::where(bound.is_floating_point() ? isBeyond.logical_or(bound.isnan()) : isBeyond, bound, self);
}

/// All three of the same dtype: a bound with no dimensions counts as one.
at::Tensor clampTo(const at::Tensor& self, const Bound& low, const Bound& high) {
  if (!self.is_cpu()) { // kernels of devices take the larger one, of zeros the positive one
    const at::Tensor larger = low ? at::maximum(self, *low) : self;
    return high ? at::minimum(larger, *high) : larger;
  }
  const at::Tensor raised = low ? boundedBy(self, *low, self.lt(*low)) : self;
  return high ? boundedBy(raised, *high, raised.gt(*high)) : raised;
}

at::Tensor clampByScalars(const at::Tensor& self, const std::optional<at::Scalar>& low,
                          const std::optional<at::Scalar>& high) {
  at::ScalarType dtype = self.scalar_type();
  for (const auto& bound : {low, high}) {
    if (bound) {
      dtype = at::promote_types(dtype, at::result_type(self, *bound));
    }
  }
  const auto tensor = [&](const std::optional<at::Scalar>& bound) {
    return bound ? Bound(tensorOf(*bound, dtype, self)) : std::nullopt;
  };
  return clampTo(self.to(dtype), tensor(low), tensor(high));
}

at::Tensor clampByTensors(const at::Tensor& self, const Bound& low, const Bound& high) {
  at::native::ResultTypeState state = {};
  state = at::native::update_result_type_state(self, state);
  for (const Bound& bound : {low, high}) {
    state = bound ? at::native::update_result_type_state(*bound, state) : state;
  }
  const at::ScalarType dtype = at::native::result_type(state);
  const auto converted = [&](const Bound& bound) { return bound ? Bound(bound->to(dtype)) : std::nullopt; };
  return clampTo(self.to(dtype), converted(low), converted(high));
}

/// The one that is a number, or that `compare` prefers.
template <class Compare>
at::Tensor preferNumbers(const at::Tensor& self, const at::Tensor& other, Compare compare) {
  const at::Tensor isFirst = compare(self, other);
  return at::where(other.is_floating_point() ? isFirst.logical_or(other.isnan()) : isFirst, self, other);
}

at::Tensor heaviside(const at::Tensor& self, const at::Tensor& values) {
  return at::where(self.eq(0), values, self.gt(0).to(self.scalar_type()));
}

double limitOf(at::ScalarType dtype) {
  switch (dtype) {
    case at::kDouble: return std::numeric_limits<double>::max();
    case at::kFloat: return std::numeric_limits<float>::max();
    case at::kBFloat16: return std::numeric_limits<at::BFloat16>::max();
    case at::kHalf: return std::numeric_limits<at::Half>::max();
    default: throw NotDecomposed("of what is neither real nor complex");
  }
}

at::Tensor nanToNum(const at::Tensor& self, std::optional<double> nan, std::optional<double> high,
                    std::optional<double> low) {
  if (self.is_complex()) {
    return at::view_as_complex(nanToNum(at::view_as_real(self.resolve_conj()), nan, high, low));
  }
  if (!self.is_floating_point()) {
    return self.clone();
  }
  const double limit = limitOf(self.scalar_type());
  for (const auto& value : {nan, high, low}) {
    if (value && std::isfinite(*value) && std::abs(*value) > limit) {
      throw NotDecomposed("the number is none of the dtype");
    }
  }
  const at::Tensor above = at::where(self.eq(INFINITY), high.value_or(limit), self);
  const at::Tensor below = at::where(self.eq(-INFINITY), low.value_or(-limit), above);
  return at::where(self.isnan(), nan.value_or(0), below);
}

at::Tensor maskedFill(const at::Tensor& self, const at::Tensor& mask, const at::Tensor& value) {
  return at::where(mask, value, self);
}

at::Tensor isAmong(const at::Tensor& elements, const at::Tensor& tests, bool /*assumeUnique*/, bool invert) {
  const at::ScalarType dtype = at::promote_types(elements.scalar_type(), tests.scalar_type());
  at::Tensor found;
  // From where on sorting is faster: aten/src/ATen/native/TensorCompare.cpp, isin_Tensor_Tensor_out.
  if (static_cast<double>(tests.numel()) < 10 * std::pow(static_cast<double>(elements.numel()), 0.145)) {
    found = elements.to(dtype).unsqueeze(-1).eq(tests.to(dtype).flatten()).any(-1);
  } else {
    const at::Tensor sorted = std::get<0>(tests.to(dtype).flatten().sort());
    const at::Tensor wanted = elements.to(dtype);
    // A search may not meet NaN: the last ones.
    const at::Tensor ordered = sorted.is_floating_point() ? at::where(sorted.isnan(), INFINITY, sorted) : sorted;
    const at::Tensor place = at::searchsorted(ordered, wanted).clamp_max(tests.numel() - 1);
    found = sorted.index_select(0, place.flatten()).reshape(elements.sizes()).eq(wanted);
  }
  return invert ? found.logical_not() : found;
}

} // namespace

void addSelections(DecompositionTable& table) {
  table.add("aten::clamp", clampByScalars);
  table.add("aten::clamp.Tensor", clampByTensors);
  table.add("aten::clamp_min",
            [](const at::Tensor& self, const at::Scalar& low) { return clampByScalars(self, low, std::nullopt); });
  table.add("aten::clamp_min.Tensor",
            [](const at::Tensor& self, const at::Tensor& low) { return at::maximum(self, low); });
  table.add("aten::clamp_max",
            [](const at::Tensor& self, const at::Scalar& high) { return clampByScalars(self, std::nullopt, high); });
  table.add("aten::clamp_max.Tensor",
            [](const at::Tensor& self, const at::Tensor& high) { return at::minimum(self, high); });
  table.add("aten::fmin", [](const at::Tensor& self, const at::Tensor& other) {
    return preferNumbers(self, other, [](const at::Tensor& a, const at::Tensor& b) { return a.le(b); });
  });
  table.add("aten::fmax", [](const at::Tensor& self, const at::Tensor& other) {
    return preferNumbers(self, other, [](const at::Tensor& a, const at::Tensor& b) { return a.ge(b); });
  });
  table.add("aten::heaviside", heaviside);
  table.add("aten::nan_to_num", nanToNum);

  table.add("aten::masked_fill.Scalar", [](const at::Tensor& self, const at::Tensor& mask, const at::Scalar& value) {
    return maskedFill(self, mask, tensorOf(value, self.scalar_type(), self));
  });
  table.add("aten::masked_fill.Tensor", [](const at::Tensor& self, const at::Tensor& mask, const at::Tensor& value) {
    return maskedFill(self, mask, value.to(self.scalar_type()));
  });
  table.add("aten::fill.Scalar", [](const at::Tensor& self, const at::Scalar& value) {
    return at::full_like(self, scalarIn(value, self.scalar_type()));
  });
  table.add("aten::fill.Tensor", [](const at::Tensor& self, const at::Tensor& value) {
    return value.to(self.scalar_type()).expand(self.sizes()).clone();
  });
  table.add("aten::zero", [](const at::Tensor& self) { return at::zeros_like(self); });

  table.add("aten::isin.Tensor_Tensor", isAmong);
  table.add("aten::isin.Tensor_Scalar", [](const at::Tensor& elements, const at::Scalar& test, bool, bool invert) {
    return invert ? elements.ne(test) : elements.eq(test);
  });
  // Compared as the Scalar's own dtype: -0.3 is not among numbers of float32.
  table.add("aten::isin.Scalar_Tensor",
            [](const at::Scalar& element, const at::Tensor& tests, bool assumeUnique, bool invert) {
              return isAmong(tensorOf(element, element.type(), tests), tests, assumeUnique, invert);
            });
  table.add("aten::bucketize.Scalar",
            [](const at::Scalar& self, const at::Tensor& boundaries, bool outInt32, bool right) {
              const at::ScalarType dtype = at::result_type(boundaries, self);
              return at::bucketize(tensorOf(self, dtype, boundaries), boundaries.to(dtype), outInt32, right);
            });
  table.add("aten::searchsorted.Scalar",
            [](const at::Tensor& sorted, const at::Scalar& self, bool outInt32, bool right,
               std::optional<c10::string_view> side, const std::optional<at::Tensor>& sorter) {
              const at::ScalarType dtype = at::result_type(sorted, self);
              return at::searchsorted(sorted.to(dtype), tensorOf(self, dtype, sorted), outInt32, right, side, sorter);
            });
}

} // namespace touchstone::decompositions
