#pragma once

#include "harness/options/Command.h"

namespace touchstone::commands {

/// `touchstone` as a function: reads the arguments, runs the command, returns the exit status. Never throws.
int runCommandLine(int count, char** arguments);
/// The same for a program of other commands.
int runProgram(const options::Program& program, int count, char** arguments);

} // namespace touchstone::commands
