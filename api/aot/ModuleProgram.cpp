#include "api/aot/ModuleProgram.h"

#include <torch/nn/module.h>

namespace touchstone::aot {

capture::CallableProgram moduleProgram(std::shared_ptr<torch::nn::Module> module, Function forward) {
  TORCH_CHECK_VALUE(module != nullptr, "a module is needed; got null");
  TORCH_CHECK_VALUE(forward != nullptr, "a function that calls the module is needed; got none");
  capture::CallableProgram program;
  program.name = module->name();
  for (const auto& parameter : module->named_parameters()) {
    program.held.emplace_back(parameter.key(), parameter.value());
  }
  for (const auto& buffer : module->named_buffers()) {
    program.held.emplace_back(buffer.key(), buffer.value());
  }
  program.function = [module = std::move(module), forward = std::move(forward)](const Tensors& arguments) {
    return forward(arguments);
  };
  return program;
}

} // namespace touchstone::aot
