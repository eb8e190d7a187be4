#pragma once

#include "harness/commands/CommandParts.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/commands/ReduceCommand.h"

namespace touchstone::harness {

/// Adds `touchstone reduce`; all three are filled when the arguments are read, and must live until the command ends.
void addReduce(CLI::App& application, ReduceOptions& options, ProfileFlags& profile, Command& command);

} // namespace touchstone::harness
