#include "backends/substitutes/FreshPrograms.h"

#include <mutex>
#include <utility>
#include <vector>

namespace touchstone::substitutes {

namespace {

class FreshPrograms final : public values::CompiledProgram {
 public:
  explicit FreshPrograms(std::function<std::unique_ptr<values::CompiledProgram>()> compile)
      : compile_(std::move(compile)) {
    programs_.push_back(compile_()); // for compiled autograd alone
  }
  values::Value operator()(values::ValueList& arguments) override {
    values::CompiledProgram* program = nullptr;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      program = programs_.emplace_back(compile_()).get();
    }
    return (*program)(arguments);
  }
  std::optional<values::Value> callFunction(const std::string& name, values::ValueList& arguments) override {
    return programs_.front()->callFunction(name, arguments);
  }
  ir::CompileReport report() const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    ir::CompileReport all;
    for (const auto& program : programs_) {
      all += program->report();
    }
    return all;
  }
  values::ServedCalls servedCalls() const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    values::ServedCalls all;
    for (const auto& program : programs_) {
      const values::ServedCalls served = program->servedCalls();
      all.codes.insert(all.codes.end(), served.codes.begin(), served.codes.end());
      all.around.insert(all.around.end(), served.around.begin(), served.around.end());
    }
    return all;
  }
  void reset() override {}
  std::shared_ptr<void> backwardScope() override { return programs_.front()->backwardScope(); }
  std::shared_ptr<void> compiledAutograd() override { return programs_.front()->compiledAutograd(); }

 private:
  const std::function<std::unique_ptr<values::CompiledProgram>()> compile_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<values::CompiledProgram>> programs_; // kept: backwards may come later
};

} // namespace

std::unique_ptr<values::CompiledProgram> freshPrograms(
    std::function<std::unique_ptr<values::CompiledProgram>()> compile) {
  return std::make_unique<FreshPrograms>(std::move(compile));
}

} // namespace touchstone::substitutes
