#pragma once

#include "graph/ir/Graph.h"

#include <cstddef>

namespace touchstone::aot_autograd {

/// A Graph that takes a token as its argument `placeholder` and returns one as its result `output`, without these: it makes
/// the token itself, and sinks the last one (torch/_functorch/_aot_autograd/graph_capture_wrappers.py, unlift_tokens).
ir::Graph unliftToken(const ir::Graph& graph, size_t placeholder, size_t output);

} // namespace touchstone::aot_autograd
