#pragma once

#include "harness/options/Command.h"

#include <cstdint>

namespace touchstone::tool {

// One a command, in a source of its own. The table is in Main.cpp.
options::Command recompilesCommand();
options::Command observeCommand();
options::Command decodeBytesCommand();
options::Command checkGraphsCommand();
options::Command compileCasesCommand();
options::Command reachCommand();

/// When memory is first measured, and by how much it may grow from there.
options::OptionList memoryOptions(uint64_t& warmUp, double& maximumGrowth);
/// What malloc has given out and not got back. Resident memory grows without a leak, as free memory goes to pieces.
double allocatedMegabytes();

} // namespace touchstone::tool
