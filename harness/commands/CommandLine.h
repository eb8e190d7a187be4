#pragma once

namespace touchstone::commands {

/// `touchstone` as a function: reads the arguments, runs the command, returns the exit status. Never throws.
int runCommandLine(int count, char** arguments);

} // namespace touchstone::commands
