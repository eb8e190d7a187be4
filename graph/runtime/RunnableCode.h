#pragma once

#include "graph/ir/GraphText.h"

#include <string>

namespace touchstone::runtime {

/// A Graph as a Python module that PyTorch runs: `import torch` and a function of `options.name` whose parameters are the
/// placeholders, with every constant written out. What Python has no text for (custom autograd functions, hooks, constants
/// that are not strided) is called or read through `callables` and `constants`, which the module defines as objects that say
/// so when they are used. Where a captured backward sets a `.grad`, the module keeps it in `new_grads`. Never throws for a
/// Graph that Graph::check() accepts.
std::string runnableCode(const ir::Graph& graph, ir::GraphTextOptions options);

/// Options with which graphCode() writes every constant out; those of libtorchTextOptions() besides.
ir::GraphTextOptions runnableTextOptions();

} // namespace touchstone::runtime
