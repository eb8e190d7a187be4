#pragma once

#include "harness/worker/Profile.h"

#include <string>
#include <vector>

namespace touchstone::campaign {

struct StartCase {
  std::string text;
  std::string foundBy; // `what workers start with, program 1`
};

/// The programs that workers of a backend of one's own start with (`bridge/warm_up.py` of `backends/torch_compile/`), as Cases, the
/// one that asks most first, without those that hold what the profile leaves out. What a backend does not get through is
/// thereby a finding as any other.
std::vector<StartCase> startCases(const worker::Profile& profile);

} // namespace touchstone::campaign
