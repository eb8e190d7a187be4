#include "backends/torch_compile/PythonValues.h"

#include "backends/torch_compile/OpaqueObjects.h"
#include "backends/torch_compile/PythonErrors.h"
#include "program/values/CompiledProgram.h"

#include <torch/csrc/Device.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/DynamicTypes.h>
#include <torch/csrc/Layout.h>
#include <torch/csrc/MemoryFormat.h>
#include <torch/csrc/Size.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/utils/tensor_memoryformats.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::torch_compile {

namespace {

using values::ModuleHook;
using values::ModuleObject;
using values::Value;
using FieldKind = ModuleObject::FieldKind;

// The numbers of these kinds are those of bridge/modules.py.
static_assert(static_cast<int>(FieldKind::kParameter) == 0 && static_cast<int>(FieldKind::kBuffer) == 1 &&
              static_cast<int>(FieldKind::kModule) == 2 && static_cast<int>(FieldKind::kPlain) == 3);
static_assert(static_cast<int>(ModuleHook::Kind::kForwardPre) == 0 &&
              static_cast<int>(ModuleHook::Kind::kForward) == 1 &&
              static_cast<int>(ModuleHook::Kind::kBackwardPre) == 2 &&
              static_cast<int>(ModuleHook::Kind::kBackward) == 3);

PythonObject sequenceToPython(const values::ValueList& items, PythonValues& values, bool asTuple) {
  auto size = static_cast<Py_ssize_t>(items.size());
  PythonObject result = PythonObject::owned(asTuple ? PyTuple_New(size) : PyList_New(size));
  for (Py_ssize_t index = 0; index < size; ++index) {
    PyObject* item = values.toPython(items[index]).release();
    if (asTuple) {
      PyTuple_SET_ITEM(result.get(), index, item);
    } else {
      PyList_SET_ITEM(result.get(), index, item);
    }
  }
  return result;
}

PythonObject entriesToPython(const std::vector<std::pair<std::string, Value>>& entries, PythonValues& values) {
  PythonObject result = PythonObject::owned(PyDict_New());
  for (const auto& [name, value] : entries) {
    if (PyDict_SetItem(result.get(), pythonString(name).get(), values.toPython(value).get()) != 0) {
      throwPythonError();
    }
  }
  return result;
}

values::HandlePtr handleOf(PyObject* object) {
  auto handle = std::make_shared<values::HandleObject>();
  handle->remove = [kept = keptWithoutLock(object)] {
    PythonLock lock;
    PythonObject::borrowed(kept.get()).callMethod("remove");
  };
  return handle;
}

/// A module's hooks are known by their addresses: it keeps those that were removed, too.
PythonObject numberOf(const ModuleHook& hook) {
  return pythonInt(static_cast<int64_t>(reinterpret_cast<uintptr_t>(&hook)));
}

/// It has no memory of its own: Python says what operators do with it.
bool isOfPython(const at::Tensor& tensor) {
  return tensor.key_set().has(c10::DispatchKey::Python);
}

/// A tuple, torch.Size, or the named results of an operator; other classes of tuples are objects of their own.
bool isPlainTuple(PyObject* object) {
  return PyTuple_Check(object) && (PyTuple_CheckExact(object) || Py_TYPE(object) == &THPSizeType ||
                                   PyObject_HasAttrString(object, "n_sequence_fields") != 0);
}

/// Another dict is an object of its own.
bool isDictOfTexts(PyObject* object) {
  if (!PyDict_CheckExact(object)) {
    return false;
  }
  PyObject* key = nullptr;
  for (Py_ssize_t position = 0; PyDict_Next(object, &position, &key, nullptr);) {
    if (!PyUnicode_Check(key)) {
      return false;
    }
  }
  return true;
}

int64_t integerOf(PyObject* object) {
  int64_t value = PyLong_AsLongLong(object);
  if (value == -1 && PyErr_Occurred()) {
    throwPythonError();
  }
  return value;
}

} // namespace

