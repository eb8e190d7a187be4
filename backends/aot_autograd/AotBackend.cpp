#include "backends/aot_autograd/AotBackend.h"

#include "backends/aot_autograd/RuntimeCall.h"
#include "backends/arguments/ArgumentCopies.h"
#include "backends/arguments/SpecializationKey.h"
#include "backends/arguments/ValueTree.h"
#include "graph/program/Evaluator.h"

#include <chrono>
#include <unordered_map>

namespace touchstone::backends {

namespace {

class AotProgram final : public graph::CompiledProgram {
 public:
  AotProgram(const graph::Case& theCase, const AotOptions& options) : case_(theCase), options_(options) {}

  graph::Value operator()(graph::ValueList& arguments) override {
    std::shared_ptr<const CompiledFrame> frame = find(arguments);
    if (frame == nullptr) {
      return graph::Evaluator(case_).call("program", arguments);
    }
    if (frame->operations() > 0) {
      ++report_.compiledRuns;
    }
    return callFrame(frame, arguments);
  }

  graph::CompileReport report() const override { return report_; }
  void reset() override { frames_.clear(); }

 private:
  /// Null when the Program itself raises for these arguments.
  std::shared_ptr<const CompiledFrame> find(const graph::ValueList& arguments) {
    std::string key = specializationKey(arguments);
    auto found = frames_.find(key);
    if (found != frames_.end()) {
      return found->second;
    }
    const auto start = std::chrono::steady_clock::now();
    std::shared_ptr<const CompiledFrame> frame;
    try {
      frame = std::make_shared<const CompiledFrame>(case_, arguments, options_);
    } catch (const graph::Unsupported&) {
      throw;
    } catch (const std::exception&) {
      if (raisesOnCopies(arguments)) {
        return nullptr;
      }
      throw;
    }
    if (!frames_.empty()) {
      report_.recompiles.push_back("no frame was compiled for these arguments: " + key);
    }
    report_.frames += 1;
    report_.graphs += 1;
    report_.operations += frame->operations();
    report_.compileSeconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return frames_.emplace(std::move(key), std::move(frame)).first->second;
  }

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
  const AotOptions options_;
  std::unordered_map<std::string, std::shared_ptr<const CompiledFrame>> frames_;
  graph::CompileReport report_;
};

class AotBackend final : public Backend {
 public:
  AotBackend(graph::BackendInfo info, AotOptions options) : info_(std::move(info)), options_(std::move(options)) {}
  const graph::BackendInfo& info() const override { return info_; }
  std::unique_ptr<graph::CompiledProgram> compile(const graph::Case& theCase) override {
    return std::make_unique<AotProgram>(theCase, options_);
  }

 private:
  graph::BackendInfo info_;
  AotOptions options_;
};

} // namespace

std::unique_ptr<Backend> makeAotBackend(const graph::BackendInfo& info, AotOptions options) {
  return std::make_unique<AotBackend>(info, std::move(options));
}

} // namespace touchstone::backends
