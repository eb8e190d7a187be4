#pragma once

#include "graph/program/Case.h"
#include "harness/worker/Job.h"

namespace touchstone::harness {

/// The JobRunner of every worker: reads or generates the Case, runs it eagerly, judges it under each backend, and looks for
/// the symptom of a finding down the backend's ladder. To be called in a child.
JobResult runCaseJob(const Job& job);
/// The part of it that begins with a Case: all but `stagesOfCall`, and what says how the Case is made.
void judgeCase(const Job& job, const graph::Case& theCase, JobResult& result);

} // namespace touchstone::harness
