#pragma once

#include "harness/options/Command.h"

#include <span>

namespace touchstone::commands {

/// The commands of `touchstone` in the order of its help.
std::span<const options::CommandEntry> commandTable();

/// `touchstone` as a function: reads the arguments, runs the command, returns the exit status. Never throws.
int runCommandLine(int count, char** arguments);
/// The same for a program of other commands.
int runProgram(const options::Program& program, int count, char** arguments);

} // namespace touchstone::commands
