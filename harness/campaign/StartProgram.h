#pragma once

#include "harness/worker/Profile.h"

#include <string>
#include <string_view>
#include <vector>

namespace touchstone::campaign {

inline constexpr std::string_view kFoundAtStart = "what workers start with";

/// The programs that workers of a backend of one's own start with (`warm_up.py` of `backends/torch_compile/`), as Cases, the
/// one that asks most first, without those that hold what the profile leaves out. What a backend does not get through is
/// thereby a finding as any other.
std::vector<std::string> startCases(const worker::Profile& profile);

} // namespace touchstone::campaign
