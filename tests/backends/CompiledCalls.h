#pragma once

#include "tests/backends/AotPrograms.h"
#include "tests/backends/CallOutcome.h"

#include "backends/Registry.h"
#include "backends/aot_autograd/AotCompiler.h"
#include "backends/native/NativeBackends.h"

#include <ATen/TensorOperators.h>

namespace touchstone::tests {

/// A Program of one file in the hands of the native pipeline, and eagerly, to be called with tensors of the test.
struct CompiledCalls {
  CompiledCalls(const char* parameters, const char* body, aot_autograd::AotOptions options = {})
      : theCase(caseOfProgram({"", "1", parameters, body})), eager(evaluator::eagerProgram(theCase)) {
    native::registerNativeBackends();
    backend = native::makeCapturingBackend(backends::backendInfo("aot_eager"),
                                           {.compiler = aot_autograd::aotCompiler(std::move(options))});
    compiled = backend->compile(theCase);
  }

  /// The tensors that a call returns, flattened.
  static std::vector<at::Tensor> call(values::Callable& program, const std::vector<at::Tensor>& tensors) {
    values::ValueList arguments(tensors.begin(), tensors.end());
    std::vector<at::Tensor> outputs;
    values::collectTensors(program(arguments), outputs);
    return outputs;
  }
  std::vector<at::Tensor> operator()(const std::vector<at::Tensor>& tensors) { return call(*compiled, tensors); }

  language::Case theCase;
  std::unique_ptr<values::Callable> eager;
  std::unique_ptr<backends::Backend> backend;
  std::unique_ptr<values::CompiledProgram> compiled;
};

/// Fixed values of any sizes.
inline at::Tensor values(at::IntArrayRef sizes, double shift = 0, at::ScalarType dtype = at::kFloat) {
  int64_t count = 1;
  for (int64_t size : sizes) {
    count *= size;
  }
  return at::arange(count, at::kDouble).add(shift).sin().to(dtype).view(sizes);
}
inline at::Tensor leaf(at::IntArrayRef sizes, double shift = 0, at::ScalarType dtype = at::kFloat) {
  return values(sizes, shift, dtype).requires_grad_();
}

/// The first line of what a call raises; empty when it returns.
inline std::string errorOf(const std::function<void()>& call) {
  try {
    call();
    return "";
  } catch (...) {
    return firstLine(std::current_exception());
  }
}

} // namespace touchstone::tests
