#pragma once

#include "program/language/Case.h"
#include "harness/worker/Job.h"
#include "harness/worker/Profile.h"

namespace touchstone::harness {

/// Makes a Case's calls under a backend of the installed PyTorch, keeping the graphs of its compiles and what they were run
/// on, and judges each step of AOTAutograd by them; see oracles::judgeStages(). To be called in a child of a worker that has
/// the backend.
JudgedStages runStageRungs(const graph::Case& theCase, const std::string& backend, const Profile& profile);

} // namespace touchstone::harness
