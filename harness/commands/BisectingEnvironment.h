#pragma once

#include "harness/worker/JudgeTask.h"

#include <optional>
#include <string>
#include <vector>

namespace touchstone::commands {

/// What a driver that bisects from outside asks for in the environment: TOUCHSTONE_BISECT_BACKEND names a native backend,
/// one of those that are `judged`, TOUCHSTONE_BISECT_SUBSYSTEM a pass of it, and TOUCHSTONE_BISECT_MAX at how many places that
/// applies; without these two, applications are counted. The names are those of torch/_inductor/compiler_bisector.py, but for the
/// first word. None: nothing. Throws WrongUse for what would be passed over: another backend or pass, a bound that is no number,
/// one of the two without the other, and these without a backend.
std::optional<worker::PassLimit> passLimitOfEnvironment(const std::vector<std::string>& judged);

} // namespace touchstone::commands
