#pragma once

#include "harness/worker/Job.h"

#include <functional>

namespace touchstone::worker {

/// Judges one Case in a child; reports where it is through currentProgress(). What it throws becomes JobResult::error.
using JobRunner = std::function<JobResult(const Job& job)>;

/// Called around each fork, in the process that the name says; for an embedded interpreter.
struct ForkHooks {
  std::function<void()> before = [] {};
  std::function<void()> inParent = [] {};
  std::function<void()> inChild = [] {};
};

/// The parent of the children that run Cases. Reads batches as lines from `input`, forks a warm child for each, and writes
/// one line to `output` for each job, in order, whatever the child does: a child that crashes, exits, hangs, or takes too
/// much memory costs one job under one backend, and a new child goes on from there.
///
/// Of a job whose child died the result says which backend it was in and where (`EagerCrashed` and `EagerTimedOut` when
/// it was in none); its other backends are judged all the same. A job that ran out of time is tried once more, alone.
/// Children die with this process. Returns the exit status when `input` ends.
int serveJobs(int input, int output, const JobRunner& run, const ForkHooks& hooks = {});

} // namespace touchstone::worker
