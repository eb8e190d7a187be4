#pragma once

#include "program/values/Value.h"

#include <ATen/core/Tensor.h>

namespace touchstone::arguments {

/// Copies of arguments that a program may write to: each storage is copied once, so aliasing, identity, sizes, strides,
/// offsets, requires_grad and leafness are those of the originals; relations of autograd to tensors outside are not.
values::ValueList copyArguments(const values::ValueList& arguments);

} // namespace touchstone::arguments
