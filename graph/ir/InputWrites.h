#pragma once

#include "graph/ir/Graph.h"

#include <functional>
#include <optional>
#include <vector>

namespace touchstone::ir {

/// A write to an input that stands in a forward Graph, at its end, in place of an output.
struct InputWrite {
  std::optional<size_t> output; // which the Graph leaves out for it; none: it leaves out none
  std::optional<size_t> placeholder; // by position; none: what it writes to is no input
  NodeId target = -1; // the placeholder, or the view of it that is written to
};

/// In order. `isReturned`: whether the Graph that this one was cut from returns a tensor as this output.
std::vector<InputWrite> inputWrites(const Graph& forward, const std::function<bool(size_t output)>& isReturned);

} // namespace touchstone::ir
