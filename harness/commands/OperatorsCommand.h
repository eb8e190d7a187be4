#pragma once

#include "base/ExitStatus.h"
#include "harness/worker/Job.h"

#include <vector>

namespace touchstone::commands {

/// What `touchstone ops` prints: the catalogue, and how Cases that were made use it (GeneratedJobs::wantUses). kFailed when
/// some could not be made.
base::ExitStatus listOperators(bool json, const std::vector<worker::JobResult>& made);

} // namespace touchstone::commands
