#pragma once

#include "program/control_flow/Tensors.h"

#include <functional>
#include <vector>

namespace touchstone::control_flow {

using TensorFunction = std::function<TensorList(const TensorList& tensors)>;

/// The gradients of the wanted primals, computed anew with the function, after `torch/_higher_order_ops/utils.py`, create_bw_fn: zeros
/// for a primal that no result reads, and each in memory of its own. `tangents`: of the results that have a gradient; raises
/// AssertionError when they are not as many. Runs below autograd.
TensorList gradientsOf(const TensorFunction& function, const TensorList& primals, const std::vector<bool>& wanted,
                       const TensorList& tangents);

} // namespace touchstone::control_flow
