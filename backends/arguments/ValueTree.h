#pragma once

#include "program/values/Value.h"

#include <functional>

namespace touchstone::backends {

using TensorReplacement = std::function<at::Tensor(const at::Tensor&)>;

/// A copy of a value with containers and modules of its own and each tensor in it replaced. An object that occurs twice
/// does so in the copy.
graph::Value mapTree(const graph::Value& value, const TensorReplacement& replace);
/// Copies of several values that may have objects in common.
graph::ValueList mapTrees(const graph::ValueList& values, const TensorReplacement& replace);

/// The same tensors in the same structure, other leaves equal, and containers that are one object on the left one object
/// on the right.
bool sameTrees(const graph::ValueList& left, const graph::ValueList& right);

} // namespace touchstone::backends
