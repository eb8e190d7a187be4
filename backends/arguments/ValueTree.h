#pragma once

#include "program/values/Value.h"

#include <functional>

namespace touchstone::arguments {

using TensorReplacement = std::function<at::Tensor(const at::Tensor&)>;

/// A copy of a value with containers and modules of its own and each tensor in it replaced. An object that occurs twice
/// does so in the copy.
values::Value mapTree(const values::Value& value, const TensorReplacement& replace);
/// Copies of several values that may have objects in common.
values::ValueList mapTrees(const values::ValueList& values, const TensorReplacement& replace);

/// The same tensors in the same structure, other leaves equal, and containers that are one object on the left one object
/// on the right.
bool sameTrees(const values::ValueList& left, const values::ValueList& right);

} // namespace touchstone::arguments
