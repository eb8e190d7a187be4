#pragma once

#include "graph/ir/Graph.h"

#include <functional>
#include <string>

namespace touchstone::ir {

/// An argument as a Python expression; `nodeText` says what stands for a node.
std::string argumentText(const Argument& argument, const std::function<std::string(NodeId)>& nodeText);

/// A number as Python writes it: all digits that it needs, `2.0`, `float("inf")`.
std::string numberText(double value);

/// `f32[3, 4]`; with `[1, 3]` behind it where the strides are not those of contiguous memory. Strides that nobody can
/// notice, of sizes of one, do not count.
std::string tensorTypeText(const TensorMetadata& metadata);

} // namespace touchstone::ir
