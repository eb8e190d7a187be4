#pragma once

#include "harness/worker/Job.h"
#include "program/language/Case.h"

namespace touchstone::worker {

/// Runs a job that asks for Job::graphFolder: reads each Graph of the folder and runs it, on the inputs of the run that was kept, or on inputs
/// that are made. `error` of the result: the folder, or a file in it, cannot be read. To be called in a child.
JobResult rerunGraphs(const Job& job);

// Job::graphCheck.
/// The first call is compiled by the job's backend, the Graphs written with what they were given, read, and run again: each has to be
/// the same text and give the same.
inline constexpr const char* kCheckFiles = "files";
/// Each Graph of each stage, above and below autograd, is printed, printed for PyTorch, and drawn.
inline constexpr const char* kCheckTexts = "texts";

GraphCheck checkGraphs(const Job& job, const language::Case& theCase);

} // namespace touchstone::worker
