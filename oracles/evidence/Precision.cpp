#include "oracles/evidence/Precision.h"

#include <ATen/Dispatch.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/view_as_real.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <type_traits>

namespace touchstone::evidence {
namespace {

uint64_t nextBits(uint64_t& state) { // splitmix64
  uint64_t bits = state += 0x9E3779B97F4A7C15ull;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ull;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBull;
  return bits ^ (bits >> 31);
}

/// Neighbours of a finite non-zero number in any binary format differ by one in the bits below the sign.
template <class Bits, class Number>
void perturbAll(Number* numbers, int64_t count, uint64_t seed, Perturbed what) {
  static_assert(sizeof(Bits) == sizeof(Number));
  constexpr Bits sign = Bits(1) << (8 * sizeof(Bits) - 1);
  uint64_t drawn = 0;
  for (int64_t i = 0; i < count; ++i) {
    drawn = i % 64 == 0 ? nextBits(seed) : drawn >> 1;
    const auto value = static_cast<double>(numbers[i]);
    if (value != 0 && std::isfinite(value)) {
      const auto bits = std::bit_cast<Bits>(numbers[i]);
      const auto up = std::bit_cast<Number>(static_cast<Bits>(bits + 1));
      const bool mayGoUp = std::isfinite(static_cast<double>(up));
      numbers[i] = (drawn & 1) && mayGoUp ? up : std::bit_cast<Number>(static_cast<Bits>(bits - 1));
    } else if (what != Perturbed::kNumbers && (drawn & 1) && (value == 0 || std::isnan(value))) {
      numbers[i] = std::bit_cast<Number>(static_cast<Bits>(std::bit_cast<Bits>(numbers[i]) ^ sign));
    }
    if (what == Perturbed::kAll && value == 0) {
      numbers[i] = std::bit_cast<Number>(static_cast<Bits>(std::bit_cast<Bits>(numbers[i]) | 1));
    }
  }
}

/// `perturb(numbers, count)` for the elements of a copy, of a complex one for both parts.
template <class Perturb>
at::Tensor perturbedBy(const at::Tensor& tensor, const Perturb& perturb) {
  at::AutoDispatchBelowADInplaceOrView guard;
  if (tensor.is_meta()) {
    return tensor;
  }
  if (!tensor.is_cpu()) {
    return perturbedBy(tensor.cpu(), perturb).to(tensor.device());
  }
  at::Tensor perturbed = tensor.clone(at::MemoryFormat::Contiguous);
  const at::Tensor parts = perturbed.is_complex() ? at::view_as_real(perturbed) : perturbed;
  const std::array dtypes{at::kFloat, at::kDouble, at::kHalf, at::kBFloat16};
  if (std::find(dtypes.begin(), dtypes.end(), parts.scalar_type()) == dtypes.end() || parts.numel() == 0) {
    return perturbed;
  }
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, parts.scalar_type(), "perturbedBy",
                                  [&] { perturb(parts.mutable_data_ptr<scalar_t>(), parts.numel()); });
  return perturbed;
}

template <class Number>
using BitsOf =
    std::conditional_t<sizeof(Number) == 8, uint64_t, std::conditional_t<sizeof(Number) == 4, uint32_t, uint16_t>>;

} // namespace

at::Tensor perturbedByUlp(const at::Tensor& tensor, uint64_t seed, Perturbed what) {
  return perturbedBy(tensor, [&](auto* numbers, int64_t count) {
    perturbAll<BitsOf<std::decay_t<decltype(*numbers)>>>(numbers, count, seed, what);
  });
}

at::Tensor perturbedAsAddedUp(const at::Tensor& tensor, uint64_t seed) {
  return perturbedBy(tensor, [&](auto* numbers, int64_t count) {
    using Number = std::decay_t<decltype(*numbers)>;
    uint64_t drawn = 0;
    int64_t walked = 0; // ulps
    for (int64_t i = 0; i < count; ++i) {
      drawn = i % 64 == 0 ? nextBits(seed) : drawn >> 1;
      walked += (drawn & 1) ? 1 : -1;
      Number& number = numbers[count - 1 - i];
      const auto bits = static_cast<int64_t>(std::bit_cast<BitsOf<Number>>(number));
      const auto moved = std::bit_cast<Number>(static_cast<BitsOf<Number>>(bits + walked));
      const bool isOfOneSign = std::signbit(static_cast<double>(moved)) == std::signbit(static_cast<double>(number));
      if (static_cast<double>(number) != 0 && isOfOneSign && std::isfinite(static_cast<double>(number)) &&
          std::isfinite(static_cast<double>(moved))) {
        number = moved;
      }
    }
  });
}

evaluator::DataHook perturbDataByUlp(uint64_t seed, bool wide) {
  // Shared, because std::function is copied: to the Evaluator and to where tangents are made.
  return [wide, state = std::make_shared<uint64_t>(seed)](at::Tensor tensor) {
    const uint64_t bits = nextBits(*state);
    return wide && at::isReducedFloatingType(tensor.scalar_type()) ? tensor : perturbedByUlp(tensor, bits);
  };
}

} // namespace touchstone::evidence
