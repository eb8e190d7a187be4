#pragma once

#include "base/ExitStatus.h"
#include "harness/triage/Ladder.h"

#include <nlohmann/json_fwd.hpp>

namespace touchstone::commands {

/// The fields of a ladder that `--json` prints; docs/json.md.
nlohmann::json ladderJson(const triage::Ladder& ladder);

/// What a command that asks for the first difference ends with.
base::ExitStatus statusOf(const triage::Ladder& ladder);

} // namespace touchstone::commands