PythonObject PythonValues::toPython(const Value& value) {
  return std::visit(
      [&](const auto& held) -> PythonObject {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return PythonObject::borrowed(Py_None);
        } else if constexpr (std::is_same_v<T, bool>) {
          return pythonBool(held);
        } else if constexpr (std::is_same_v<T, int64_t>) {
          return pythonInt(held);
        } else if constexpr (std::is_same_v<T, double>) {
          return PythonObject::owned(PyFloat_FromDouble(held));
        } else if constexpr (std::is_same_v<T, std::complex<double>>) {
          return PythonObject::owned(PyComplex_FromDoubles(held.real(), held.imag()));
        } else if constexpr (std::is_same_v<T, std::string>) {
          return pythonString(held);
        } else if constexpr (std::is_same_v<T, at::Tensor>) {
          return PythonObject::owned(THPVariable_Wrap(held));
        } else if constexpr (std::is_same_v<T, at::ScalarType>) {
          return PythonObject::borrowed(reinterpret_cast<PyObject*>(torch::getTHPDtype(held)));
        } else if constexpr (std::is_same_v<T, at::Device>) {
          return PythonObject::owned(THPDevice_New(held));
        } else if constexpr (std::is_same_v<T, at::Layout>) {
          return PythonObject::borrowed(reinterpret_cast<PyObject*>(torch::getTHPLayout(held)));
        } else if constexpr (std::is_same_v<T, at::MemoryFormat>) {
          return PythonObject::owned(torch::utils::getTHPMemoryFormat(held));
        } else if constexpr (std::is_same_v<T, values::ListPtr>) {
          return listToPython(held);
        } else if constexpr (std::is_same_v<T, values::TuplePtr>) {
          PythonObject items = sequenceToPython(held->items, *this, /*asTuple=*/true);
          if (!held->isSize) {
            return items;
          }
          return PythonObject::owned(
              PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(&THPSizeType), items.get(), nullptr));
        } else if constexpr (std::is_same_v<T, values::DictPtr>) {
          return dictToPython(held);
        } else if constexpr (std::is_same_v<T, values::SlicePtr>) {
          return PythonObject::owned(
              PySlice_New(toPython(held->start).get(), toPython(held->stop).get(), toPython(held->step).get()));
        } else if constexpr (std::is_same_v<T, values::ModulePtr>) {
          return moduleToPython(held);
        } else if constexpr (std::is_same_v<T, values::EllipsisValue>) {
          return PythonObject::borrowed(Py_Ellipsis);
        } else if constexpr (std::is_same_v<T, values::OpaquePtr>) {
          return objectOf(held);
        } else {
          static_assert(std::is_same_v<T, values::HandlePtr> || std::is_same_v<T, values::FunctionPtr>);
          throw ir::Unsupported("A " + value.typeName() + " cannot be an argument of a Program that Python runs.");
        }
      },
      value.payload());
}

Value PythonValues::toValue(PyObject* object) {
  if (auto known = known_.find(object); known != known_.end()) {
    if (auto list = lists_.find(known->second); list != lists_.end()) {
      return Value(Value::Payload(list->second.value));
    }
    if (auto dict = dicts_.find(known->second); dict != dicts_.end()) {
      return Value(Value::Payload(dict->second.value));
    }
    if (auto module = modules_.find(known->second); module != modules_.end()) {
      if (values::ModulePtr alive = module->second.module.lock()) {
        return Value(Value::Payload(alive));
      }
    }
  }
  if (object == Py_None) {
    return Value();
  }
  if (THPVariable_Check(object)) {
    const at::Tensor& tensor = THPVariable_Unpack(object);
    return isOfPython(tensor) ? Value(Value::Payload(opaqueObject(object))) : Value(at::Tensor(tensor));
  }
  if (PyBool_Check(object)) {
    return Value(Value::Payload(object == Py_True));
  }
  if (PyLong_Check(object)) {
    return Value(Value::Payload(integerOf(object)));
  }
  if (PyFloat_Check(object)) {
    return Value(Value::Payload(PyFloat_AS_DOUBLE(object)));
  }
  if (PyComplex_Check(object)) {
    Py_complex number = PyComplex_AsCComplex(object);
    return Value(Value::Payload(std::complex<double>(number.real, number.imag)));
  }
  if (PyUnicode_Check(object)) {
    return Value(Value::Payload(textOf(object)));
  }
  if (isPlainTuple(object)) { // torch.Size and the named results of operators, too
    auto tuple = std::make_shared<values::TupleObject>();
    tuple->isSize = Py_TYPE(object) == &THPSizeType;
    tuple->items = itemsOf(object);
    return Value(Value::Payload(std::move(tuple)));
  }
  if (PyList_CheckExact(object)) {
    return Value::list(itemsOf(object));
  }
  if (isDictOfTexts(object)) {
    auto dict = std::make_shared<values::DictObject>();
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    for (Py_ssize_t position = 0; PyDict_Next(object, &position, &key, &value);) {
      dict->entries.emplace_back(textOf(key), toValue(value));
    }
    return Value(Value::Payload(std::move(dict)));
  }
  if (PySlice_Check(object)) {
    auto* slice = reinterpret_cast<PySliceObject*>(object);
    return Value(Value::Payload(std::make_shared<values::SliceObject>(
        values::SliceObject{toValue(slice->start), toValue(slice->stop), toValue(slice->step)})));
  }
  if (object == Py_Ellipsis) {
    return Value(Value::Payload(values::EllipsisValue{}));
  }
  if (THPDtype_Check(object)) {
    return Value(Value::Payload(reinterpret_cast<THPDtype*>(object)->scalar_type));
  }
  if (THPDevice_Check(object)) {
    return Value(Value::Payload(reinterpret_cast<THPDevice*>(object)->device));
  }
  if (THPLayout_Check(object)) {
    return Value(Value::Payload(reinterpret_cast<THPLayout*>(object)->layout));
  }
  if (THPMemoryFormat_Check(object)) {
    return Value(Value::Payload(reinterpret_cast<THPMemoryFormat*>(object)->memory_format));
  }
  std::string type = Py_TYPE(object)->tp_name;
  if (type == "RemovableHandle") {
    return Value(Value::Payload(handleOf(object)));
  }
  return Value(Value::Payload(opaqueObject(object)));
}

