#pragma once

#include "harness/worker/Job.h"
#include "program/language/Case.h"

#include <string>

namespace touchstone::worker {

/// The stage of dumps that is no pipeline's: a backward that compiled autograd has captured.
constexpr const char* kCapturedBackward = "compiled_autograd";

/// Job::text: Graphs as modules that PyTorch runs; empty: as readable code.
inline constexpr const char* kRunnableText = "python";

/// The Case up to a call; of the call itself no more than its forward.
language::Case forwardUpTo(language::Case theCase, int call);

/// Runs a job that asks for Job::stagesOfCall: makes the calls before that one eagerly, compiles for that one anew under
/// the job's backend, a native one, and prints each stage that it leaves. The result's entry for the backend says how it
/// ended: Agreed; EagerRejected when the inputs or the program raise; Unsupported; InternalError when the backend raises
/// and the program does not. Stages that came before are there all the same. With Job::explain the result has the
/// explanation of that call instead, and the backend may be of any family; Job::drawnStage is drawn besides. To be called in a child.
JobResult runStagesJob(const Job& job);

/// The stage has the name that was asked for, or is one of several: `backward_1` is a `backward`.
bool isStage(const std::string& name, const std::string& wanted);

} // namespace touchstone::worker
