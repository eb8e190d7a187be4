#pragma once

#include "harness/commands/BisectCommand.h"
#include "harness/commands/CommandParts.h"
#include "harness/commands/CompareDevicesCommand.h"
#include "harness/commands/DumpCommand.h"
#include "harness/commands/ExplainCommand.h"
#include "harness/commands/LadderCommand.h"
#include "harness/commands/TwinCommand.h"
#include "harness/pool/ProfileFlags.h"

namespace touchstone::commands {

/// Values that the options of the commands below are read into.
struct StageCommandOptions {
  DumpOptions dump;
  ExplainOptions explain;
  LadderOptions ladder;
  pool::ProfileFlags ladderProfile, bisectProfile;
  TwinOptions twin;
  BisectOptions bisect;
  CompareDevicesOptions compareDevices;
};

/// The commands that show what pipelines make of a Case, stage by stage: dump, explain, compare-devices, ladder, twin, bisect.
void addStageCommands(CLI::App& application, StageCommandOptions& options, Command& command);

} // namespace touchstone::commands
