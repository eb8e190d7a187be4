#pragma once

#include "base/ExitStatus.h"
#include "harness/worker/Job.h"

#include <cstdint>
#include <vector>

namespace touchstone::commands {

/// `touchstone ops`: the catalogue, and what so many Cases of a campaign use of it.
base::ExitStatus listOperators(bool json, uint64_t seed, uint64_t cases);
/// The same of Cases that were made (GeneratedJobs::wantUses). kFailed when some could not be.
base::ExitStatus listOperators(bool json, const std::vector<worker::JobResult>& made);

} // namespace touchstone::commands
