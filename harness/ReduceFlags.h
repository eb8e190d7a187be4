#pragma once

#include "harness/CommandParts.h"
#include "harness/ProfileFlags.h"
#include "harness/ReduceCommand.h"

namespace touchstone::harness {

/// Adds `touchstone reduce`; all three are filled when the arguments are read, and must live until the command ends.
void addReduce(CLI::App& application, ReduceOptions& options, ProfileFlags& profile, Command& command);

} // namespace touchstone::harness
