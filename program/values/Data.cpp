#include "program/values/Data.h"

#include "program/values/RaisedException.h"

#include <ATen/Dispatch_v2.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <c10/core/ScalarType.h>
#include <c10/util/TypeCast.h>

#include <algorithm>
#include <array>
#include <limits>

// The same bits as `program/language/data.py`. A Case's tensors are small and made again for each call, so the numbers that
// `torch.randint` would draw are drawn and converted in one loop, without an operator for each step.

namespace touchstone::values {
namespace {

constexpr std::string_view kKinds[] = {"grid", "uniform", "special", "zeros", "ones"};

struct FloatLimits {
  double most, tiny, epsilon;
};

template <class T>
FloatLimits floatLimits() {
  using Limits = std::numeric_limits<T>;
  return {static_cast<double>(Limits::max()), static_cast<double>(Limits::min()),
          static_cast<double>(Limits::epsilon())};
}

FloatLimits floatLimits(at::ScalarType dtype) {
  switch (dtype) {
    case at::kHalf: return floatLimits<at::Half>();
    case at::kBFloat16: return floatLimits<at::BFloat16>();
    case at::kFloat: return floatLimits<float>();
    default: return floatLimits<double>();
  }
}

std::vector<double> floatTable(at::ScalarType dtype) {
  const FloatLimits limits = floatLimits(dtype);
  const double infinity = std::numeric_limits<double>::infinity();
  return {std::numeric_limits<double>::quiet_NaN(),
          infinity,
          -infinity,
          -0.0,
          limits.most,
          -limits.most,
          limits.tiny,
          limits.tiny * limits.epsilon,
          0,
          1,
          -1,
          0.5,
          -2,
          3,
          0.25,
          -1.5};
}

std::vector<int64_t> integerTable(at::ScalarType dtype) {
  const bool isSigned = c10::isSignedType(dtype);
  const int bits = static_cast<int>(8 * c10::elementSize(dtype)) - (isSigned ? 1 : 0);
  const int64_t most = bits >= 63 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << bits) - 1;
  const int64_t least = isSigned ? -most - 1 : 0;
  return {least, least + 1, most, most - 1, 0, 1, 2, std::max<int64_t>(least, -1)};
}

// low, high and the divisor that makes quarters or 1/1024 steps
struct Range {
  int64_t low, high;
  double scale;
};

Range valueRange(at::ScalarType dtype, const std::string& kind) {
  if (dtype == at::kBool) {
    return {0, 1, 1};
  }
  if (c10::isFloatingType(dtype)) {
    return kind == "grid" ? Range{-8, 8, 4} : Range{-2048, 2047, 1024};
  }
  const int64_t half = kind == "grid" ? 8 : 100;
  return c10::isSignedType(dtype) ? Range{-half, half, 1} : Range{0, 2 * half, 1};
}

/// The stream of `torch.randint` with a generator of this seed, for few numbers to choose from: a Mersenne twister
/// (Matsumoto and Nishimura, mt19937) whose words are seeded and twisted only when they are drawn. Tensors of a Case take
/// a few of the 624.
class Stream {
 public:
  explicit Stream(uint32_t seed) { words_[0] = seed; }
  int64_t below(int64_t bound) { return static_cast<int64_t>(next() % static_cast<uint64_t>(bound)); }

 private:
  static constexpr size_t kWords = 624, kDistance = 397;

  uint32_t next() {
    for (const size_t wanted = std::min(position_ + kDistance + 1, kWords); seeded_ < wanted; ++seeded_) {
      const uint32_t before = words_[seeded_ - 1];
      words_[seeded_] = 1812433253U * (before ^ before >> 30) + static_cast<uint32_t>(seeded_);
    }
    uint32_t& word = words_[position_];
    const uint32_t mixed = (word & 0x80000000U) | (words_[(position_ + 1) % kWords] & 0x7fffffffU);
    word = words_[(position_ + kDistance) % kWords] ^ mixed >> 1 ^ ((mixed & 1) != 0 ? 0x9908b0dfU : 0U);
    uint32_t drawn = word;
    position_ = (position_ + 1) % kWords;
    drawn ^= drawn >> 11;
    drawn ^= drawn << 7 & 0x9d2c5680U;
    drawn ^= drawn << 15 & 0xefc60000U;
    return drawn ^ drawn >> 18;
  }

