#pragma once

#include "base/ExitStatus.h"

#include <cstdint>

namespace touchstone::commands {

/// `touchstone decode-bytes`, for tests: decodes random byte strings in this process and watches its memory.
struct DecodeBytesOptions {
  uint64_t seed = 0, start = 0, strings = 1'000'000;
  uint64_t warmUp = 10'000; // strings after which the resident memory is taken as what decoding needs
  double maximumGrowth = 20; // MB from there to the end; with as much or more, exit status 5
};
base::ExitStatus decodeBytes(const DecodeBytesOptions& options);

} // namespace touchstone::commands
