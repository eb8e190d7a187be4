#pragma once

#include "program/torch_names/NameResolver.h"

namespace touchstone::torch_names {

/// The tensor of nested lists of numbers, as `torch.tensor` makes it: its dtype is given, or that of the widest number
/// (bool, int64, the default float, its complex). Ends in `aten::lift_fresh`, as eager does.
/// After `torch/csrc/utils/tensor_new.cpp`.
at::Tensor tensorFromData(const values::Value& data, std::optional<at::ScalarType> dtype,
                          std::optional<at::Device> device, const Dispatch& dispatch);

/// A tensor of its own, a leaf, with the values of such lists or of a tensor: `torch.tensor`. Dtype and device are given, or
/// those of the data.
at::Tensor copyOfData(const values::Value& data, std::optional<at::ScalarType> dtype, std::optional<at::Device> device,
                      bool requiresGrad, const Dispatch& dispatch);

/// The tensor of a list that indexes: bools stay bools, everything else becomes int64.
at::Tensor indexTensorFromData(const values::Value& data, at::Device device, const Dispatch& dispatch);

/// `torch.FloatTensor`, the name of a tensor's type before there were dtypes; errors and `Tensor.type()` still say it.
std::string legacyTypeName(const at::Tensor& tensor);

/// Nested lists of the numbers of a tensor: `Tensor.tolist()`.
values::Value tensorToList(const at::Tensor& tensor);
/// The Python number of a tensor of one element: `Tensor.item()`.
values::Value tensorToNumber(const at::Tensor& tensor, const Dispatch& dispatch);

} // namespace touchstone::torch_names
