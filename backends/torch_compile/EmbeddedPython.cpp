#include "backends/torch_compile/EmbeddedPython.h"

#include "backends/GuardedMemory.h"
#include "backends/torch_compile/PythonErrors.h"
#include "backends/torch_compile/TorchBackends.h"

#include <torch/headeronly/version.h>

#include <unistd.h>

#include <stdexcept>

namespace touchstone::torch_compile {

namespace {

struct BridgeFile {
  const char* name;
  const char* text;
};

// Written by CMake from bridge/, so that the worker is one file.
const BridgeFile kBridgeFiles[] = {
#include "backends/torch_compile/BridgeFiles.inc"
};

// Finds the bridge's modules among the texts above, the way importlib asks for it.
constexpr const char* kFinder = R"py(
import importlib.abc, importlib.util, linecache, sys

class _Bridge(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    def __init__(self, texts):
        self.texts = texts

    def find_spec(self, name, path=None, target=None):
        if self._key(name) not in self.texts:
            return None
        is_package = self._key(name).endswith("__init__")
        return importlib.util.spec_from_loader(name, self, origin=self._file(name), is_package=is_package)

    def _key(self, name):
        package, _, module = name.partition(".")
        if package != "touchstone_bridge" or module in self.texts:
            return module if package == "touchstone_bridge" else ""
        return f"{module}.__init__".lstrip(".")

    def _file(self, name):
        return f"<{name}>"

    def get_source(self, name):
        return self.texts[self._key(name)]

    def exec_module(self, module):
        text = self.get_source(module.__name__)
        name = self._file(module.__name__)
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        exec(compile(text, name, "exec"), vars(module))

sys.meta_path.append(_Bridge(texts))
)py";

void installBridge() {
  PythonObject texts = PythonObject::owned(PyDict_New());
  for (const BridgeFile& file : kBridgeFiles) {
    PyDict_SetItemString(texts.get(), file.name, pythonString(file.text).get());
  }
  PythonObject names = PythonObject::owned(PyDict_New());
  PyDict_SetItemString(names.get(), "__builtins__", PyEval_GetBuiltins());
  PyDict_SetItemString(names.get(), "__name__", pythonString("touchstone_finder").get());
  PyDict_SetItemString(names.get(), "texts", texts.get());
  PythonObject::owned(PyRun_String(kFinder, Py_file_input, names.get(), names.get()));
}

std::string errorOfStart() {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyObject* text = value != nullptr ? PyObject_Str(value) : nullptr;
  std::string message = text != nullptr ? textOf(text) : "no message";
  Py_XDECREF(text);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
  return message;
}

PyGILState_STATE forkState; // of the one thread that forks

} // namespace

std::string startInterpreter(const std::string& python) {
  if (Py_IsInitialized()) {
    return "";
  }
  if (access(python.c_str(), X_OK) != 0) {
    return "There is no Python interpreter at `" + python +
           "`; set TOUCHSTONE_PYTHON to the python of an environment that has torch.";
  }
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.install_signal_handlers = 0;
  config.parse_argv = 0;
  config.user_site_directory = 0;
  // The name of the interpreter is what makes its environment's packages visible.
  PyStatus status = PyConfig_SetBytesString(&config, &config.program_name, python.c_str());
  if (!PyStatus_Exception(status)) {
    status = Py_InitializeFromConfig(&config);
  }
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status)) {
    return std::string("The Python interpreter could not be started: ") +
           (status.err_msg != nullptr ? status.err_msg : "no message");
  }
  std::string failure;
  try {
    installBridge();
    bridgeModule("settings").callMethod("collect_rarely");
    PyObject* torch = PyImport_ImportModule("torch");
    if (torch == nullptr) {
      failure = "`import torch` failed in the environment of `" + python + "`: " + errorOfStart() +
                ". The backends `torch:…` need torch " TORCH_VERSION " there: install it with `" + python +
                " -m pip install torch==" TORCH_VERSION "`, or name another Python in TOUCHSTONE_PYTHON.";
    }
    PythonObject holder = torch != nullptr ? PythonObject::owned(torch) : PythonObject();
    if (failure.empty()) {
      const std::string version = textOf(holder.attribute("__version__").get());
      if (version != TOUCHSTONE_TORCH_VERSION) {
        failure =
            "`" + python + "` has torch " + version +
            ", and this program was built with torch " TOUCHSTONE_TORCH_VERSION ". Call `TOUCHSTONE_TORCH=" + python +
            " ./touchstone build`, or name the Python that it was built with in TOUCHSTONE_PYTHON.";
      }
    }
    if (failure.empty()) {
      bridgeModule("settings").callMethod("configure");
      bridgeModule("evidence").callMethod("install");
      if (backends::isMemoryGuarded()) {
        bridgeModule("faults").callMethod("note_guarded_memory");
      }
    }
  } catch (const std::exception& error) {
    failure = "The embedded Python of `" + python + "` could not be prepared: " + error.what();
  }
  PyEval_SaveThread();
  return failure;
}

PythonLock::PythonLock() : state_(PyGILState_Ensure()) {
  PyErr_Clear();
}

PythonLock::~PythonLock() {
  PyGILState_Release(state_);
}

PythonObject PythonObject::owned(PyObject* reference) {
  if (reference == nullptr) {
    throwPythonError();
  }
  PythonObject result;
  result.object_ = reference;
  return result;
}

PythonObject PythonObject::borrowed(PyObject* object) {
  Py_XINCREF(object);
  return owned(object);
}

PythonObject PythonObject::attribute(const char* name) const {
  return owned(PyObject_GetAttrString(object_, name));
}

PythonObject bridgeModule(const std::string& name) {
  return PythonObject::owned(PyImport_ImportModule(("touchstone_bridge." + name).c_str()));
}

PythonObject pythonString(const std::string& text) {
  return PythonObject::owned(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

PythonObject pythonBool(bool value) {
  return PythonObject::owned(PyBool_FromLong(value));
}

PythonObject pythonInt(long long value) {
  return PythonObject::owned(PyLong_FromLongLong(value));
}

std::string textOf(PyObject* string) {
  PythonObject bytes = PythonObject::owned(PyUnicode_AsEncodedString(string, "utf-8", "backslashreplace"));
  return std::string(PyBytes_AS_STRING(bytes.get()), PyBytes_GET_SIZE(bytes.get()));
}

void beforeFork() {
  forkState = PyGILState_Ensure();
  PyOS_BeforeFork();
}

void afterForkInParent() {
  PyOS_AfterFork_Parent();
  PyGILState_Release(forkState);
}

void afterForkInChild() {
  PyOS_AfterFork_Child();
  PyGILState_Release(forkState);
}

} // namespace touchstone::torch_compile
