#pragma once

#include <Python.h>

#include <string>
#include <utility>

namespace touchstone::torch_compile {

/// Starts the interpreter, once in a process, with the packages of the environment of `python`, and makes the modules of
/// `bridge/` importable as `touchstone_bridge`. Installs no signal handlers. Leaves the interpreter's lock released.
/// Returns what went wrong, or nothing.
std::string startInterpreter(const std::string& python);

/// Holds the interpreter's lock. An error that a C++ caller has left pending is dropped (the autograd engine leaves one
/// behind each exception of a Python function that it ran).
class PythonLock {
 public:
  PythonLock();
  ~PythonLock();
  PythonLock(const PythonLock&) = delete;
  PythonLock& operator=(const PythonLock&) = delete;

 private:
  PyGILState_STATE state_;
};

/// A reference to a Python object. Copied and destroyed under PythonLock only.
class PythonObject {
 public:
  PythonObject() = default;
  /// Takes over a new reference; throws the pending Python error when it is null.
  static PythonObject owned(PyObject* reference);
  static PythonObject borrowed(PyObject* object);
  PythonObject(const PythonObject& other) : object_(other.object_) { Py_XINCREF(object_); }
  PythonObject(PythonObject&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  PythonObject& operator=(PythonObject other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~PythonObject() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

  /// `object.name`, and `object.name(arguments…)`. Both throw what Python raises.
  PythonObject attribute(const char* name) const;
  template <class... Arguments>
  PythonObject callMethod(const char* name, const Arguments&... arguments) const {
    PythonObject method = attribute(name);
    return owned(PyObject_CallFunctionObjArgs(method.get(), arguments.get()..., nullptr));
  }

 private:
  PyObject* object_ = nullptr;
};

/// A module of `bridge/` by its name there.
PythonObject bridgeModule(const std::string& name);

PythonObject pythonString(const std::string& text);
PythonObject pythonBool(bool value);
PythonObject pythonInt(long long value);
/// The characters of a Python string; throws the pending Python error when it has none.
std::string textOf(PyObject* string);

} // namespace touchstone::torch_compile
