#pragma once

#include "harness/options/Command.h"

namespace touchstone::commands {

// One a command, with its options, its help and what it does.
#define COMMAND(name, summary, page, make) options::Command make();
#include "harness/commands/CommandTable.inc"
#undef COMMAND

} // namespace touchstone::commands
