#pragma once

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <vector>

namespace touchstone::values {

/// A copy of a value of the dispatcher's with each tensor in it, also undefined ones, replaced.
template <class Replace>
c10::IValue mapTensors(const c10::IValue& value, Replace&& replace) {
  if (value.isTensor()) {
    return replace(value.toTensor());
  }
  if (value.isTensorList()) {
    c10::List<at::Tensor> list;
    for (const at::Tensor& tensor : value.toTensorVector()) {
      list.push_back(replace(tensor));
    }
    return list;
  }
  if (value.isList()) {
    c10::impl::GenericList items = value.toList();
    c10::impl::GenericList list(items.elementType());
    for (size_t i = 0; i < items.size(); ++i) {
      list.push_back(mapTensors(items.get(i), replace));
    }
    return list;
  }
  return value;
}

/// Calls `visit` with each tensor in it, also undefined ones, in order.
template <class Visit>
void forEachTensor(const c10::IValue& value, Visit&& visit) {
  if (value.isTensor()) {
    visit(value.toTensor());
  } else if (value.isList()) {
    for (const c10::IValue& item : value.toListRef()) {
      forEachTensor(item, visit);
    }
  }
}

/// The tensors in it that are defined, in order.
inline std::vector<at::Tensor> definedTensors(const c10::IValue& value) {
  std::vector<at::Tensor> tensors;
  forEachTensor(value, [&](const at::Tensor& tensor) {
    if (tensor.defined()) {
      tensors.push_back(tensor);
    }
  });
  return tensors;
}

} // namespace touchstone::values