  std::array<uint32_t, kWords> words_; // those from `seeded_` on have no value yet
  size_t seeded_ = 1, position_ = 0;
};

/// A tensor with the values of `draw`, converted as `Tensor.to` does.
template <class DrawValue>
at::Tensor filled(at::IntArrayRef shape, at::ScalarType dtype, DrawValue draw) {
  at::Tensor made = at::empty(shape, at::TensorOptions(dtype));
  AT_DISPATCH_V2(dtype, "data", AT_WRAP([&] {
                   scalar_t* values = made.mutable_data_ptr<scalar_t>();
                   std::generate_n(values, made.numel(), [&] { return c10::convert<scalar_t>(draw()); });
                 }),
                 AT_EXPAND(AT_ALL_TYPES), at::kHalf, at::kBFloat16, at::kBool, AT_EXPAND(AT_BAREBONES_UNSIGNED_TYPES));
  return made;
}

bool hasTable(at::ScalarType dtype) {
  switch (dtype) {
    case at::kHalf:
    case at::kBFloat16:
    case at::kFloat:
    case at::kDouble:
    case at::kComplexHalf:
    case at::kComplexFloat:
    case at::kComplexDouble:
    case at::kChar:
    case at::kShort:
    case at::kInt:
    case at::kLong:
    case at::kByte:
    case at::kUInt16:
    case at::kUInt32:
    case at::kUInt64:
    case at::kBool: return true;
    default: return false;
  }
}

} // namespace

std::vector<std::string> dataKinds() {
  return {std::begin(kKinds), std::end(kKinds)};
}

at::Tensor data(at::IntArrayRef shape, at::ScalarType dtype, int64_t callSeed, int64_t number,
                const std::string& kind) {
  if (std::find(std::begin(kKinds), std::end(kKinds), kind) == std::end(kKinds)) {
    throw RaisedException("ValueError", "unknown kind of data: " + kind);
  }
  if (!hasTable(dtype)) {
    throw RaisedException("TypeError", "`data` makes no values of dtype " + std::string(c10::toString(dtype)));
  }
  if (kind == "zeros" || kind == "ones") {
    at::AutoDispatchBelowADInplaceOrView guard; // as Python's factories do: filling is no new version
    return at::full(shape, kind == "ones" ? 1 : 0, at::TensorOptions(dtype));
  }
  if (c10::isComplexType(dtype)) {
    const at::ScalarType part = c10::toRealValueType(dtype);
    return at::complex(data(shape, part, callSeed, -1 - 2 * number, kind),
                       data(shape, part, callSeed, -2 - 2 * number, kind))
        .clone(at::MemoryFormat::Contiguous);
  }
  // Arithmetic modulo 2^64 keeps the remainder modulo 2^32 that Python's whole numbers have.
  const uint64_t seed = (static_cast<uint64_t>(callSeed) * 0x9E3779B1u + static_cast<uint64_t>(number) * 0x85EBCA77u) %
                        (uint64_t{1} << 32);
  Stream stream(static_cast<uint32_t>(seed));
  const auto fromTable = [&](const auto& table, at::ScalarType made) {
    return filled(shape, made, [&] { return table[static_cast<size_t>(stream.below(std::ssize(table)))]; });
  };
  if (kind == "special" && dtype != at::kBool) { // what NaN becomes is for `to` to say
    return (c10::isFloatingType(dtype) ? fromTable(floatTable(dtype), at::kDouble)
                                       : fromTable(integerTable(dtype), at::kLong))
        .to(dtype);
  }
  const Range range = valueRange(dtype, kind);
  const int64_t count = range.high - range.low + 1;
  return filled(shape, dtype, [&] { return static_cast<double>(range.low + stream.below(count)) / range.scale; });
}

} // namespace touchstone::values
