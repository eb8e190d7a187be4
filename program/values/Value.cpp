#include "program/values/Value.h"

#include "program/values/Teardown.h"

#include <algorithm>
#include <array>

namespace touchstone::values {

Value Value::list(ValueList items) {
  return Value(makeShared(ListObject{std::move(items)}));
}

Value Value::tuple(ValueList items) {
  return Value(makeShared(TupleObject{std::move(items), /*isSize=*/false}));
}

Value Value::size(at::IntArrayRef sizes) {
  auto object = std::make_shared<TupleObject>();
  object->isSize = true;
  object->items.reserve(sizes.size());
  for (int64_t size : sizes) {
    object->items.emplace_back(size);
  }
  return Value(std::move(object));
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
  // In the order of the payload.
  static constexpr std::array<const char*, std::variant_size_v<Payload>> kNames = {"NoneType",
                                                                                   "bool",
                                                                                   "int",
                                                                                   "float",
                                                                                   "complex",
                                                                                   "str",
                                                                                   "Tensor",
                                                                                   "torch.dtype",
                                                                                   "torch.device",
                                                                                   "torch.layout",
                                                                                   "torch.memory_format",
                                                                                   "list",
                                                                                   "tuple",
                                                                                   "dict",
                                                                                   "slice",
                                                                                   "Module",
                                                                                   "ellipsis",
                                                                                   "RemovableHandle",
                                                                                   "function",
                                                                                   "object"};
  if (const auto* module = maybe<ModulePtr>()) {
    return (*module)->typeName;
  }
  if (const auto* opaque = maybe<OpaquePtr>()) {
    return (*opaque)->className();
  }
  const auto* tuple = maybe<TuplePtr>();
  return tuple && (*tuple)->isSize ? "torch.Size" : kNames[payload_.index()];
}

ModuleObject::Field* ModuleObject::find(const std::string& name) {
  for (Field& field : fields) {
    if (field.name == name) {
      return &field;
    }
  }
  return nullptr;
}

std::vector<std::string> ModuleObject::hooksOf(ModuleHook::Kind kind) const {
  std::vector<std::string> functions;
  for (const std::shared_ptr<ModuleHook>& hook : hooks) {
    if (hook->active && hook->kind == kind) {
      functions.push_back(hook->function);
    }
  }
  return functions;
}

bool ModuleObject::hasHooks() const {
  return std::any_of(hooks.begin(), hooks.end(), [](const auto& hook) { return hook->active; });
}

bool ModuleObject::hasSameHooks(const ModuleObject& other) const {
  using Kind = ModuleHook::Kind;
  const Kind kinds[] = {Kind::kForwardPre, Kind::kForward, Kind::kBackwardPre, Kind::kBackward};
  return std::all_of(std::begin(kinds), std::end(kinds),
                     [&](Kind kind) { return hooksOf(kind) == other.hooksOf(kind); });
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
  } else if (auto* opaque = value.maybe<OpaquePtr>()) {
    for (const auto& [path, part] : (*opaque)->parts()) {
      collectTensors(part, tensors);
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
  } else if (auto* opaque = value.maybe<OpaquePtr>()) {
    for (const auto& [path, part] : (*opaque)->parts()) {
      std::string below = path;
      std::ranges::replace(below, '.', '_');
      collectTensorNames(part, name + "_" + below, names);
    }
  }
}

} // namespace touchstone::values
