#include "backends/substitutes/FreshPrograms.h"

#include <mutex>
#include <utility>
#include <vector>

namespace touchstone::substitutes {

namespace {

class FreshPrograms final : public values::CompiledProgram {
 public:
  FreshPrograms(backends::Backend& backend, const language::Case& theCase) : backend_(backend), case_(theCase) {
    programs_.push_back(backend.compile(theCase)); // for compiled autograd alone
  }
  values::Value operator()(values::ValueList& arguments) override {
    values::CompiledProgram* program = nullptr;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      program = programs_.emplace_back(backend_.compile(case_)).get();
    }
    return (*program)(arguments);
  }
  ir::CompileReport report() const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    ir::CompileReport all;
    for (const auto& program : programs_) {
      all += program->report();
    }
    return all;
  }
  void reset() override {}
  std::shared_ptr<void> compiledAutograd() override { return programs_.front()->compiledAutograd(); }

 private:
  backends::Backend& backend_;
  const language::Case& case_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<values::CompiledProgram>> programs_; // kept: backwards may come later
};

} // namespace

std::unique_ptr<values::CompiledProgram> freshPrograms(backends::Backend& backend, const language::Case& theCase) {
  return std::make_unique<FreshPrograms>(backend, theCase);
}

} // namespace touchstone::substitutes
