#pragma once

#include "harness/options/Command.h"

namespace touchstone::commands {

// One a command, in a source of its own, with its options, its help and what it does. The table is in CommandLine.cpp.
options::Command fuzzCommand();
options::Command runCommand();
options::Command reduceCommand();
options::Command diffCommand();
options::Command probeCommand();
options::Command dumpCommand();
options::Command explainCommand();
options::Command compareDevicesCommand();
options::Command ladderCommand();
options::Command twinCommand();
options::Command bisectCommand();
options::Command findingsCommand();
options::Command mergeCommand();
options::Command exportCommand();
options::Command maskCommand();
options::Command retestCommand();
options::Command backendsCommand();
options::Command operatorsCommand();
options::Command printCommand();
options::Command generateCommand();

} // namespace touchstone::commands
