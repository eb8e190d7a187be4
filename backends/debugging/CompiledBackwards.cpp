#include "backends/debugging/CompiledBackwards.h"

#include <utility>

namespace touchstone::debugging {

namespace {

class ProgramWithBackwards final : public values::CompiledProgram {
 public:
  ProgramWithBackwards(std::unique_ptr<values::CompiledProgram> program,
                       compiled_autograd::CompiledAutogradOptions options)
      : program_(std::move(program)),
        backwards_(std::make_shared<compiled_autograd::CompiledAutograd>(std::move(options))) {}

  values::Value operator()(values::ValueList& arguments) override { return (*program_)(arguments); }

  values::Value callInstance(int instance, values::ValueList& arguments) override {
    return program_->callInstance(instance, arguments);
  }

  void mark(const at::Tensor& tensor, const values::DimensionMark& mark) override { program_->mark(tensor, mark); }
  std::shared_ptr<void> backwardScope() override { return program_->backwardScope(); }
  int64_t symbols() const override { return program_->symbols(); }

  ir::CompileReport report() const override {
    ir::CompileReport report = program_->report();
    const compiled_autograd::CompiledAutogradCounts counts = backwards_->counts();
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

  std::shared_ptr<void> compiledAutograd() override {
    return std::make_shared<compiled_autograd::CompiledAutogradScope>(backwards_);
  }
  std::vector<ir::CapturedBackward> capturedBackwards() const override { return backwards_->captured(); }
  std::vector<ir::StageArtifacts> stages() const override { return program_->stages(); }
  std::vector<values::ReplayCall> replayCalls() const override { return program_->replayCalls(); }

 private:
  std::unique_ptr<values::CompiledProgram> program_;
  std::shared_ptr<compiled_autograd::CompiledAutograd> backwards_;
  ir::CompiledBackwards before_; // the last reset
  int64_t operationsBefore_ = 0;
};

} // namespace

std::unique_ptr<values::CompiledProgram> withCompiledBackwards(std::unique_ptr<values::CompiledProgram> program,
                                                               compiled_autograd::CompiledAutogradOptions options) {
  return std::make_unique<ProgramWithBackwards>(std::move(program), std::move(options));
}

} // namespace touchstone::debugging
