#include "backends/aot_autograd/AotBackend.h"

#include "backends/aot_autograd/RuntimeCall.h"
#include "backends/arguments/SpecializedFrames.h"
#include "graph/program/Evaluator.h"

#include <ATen/CPUGeneratorImpl.h>

#include <exception>

namespace touchstone::backends {

namespace {

class AotProgram final : public graph::CompiledProgram {
 public:
  AotProgram(const graph::Case& theCase, const AotOptions& options)
      : case_(theCase), options_(options), frames_(theCase) {}

  graph::Value operator()(graph::ValueList& arguments) override {
    const std::shared_ptr<const CompiledFrame> frame =
        frames_.find(arguments, [&] { return std::make_shared<const CompiledFrame>(case_, arguments, options_); });
    if (frame == nullptr) {
      return runEagerly(arguments);
    }
    return frame->plan().mayRaise ? callOrRaiseAsEager(frame, arguments) : callFrame(frame, arguments);
  }

  graph::CompileReport report() const override { return frames_.report(); }
  void reset() override { frames_.reset(); }

 private:
  graph::Value runEagerly(const graph::ValueList& arguments) const {
    return graph::Evaluator(case_).call("program", arguments);
  }

  /// Where the forward Graph raises, nothing has been written yet: eager then raises after the writes that come before.
  graph::Value callOrRaiseAsEager(const std::shared_ptr<const CompiledFrame>& frame,
                                  graph::ValueList& arguments) const {
    const graph::ValueList kept = arguments;
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    const at::Tensor state = generator.get_state();
    try {
      return callFrame(frame, arguments);
    } catch (const std::exception&) {
      const std::exception_ptr raised = std::current_exception();
      generator.set_state(state);
      runEagerly(kept);
      std::rethrow_exception(raised); // a defect: eager does not raise
    }
  }

  const graph::Case& case_;
  const AotOptions options_;
  SpecializedFrames<const CompiledFrame> frames_;
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
