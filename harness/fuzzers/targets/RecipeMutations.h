#pragma once

// How libFuzzer changes inputs that are Recipes. To be included by the one source of a target.

#include "harness/fuzzers/RecipeInput.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace touchstone::fuzzers {

/// As many records as fit into `bytes` beside the first.
inline size_t recordsIn(size_t bytes) {
  constexpr size_t kRecordBytes = 16;
  return std::min(bytes / kRecordBytes - std::min<size_t>(bytes / kRecordBytes, 1), catalogue::kMaximumRecords);
}

inline size_t putBytes(const RecipeInput& input, uint8_t* data, size_t maximum) {
  const std::vector<uint8_t> bytes = inputBytes(input);
  const size_t size = std::min(bytes.size(), maximum);
  std::memcpy(data, bytes.data(), size);
  return size;
}

} // namespace touchstone::fuzzers

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t maximum, unsigned seed) {
  using namespace touchstone::fuzzers;
  return putBytes(mutated(inputFromBytes({data, size}), seed, recordsIn(maximum)), data, maximum);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* first, size_t firstSize, const uint8_t* second,
                                            size_t secondSize, uint8_t* out, size_t maximum, unsigned seed) {
  using namespace touchstone::fuzzers;
  return putBytes(
      spliced(inputFromBytes({first, firstSize}), inputFromBytes({second, secondSize}), seed, recordsIn(maximum)), out,
      maximum);
}
