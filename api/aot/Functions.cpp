// aotFunction() and aotModule(): compiled when they are called, with guards and a cache.

#include "api/aot/ModuleProgram.h"
#include "api/aot/Pipeline.h"
#include "backends/aot_autograd/AotCompiler.h"

namespace touchstone::aot {

namespace {

std::function<void(const capture::GuardFailure&)> told(std::function<void(const std::string&)> whom) {
  if (whom == nullptr) {
    return nullptr;
  }
  return [whom = std::move(whom)](const capture::GuardFailure& failure) { whom(failure.reason); };
}

} // namespace

class CompiledFunction::Implementation {
 public:
  Implementation(capture::CallableProgram program, const Options& options)
      : compiled_(capture::captureCallable(std::move(program), {.compiler = aotCompiler(pipelineOptions(options)),
                                                                .recompileLimit = options.recompileLimit,
                                                                .backing = backingOf(options),
                                                                .onGuardFailure = told(options.onGuardFailure)})) {}

  Tensors call(Tensors arguments) {
    values::ValueList values(std::make_move_iterator(arguments.begin()), std::make_move_iterator(arguments.end()));
    arguments.clear();
    const values::Value returned = (*compiled_)(values);
    Tensors results;
    for (const values::Value& value : *returned.items()) {
      results.push_back(value.isTensor() ? value.tensor() : at::Tensor());
    }
    return results;
  }

  ir::CompileReport report() const { return compiled_->report(); }

 private:
  const std::unique_ptr<values::CompiledProgram> compiled_;
};

Tensors CompiledFunction::operator()(Tensors arguments) const {
  return implementation_->call(std::move(arguments));
}

ir::CompileReport CompiledFunction::report() const {
  return implementation_->report();
}

CompiledFunction aotFunction(Function function, const Options& options) {
  TORCH_CHECK_VALUE(function != nullptr, "aotFunction() needs a function");
  return CompiledFunction(std::make_shared<CompiledFunction::Implementation>(
      capture::CallableProgram{.function = std::move(function)}, options));
}

CompiledFunction aotModule(std::shared_ptr<torch::nn::Module> module, Function forward, const Options& options) {
  return CompiledFunction(std::make_shared<CompiledFunction::Implementation>(
      moduleProgram(std::move(module), std::move(forward)), options));
}

} // namespace touchstone::aot
