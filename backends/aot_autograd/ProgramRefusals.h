#pragma once

#include "graph/program/Case.h"

namespace touchstone::backends {

/// Throws graph::Unsupported for what a trace of the program would lose, told by its text: gradients that the program takes
/// into `.grad` itself (the traced tensors' would be filled), numbers that are read past the operators (`tolist`), and
/// seeds of the generator. Looks at `program` and what it names.
void refuseWhatTracingLoses(const graph::Case& theCase);

} // namespace touchstone::backends
