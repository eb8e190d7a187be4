#pragma once

#include "harness/commands/CommandParts.h"
#include "harness/commands/ReduceCommand.h"
#include "harness/pool/ProfileFlags.h"

namespace touchstone::commands {

/// Adds `touchstone reduce`; all three are filled when the arguments are read, and must live until the command ends.
void addReduce(CLI::App& application, ReduceOptions& options, pool::ProfileFlags& profile, Command& command);

} // namespace touchstone::commands
