#pragma once

#include "backends/GraphCompiler.h"
#include "graph/program/CallMode.h"

#include <memory>

namespace touchstone::backends {

/// How a Graph below autograd is run as it is.
struct BoxedNopOptions {
  /// Each node is held against what was traced of it: see DebugInterpreter.
  bool checksMetadata = false;
  /// Sees each call; null: none.
  std::shared_ptr<graph::CallMode> mode;
};

/// The `boxed_nop` compiler of forward and backward Graphs: node by node, in the caller's grad mode, each tensor freed as
/// soon as no later node reads it.
GraphCompiler boxedNop(BoxedNopOptions options = {});

/// The same with a mode that sees each call.
GraphCompiler boxedNopWithMode(std::shared_ptr<graph::CallMode> mode);

} // namespace touchstone::backends
