#pragma once

#include "base/ExitStatus.h"
#include "harness/campaign/CampaignOptions.h"

namespace touchstone::harness {

/// `touchstone fuzz`: the main job.
ExitStatus fuzz(const FuzzOptions& options);

} // namespace touchstone::harness
