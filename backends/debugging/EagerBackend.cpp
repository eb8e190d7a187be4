#include "backends/debugging/EagerBackend.h"

#include "backends/Registry.h"
#include "backends/aot_autograd/AotBackend.h"
#include "backends/arguments/ArgumentCopies.h"
#include "backends/arguments/SpecializationKey.h"
#include "graph/program/Evaluator.h"
#include "graph/program/Interpreter.h"

#include <chrono>
#include <stdexcept>
#include <unordered_map>

namespace touchstone::backends {

namespace {

class EagerProgram final : public graph::CompiledProgram {
 public:
  EagerProgram(const graph::Case& theCase, Capture capture) : case_(theCase), capture_(std::move(capture)) {}

  graph::Value operator()(graph::ValueList& arguments) override {
    graph::Interpreter* compiled = find(arguments);
    if (compiled == nullptr) {
      // The program raises on copies of the arguments. Run it on the arguments themselves, so that the exception and
      // what was written before it are eager's; no compiled code runs.
      return graph::Evaluator(case_).call("program", arguments);
    }
    std::vector<at::Tensor> inputs = tensorInputs(arguments);
    arguments.clear();
    if (compiled->graph().operatorCount() > 0) {
      ++report_.compiledRuns;
    }
    return compiled->run(std::move(inputs));
  }

  graph::CompileReport report() const override { return report_; }
  void reset() override { compiled_.clear(); }

 private:
  graph::Interpreter* find(const graph::ValueList& arguments) {
    std::string key = specializationKey(arguments);
    auto found = compiled_.find(key);
    if (found != compiled_.end()) {
      return found->second.get();
    }
    auto start = std::chrono::steady_clock::now();
    std::unique_ptr<graph::Interpreter> made;
    try {
      made = std::make_unique<graph::Interpreter>(capture_(case_, arguments));
    } catch (const graph::Unsupported&) {
      throw;
    } catch (const std::exception&) {
      if (raisesOnCopies(arguments)) {
        return nullptr;
      }
      throw;
    }
    if (!compiled_.empty()) {
      report_.recompiles.push_back("no Graph was captured for these arguments: " + key);
    }
    report_.frames += 1;
    report_.graphs += 1;
    report_.operations += made->graph().operatorCount();
    report_.compileSeconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return compiled_.emplace(std::move(key), std::move(made)).first->second.get();
  }

  /// The Program itself raises for these arguments.
  bool raisesOnCopies(const graph::ValueList& arguments) const {
    GeneratorStateScope generator;
    try {
      graph::Evaluator(case_).call("program", copyArguments(arguments));
      return false;
    } catch (const std::exception&) {
      return true;
    }
  }

  const graph::Case& case_;
  const Capture capture_;
  std::unordered_map<std::string, std::unique_ptr<graph::Interpreter>> compiled_;
  graph::CompileReport report_;
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
