#pragma once

#include <touchstone/compilers.h>

#include <torch/nn/module.h>

#include <concepts>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

/// A module in, a module out: torch/_functorch/aot_autograd.py, aot_module, and torch/_functorch/compilers.py,
/// memory_efficient_fusion. A header of its own, because torch::nn takes long to compile.
namespace touchstone::aot {

namespace detail {

inline Tensors tensorsOf(at::Tensor result) {
  return {std::move(result)};
}
inline Tensors tensorsOf(Tensors results) {
  return results;
}
template <typename... Results>
Tensors tensorsOf(std::tuple<Results...> results) {
  return std::apply([](auto&&... each) { return Tensors{std::move(each)...}; }, std::move(results));
}

template <typename Module, size_t... kPositions>
Tensors callWith(Module& module, const Tensors& arguments, std::index_sequence<kPositions...>) {
  if constexpr (requires { module.forward(arguments[kPositions]...); }) {
    if (arguments.size() == sizeof...(kPositions)) {
      return tensorsOf(module.forward(arguments[kPositions]...));
    }
  }
  if constexpr (sizeof...(kPositions) < 8) {
    return callWith(module, arguments, std::make_index_sequence<sizeof...(kPositions) + 1>());
  } else {
    TORCH_CHECK_VALUE(false, "the module's forward does not take ", arguments.size(), " tensors");
  }
}

} // namespace detail

/// A module whose forward is compiled when it is called. The original is its submodule `orig_module`: parameters and
/// buffers are the very tensors, and parameters(), zero_grad(), to() and optimizers reach them. After train() and
/// eval() the forward is compiled anew.
class CompiledModule : public torch::nn::Module {
 public:
  /// `compile` makes the forward of the original.
  CompiledModule(std::shared_ptr<torch::nn::Module> original, std::function<CompiledFunction()> compile)
      : compile_(std::move(compile)), compiled_(compile_()) {
    register_module("orig_module", std::move(original));
  }

  Tensors forward(const Tensors& arguments) { return compiled_(arguments); }
  /// The only output; c10::ValueError where there are several.
  template <std::convertible_to<at::Tensor>... Arguments>
  at::Tensor operator()(const Arguments&... arguments) {
    Tensors outputs = forward({arguments...});
    TORCH_CHECK_VALUE(outputs.size() == 1, "the module returns ", outputs.size(), " tensors: call forward()");
    return std::move(outputs.front());
  }

  void train(bool on = true) override {
    torch::nn::Module::train(on);
    compiled_ = compile_();
  }
  ir::CompileReport report() const { return compiled_.report(); }

 private:
  std::function<CompiledFunction()> compile_;
  CompiledFunction compiled_;
};

/// aotModule() of the module's own `forward` (of a holder: `compiledModule(linear.ptr())`), which takes up to 8 tensors
/// and returns a tensor, a vector or a tuple of tensors.
template <std::derived_from<torch::nn::Module> Original>
std::shared_ptr<CompiledModule> compiledModule(std::shared_ptr<Original> original, const Options& options = {}) {
  const Function forward = [original](const Tensors& arguments) {
    return detail::callWith(*original, arguments, std::make_index_sequence<0>());
  };
  return std::make_shared<CompiledModule>(
      original, [original, forward, options] { return aotModule(original, forward, options); });
}

/// The same with fusionOptions().
template <std::derived_from<torch::nn::Module> Original>
std::shared_ptr<CompiledModule> memoryEfficientFusion(std::shared_ptr<Original> original,
                                                      const Options& options = fusionOptions()) {
  return compiledModule(std::move(original), options);
}

} // namespace touchstone::aot
