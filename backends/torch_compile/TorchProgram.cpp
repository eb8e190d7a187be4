#include "backends/torch_compile/TorchProgram.h"

#include "backends/torch_compile/EmbeddedPython.h"
#include "backends/torch_compile/PythonErrors.h"
#include "backends/torch_compile/PythonValues.h"
#include "backends/torch_compile/ReplayCallImport.h"
#include "backends/torch_compile/StageImport.h"
#include "program/values/RaisedException.h"

namespace touchstone::torch_compile {

namespace {

// `bridge.programs.Program`, held from C++.
class TorchProgram final : public values::CompiledProgram {
 public:
  TorchProgram(const std::string& source, const std::string& backend, const TorchCompileArguments& arguments) {
    PythonLock lock;
    PythonObject dynamic = arguments.dynamic ? pythonBool(*arguments.dynamic) : PythonObject::borrowed(Py_None);
    held_ = std::make_unique<Held>();
    held_->program =
        bridgeModule("programs")
            .callMethod("Program", pythonString(source), pythonString(backend), dynamic,
                        pythonBool(arguments.fullgraph), pythonString(arguments.options), pythonString(arguments.flags),
                        pythonBool(arguments.keepsStages), pythonBool(arguments.keepsCalls),
                        !arguments.served
                            ? PythonObject::borrowed(Py_None)
                            : pythonString(*arguments.served == backends::Serving::kByGraphs ? "graphs" : "compiled"),
                        pythonBool(arguments.needsPython));
    held_->values.setFunctions(held_->program.callMethod("functions"));
    functions_ = arguments.functions;
    keepsStages_ = arguments.keepsStages;
    keepsCalls_ = arguments.keepsCalls;
    tellsServed_ = arguments.served.has_value();
  }

  ~TorchProgram() override {
    PythonLock lock;
    try {
      held_->program.callMethod("close");
    } catch (const std::exception&) {
      // Nothing is left to tell it to: what could not be freed goes with the process.
    }
    held_.reset();
  }

  values::Value operator()(values::ValueList& arguments) override { return callInstance(0, arguments); }

  values::Value callInstance(int instance, values::ValueList& arguments) override {
    PythonLock lock;
    PythonValues& values = held_->values;
    values::Value result;
    try {
      PythonObject positional = toTuple(arguments);
      arguments.clear();
      PythonObject returned = instance == 0
                                  ? held_->program.callMethod("call", positional)
                                  : held_->program.callMethod("call_instance", pythonInt(instance), positional);
      result = values.toValue(returned.get());
    } catch (...) {
      values.finishCall(); // the Program may have written before it raised
      throw;
    }
    values.finishCall();
    return result;
  }

  std::optional<values::Value> callFunction(const std::string& name, values::ValueList& arguments) override {
    if (!functions_.contains(name)) {
      return std::nullopt;
    }
    PythonLock lock;
    PythonValues& values = held_->values;
    values::Value result;
    try {
      PythonObject positional = toTuple(arguments);
      result = values.toValue(held_->program.callMethod("call_function", pythonString(name), positional).get());
    } catch (...) {
      values.finishCall();
      throw;
    }
    values.finishCall();
    return result;
  }

  /// The tensor's Python object keeps the mark for as long as the tensor lives.
  void mark(const at::Tensor& tensor, const values::DimensionMark& mark) override {
    PythonLock lock;
    const auto bound = [](const std::optional<int64_t>& given) {
      return given ? pythonInt(*given) : PythonObject::borrowed(Py_None);
    };
    bridgeModule("marks").callMethod("mark", pythonString(mark.function), held_->values.toPython(values::Value(tensor)),
                                     pythonInt(mark.dimension), bound(mark.minimum), bound(mark.maximum));
  }

  ir::CompileReport report() const override {
    PythonLock lock;
    PythonObject report = held_->program.callMethod("report");
    ir::CompileReport result;
    result.frames = integerAt(report, 0);
    result.graphs = integerAt(report, 1);
    result.operations = integerAt(report, 2);
    result.compiledRuns = integerAt(report, 3);
    result.breaks = held_->breaks.read(PyTuple_GetItem(report.get(), 4));
    result.recompiles = held_->recompiles.read(PyTuple_GetItem(report.get(), 5));
    result.guards = held_->guards.read(PyTuple_GetItem(report.get(), 6));
    result.compileSeconds = PyFloat_AsDouble(PyTuple_GetItem(report.get(), 7));
    result.bites = held_->bites.read(PyTuple_GetItem(report.get(), 8));
    return result;
  }

  int64_t symbols() const override {
    PythonLock lock;
    return integerAt(held_->program.callMethod("report"), 9);
  }

  std::vector<ir::StageArtifacts> stages() const override {
    if (!keepsStages_) {
      return {};
    }
    PythonLock lock;
    const auto [text, constants] = kept("stages");
    return importStages(text, constants);
  }

  std::vector<values::ReplayCall> replayCalls() const override {
    if (!keepsCalls_) {
      return {};
    }
    PythonLock lock;
    const auto [text, tensors] = kept("stage_calls");
    return importReplayCalls(text, tensors);
  }

