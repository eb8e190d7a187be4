#pragma once

#include <cstdint>

namespace touchstone::harness {

/// Makes libtorch's CPU allocator fill each new block with a pattern, so that what reads memory that nobody wrote gives
/// other values under another pattern. Call once, before the first tensor. A failed allocation is noted in
/// currentProgress().
void installFillAllocator();

/// From now on new tensors may hold three quarters of `bytes`; beyond that, asking for one more raises RuntimeError, while
/// there is still memory for everything else.
void limitTensorMemory(int64_t bytes);

/// The two runs that are compared use one pattern each. As a float, each is a large odd-looking number, no NaN.
enum class FillPattern : unsigned char { kFirst = 0x4B, kSecond = 0x5C };
void setFillPattern(FillPattern pattern);

} // namespace touchstone::harness
