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

namespace touchstone::backends {

namespace {

using StageHooks = std::vector<std::shared_ptr<graph::StageHook>>;

/// As Python shows a value.
std::string optionValue(const graph::Expr& value) {
  return value.kind == graph::ExprKind::kString ? "'" + value.text + "'" : graph::printExpression(value);
}

CompilerOptions optionsOf(const graph::Case& theCase) {
  CompilerOptions options;
  for (const auto& [name, value] : theCase.compile.options) {
    options.push_back({name, optionValue(*value)});
  }
  return options;
}

class CapturingBackend final : public Backend {
 public:
  CapturingBackend(graph::BackendInfo info, CaptureOptions options, CompilerFunction compiler)
      : info_(std::move(info)), options_(std::move(options)), compiler_(std::move(compiler)) {}
  const graph::BackendInfo& info() const override { return info_; }
  std::unique_ptr<graph::CompiledProgram> compile(const graph::Case& theCase) override {
    CaptureOptions options = options_;
    options.fullgraph = options.fullgraph || theCase.compile.fullgraph;
    options.compiler = lookUpCompiler(compiler_, optionsOf(theCase));
    GraphCompiler compiler =
        info_.name == "eager" ? nullptr : options.compiler; // then Graphs run node by node, below autograd
    return withCompiledBackwards(captureProgram(theCase, std::move(options)), {.compiler = std::move(compiler)});
  }

 private:
  graph::BackendInfo info_;
  CaptureOptions options_;
  CompilerFunction compiler_;
};

void show(const StageHooks& hooks, graph::StageArtifacts& artifacts, const std::string& stage, graph::Graph& graph) {
  artifacts.graphs.emplace_back(stage, std::move(graph));
  for (const auto& hook : hooks) {
    hook->after(stage, artifacts);
  }
  graph = *artifacts.graph(stage);
}

/// A compiler of captured Graphs, its stage shown to hooks.
CompilerFunction shownTo(StageHooks hooks, CompilerFunction compiler) {
  if (hooks.empty()) {
    return compiler;
  }
  return [hooks = std::move(hooks), compiler = std::move(compiler)](
             graph::Graph graph, const std::vector<at::Tensor>& examples, const CompilerOptions& options) {
    graph::StageArtifacts artifacts;
    show(hooks, artifacts, "captured", graph);
    return compiler(std::move(graph), examples, options);
  };
}

/// `pre_dispatch_eager`, its second Graph shown to hooks instead of printed.
GraphCompiler preDispatchShownTo(StageHooks hooks) {
  return preDispatchEager([hooks = std::move(hooks)](graph::Graph& graph, const std::string&) {
    graph::StageArtifacts artifacts;
    show(hooks, artifacts, "pre_dispatch", graph);
  });
}

/// What a backend gives to the compiler of its name.
struct CompilerSettings {
  std::string name;
  StageHooks hooks;
  AotOptions aot; // with the hooks, for those that go through AOT autograd and show its stages
};

struct ConfiguredCompiler {
  const char* name;
  CompilerFunction (*make)(const CompilerSettings& settings);
};

/// The compilers that take more than options of a Case; every other one is as it is registered, its Graph shown.
constexpr std::array kConfiguredCompilers{
    ConfiguredCompiler{"invoke_subgraph",
                       [](const CompilerSettings& settings) {
                         return withDebugInterpreter(
                             withoutOptions(settings.name, invokeSubgraphCompiler(settings.aot)));
                       }},
    ConfiguredCompiler{
        "relu_accuracy_error_TESTING_ONLY",
        [](const CompilerSettings& settings) {
          auto gate = settings.aot.gate != nullptr ? settings.aot.gate : std::make_shared<graph::PassGate>();
          return shownTo(settings.hooks,
                         withDebugInterpreter(withoutOptions(settings.name, gatedReluAccuracyError(std::move(gate)))));
        }},
    ConfiguredCompiler{"rare_accuracy_error_TESTING_ONLY",
                       [](const CompilerSettings& settings) {
                         return withDebugInterpreter(withoutOptions(settings.name, rareAccuracyError(settings.aot)));
                       }},
    ConfiguredCompiler{"pre_dispatch_eager",
                       [](const CompilerSettings& settings) {
                         return settings.hooks.empty()
                                    ? compilerRegistry().find(settings.name)
                                    : shownTo(settings.hooks, withDebugInterpreter(withoutOptions(
                                                                  settings.name, preDispatchShownTo(settings.hooks))));
                       }},
};

/// The row of a name in a table; null: there is none.
template <class Table>
auto rowOf(const Table& table, const std::string& name) {
  const auto row = std::find_if(table.begin(), table.end(), [&](const auto& each) { return name == each.name; });
  return row == table.end() ? nullptr : &*row;
}

CompilerFunction compilerFor(const std::string& name, StageHooks hooks, const CaptureOptions& options,
                             const std::function<AotOptions(AotOptions)>& adjust) {
  CompilerSettings settings{
      name, hooks, {.beneath = options.beneath, .asPyTorch = options.asPyTorch, .hooks = hooks, .gate = options.gate}};
  if (const AotPipeline* pipeline = rowOf(kAotPipelines, name)) {
    AotOptions aot = pipeline->with(std::move(settings.aot));
    return aotCompilerWithOptions(name, adjust ? adjust(std::move(aot)) : std::move(aot));
  }
  const SharedBackend* loaded = loadedBackend(name);
  if (loaded != nullptr && loaded->isAot()) {
    AotOptions aot = loaded->with(std::move(settings.aot));
    return aotCompilerWithOptions(name, adjust ? adjust(std::move(aot)) : std::move(aot));
  }
  if (adjust) {
    throw std::invalid_argument("`" + name + "` is no AOT pipeline: it has no forward and backward Graphs.");
  }
  if (const ConfiguredCompiler* configured = rowOf(kConfiguredCompilers, name)) {
    return configured->make(settings);
  }
  return shownTo(std::move(hooks), compilerRegistry().find(name));
}

} // namespace

std::unique_ptr<Backend> makeCapturingBackend(const graph::BackendInfo& info, CaptureOptions options) {
  CompilerFunction compiler = withoutOptions(info.name, options.compiler);
  return std::make_unique<CapturingBackend>(info, std::move(options), std::move(compiler));
}

std::unique_ptr<Backend> makeNativeBackend(const graph::BackendInfo& info,
                                           std::vector<std::shared_ptr<graph::StageHook>> hooks, CaptureOptions options,
                                           const std::function<AotOptions(AotOptions)>& adjust) {
  CompilerFunction compiler = compilerFor(info.name, std::move(hooks), options, adjust);
  return std::make_unique<CapturingBackend>(info, std::move(options), std::move(compiler));
}

void registerNativeBackends() {
  registerFactory(graph::Family::kNative, [](const graph::BackendInfo& info) { return makeNativeBackend(info); });
}

} // namespace touchstone::backends
