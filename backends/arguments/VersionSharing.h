#pragma once

#include <ATen/core/Tensor.h>

namespace touchstone::backends {

/// Which version counter a tensor has: equal for tensors that share one, as a tensor and its detach() do. Null for
/// inference tensors.
const void* versionIdentity(const at::Tensor& tensor);

} // namespace touchstone::backends
