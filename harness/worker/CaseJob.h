#pragma once

#include "harness/worker/Job.h"
#include "harness/worker/Profile.h"

namespace touchstone::harness {

/// The JobRunner of every worker: reads or generates the Case, runs it eagerly, judges it under each backend, and looks for
/// the symptom of a finding down the backend's ladder. To be called in a child.
JobResult runCaseJob(const Job& job, const Profile& profile = {});

} // namespace touchstone::harness
