#include "backends/native/NativeBackends.h"

#include "backends/Registry.h"
#include "backends/debugging/AotCompilerOptions.h"
#include "backends/debugging/CompiledBackwards.h"
#include "backends/debugging/CompilerRegistry.h"
#include "backends/debugging/DebugInterpreter.h"
#include "backends/faults/PlantedFault.h"
#include "backends/native/BackendTable.h"
#include "backends/shared_library/SharedBackend.h"
#include "graph/ir/Stages.h"
#include "program/language/CasePrinter.h"
#include "program/language/CompileFlags.h"
#include "program/language/PythonConstructs.h"

#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace touchstone::native {

namespace {

/// As Python shows a value.
std::string optionValue(const language::Expr& value) {
  return value.kind == language::ExprKind::kString ? "'" + value.text + "'" : language::printExpression(value);
}

bool hasMemoryBudget(const std::string& pipeline) {
  const AotPipeline aot = aotPipelineOf(pipeline);
  return aot != nullptr && aot({}).partition == aot_autograd::AotPartition::kMinCut;
}

debugging::CompilerOptions optionsOf(const language::Case& theCase, const std::string& pipeline) {
  debugging::CompilerOptions options;
  for (const auto& [name, value] : language::nativeOptions(theCase.compile, hasMemoryBudget(pipeline))) {
    options.push_back({name, optionValue(*value)});
  }
  return options;
}

class CapturingBackend final : public backends::Backend {
 public:
  CapturingBackend(ir::BackendInfo info, std::string pipeline, capture::CaptureOptions options,
                   debugging::CompilerFunction compiler, backends::PipelineObservers observers)
      : info_(std::move(info)),
        pipeline_(std::move(pipeline)),
        options_(std::move(options)),
        compiler_(std::move(compiler)),
        observers_(std::move(observers)) {}
  const ir::BackendInfo& info() const override { return info_; }
  std::unique_ptr<values::CompiledProgram> compile(const language::Case& theCase) override {
    if (const std::vector<std::string> constructs = language::needsPython(theCase); !constructs.empty()) {
      throw ir::Unsupported(constructs.front());
    }
    capture::CaptureOptions options = options_;
    options.fullgraph = options.fullgraph || theCase.compile.fullgraph;
    options.dynamic = theCase.compile.dynamic;
    options.observers = observers_;
    options.compiler = debugging::lookUpCompiler(compiler_, optionsOf(theCase, pipeline_));
    backends::GraphCompiler compiler =
        pipeline_ == "eager" ? nullptr : options.compiler; // then Graphs run node by node, below autograd
    options.compiler = backends::aroundCompiler(observers_, ir::kCapturedStage, std::move(options.compiler));
    return debugging::withCompiledBackwards(capture::captureProgram(theCase, std::move(options)),
                                            {.compiler = std::move(compiler)});
  }

 private:
  ir::BackendInfo info_;
  std::string pipeline_; // the backend's name, or what a planted fault is in
  capture::CaptureOptions options_;
  debugging::CompilerFunction compiler_;
  backends::PipelineObservers observers_;
};

/// Every compiler under its name, with the tag `debug`; those that are wrong on purpose have the tag `wrong` as well.
void addCompilers(debugging::CompilerRegistry& registry) {
  for (const NativeBackend& row : nativeBackends()) {
    std::vector<std::string> tags{"debug"};
    if (std::string_view(row.name).ends_with("_TESTING_ONLY")) {
      tags.emplace_back("wrong");
    }
    registry.add(row.name, compilerOf(row, {row.name, {}}), std::move(tags));
  }
}

std::vector<ir::BackendInfo> infosOfTable() {
  std::vector<ir::BackendInfo> infos;
  for (const NativeBackend& row : nativeBackends()) {
    infos.push_back(
        {row.name, ir::Family::kNative, row.summary, row.rules, true, row.base, row.adds, row.continuesBase});
  }
  return infos;
}

debugging::CompilerFunction compilerFor(const std::string& name, const backends::PipelineObservers& observers,
                                        const capture::CaptureOptions& options) {
  CompilerSettings settings{
      name, {.backing = options.backing, .asPyTorch = options.asPyTorch, .observers = observers, .gate = options.gate}};
  if (const NativeBackend* row = nativeBackend(name)) {
    return compilerOf(*row, std::move(settings));
  }
  const shared_library::SharedBackend* loaded = shared_library::loadedBackend(name);
  return loaded != nullptr && loaded->isAot()
             ? debugging::aotCompilerWithOptions(name, loaded->with(std::move(settings.aot)))
             : shownTo(observers, debugging::compilerRegistry().find(name));
}

} // namespace

std::unique_ptr<backends::Backend> makeCapturingBackend(const ir::BackendInfo& info, capture::CaptureOptions options) {
  debugging::CompilerFunction compiler = debugging::withoutOptions(info.name, options.compiler);
  return std::make_unique<CapturingBackend>(info, info.name, std::move(options), std::move(compiler),
                                            backends::PipelineObservers());
}

std::unique_ptr<backends::Backend> makeNativeBackend(const ir::BackendInfo& info, backends::PipelineObservers observers,
                                                     capture::CaptureOptions options) {
  std::string pipeline = info.name;
  if (std::optional<faults::PlantedFault> planted = faults::plantedFault(info.name)) {
    pipeline = planted->pipeline;
    observers.insert(observers.begin(), std::move(planted->observer)); // the others see what it has done
  }
  debugging::CompilerFunction compiler = compilerFor(pipeline, observers, options);
  return std::make_unique<CapturingBackend>(info, std::move(pipeline), std::move(options), std::move(compiler),
                                            std::move(observers));
}

void registerNativeBackends() {
  static std::once_flag once;
  std::call_once(once, [] {
    addCompilers(debugging::compilerRegistry());
    backends::addNativeBackends(infosOfTable());
    backends::addBackendNames(faults::faultyBackendNames());
  });
  backends::registerFactory(ir::Family::kNative, [](const ir::BackendInfo& info) { return makeNativeBackend(info); });
}

} // namespace touchstone::native
