#pragma once

#include "graph/ir/Graph.h"
#include "graph/program/Case.h"
#include "graph/program/Value.h"

#include <string>

namespace touchstone::backends {

/// Runs the Case's program once on copies of the arguments (aliasing among them kept, the arguments themselves and the
/// default generator left as they were) and records the operators that it calls as a Graph, specialized on the key of the
/// arguments (backends/arguments/SpecializationKey.h). Throws graph::Unsupported, with the reason, where a straight-line
/// Graph of operators cannot stand for the program: values read from tensor data, hooks, custom autograd functions, modules,
/// gradients taken inside.
graph::Graph captureStraightLine(const graph::Case& theCase, const graph::ValueList& arguments);

} // namespace touchstone::backends
