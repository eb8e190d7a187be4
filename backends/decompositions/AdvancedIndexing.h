#pragma once

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

namespace touchstone::decompositions {

using IndexList = c10::List<std::optional<at::Tensor>>;

/// What indexes dimension `dim` and those after it by `indices`, and takes the dimensions before whole.
IndexList indicesFrom(int64_t dim, const std::vector<at::Tensor>& indices);
/// Whole numbers 0, 1, ... `count - 1` on the device of `like`.
at::Tensor counting(int64_t count, const at::Tensor& like);
/// Along dimension `dim` of `dimensions`, of size 1 along the others.
at::Tensor alongDimension(const at::Tensor& vector, int64_t dim, int64_t dimensions);
/// Of one dimension at least.
at::Tensor atLeastVector(const at::Tensor& tensor);

} // namespace touchstone::decompositions
