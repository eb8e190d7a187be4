#include "backends/torch_compile/TorchBackends.h"

#include "backends/Registry.h"
#include "backends/torch_compile/EmbeddedPython.h"
#include "backends/torch_compile/PythonErrors.h"
#include "backends/torch_compile/TorchProgram.h"
#include "graph/program/CasePrinter.h"

#include <cstdlib>

namespace touchstone::backends {

namespace {

constexpr const char* kPrefix = "torch:";

// `{"mode": …}` as COMPILE spells it; empty when the Case gives no options.
std::string optionsText(const graph::CompileSpec& compile) {
  std::string text;
  for (const auto& [key, value] : compile.options) {
    text += (text.empty() ? "{" : ", ") + graph::printExpression(*graph::makeString(key)) + ": " +
            graph::printExpression(*value);
  }
  return text.empty() ? text : text + "}";
}

class TorchBackend final : public Backend {
 public:
  explicit TorchBackend(graph::BackendInfo info) : info_(std::move(info)) {}

  const graph::BackendInfo& info() const override { return info_; }

  void warmUp() override {
    PythonLock lock;
    bridgeModule("warm_up").callMethod("warm_up", pythonString(nameInPython()));
    bridgeModule("settings").callMethod("settle");
  }

  std::unique_ptr<graph::CompiledProgram> compile(const graph::Case& theCase) override {
    return compileInPython(graph::printDefinitions(theCase), nameInPython(),
                           {theCase.compile.dynamic, theCase.compile.fullgraph, optionsText(theCase.compile)});
  }

 private:
  std::string nameInPython() const { return info_.name.substr(std::string(kPrefix).size()); }

  graph::BackendInfo info_;
};

std::string pythonPath(const std::string& given) {
  if (!given.empty()) {
    return given;
  }
  const char* fromEnvironment = std::getenv("TOUCHSTONE_PYTHON");
  return fromEnvironment != nullptr && *fromEnvironment != '\0' ? fromEnvironment : TOUCHSTONE_PYTHON;
}

} // namespace

std::string startTorchBackends(const std::string& python) {
  std::string missing = startInterpreter(pythonPath(python));
  if (missing.empty()) {
    readPythonExceptions();
    registerFactory(graph::Family::kTorch, [](const graph::BackendInfo& info) -> std::unique_ptr<Backend> {
      return std::make_unique<TorchBackend>(info);
    });
  }
  return missing;
}

} // namespace touchstone::backends
