#pragma once

#include "backends/torch_compile/EmbeddedPython.h"
#include "program/values/Value.h"

#include <memory>
#include <unordered_map>

namespace touchstone::torch_compile {

/// The two forms of the values of one Program: values::Value and Python objects. Tensors are the same tensors on both
/// sides. A list, dict or module that goes in as an argument comes out as the same object, and what the Program did to
/// it is there. Modules stay one Python object as long as the C++ side keeps theirs. All under PythonLock.
class PythonValues {
 public:
  /// The namespace of the Program's functions, among which the hooks of modules are.
  void setFunctions(PythonObject functions) { functions_ = std::move(functions); }

  /// Throws RaisedException where Python cannot make the object (a module with wrong constructor arguments).
  PythonObject toPython(const values::Value& value);
  /// An object that is nothing else becomes a values::OpaqueObject.
  values::Value toValue(PyObject* object);

  /// After a call: what the Program changed in lists, dicts and modules among the arguments is changed in the Values too.
  /// Forgets the call's lists and dicts.
  void finishCall();

 private:
  template <class Shared>
  struct Twin {
    Shared value;
    PythonObject object;
  };
  struct ModuleTwin {
    std::weak_ptr<values::ModuleObject> module;
    PythonObject object;
    bool usedInCall = false;
  };

  PythonObject listToPython(const values::ListPtr& list);
  PythonObject dictToPython(const values::DictPtr& dict);
  PythonObject moduleToPython(const values::ModulePtr& module);
  values::ValueList itemsOf(PyObject* sequence);
  void readList(const Twin<values::ListPtr>& twin);
  void readDict(const Twin<values::DictPtr>& twin);
  void readModule(const values::ModulePtr& module, const PythonObject& object);
  static void readHooks(values::ModuleObject& module, const PythonObject& object, PyObject* hooks);

  PythonObject functions_;
  // By the C++ object and by the Python object; the twins keep both alive.
  std::unordered_map<const void*, Twin<values::ListPtr>> lists_;
  std::unordered_map<const void*, Twin<values::DictPtr>> dicts_;
  std::unordered_map<const void*, ModuleTwin> modules_;
  std::unordered_map<PyObject*, const void*> known_;
};

} // namespace touchstone::torch_compile
