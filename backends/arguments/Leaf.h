#pragma once

#include <ATen/core/Tensor.h>

namespace touchstone::arguments {

/// What Python's `is_leaf` says, without making a grad_fn anew: a view whose base has come to require grad is no leaf, though
/// nobody may have asked for its grad_fn yet. Never raises.
bool isLeafNow(const at::Tensor& tensor);

} // namespace touchstone::arguments
