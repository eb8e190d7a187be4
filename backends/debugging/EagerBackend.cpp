#include "backends/debugging/EagerBackend.h"

#include "backends/Registry.h"
#include "backends/aot_autograd/AotBackend.h"
#include "backends/arguments/SpecializedFrames.h"
#include "graph/program/Evaluator.h"
#include "graph/program/Interpreter.h"

#include <stdexcept>

namespace touchstone::backends {

namespace {

/// A captured Graph, ready to run.
struct CapturedFrame {
  explicit CapturedFrame(graph::Graph graph) : count(graph.operatorCount()), interpreter(std::move(graph)) {}
  int64_t operations() const { return count; }
  int64_t count;
  graph::Interpreter interpreter;
};

class EagerProgram final : public graph::CompiledProgram {
 public:
  EagerProgram(const graph::Case& theCase, Capture capture)
      : case_(theCase), capture_(std::move(capture)), frames_(theCase) {}

  graph::Value operator()(graph::ValueList& arguments) override {
    const std::shared_ptr<const CapturedFrame> frame =
        frames_.find(arguments, [&] { return std::make_shared<const CapturedFrame>(capture_(case_, arguments)); });
    if (frame == nullptr) {
      // Run on the arguments themselves, so that the exception and what was written before it are eager's; no compiled
      // code runs.
      return graph::Evaluator(case_).call("program", arguments);
    }
    std::vector<at::Tensor> inputs = tensorInputs(arguments);
    arguments.clear();
    return frame->interpreter.run(std::move(inputs));
  }

  graph::CompileReport report() const override { return frames_.report(); }
  void reset() override { frames_.reset(); }

 private:
  const graph::Case& case_;
  const Capture capture_;
  SpecializedFrames<const CapturedFrame> frames_;
};

class EagerBackend final : public Backend {
 public:
  EagerBackend(graph::BackendInfo info, Capture capture) : info_(std::move(info)), capture_(std::move(capture)) {}
  const graph::BackendInfo& info() const override { return info_; }
  std::unique_ptr<graph::CompiledProgram> compile(const graph::Case& theCase) override {
    return std::make_unique<EagerProgram>(theCase, capture_);
  }

 private:
  graph::BackendInfo info_;
  Capture capture_;
};

/// The capture of straight-line code, shown to hooks.
Capture capturedFor(std::vector<std::shared_ptr<graph::StageHook>> hooks) {
  return [hooks = std::move(hooks)](const graph::Case& theCase, const graph::ValueList& arguments) {
    graph::StageArtifacts artifacts;
    artifacts.graphs.emplace_back("captured", captureStraightLine(theCase, arguments));
    for (const auto& hook : hooks) {
      hook->after("captured", artifacts);
    }
    return std::move(*artifacts.graph("captured"));
  };
}

} // namespace

std::unique_ptr<Backend> makeEagerBackend(const graph::BackendInfo& info, Capture capture) {
  return std::make_unique<EagerBackend>(info, std::move(capture));
}

std::unique_ptr<Backend> makeNativeBackend(const graph::BackendInfo& info,
                                           std::vector<std::shared_ptr<graph::StageHook>> hooks) {
  if (info.name == "eager") {
    return hooks.empty() ? makeEagerBackend(info) : makeEagerBackend(info, capturedFor(std::move(hooks)));
  }
  if (info.name == "aot_eager" || info.name == "aot_eager_default_partitioner") {
    return makeAotBackend(info, {.hooks = std::move(hooks)});
  }
  throw std::invalid_argument("no native backend is named `" + info.name + "`");
}

void registerNativeBackends() {
  registerFactory(graph::Family::kNative, [](const graph::BackendInfo& info) { return makeNativeBackend(info); });
}

} // namespace touchstone::backends
