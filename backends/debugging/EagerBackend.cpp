#include "backends/debugging/EagerBackend.h"

#include "backends/Registry.h"
#include "backends/capture/StraightLineCapture.h"
#include "graph/program/Evaluator.h"
#include "graph/program/Interpreter.h"

#include <chrono>
#include <stdexcept>
#include <unordered_map>

namespace touchstone::backends {

namespace {

class EagerProgram final : public graph::CompiledProgram {
 public:
  explicit EagerProgram(const graph::Case& theCase) : case_(theCase) {}

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
    return compiled->run(inputs);
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
      made = std::make_unique<graph::Interpreter>(captureStraightLine(case_, arguments));
    } catch (const graph::Unsupported&) {
      throw;
    } catch (const std::exception&) {
      return nullptr;
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

  const graph::Case& case_;
  std::unordered_map<std::string, std::unique_ptr<graph::Interpreter>> compiled_;
  graph::CompileReport report_;
};

class EagerBackend final : public Backend {
 public:
  explicit EagerBackend(graph::BackendInfo info) : info_(std::move(info)) {}
  const graph::BackendInfo& info() const override { return info_; }
  std::unique_ptr<graph::CompiledProgram> compile(const graph::Case& theCase) override {
    return std::make_unique<EagerProgram>(theCase);
  }

 private:
  graph::BackendInfo info_;
};

} // namespace

std::unique_ptr<Backend> makeEagerBackend(const graph::BackendInfo& info) {
  return std::make_unique<EagerBackend>(info);
}

void registerNativeBackends() {
  registerFactory(graph::Family::kNative, [](const graph::BackendInfo& info) -> std::unique_ptr<Backend> {
    if (info.name == "eager") {
      return makeEagerBackend(info);
    }
    throw std::invalid_argument("no native backend is named `" + info.name + "`");
  });
}

} // namespace touchstone::backends
