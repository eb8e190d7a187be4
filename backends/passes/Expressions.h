#pragma once

#include "graph/ir/Graph.h"

#include <string>
#include <vector>

namespace touchstone::passes {

/// The same text for two nodes of a Graph exactly when they compute the same from the same, in the same state of autograd and
/// autocast. `names`: by node, what it is called in such a text; operands without one (-1) make the text empty. Empty also
/// for what is no function of its operands, or does more than give a value: inputs, constants (numbers of the program apart),
/// draws, fresh memory, writes, callables.
std::string expressionOf(const ir::Graph& graph, ir::NodeId node, const std::vector<ir::NodeId>& names);

/// It writes to memory, or may do so unseen.
bool mayWrite(const ir::Node& node);

/// Makes every argument, and the Graph's output, refer to `into[node]` instead of `node`. Nodes stay where they are.
void redirect(ir::Graph& graph, const std::vector<ir::NodeId>& into);

/// Storages of the traced Graph in which these nodes lie; -1 among the nodes: None.
std::vector<bool> storagesOf(const ir::Graph& graph, const std::vector<ir::NodeId>& nodes);

} // namespace touchstone::passes
