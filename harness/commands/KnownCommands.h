#pragma once

#include "harness/commands/CommandParts.h"
#include "harness/commands/MaskCommand.h"
#include "harness/commands/RetestCommand.h"
#include "harness/pool/ProfileFlags.h"

namespace touchstone::commands {

/// Values that the options of the commands below are read into.
struct KnownCommandOptions {
  MaskOptions mask;
  RetestOptions retest;
  pool::ProfileFlags maskProfile, retestProfile;
};

/// The commands about what is known: mask, retest.
void addKnownCommands(CLI::App& application, KnownCommandOptions& options, Command& command);

/// `--today`, of every command that reads a known file.
void addToday(CLI::App& command, std::string& today);

} // namespace touchstone::commands
