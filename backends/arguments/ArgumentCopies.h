#pragma once

#include "graph/program/Value.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Storage.h>

namespace touchstone::backends {

/// Copies of arguments that a program may write to: each storage is copied once, so aliasing, identity, sizes, strides,
/// offsets, requires_grad and leafness are those of the originals; relations of autograd to tensors outside are not.
graph::ValueList copyArguments(const graph::ValueList& arguments);

/// The bytes of a storage in a new one on the same device.
c10::Storage copyOfStorage(const c10::Storage& storage);

} // namespace touchstone::backends
