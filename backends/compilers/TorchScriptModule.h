#pragma once

#include "graph/ir/Graph.h"

#include <torch/csrc/jit/api/module.h>

namespace touchstone::compilers {

/// A Graph as a TorchScript module whose `forward` takes a tensor for each placeholder and returns the Graph's outputs as a
/// tuple, None among them: what `torch.jit.script` makes of a GraphModule. Tensors of the Graph are attributes of the module.
/// Each node calls the very operator that the Graph names; where TorchScript, which goes by the types of the arguments, would
/// choose another overload or none (a bool as a number), by a stand-in, see StandIn.h.
///
/// The module has an attribute `training`, False: without it torch::jit::optimize_for_inference leaves everything as it is.
///
/// Throws ir::Unsupported for what TorchScript has no node for: calls of what is no operator (custom autograd functions,
/// hooks, regions).
torch::jit::Module torchScriptModule(const ir::Graph& graph);

} // namespace touchstone::compilers
