#pragma once

#include "base/ExitStatus.h"
#include "harness/campaign/CampaignOptions.h"

namespace touchstone::commands {

/// `touchstone fuzz`: the main job.
base::ExitStatus fuzz(const campaign::FuzzOptions& options);

} // namespace touchstone::commands
