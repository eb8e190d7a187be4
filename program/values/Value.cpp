#include "program/values/Value.h"

#include "program/values/Teardown.h"

#include <type_traits>

namespace touchstone::values {

Value Value::list(ValueList items) {
  return Value(Payload(makeShared(ListObject{std::move(items)})));
}

Value Value::tuple(ValueList items) {
  return Value(Payload(makeShared(TupleObject{std::move(items), /*isSize=*/false})));
}

Value Value::size(at::IntArrayRef sizes) {
  auto object = std::make_shared<TupleObject>();
  object->isSize = true;
  object->items.reserve(sizes.size());
  for (int64_t size : sizes) {
    object->items.emplace_back(Payload(size));
  }
  return Value(Payload(std::move(object)));
}

const ValueList* Value::items() const {
  if (auto* list = maybe<ListPtr>()) {
    return &(*list)->items;
  }
  if (auto* tuple = maybe<TuplePtr>()) {
    return &(*tuple)->items;
  }
  return nullptr;
}

std::string Value::typeName() const {
  return std::visit(
      [](const auto& held) -> std::string {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return "NoneType";
        } else if constexpr (std::is_same_v<T, bool>) {
          return "bool";
        } else if constexpr (std::is_same_v<T, int64_t>) {
          return "int";
        } else if constexpr (std::is_same_v<T, double>) {
          return "float";
        } else if constexpr (std::is_same_v<T, std::complex<double>>) {
          return "complex";
        } else if constexpr (std::is_same_v<T, std::string>) {
          return "str";
        } else if constexpr (std::is_same_v<T, at::Tensor>) {
          return "Tensor";
        } else if constexpr (std::is_same_v<T, at::ScalarType>) {
          return "torch.dtype";
        } else if constexpr (std::is_same_v<T, at::Device>) {
          return "torch.device";
        } else if constexpr (std::is_same_v<T, at::Layout>) {
          return "torch.layout";
        } else if constexpr (std::is_same_v<T, at::MemoryFormat>) {
          return "torch.memory_format";
        } else if constexpr (std::is_same_v<T, ListPtr>) {
          return "list";
        } else if constexpr (std::is_same_v<T, TuplePtr>) {
          return held->isSize ? "torch.Size" : "tuple";
        } else if constexpr (std::is_same_v<T, DictPtr>) {
          return "dict";
        } else if constexpr (std::is_same_v<T, SlicePtr>) {
          return "slice";
        } else if constexpr (std::is_same_v<T, ModulePtr>) {
          return held->typeName;
        } else if constexpr (std::is_same_v<T, HandlePtr>) {
          return "RemovableHandle";
        } else {
          static_assert(std::is_same_v<T, EllipsisValue>);
          return "ellipsis";
        }
      },
      payload_);
}

ModuleObject::Field* ModuleObject::find(const std::string& name) {
  for (Field& field : fields) {
    if (field.name == name) {
      return &field;
    }
  }
  return nullptr;
}

void collectTensors(const Value& value, std::vector<at::Tensor>& tensors) {
  if (auto* tensor = value.maybe<at::Tensor>()) {
    tensors.push_back(*tensor);
  } else if (const ValueList* items = value.items()) {
    for (const Value& item : *items) {
      collectTensors(item, tensors);
    }
  } else if (auto* dict = value.maybe<DictPtr>()) {
    for (const auto& entry : (*dict)->entries) {
      collectTensors(entry.second, tensors);
    }
  } else if (auto* module = value.maybe<ModulePtr>()) {
    for (const ModuleObject::Field& field : (*module)->fields) {
      collectTensors(field.value, tensors);
    }
  }
}

void collectTensorNames(const Value& value, const std::string& name, std::vector<std::string>& names) {
  if (value.isTensor()) {
    names.push_back(name);
  } else if (const ValueList* items = value.items()) {
    for (size_t i = 0; i < items->size(); ++i) {
      collectTensorNames((*items)[i], name + "_" + std::to_string(i), names);
    }
  } else if (auto* dict = value.maybe<DictPtr>()) {
    for (const auto& entry : (*dict)->entries) {
      collectTensorNames(entry.second, name + "_" + entry.first, names);
    }
  } else if (auto* module = value.maybe<ModulePtr>()) {
    for (const ModuleObject::Field& field : (*module)->fields) {
      collectTensorNames(field.value, name + "_" + field.name, names);
    }
  }
}

} // namespace touchstone::values
