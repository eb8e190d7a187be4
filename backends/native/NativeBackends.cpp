#include "backends/native/NativeBackends.h"

#include "backends/Registry.h"
#include "backends/debugging/BuiltInCompilers.h"
#include "backends/debugging/CompiledBackwards.h"
#include "backends/debugging/CompilerRegistry.h"
#include "backends/debugging/DebugInterpreter.h"
#include "backends/debugging/FaultInjection.h"
#include "backends/debugging/InvokeSubgraph.h"
#include "backends/debugging/PreDispatch.h"
#include "backends/shared_library/SharedBackend.h"
#include "program/language/CasePrinter.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

namespace touchstone::native {

namespace {

using StageHooks = std::vector<std::shared_ptr<ir::StageHook>>;

/// As Python shows a value.
std::string optionValue(const language::Expr& value) {
  return value.kind == language::ExprKind::kString ? "'" + value.text + "'" : language::printExpression(value);
}

debugging::CompilerOptions optionsOf(const language::Case& theCase) {
  debugging::CompilerOptions options;
  for (const auto& [name, value] : theCase.compile.options) {
    options.push_back({name, optionValue(*value)});
  }
  return options;
}

class CapturingBackend final : public backends::Backend {
 public:
  CapturingBackend(ir::BackendInfo info, capture::CaptureOptions options, debugging::CompilerFunction compiler)
      : info_(std::move(info)), options_(std::move(options)), compiler_(std::move(compiler)) {}
  const ir::BackendInfo& info() const override { return info_; }
  std::unique_ptr<values::CompiledProgram> compile(const language::Case& theCase) override {
    capture::CaptureOptions options = options_;
    options.fullgraph = options.fullgraph || theCase.compile.fullgraph;
    options.compiler = debugging::lookUpCompiler(compiler_, optionsOf(theCase));
    backends::GraphCompiler compiler =
        info_.name == "eager" ? nullptr : options.compiler; // then Graphs run node by node, below autograd
    return debugging::withCompiledBackwards(capture::captureProgram(theCase, std::move(options)),
                                            {.compiler = std::move(compiler)});
  }

