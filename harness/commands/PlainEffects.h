#pragma once

#include "graph/ir/Graph.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace touchstone::commands {

/// The Graph with its effects called as a Program calls them: without tokens among its nodes, inputs and results. `inputs`, one
/// a placeholder, loses those that are tokens. A Graph without effects stays as it is.
ir::Graph withPlainEffects(ir::Graph graph, std::vector<at::Tensor>& inputs);

} // namespace touchstone::commands
