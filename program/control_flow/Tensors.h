#pragma once

#include <ATen/core/Tensor.h>

#include <initializer_list>
#include <vector>

namespace touchstone::control_flow {

using TensorList = std::vector<at::Tensor>;

/// Laid out as the original, in memory of its own, without a history.
at::Tensor copyOf(const at::Tensor& tensor);
/// The same on the CPU without the values, which not every tensor has.
at::Tensor zerosFor(const at::Tensor& tensor);
TensorList zerosFor(const TensorList& tensors);
/// Laid out as the originals and at their offset, on the meta device.
TensorList withoutValues(const TensorList& tensors);
bool isPlain(const at::Tensor& tensor); // and not of a trace or a transform

TensorList slice(const TensorList& tensors, size_t first, size_t count);
TensorList joined(std::initializer_list<TensorList> parts);
/// Of each its `index`-th part along the first dimension, as views.
TensorList selected(const TensorList& tensors, int64_t index);
/// The same, in memory of their own (`torch/_higher_order_ops/utils.py`, first_slice_copy).
TensorList firstCopies(const TensorList& tensors);

bool shareMemory(const at::Tensor& left, const at::Tensor& right);
/// Copies in place of those that share memory with one before: functions are examined with tensors that share none, and a pass over
/// the Graph may have merged operands that were equal.
TensorList apart(TensorList tensors);

} // namespace touchstone::control_flow
