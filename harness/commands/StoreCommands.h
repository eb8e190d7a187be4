#pragma once

#include "harness/commands/CommandParts.h"
#include "harness/commands/FindingsCommand.h"

#include <CLI/CLI.hpp>

namespace touchstone::commands {

/// Values that the options of the commands below are read into.
struct StoreCommandOptions {
  FindingsOptions findings;
  MergeOptions merge;
};

/// The commands that are about stores of findings: findings, merge.
void addStoreCommands(CLI::App& application, StoreCommandOptions& options, Command& command);

} // namespace touchstone::commands
