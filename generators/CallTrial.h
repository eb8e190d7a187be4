#pragma once

#include "graph/program/Case.h"

#include <vector>

namespace touchstone::generators {

/// The calls of the Case, in their order, that eager takes: their forward, and their backward with tangents of one. A call
/// that passes the previous call's objects again goes with it. Autocast and `between` are not made.
std::vector<graph::CallSpec> callsThatRun(const graph::Case& theCase);

} // namespace touchstone::generators
