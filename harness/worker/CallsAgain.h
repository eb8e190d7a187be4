#pragma once

#include "program/language/Case.h"
#include "program/values/CompiledProgram.h"

#include <functional>
#include <string>
#include <vector>

namespace touchstone::worker {

/// Makes all calls of a Case with one compiled program; nothing is judged. `task` is what the clock says of it, `onStep` is
/// told before each step (observe::RunOptions::onStep). By call, what it raised; empty: nothing.
std::vector<std::string> makeCallsAgain(const language::Case& theCase, values::CompiledProgram& program, const char* task,
                                        const std::function<void(int call, const char* step)>& onStep);

} // namespace touchstone::worker
