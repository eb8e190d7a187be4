#pragma once

#include "graph/ir/BackendInfo.h"
#include "harness/worker/Profile.h"

#include <string>
#include <vector>

namespace touchstone::pool {

/// What a shared library's backend is called and how it is judged. A child loads the library and tells: one that crashes or ends
/// its process while it is loaded does so there. Throws std::invalid_argument for what is no such library, ProfileUnavailable for
/// one that cannot be used on this machine.
ir::BackendInfo describeLibrary(const std::string& path);

/// Makes the backends of a profile's libraries known to this process, which loads none of them; their names. Throws as
/// describeLibrary(), naming the profile.
std::vector<std::string> declareLibraries(const worker::Profile& profile, const std::string& source);

} // namespace touchstone::pool
