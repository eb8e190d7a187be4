#pragma once

#include "base/ExitStatus.h"
#include "harness/pool/WorkerPool.h"
#include "harness/triage/Ladder.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace touchstone::commands {

/// `touchstone ladder`: from which pipeline on a Case differs up to the strongest, or up to the profile's backend.
struct LadderOptions {
  std::string path;
  std::string family; // `native`, `torch`; empty: both, where the torch family can run here
  pool::LimitOptions limits;
  worker::Profile profile = {};
  bool json = false;
};
base::ExitStatus climbLadder(const LadderOptions& options);

/// The fields of a ladder that `--json` prints; docs/json.md.
nlohmann::json ladderJson(const triage::Ladder& ladder);

/// What a command that asks for the first difference ends with.
base::ExitStatus statusOf(const triage::Ladder& ladder);

} // namespace touchstone::commands
