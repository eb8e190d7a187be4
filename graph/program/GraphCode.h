#pragma once

#include "graph/ir/GraphText.h"

namespace touchstone::graph {

/// Options with which graphCode() writes operators as their schemas have them (defaults left out, keywords by name) and
/// numbers where they are used and
/// other constants of one element by their value.
GraphTextOptions libtorchTextOptions();

} // namespace touchstone::graph
