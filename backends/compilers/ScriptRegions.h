#pragma once

#include "backends/GraphCompiler.h"
#include "graph/ir/Graph.h"

#include <map>
#include <string>

namespace touchstone::compilers {

/// Notes of each node in which state of autocast it is called, which the regions of autocast in the Graph and the state of
/// now, around the Graph, decide. Throws ir::Unsupported for a region that does not end in the Graph.
void noteAutocast(ir::Graph& graph);

/// Into which parts a Graph is cut for TorchScript, by the names of its operators and calls of what is no operator: a part
/// is called in one grad and inference mode and one state of autocast, see noteAutocast(), and holds operators alone or the others alone.
/// Numbered in order; -1: what switches autocast, which is left out, as each part runs in the state in which it was recorded.
std::map<std::string, int> scriptRegionsOf(const ir::Graph& graph);
/// There are parts, or something is left out.
bool hasScriptRegions(const std::map<std::string, int>& regions);

/// In which the first call of a Graph was made.
ir::CallState firstCallState(const ir::Graph& graph);

/// The Graph calls what is no operator: a part of it that TorchScript does not take.
bool callsNoOperators(const ir::Graph& graph);
/// Runs such a part node by node, in the state of autocast in which it was recorded.
std::shared_ptr<const backends::CompiledGraph> runInRecordedState(ir::Graph graph);

} // namespace touchstone::compilers