values::ValueList PythonValues::itemsOf(PyObject* sequence) {
  values::ValueList items;
  Py_ssize_t size = PySequence_Size(sequence);
  items.reserve(size);
  for (Py_ssize_t index = 0; index < size; ++index) {
    items.push_back(toValue(PythonObject::owned(PySequence_GetItem(sequence, index)).get()));
  }
  return items;
}

PythonObject PythonValues::listToPython(const values::ListPtr& list) {
  if (auto twin = lists_.find(list.get()); twin != lists_.end()) {
    return twin->second.object;
  }
  PythonObject object = sequenceToPython(list->items, *this, /*asTuple=*/false);
  lists_[list.get()] = {list, object};
  known_[object.get()] = list.get();
  return object;
}

PythonObject PythonValues::dictToPython(const values::DictPtr& dict) {
  if (auto twin = dicts_.find(dict.get()); twin != dicts_.end()) {
    return twin->second.object;
  }
  PythonObject object = entriesToPython(dict->entries, *this);
  dicts_[dict.get()] = {dict, object};
  known_[object.get()] = dict.get();
  return object;
}

PythonObject PythonValues::moduleToPython(const values::ModulePtr& module) {
  PythonObject bridge = bridgeModule("modules");
  ModuleTwin& twin = modules_[module.get()];
  if (twin.object && twin.module.lock() != module) { // another module at the address of one that died
    known_.erase(twin.object.get());
    twin = {};
  }
  if (!twin.object) {
    twin.object = bridge.callMethod("build", pythonString(module->typeName), entriesToPython(module->hyper, *this));
    twin.module = module;
    known_[twin.object.get()] = module.get();
  }
  PythonObject object = twin.object;
  if (twin.usedInCall) {
    return object;
  }
  twin.usedInCall = true;
  PythonObject fields = PythonObject::owned(PyList_New(0));
  for (const ModuleObject::Field& field : module->fields) {
    PythonObject entry = PythonObject::owned(PyTuple_Pack(
        3, pythonString(field.name).get(), pythonInt(static_cast<int>(field.kind)).get(), toPython(field.value).get()));
    PyList_Append(fields.get(), entry.get());
  }
  PythonObject hooks = PythonObject::owned(PyList_New(0));
  for (const std::shared_ptr<ModuleHook>& hook : module->hooks) {
    if (hook->active) {
      PythonObject entry = PythonObject::owned(PyTuple_Pack(
          3, numberOf(*hook).get(), pythonInt(static_cast<int>(hook->kind)).get(), pythonString(hook->function).get()));
      PyList_Append(hooks.get(), entry.get());
    }
  }
  bridge.callMethod("update", object, pythonBool(module->training), fields, hooks,
                    functions_ ? functions_ : PythonObject::borrowed(Py_None));
  return object;
}

