#pragma once

#include <ATen/core/Tensor.h>

namespace touchstone::arguments {

/// Which version counter a tensor has: equal for tensors that share one, as a tensor and its detach() do. Null for
/// inference tensors.
const void* versionIdentity(const at::Tensor& tensor);

/// The tensor as it lies now, as an object of its own of which autograd knows nothing: writes to `counted` count as writes to
/// it. Of an inference tensor nothing counts them.
at::Tensor aliasCountedWith(const at::Tensor& tensor, const at::Tensor& counted);

} // namespace touchstone::arguments
