#pragma once

#include "tests/backends/AotPrograms.h"

#include "backends/aot_autograd/AotCompiler.h"
#include "backends/aot_autograd/AotExport.h"
#include "backends/capture/Capture.h"
#include "backends/debugging/CountingCompiler.h"
#include "backends/native/AotModule.h"
#include "program/evaluator/Evaluator.h"
#include "program/torch_names/HandWritten.h"
#include "program/values/RaisedException.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <memory>
#include <string>
#include <vector>

namespace touchstone::tests {

/// Functions in the language of case files, `program` among them; `setup` makes the arguments that are no tensors of the
/// test, as the body of `inputs`.
inline language::Case fallbackCase(const std::string& functions, const std::string& setup = "return (), ()") {
  return caseOfText("def inputs(seed, kind):\n" + indented(setup) + "\n\n" + functions);
}

/// A program in the hands of eager and of a compiler, as `torch._dynamo.optimize(compiler, guard_fail_fn=…)(program)`.
struct Optimized {
  explicit Optimized(language::Case program, capture::CaptureOptions options = {})
      : theCase(std::make_unique<language::Case>(std::move(program))), eager(evaluator::eagerProgram(*theCase)) {
    options.onGuardFailure = [this](const capture::GuardFailure& failure) { failureReason = failure.reason; };
    compiled = capture::captureProgram(*theCase, std::move(options));
  }
  Optimized(language::Case program, backends::GraphCompiler compiler)
      : Optimized(std::move(program), capture::CaptureOptions{.compiler = std::move(compiler)}) {}

  static values::Value call(values::Callable& program, values::ValueList arguments) { return program(arguments); }
  values::Value operator()(values::ValueList arguments) const { return call(*compiled, std::move(arguments)); }

  std::unique_ptr<language::Case> theCase;
  std::unique_ptr<values::Callable> eager;
  std::unique_ptr<values::CompiledProgram> compiled;
  std::string failureReason; // of the last guard that did not hold; empty: all did
};

/// What the Case's function `inputs` makes.
inline values::ValueList argumentsOf(const language::Case& theCase, int64_t seed = 0) {
  return evaluator::Evaluator(theCase).makeInputs("inputs", seed, "uniform").arguments;
}

inline std::vector<at::Tensor> tensorsOf(const values::Value& value) {
  std::vector<at::Tensor> tensors;
  values::collectTensors(value, tensors);
  return tensors;
}

/// The tensors in two values are the same in number, dtype, sizes and every element.
inline void expectSame(const values::Value& expected, const values::Value& actual) {
  const std::vector<at::Tensor> left = tensorsOf(expected), right = tensorsOf(actual);
  ASSERT_EQ(left.size(), right.size());
  for (size_t i = 0; i < left.size(); ++i) {
    EXPECT_EQ(left[i].scalar_type(), right[i].scalar_type());
    EXPECT_TRUE(at::equal(left[i], right[i])) << "tensor " << i << "\n" << left[i] << "\nand\n" << right[i];
  }
}

/// Both programs, called with fresh leaves like `inputs`, return the same and give the inputs the same gradients.
inline void expectEqualOutputsAndGradients(const Optimized& program, const std::vector<at::Tensor>& inputs) {
  std::vector<std::vector<at::Tensor>> gradients;
  values::ValueList returned;
  for (values::Callable* each : {program.eager.get(), static_cast<values::Callable*>(program.compiled.get())}) {
    values::ValueList arguments;
    std::vector<at::Tensor> leaves;
    for (const at::Tensor& input : inputs) {
      const at::Tensor copy = input.detach().clone().requires_grad_(input.requires_grad());
      arguments.emplace_back(copy);
      if (copy.requires_grad()) {
        leaves.push_back(copy);
      }
    }
    returned.push_back(Optimized::call(*each, arguments));
    std::vector<at::Tensor> sums;
    for (const at::Tensor& output : tensorsOf(returned.back())) {
      sums.push_back(output.sum());
    }
    gradients.push_back(torch::autograd::grad(sums, leaves, {}, /*retain_graph=*/std::nullopt, /*create_graph=*/false,
                                              /*allow_unused=*/true));
  }
  expectSame(returned[0], returned[1]);
  ASSERT_EQ(gradients[0].size(), gradients[1].size());
  for (size_t i = 0; i < gradients[0].size(); ++i) {
    ASSERT_EQ(gradients[0][i].defined(), gradients[1][i].defined());
    EXPECT_TRUE(!gradients[0][i].defined() || at::equal(gradients[0][i], gradients[1][i])) << "gradient " << i;
  }
}

/// `aot_eager` that counts what it is given: CompileCounterWithBackend("aot_eager").
inline debugging::CountingCompiler countingAot() {
  return debugging::CountingCompiler(aot_autograd::aotCompiler());
}

/// The same with `torch._functorch.config.debug_assert`: each call is checked against what was compiled.
inline debugging::CountingCompiler countingAotWithAssertions() {
  return debugging::CountingCompiler([](ir::Graph graph, const std::vector<at::Tensor>& examples) {
    return native::aotModuleSimplified(std::move(graph), examples, {.debugAssert = true});
  });
}

/// The whole text of what a call raises; empty when it returns.
inline std::string raisedBy(const std::function<void()>& call) {
  try {
    call();
    return "";
  } catch (...) {
    return values::currentException().message();
  }
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace touchstone::tests
