#include "backends/debugging/CompiledBackwards.h"

#include <utility>

namespace touchstone::backends {

namespace {

class ProgramWithBackwards final : public graph::CompiledProgram {
 public:
  ProgramWithBackwards(std::unique_ptr<graph::CompiledProgram> program, CompiledAutogradOptions options)
      : program_(std::move(program)), backwards_(std::make_shared<CompiledAutograd>(std::move(options))) {}

  graph::Value operator()(graph::ValueList& arguments) override { return (*program_)(arguments); }

  graph::CompileReport report() const override {
    graph::CompileReport report = program_->report();
    const CompiledAutogradCounts counts = backwards_->counts();
    report.backwards = before_;
    report.backwards += {counts.backwards, counts.captures, counts.graphs, counts.compiledRuns, counts.eagerNodes};
    report.graphs += report.backwards.graphs;
    report.operations += operationsBefore_ + counts.operations;
    report.compiledRuns += report.backwards.compiledRuns;
    return report;
  }

  void reset() override {
    program_->reset();
    before_ = report().backwards;
    operationsBefore_ += backwards_->counts().operations;
    backwards_->reset();
  }

  std::shared_ptr<void> compiledAutograd() override { return std::make_shared<CompiledAutogradScope>(backwards_); }
  std::vector<graph::CapturedBackward> capturedBackwards() const override { return backwards_->captured(); }
  std::vector<graph::StageArtifacts> stages() const override { return program_->stages(); }
  std::vector<graph::StageCall> stageCalls() const override { return program_->stageCalls(); }

 private:
  std::unique_ptr<graph::CompiledProgram> program_;
  std::shared_ptr<CompiledAutograd> backwards_;
  graph::CompiledBackwards before_; // the last reset
  int64_t operationsBefore_ = 0;
};

} // namespace

std::unique_ptr<graph::CompiledProgram> withCompiledBackwards(std::unique_ptr<graph::CompiledProgram> program,
                                                              CompiledAutogradOptions options) {
  return std::make_unique<ProgramWithBackwards>(std::move(program), std::move(options));
}

} // namespace touchstone::backends