void PythonValues::finishCall() {
  for (const auto& [address, twin] : lists_) {
    readList(twin);
  }
  for (const auto& [address, twin] : dicts_) {
    readDict(twin);
  }
  std::vector<const void*> dead;
  for (auto& [address, twin] : modules_) {
    values::ModulePtr module = twin.module.lock();
    if (module == nullptr) {
      known_.erase(twin.object.get());
      dead.push_back(address);
    } else if (std::exchange(twin.usedInCall, false)) {
      readModule(module, twin.object);
    }
  }
  for (const void* address : dead) {
    modules_.erase(address);
  }
  for (const auto& [address, twin] : lists_) {
    known_.erase(twin.object.get());
  }
  for (const auto& [address, twin] : dicts_) {
    known_.erase(twin.object.get());
  }
  lists_.clear();
  dicts_.clear();
}

void PythonValues::readList(const Twin<values::ListPtr>& twin) {
  twin.value->items = itemsOf(twin.object.get());
}

void PythonValues::readDict(const Twin<values::DictPtr>& twin) {
  twin.value->entries.clear();
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  for (Py_ssize_t position = 0; PyDict_Next(twin.object.get(), &position, &key, &value);) {
    twin.value->entries.emplace_back(textOf(key), toValue(value));
  }
}

void PythonValues::readModule(const values::ModulePtr& module, const PythonObject& object) {
  PythonObject known = PythonObject::owned(PySet_New(nullptr));
  for (const ModuleObject::Field& field : module->fields) {
    PySet_Add(known.get(), pythonString(field.name).get());
  }
  PythonObject read = bridgeModule("modules").callMethod("read", object, known);
  module->training = PyObject_IsTrue(PyTuple_GetItem(read.get(), 0)) != 0;
  PyObject* fields = PyTuple_GetItem(read.get(), 1);
  std::vector<ModuleObject::Field> found;
  for (Py_ssize_t index = 0; index < PyList_Size(fields); ++index) {
    PyObject* field = PyList_GetItem(fields, index);
    auto kind = static_cast<FieldKind>(integerOf(PyTuple_GetItem(field, 1)));
    found.push_back({textOf(PyTuple_GetItem(field, 0)), kind, toValue(PyTuple_GetItem(field, 2))});
  }
  // Known fields keep their places, new ones follow; a field that the Program deleted is gone.
  std::vector<ModuleObject::Field> updated;
  for (const ModuleObject::Field& field : module->fields) {
    auto same = std::find_if(found.begin(), found.end(), [&](const auto& other) { return other.name == field.name; });
    if (same != found.end()) {
      updated.push_back(std::move(*same));
      found.erase(same);
    }
  }
  std::move(found.begin(), found.end(), std::back_inserter(updated));
  module->fields = std::move(updated);
  readHooks(*module, object, PyTuple_GetItem(read.get(), 2));
}

void PythonValues::readHooks(ModuleObject& module, const PythonObject& object, PyObject* hooks) {
  std::set<int64_t> present;
  const size_t known = module.hooks.size();
  for (Py_ssize_t index = 0; index < PyList_Size(hooks); ++index) {
    PyObject* hook = PyList_GetItem(hooks, index);
    int64_t number = integerOf(PyTuple_GetItem(hook, 0));
    if (number == 0) {
      const int64_t kind = integerOf(PyTuple_GetItem(hook, 1));
      const auto& made = module.hooks.emplace_back(std::make_shared<ModuleHook>(
          ModuleHook{static_cast<ModuleHook::Kind>(kind), textOf(PyTuple_GetItem(hook, 3))}));
      number = integerOf(numberOf(*made).get());
      bridgeModule("modules").callMethod("know", object, numberOf(*made), pythonInt(kind),
                                         PythonObject::borrowed(PyTuple_GetItem(hook, 2)));
    }
    present.insert(number);
  }
  for (size_t i = 0; i < known; ++i) {
    module.hooks[i]->active = present.contains(integerOf(numberOf(*module.hooks[i]).get()));
  }
}

} // namespace touchstone::torch_compile
