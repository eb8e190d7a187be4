#pragma once

#include "program/semantics/Limits.h"

namespace touchstone::semantics {

/// Subscripts and iteration of lists, tuples, dicts, strings and tensors.
class Containers {
 public:
  Containers(Limits& limits, const torch_names::Dispatch& dispatch) : limits_(limits), dispatch_(dispatch) {}

  values::Value getItem(const values::Value& object, const values::Value& index);
  void setItem(const values::Value& object, const values::Value& index, const values::Value& value);
  void deleteItem(const values::Value& object, const values::Value& index);
  /// The items that a `for` visits. `notIterable`: the TypeError's text, with `{}` for the type.
  values::ValueList iterate(const values::Value& value, const char* notIterable = "'{}' object is not iterable");

 private:
  size_t position(const values::Value& object, const values::Value& index, size_t length, const char* outOfRange);
  void setSlice(values::ValueList& items, const values::SliceObject& slice, const values::Value& value);
  void deleteSlice(values::ValueList& items, const values::SliceObject& slice);

  Limits& limits_;
  const torch_names::Dispatch& dispatch_;
};

/// A tuple, or the torch.Size, of the items.
values::Value tupleOf(values::ValueList items, bool isSize);
bool isSize(const values::Value& value); // a torch.Size

} // namespace touchstone::semantics
