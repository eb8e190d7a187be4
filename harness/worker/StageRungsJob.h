#pragma once

#include "harness/worker/Job.h"
#include "harness/worker/Profile.h"
#include "program/language/Case.h"

namespace touchstone::worker {

/// Makes a Case's calls under a backend of the installed PyTorch, keeping the graphs of its compiles and what they were run
/// on, and judges each step of AOTAutograd by them; see stages::judgeStages(). To be called in a child of a worker that has
/// the backend.
JudgedStages runStageRungs(const language::Case& theCase, const std::string& backend, const Profile& profile);

} // namespace touchstone::worker
