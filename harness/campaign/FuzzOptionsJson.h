#pragma once

#include "harness/campaign/CampaignOptions.h"

#include <nlohmann/json_fwd.hpp>

namespace touchstone::campaign {

/// The options that decide what a campaign does, by their names on the command line; those that do not (--jobs, --json,
/// --events, --resume) are not among them.
nlohmann::json optionsJson(const FuzzOptions& options);
FuzzOptions optionsFromJson(const nlohmann::json& object);

} // namespace touchstone::campaign
