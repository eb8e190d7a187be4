#pragma once

#include "base/ExitStatus.h"

#include <cstdint>
#include <string>

namespace touchstone::commands {

/// `touchstone compile-cases`, for tests: compiles and runs Cases of a campaign with a native backend in this process,
/// forward and backward, without judging anything, and watches its memory.
struct CompileCasesOptions {
  uint64_t seed = 0, start = 0, cases = 100'000;
  std::string backend = "aot_eager";
  uint64_t warmUp = 5'000; // Cases after which the resident memory is taken as what compiling needs
  double maximumGrowth = 20; // MB from there to the end; with as much or more, exit status 5
};
base::ExitStatus compileCases(const CompileCasesOptions& options);

} // namespace touchstone::commands
