#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace touchstone::worker {

/// Makes libtorch's CPU allocator fill each new block with a pattern, so that what reads memory that nobody wrote gives
/// other values under another pattern, and put red zones around it (RedZones.h), so that a write outside it is noticed.
/// Call once, before the first tensor. A failed allocation is noted in currentProgress().
void installFillAllocator();

/// From now on new tensors may hold three quarters of `bytes`; beyond that, asking for one more raises RuntimeError, while
/// there is still memory for everything else.
void limitTensorMemory(int64_t bytes);

/// The two runs that are compared use one pattern each. As a float, each is a large odd-looking number, no NaN; one is
/// positive and the other negative.
enum class FillPattern : unsigned char { kFirst = 0x4B, kSecond = 0xDC };
void setFillPattern(FillPattern pattern);

/// The first write outside a block that was noticed since this was last asked, with what progress said at that time.
struct OutOfBoundsWrite {
  std::string phase; // `eager`, `compile`, …
  int call = -1; // -1: outside the calls
  std::string step; // of the call: `forward`, `backward`, …
  std::string message; // a sentence
};
std::optional<OutOfBoundsWrite> takeOutOfBoundsWrite();
void putBackOutOfBoundsWrite(OutOfBoundsWrite write); // for who is to ask later
/// Whether one was noticed ever since the process began: nobody knows what else was overwritten.
bool wroteOutOfBounds();

} // namespace touchstone::worker