  values::ServedCalls servedCalls() const override {
    values::ServedCalls served;
    if (!tellsServed_) {
      return served;
    }
    PythonLock lock;
    PythonObject told = held_->program.callMethod("served_calls");
    served.placed = static_cast<int>(integerAt(told, 0));
    PyObject *const codes = PyTuple_GetItem(told.get(), 1), *const around = PyTuple_GetItem(told.get(), 2);
    for (Py_ssize_t call = 0; call < PyList_Size(codes); ++call) {
      PyObject* const runs = PyList_GetItem(codes, call);
      std::vector<uint64_t>& ofCall = served.codes.emplace_back();
      for (Py_ssize_t run = 0; run < PyList_Size(runs); ++run) {
        ofCall.push_back(PyLong_AsUnsignedLongLong(PyList_GetItem(runs, run)));
      }
      served.around.push_back(textOf(PyList_GetItem(around, call)));
    }
    return served;
  }

  std::optional<ir::Delegation> delegation() override {
    PythonLock lock;
    const PythonObject told = held_->program.callMethod("delegation");
    const std::string kind = textOf(PyTuple_GetItem(told.get(), 0));
    if (kind.empty()) {
      return std::nullopt;
    }
    ir::Delegation delegation;
    delegation.kind = kind == "delegated" ? ir::DelegationKind::kDelegated
                      : kind == "partly"  ? ir::DelegationKind::kPartly
                                          : ir::DelegationKind::kUndelegated;
    PyObject* const rows = PyTuple_GetItem(told.get(), 1);
    for (Py_ssize_t i = 0; i < PyList_Size(rows); ++i) {
      PyObject* const row = PyList_GetItem(rows, i);
      delegation.operators[textOf(PyTuple_GetItem(row, 0))] = {PyLong_AsLongLong(PyTuple_GetItem(row, 1)),
                                                               PyLong_AsLongLong(PyTuple_GetItem(row, 2))};
    }
    return delegation;
  }

  void reset() override {
    PythonLock lock;
    held_->program.callMethod("reset");
  }

  std::shared_ptr<void> compiledAutograd() override { return opened("compiled_autograd"); }
  std::shared_ptr<void> backwardScope() override { return opened("backward_scope"); }

 private:
  /// A list of texts that only grows or is replaced by another list; a report is asked for around each call, so what was read
  /// is kept.
  class Texts {
   public:
    const std::vector<std::string>& read(PyObject* list) {
      if (list_.get() != list) {
        texts_.clear();
        list_ = PythonObject::borrowed(list);
      }
      for (auto position = static_cast<Py_ssize_t>(texts_.size()); position < PyList_Size(list); ++position) {
        texts_.push_back(textOf(PyList_GetItem(list, position)));
      }
      return texts_;
    }

   private:
    PythonObject list_; // held, so that no other list is at its address
    std::vector<std::string> texts_;
  };

  struct Held {
    PythonObject program;
    PythonValues values;
    Texts breaks, recompiles, guards, bites;
  };

  /// The scope that a method of the program opens, until the returned object dies; null: it has none.
  std::shared_ptr<void> opened(const char* method) const {
    PythonLock lock;
    PythonObject scope = held_->program.callMethod(method);
    if (scope.get() == Py_None) {
      return nullptr;
    }
    return std::shared_ptr<void>(scope.release(), [](void* opened) {
      PythonLock lock;
      try {
        PythonObject::owned(static_cast<PyObject*>(opened)).callMethod("close");
      } catch (const std::exception&) {
        // A scope that cannot be closed shows in the state that is observed after the call.
      }
    });
  }

  /// What a method of the program gives: a text, and the tensors that it refers to by their position.
  std::pair<std::string, std::vector<at::Tensor>> kept(const char* method) const {
    PythonObject given = held_->program.callMethod(method);
    std::vector<at::Tensor> tensors;
    const values::Value held = held_->values.toValue(PyTuple_GetItem(given.get(), 1));
    for (const values::Value& tensor : *held.items()) {
      tensors.push_back(tensor.tensor());
    }
    return {textOf(PyTuple_GetItem(given.get(), 0)), std::move(tensors)};
  }

  PythonObject toTuple(const values::ValueList& arguments) {
    PythonObject tuple = PythonObject::owned(PyTuple_New(static_cast<Py_ssize_t>(arguments.size())));
    for (size_t index = 0; index < arguments.size(); ++index) {
      PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(index), held_->values.toPython(arguments[index]).release());
    }
    return tuple;
  }

  static int64_t integerAt(const PythonObject& tuple, Py_ssize_t index) {
    return PyLong_AsLongLong(PyTuple_GetItem(tuple.get(), index));
  }

  std::unique_ptr<Held> held_;
  std::set<std::string> functions_;
  bool keepsStages_ = false, keepsCalls_ = false, tellsServed_ = false;
};

} // namespace

std::unique_ptr<values::CompiledProgram> compileInPython(const std::string& source, const std::string& backend,
                                                         const TorchCompileArguments& arguments) {
  return std::make_unique<TorchProgram>(source, backend, arguments);
}

} // namespace touchstone::torch_compile
