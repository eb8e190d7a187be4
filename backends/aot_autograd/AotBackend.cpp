#include "backends/aot_autograd/AotBackend.h"

#include "backends/aot_autograd/RuntimeCall.h"
#include "backends/arguments/SpecializedFrames.h"
#include "graph/program/Evaluator.h"

namespace touchstone::backends {

namespace {

class AotProgram final : public graph::CompiledProgram {
 public:
  AotProgram(const graph::Case& theCase, const AotOptions& options)
      : case_(theCase), options_(options), frames_(theCase) {}

  graph::Value operator()(graph::ValueList& arguments) override {
    const std::shared_ptr<const CompiledFrame> frame =
        frames_.find(arguments, [&] { return std::make_shared<const CompiledFrame>(case_, arguments, options_); });
    return frame != nullptr ? callFrame(frame, arguments) : graph::Evaluator(case_).call("program", arguments);
  }

  graph::CompileReport report() const override { return frames_.report(); }
  void reset() override { frames_.reset(); }

 private:
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
