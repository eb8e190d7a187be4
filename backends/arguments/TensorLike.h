#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace touchstone::arguments {

/// A tensor of the dtype, device and offset of `like` with other sizes and strides, in memory of its own, whose values are those
/// of `like`, over and over. It requires grad if that does, and is computed if that is.
at::Tensor tensorLike(const at::Tensor& like, const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides);

} // namespace touchstone::arguments
