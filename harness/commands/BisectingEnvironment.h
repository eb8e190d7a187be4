#pragma once

#include "harness/worker/JudgeTask.h"

#include <optional>

namespace touchstone::commands {

/// What a driver that bisects from outside asks for in the environment: TOUCHSTONE_BISECT_BACKEND names a native backend,
/// TOUCHSTONE_BISECT_SUBSYSTEM a pass, and TOUCHSTONE_BISECT_MAX at how many places it applies; without these two, applications
/// are counted. The names are those of torch/_inductor/compiler_bisector.py, but for the first word. None: nothing. Throws
/// WrongUse for another backend or pass, a bound that is no number, and where one of the two is missing.
std::optional<worker::PassLimit> passLimitOfEnvironment();

} // namespace touchstone::commands
