#pragma once

#include "harness/commands/CommandParts.h"

#include <string>
#include <vector>

namespace touchstone::commands {

/// `touchstone export --pytest`: Cases as files that need PyTorch and pytest only.
struct ExportOptions {
  std::string folder; // that the files go to
  std::vector<std::string> paths; // case files, or folders of them
  std::vector<std::string> backends; // of the torch family; empty: those that a file expects something of
  bool force = false; // overwrite files that were not exported
  bool json = false;
};

/// Writes what can be exported, and says of each other file why it cannot; then the exit status is kWrongUse.
base::ExitStatus exportCases(const ExportOptions& options);

void addExport(CLI::App& application, ExportOptions& options, Command& command);

} // namespace touchstone::commands