 private:
  ir::BackendInfo info_;
  capture::CaptureOptions options_;
  debugging::CompilerFunction compiler_;
};

void show(const StageHooks& hooks, ir::StageArtifacts& artifacts, const std::string& stage, ir::Graph& graph) {
  artifacts.graphs.emplace_back(stage, std::move(graph));
  for (const auto& hook : hooks) {
    hook->after(stage, artifacts);
  }
  graph = *artifacts.graph(stage);
}

/// A compiler of captured Graphs, its stage shown to hooks.
debugging::CompilerFunction shownTo(StageHooks hooks, debugging::CompilerFunction compiler) {
  if (hooks.empty()) {
    return compiler;
  }
  return [hooks = std::move(hooks), compiler = std::move(compiler)](
             ir::Graph graph, const std::vector<at::Tensor>& examples, const debugging::CompilerOptions& options) {
    ir::StageArtifacts artifacts;
    show(hooks, artifacts, "captured", graph);
    return compiler(std::move(graph), examples, options);
  };
}

/// `pre_dispatch_eager`, its second Graph shown to hooks instead of printed.
backends::GraphCompiler preDispatchShownTo(StageHooks hooks) {
  return debugging::preDispatchEager([hooks = std::move(hooks)](ir::Graph& graph, const std::string&) {
    ir::StageArtifacts artifacts;
    show(hooks, artifacts, "pre_dispatch", graph);
  });
}

/// What a backend gives to the compiler of its name.
struct CompilerSettings {
  std::string name;
  StageHooks hooks;
  aot_autograd::AotOptions aot; // with the hooks, for those that go through AOT autograd and show its stages
};

struct ConfiguredCompiler {
  const char* name;
  debugging::CompilerFunction (*make)(const CompilerSettings& settings);
};

/// The compilers that take more than options of a Case; every other one is as it is registered, its Graph shown.
constexpr std::array kConfiguredCompilers{
    ConfiguredCompiler{"invoke_subgraph",
                       [](const CompilerSettings& settings) {
                         return debugging::withDebugInterpreter(
                             debugging::withoutOptions(settings.name, debugging::invokeSubgraphCompiler(settings.aot)));
                       }},
    ConfiguredCompiler{
        "relu_accuracy_error_TESTING_ONLY",
        [](const CompilerSettings& settings) {
          auto gate = settings.aot.gate != nullptr ? settings.aot.gate : std::make_shared<ir::PassGate>();
          return shownTo(settings.hooks, debugging::withDebugInterpreter(debugging::withoutOptions(
                                             settings.name, debugging::gatedReluAccuracyError(std::move(gate)))));
        }},
    ConfiguredCompiler{"rare_accuracy_error_TESTING_ONLY",
                       [](const CompilerSettings& settings) {
                         return debugging::withDebugInterpreter(
                             debugging::withoutOptions(settings.name, debugging::rareAccuracyError(settings.aot)));
                       }},
    ConfiguredCompiler{"pre_dispatch_eager",
                       [](const CompilerSettings& settings) {
                         return settings.hooks.empty()
                                    ? debugging::compilerRegistry().find(settings.name)
                                    : shownTo(settings.hooks, debugging::withDebugInterpreter(debugging::withoutOptions(
                                                                  settings.name, preDispatchShownTo(settings.hooks))));
                       }},
};

/// The row of a name in a table; null: there is none.
template <class Table>
auto rowOf(const Table& table, const std::string& name) {
  const auto row = std::find_if(table.begin(), table.end(), [&](const auto& each) { return name == each.name; });
  return row == table.end() ? nullptr : &*row;
}

debugging::CompilerFunction compilerFor(
    const std::string& name, StageHooks hooks, const capture::CaptureOptions& options,
    const std::function<aot_autograd::AotOptions(aot_autograd::AotOptions)>& adjust) {
  CompilerSettings settings{
      name, hooks, {.beneath = options.beneath, .asPyTorch = options.asPyTorch, .hooks = hooks, .gate = options.gate}};
  if (const debugging::AotPipeline* pipeline = rowOf(debugging::kAotPipelines, name)) {
    aot_autograd::AotOptions aot = pipeline->with(std::move(settings.aot));
    return debugging::aotCompilerWithOptions(name, adjust ? adjust(std::move(aot)) : std::move(aot));
  }
  const shared_library::SharedBackend* loaded = shared_library::loadedBackend(name);
  if (loaded != nullptr && loaded->isAot()) {
    aot_autograd::AotOptions aot = loaded->with(std::move(settings.aot));
    return debugging::aotCompilerWithOptions(name, adjust ? adjust(std::move(aot)) : std::move(aot));
  }
  if (adjust) {
    throw std::invalid_argument("`" + name + "` is no AOT pipeline: it has no forward and backward Graphs.");
  }
  if (const ConfiguredCompiler* configured = rowOf(kConfiguredCompilers, name)) {
    return configured->make(settings);
  }
  return shownTo(std::move(hooks), debugging::compilerRegistry().find(name));
}

} // namespace

std::unique_ptr<backends::Backend> makeCapturingBackend(const ir::BackendInfo& info, capture::CaptureOptions options) {
  debugging::CompilerFunction compiler = debugging::withoutOptions(info.name, options.compiler);
  return std::make_unique<CapturingBackend>(info, std::move(options), std::move(compiler));
}

std::unique_ptr<backends::Backend> makeNativeBackend(
    const ir::BackendInfo& info, std::vector<std::shared_ptr<ir::StageHook>> hooks, capture::CaptureOptions options,
    const std::function<aot_autograd::AotOptions(aot_autograd::AotOptions)>& adjust) {
  debugging::CompilerFunction compiler = compilerFor(info.name, std::move(hooks), options, adjust);
  return std::make_unique<CapturingBackend>(info, std::move(options), std::move(compiler));
}

void registerNativeBackends() {
  backends::registerFactory(ir::Family::kNative, [](const ir::BackendInfo& info) { return makeNativeBackend(info); });
}

} // namespace touchstone::native
