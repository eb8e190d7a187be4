#pragma once

#include "harness/worker/Profile.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace touchstone::conformance {

/// What comes of a case file that is run by itself: `differs`, `agrees`, `ends the process (Segmentation fault)`, or why it is not known.
/// `environment`: variables beside those of this process.
std::string runInPlainPython(const std::filesystem::path& file, const std::map<std::string, std::string>& environment,
                             double seconds);

/// Versions of the packages that importing the profile's modules brings in, beside those of PyTorch alone; empty where that fails.
std::map<std::string, std::string> versionsOf(const worker::Profile& profile);

} // namespace touchstone::conformance
