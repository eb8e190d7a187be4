#include "harness/campaign/StoredProfile.h"

#include "base/AtomicFile.h"
#include "harness/pool/ProfileFlags.h"
#include "program/analysis/ProgramSignature.h"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace touchstone::campaign {

std::string storeProfile(const worker::Profile& profile, const std::string& folder) {
  if (profile.text.empty()) {
    return "";
  }
  const auto file =
      std::filesystem::path(folder) / (pool::kStoredProfile + analysis::shortHash(profile.text) + ".json");
  base::writeFile(file, nlohmann::json::parse(profile.text).dump(2) + "\n");
  return file;
}

} // namespace touchstone::campaign
