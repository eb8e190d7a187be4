#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace touchstone::compare {

/// Positions (row-major) of the elements that differ bit for bit. NaNs equal NaNs whatever their payload, signed zeros
/// are told apart. Both contiguous, of the same dtype and sizes.
std::vector<int64_t> differingElements(const at::Tensor& eager, const at::Tensor& compiled);

/// `[1, 2]`; of a scalar nothing.
std::string positionText(at::IntArrayRef sizes, int64_t element);

/// One element as Python prints it.
std::string elementText(const at::Tensor& tensor, int64_t element);

/// `[1, 2]: eager 0.25, compiled 0.5; 3 of 6 elements differ`.
std::string differenceText(const at::Tensor& eager, const at::Tensor& compiled, const std::vector<int64_t>& elements);

} // namespace touchstone::compare
