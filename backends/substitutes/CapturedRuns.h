#pragma once

#include "graph/ir/StageArtifacts.h"

#include <string>

namespace touchstone::substitutes {

/// What a pipeline was given to compile.
struct Captured {
  ir::Graph graph;
  ir::CallState state; // of whoever calls it
};

// Graphs of one call each, that run the captured Graph where `aot_joint` would run what it recorded of it. They throw
// NoSubstitute for what the captured Graph's arguments and results do not tell.

/// Takes the inputs' memory, writes to it, and returns the memories that the runtime wants.
ir::Graph capturedForward(const Captured& captured, const ir::StageArtifacts& artifacts);

/// Takes the inputs' memory as it was when the call began, then the tangents; the gradients are autograd's.
ir::Graph capturedBackward(const Captured& captured, const ir::StageArtifacts& artifacts, const std::string& stage);

} // namespace touchstone::substitutes
