#pragma once

#include "graph/program/Value.h"

#include <functional>

namespace touchstone::backends {

using TensorReplacement = std::function<at::Tensor(const at::Tensor&)>;

/// A copy of a value with containers and modules of its own and each tensor in it replaced.
graph::Value mapTree(const graph::Value& value, const TensorReplacement& replace);

/// The same objects in the same structure: tensors by identity, other leaves by value.
bool sameTree(const graph::Value& left, const graph::Value& right);

} // namespace touchstone::backends
