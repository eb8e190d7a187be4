#pragma once

#include "harness/BisectCommand.h"
#include "harness/CommandParts.h"
#include "harness/CompareDevicesCommand.h"
#include "harness/DumpCommand.h"
#include "harness/ExplainCommand.h"
#include "harness/LadderCommand.h"
#include "harness/ProfileFlags.h"
#include "harness/TwinCommand.h"

namespace touchstone::harness {

/// Values that the options of the commands below are read into.
struct StageCommandOptions {
  DumpOptions dump;
  ExplainOptions explain;
  LadderOptions ladder;
  ProfileFlags ladderProfile, bisectProfile;
  TwinOptions twin;
  BisectOptions bisect;
  CompareDevicesOptions compareDevices;
};

/// The commands that show what pipelines make of a Case, stage by stage: dump, explain, compare-devices, ladder, twin, bisect.
void addStageCommands(CLI::App& application, StageCommandOptions& options, Command& command);

} // namespace touchstone::harness
