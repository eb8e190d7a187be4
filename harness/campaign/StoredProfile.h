#pragma once

#include "harness/worker/Profile.h"

#include <string>

namespace touchstone::campaign {

/// The profile in force, flags included, beside the findings: what is found is found again with it. Returns the file; empty where there
/// is no profile.
std::string storeProfile(const worker::Profile& profile, const std::string& folder);

} // namespace touchstone::campaign
