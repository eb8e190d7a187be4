#pragma once

#include "backends/capture/CallableCapture.h"
#include "graph/ir/Graph.h"

namespace touchstone::capture {

/// The function as one Graph above autograd, without guards, for arguments like `examples`, which stay as they are. A
/// placeholder for each tensor that it holds, then for each example, in order, read or not; a tensor that occurs twice is
/// the first of its placeholders. The output is a flat tuple, in which an argument that is returned is its placeholder.
/// Throws as captureCallable() says, and ir::Unsupported when the function leaves another grad mode behind.
ir::Graph exportCallable(const CallableProgram& program, const std::vector<at::Tensor>& examples,
                         fake::Backing backing = fake::Backing::kValues);

} // namespace touchstone::capture
