#include "backends/torch_compile/TorchBackends.h"

#include "backends/Registry.h"
#include "backends/torch_compile/EmbeddedPython.h"
#include "backends/torch_compile/PythonErrors.h"
#include "backends/torch_compile/TorchProgram.h"
#include "program/language/CasePrinter.h"
#include "program/language/CompileFlags.h"
#include "program/language/PythonConstructs.h"
#include "program/values/RaisedException.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace touchstone::torch_compile {

namespace {

constexpr std::string_view kPrefix = "torch:";

class TorchBackend final : public backends::Backend {
 public:
  TorchBackend(ir::BackendInfo info, bool isCold) : info_(std::move(info)), isCold_(isCold) {}

  const ir::BackendInfo& info() const override { return info_; }

  std::vector<std::string> warmUp() override {
    PythonLock lock;
    const PythonObject module = bridgeModule("warm_up"), name = pythonString(nameInPython());
    std::vector<std::string> failures;
    if (isCold_) {
      module.callMethod("look_up", name);
    } else {
      const PythonObject told = module.callMethod("warm_up", name, pythonBool(isOwn()));
      for (Py_ssize_t i = 0; i < PyList_Size(told.get()); ++i) {
        failures.push_back(textOf(PyList_GetItem(told.get(), i)));
      }
    }
    bridgeModule("settings").callMethod("settle");
    return failures;
  }

  std::unique_ptr<values::CompiledProgram> compile(const language::Case& theCase) override {
    return compileWith(theCase, {});
  }

  std::unique_ptr<values::CompiledProgram> compileKeepingStages(const language::Case& theCase,
                                                                backends::StagesKept kept) override {
    const std::string name = nameInPython();
    if (name == "eager_python" || name == "eager") {
      return backends::Backend::compileKeepingStages(theCase, kept);
    }
    return compileWith(theCase, {.keepsStages = true, .keepsCalls = kept == backends::StagesKept::kGraphsAndCalls});
  }

  std::unique_ptr<values::CompiledProgram> compileTellingServed(const language::Case& theCase,
                                                                backends::Serving serving) override {
    const std::string name = nameInPython();
    if (name == "eager_python" || name == "aot_function") {
      return backends::Backend::compileTellingServed(theCase, serving);
    }
    return compileWith(theCase, {.served = serving});
  }

 private:
  std::unique_ptr<values::CompiledProgram> compileWith(const language::Case& theCase, TorchCompileArguments arguments) {
    arguments.dynamic = theCase.compile.dynamic;
    arguments.fullgraph = theCase.compile.fullgraph;
    const language::TorchSettings settings = language::torchSettings(theCase.compile, isOwn());
    arguments.options = settings.options.empty() ? "" : language::printLiterals(settings.options);
    arguments.flags = language::printLiterals(settings.flags);
    arguments.needsPython = !language::needsPython(theCase).empty();
    for (const language::Function& function : theCase.functions) {
      if (arguments.needsPython && function.name != "program" && !language::needsPython(theCase, function).empty()) {
        arguments.functions.insert(function.name);
      }
    }
    return compileInPython(language::printDefinitions(theCase), nameInPython(), arguments);
  }

  /// One of one's own; a planted fault is in a pipeline of PyTorch.
  bool isOwn() const { return backends::isOfOnesOwn(info_.name); }

  std::string nameInPython() const { return info_.name.substr(kPrefix.size()); }

  ir::BackendInfo info_;
  const bool isCold_; // compiles nothing before the first Case
};

std::string pythonPath(const std::string& given) {
  if (!given.empty()) {
    return given;
  }
  const char* fromEnvironment = std::getenv("TOUCHSTONE_PYTHON");
  return fromEnvironment != nullptr && *fromEnvironment != '\0' ? fromEnvironment : TOUCHSTONE_PYTHON;
}

} // namespace

/// What went wrong, or nothing.
static std::string importModules(const TorchImports& imports) {
  PythonLock lock;
  const PythonObject importer = bridgeModule("imports");
  for (auto folder = imports.path.rbegin(); folder != imports.path.rend(); ++folder) {
    importer.callMethod("look_in", pythonString(*folder));
  }
  for (const std::string& name : imports.modules) {
    try {
      importer.callMethod("import_named", pythonString(name));
    } catch (const values::RaisedException& raised) {
      return "The module `" + name + "`, which the profile names in `imports`, cannot be imported: " + raised.what();
    }
  }
  return "";
}

std::string startAhead() {
  std::string missing = startInterpreter(pythonPath(""));
  if (missing.empty()) {
    PythonLock lock;
    bridgeModule("warm_up").callMethod("import_compilers");
    bridgeModule("settings").callMethod("settle");
  }
  return missing;
}

static PythonObject dictOf(const std::map<std::string, std::string>& variables) {
  PythonObject dict = PythonObject::owned(PyDict_New());
  for (const auto& [name, value] : variables) {
    PyDict_SetItem(dict.get(), pythonString(name).get(), pythonString(value).get());
  }
  return dict;
}

std::string refusalAhead(const std::map<std::string, std::string>& environment) {
  PythonLock lock;
  return textOf(bridgeModule("forked").callMethod("refusal", dictOf(environment)).get());
}

void takeEnvironment(const std::map<std::string, std::string>& environment) {
  PythonLock lock;
  bridgeModule("forked").callMethod("take_environment", dictOf(environment));
}

std::string startTorchBackends(const std::string& python, const TorchImports& imports) {
  std::string missing = startInterpreter(pythonPath(python));
  if (!missing.empty()) {
    return missing;
  }
  readPythonExceptions();
  const std::optional<std::string> cold = imports.warmUp ? std::nullopt : std::optional(imports.cold);
  backends::registerFactory(
      ir::Family::kTorch, [cold](const ir::BackendInfo& info) -> std::unique_ptr<backends::Backend> {
        return std::make_unique<TorchBackend>(info, cold && (cold->empty() || info.name == *cold));
      });
  std::string trouble = importModules(imports);
  if (trouble.empty() && !imports.proof.empty()) {
    PythonLock lock;
    bridgeModule("delegation")
        .callMethod("ask", pythonString(imports.proved.substr(kPrefix.size())), pythonString(imports.proof));
  }
  return trouble;
}

} // namespace touchstone::torch_compile
