#pragma once

#include "harness/CommandLine.h"

#include <cstdint>

namespace touchstone::harness {

/// `touchstone ops`: the catalogue, and what so many Cases of a campaign use of it.
ExitStatus listOperators(bool json, uint64_t seed, uint64_t cases);

} // namespace touchstone::harness
