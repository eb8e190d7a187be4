#pragma once

#include "backends/GraphCompiler.h"
#include "graph/program/CallMode.h"

#include <memory>

namespace touchstone::backends {

/// How a Graph below autograd is run as it is.
struct BoxedNopOptions {
  /// The debug interpreter: throws graph::RaisedException (`AssertionError`) when a node's tensor has another dtype, other
  /// sizes, or other strides in dimensions of more than one element than its metadata says. Nodes without metadata are not
  /// looked at.
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
