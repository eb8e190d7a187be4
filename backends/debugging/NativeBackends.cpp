#include "backends/debugging/NativeBackends.h"

#include "backends/Registry.h"
#include "backends/aot_autograd/AotCompiler.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace touchstone::backends {

namespace {

class CapturingBackend final : public Backend {
 public:
  CapturingBackend(graph::BackendInfo info, CaptureOptions options)
      : info_(std::move(info)), options_(std::move(options)) {}
  const graph::BackendInfo& info() const override { return info_; }
  std::unique_ptr<graph::CompiledProgram> compile(const graph::Case& theCase) override {
    CaptureOptions options = options_;
    options.fullgraph = options.fullgraph || theCase.compile.fullgraph;
    return captureProgram(theCase, std::move(options));
  }

 private:
  graph::BackendInfo info_;
  CaptureOptions options_;
};

struct AotPipeline {
  const char* name;
  AotStage runs;
};
constexpr std::array kAotPipelines{
    AotPipeline{"aot_joint", AotStage::kJoint},
    AotPipeline{"aot_functional", AotStage::kFunctional},
    AotPipeline{"aot_eager_default_partitioner", AotStage::kPartitioned},
    AotPipeline{"aot_eager", AotStage::kPartitioned},
};

/// `eager`, its one stage shown to hooks.
GraphCompiler shownTo(std::vector<std::shared_ptr<graph::StageHook>> hooks) {
  return [hooks = std::move(hooks)](graph::Graph graph, const std::vector<at::Tensor>& examples) {
    graph::StageArtifacts artifacts;
    artifacts.graphs.emplace_back("captured", std::move(graph));
    for (const auto& hook : hooks) {
      hook->after("captured", artifacts);
    }
    return compileToInterpreter(std::move(*artifacts.graph("captured")), examples);
  };
}

} // namespace

std::unique_ptr<Backend> makeCapturingBackend(const graph::BackendInfo& info, CaptureOptions options) {
  return std::make_unique<CapturingBackend>(info, std::move(options));
}

std::unique_ptr<Backend> makeNativeBackend(const graph::BackendInfo& info,
                                           std::vector<std::shared_ptr<graph::StageHook>> hooks,
                                           CaptureOptions options) {
  const auto* aot = std::find_if(kAotPipelines.begin(), kAotPipelines.end(),
                                 [&](const AotPipeline& each) { return info.name == each.name; });
  if (info.name == "eager") {
    options.compiler = hooks.empty() ? GraphCompiler(compileToInterpreter) : shownTo(std::move(hooks));
  } else if (aot != kAotPipelines.end()) {
    options.compiler =
        aotCompiler({.beneath = options.beneath, .hooks = std::move(hooks), .runs = aot->runs, .gate = options.gate});
  } else {
    throw std::invalid_argument("no native backend is named `" + info.name + "`");
  }
  return makeCapturingBackend(info, std::move(options));
}

void registerNativeBackends() {
  registerFactory(graph::Family::kNative, [](const graph::BackendInfo& info) { return makeNativeBackend(info); });
}

} // namespace touchstone::backends
