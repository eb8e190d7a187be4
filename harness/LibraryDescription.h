#pragma once

#include "graph/ir/BackendInfo.h"

#include <string>

namespace touchstone::harness {

/// What a shared library's backend is called and how it is judged. A child loads the library and tells: one that crashes or ends
/// its process while it is loaded does so there. Throws std::invalid_argument for what is no such library, ProfileUnavailable for
/// one that cannot be used on this machine.
graph::BackendInfo describeLibrary(const std::string& path);

} // namespace touchstone::harness
