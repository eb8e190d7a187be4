#pragma once

#include "base/ExitStatus.h"

#include <cstdint>
#include <string>
#include <vector>

namespace touchstone::commands {

/// `touchstone recompiles`: runs call sequences under some backends and prints for each a JSON object in a line of its own:
/// `index`, `error`, and by backend `outcome`, `frames`, `graphs`, the reasons of `recompiles` and of `breaks`; with
/// `wantCases` also the `case`.
struct RecompilesOptions {
  uint64_t seed = 0, start = 0, cases = 100;
  std::vector<std::string> backends{"aot_eager", "torch:aot_eager"};
  int workers = 1;
  bool wantCases = false;
};
base::ExitStatus listRecompiles(const RecompilesOptions& options);

} // namespace touchstone::commands
