#pragma once

#include "graph/ir/Graph.h"
#include "program/language/Case.h"

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

namespace touchstone::commands {

/// Where the inputs of a Graph come from: a run that was kept, or what is known of each.
enum class InputValues { kKept, kUnknown };

/// A Case whose Program calls what the Graph calls, in the same order, in two calls with these inputs, and with the Graph's tensor
/// constants as further ones. Effects are called without their tokens. Sizes, strides and shared memory are theirs. Values that were kept are written out; of large tensors, and where
/// they are unknown, floating numbers come from `data` and whole ones are zeros, which a `note` says where values were kept.
/// Throws ir::Unsupported with a sentence for what a Case cannot say.
language::Case caseOfGraph(ir::Graph graph, const std::vector<at::Tensor>& inputs, InputValues values);

/// A Graph that `dump --graphs` or `debugCompile` wrote, as a Case.
struct GraphFolderCase {
  language::Case theCase;
  std::string pipeline; // by which the Graph was compiled
};
/// Of a folder of Graphs its forward, of the folder of a part that one; none: the path is something else. Throws WrongUse that
/// names the folder: it is damaged, has no such part, or a Case cannot say what the Graph does.
std::optional<GraphFolderCase> caseOfGraphFolder(const std::string& path);

} // namespace touchstone::commands
