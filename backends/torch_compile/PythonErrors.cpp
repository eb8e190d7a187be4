#include "backends/torch_compile/PythonErrors.h"

#include "backends/torch_compile/EmbeddedPython.h"
#include "program/values/CompiledProgram.h"
#include "program/values/RaisedException.h"

#include <torch/csrc/Exceptions.h>

#include <optional>

namespace touchstone::torch_compile {

namespace {

std::string optionalText(PyObject* value) {
  return value == Py_None ? std::string() : textOf(value);
}

// Describes an exception object; keeps the reason in `refusal` when a pipeline refused the Case.
values::RaisedException describeException(PyObject* exception, std::optional<std::string>& refusal) {
  PythonObject described = bridgeModule("errors").callMethod("describe", PythonObject::borrowed(exception));
  PyObject* parts = described.get();
  values::RaisedException raised(textOf(PyTuple_GetItem(parts, 0)), textOf(PyTuple_GetItem(parts, 1)));
  raised.wrapper = textOf(PyTuple_GetItem(parts, 2));
  raised.phase = optionalText(PyTuple_GetItem(parts, 3));
  if (PyObject* reason = PyTuple_GetItem(parts, 4); reason != Py_None) {
    refusal = textOf(reason);
  }
  return raised;
}

// The pending error as an exception object with its traceback, or a null reference when there is none.
PythonObject takePendingError() {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (value != nullptr && traceback != nullptr) {
    PyException_SetTraceback(value, traceback);
  }
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  return value == nullptr ? PythonObject() : PythonObject::owned(value);
}

// Describing an error must not raise one that is described again.
thread_local bool describing = false;

// Without the bridge's help: for errors of the bridge itself.
values::RaisedException describePlainly(PyObject* exception) {
  PyObject* text = PyObject_Str(exception);
  std::string message = text != nullptr ? textOf(text) : "";
  Py_XDECREF(text);
  PyErr_Clear();
  return values::RaisedException(Py_TYPE(exception)->tp_name, message);
}

std::optional<values::RaisedException> readForeignException() {
  try {
    throw;
  } catch (python_error& error) {
    PythonLock lock;
    if (error.type == nullptr) {
      return values::RaisedException("RuntimeError", error.what());
    }
    // What the interpreter itself raises is a class and a text until somebody looks at it.
    PyObject* type = error.type;
    PyObject* value = error.value;
    PyObject* traceback = error.traceback;
    Py_INCREF(type);
    Py_XINCREF(value);
    Py_XINCREF(traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    const PythonObject exception = PythonObject::owned(value);
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    std::optional<std::string> refusal;
    return describeException(exception.get(), refusal);
  } catch (const py::error_already_set& error) {
    PythonLock lock;
    std::optional<std::string> refusal;
    return describeException(error.value().ptr(), refusal);
  } catch (...) {
    return std::nullopt;
  }
}

} // namespace

void throwPythonError() {
  PythonObject error = takePendingError();
  if (!error) {
    throw values::RaisedException("SystemError", "Python reported a failure, but raised nothing");
  }
  if (describing) {
    throw describePlainly(error.get());
  }
  describing = true;
  std::optional<std::string> refusal;
  std::optional<values::RaisedException> raised;
  try {
    raised = describeException(error.get(), refusal);
  } catch (const values::RaisedException&) {
    raised = describePlainly(error.get());
  }
  describing = false;
  if (refusal) {
    throw ir::Unsupported(*refusal);
  }
  throw *raised;
}

void readPythonExceptions() {
  values::setForeignExceptionReader(&readForeignException);
}

} // namespace touchstone::torch_compile
