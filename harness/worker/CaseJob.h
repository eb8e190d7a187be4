#pragma once

#include "harness/worker/Job.h"
#include "harness/worker/Profile.h"
#include "program/language/Case.h"

namespace touchstone::worker {

/// The JobRunner of every worker: reads or generates the Case, runs it eagerly, judges it under each backend, and looks for
/// the symptom of a finding down the backend's ladder. To be called in a child.
JobResult runCaseJob(const Job& job, const Profile& profile = {});
/// The part of it that begins with a Case: all but `stagesOfCall`, and what says how the Case is made.
void judgeCase(const Job& job, const language::Case& theCase, JobResult& result, const Profile& profile = {});

} // namespace touchstone::worker
