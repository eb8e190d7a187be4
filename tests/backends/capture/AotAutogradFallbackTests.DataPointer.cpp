// Proxies have no memory that code could look at, whether there are values behind them or not.
#include "tests/backends/FallbackPrograms.h"

#include "backends/capture/CallableCapture.h"
#include "backends/capture/CallableTrace.h"
#include "graph/runtime/Interpreter.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace touchstone::tests {
namespace {

constexpr const char* kRefusal = "Cannot access data pointer";

bool backwardCalled = false;

/// Its backward looks at the memory of a gradient.
struct LooksInBackward : torch::autograd::Function<LooksInBackward> {
  static at::Tensor forward(torch::autograd::AutogradContext*, const at::Tensor& x) { return x.clone(); }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*,
                                                 torch::autograd::variable_list gradients) {
    backwardCalled = true;
    gradients[0].data_ptr();
    return {gradients[0].clone()};
  }
};

at::Tensor looksInForward(const at::Tensor& x) {
  x.data_ptr();
  return x.clone();
}

at::Tensor looksInBackward(const at::Tensor& x) {
  return LooksInBackward::apply(x);
}

at::Tensor callFoo(const char* overload, const at::Tensor& x) {
  return c10::Dispatcher::singleton()
      .findSchemaOrThrow("mylib::foo", overload)
      .typed<at::Tensor(const at::Tensor&)>()
      .call(x);
}

} // namespace

// One library for both tests; the seed registers each operator for the time of its test.
TORCH_LIBRARY(mylib, library) {
  library.def("foo(Tensor x) -> Tensor");
  library.def("foo.backward(Tensor x) -> Tensor");
  library.impl("foo", c10::DispatchKey::CompositeImplicitAutograd, TORCH_FN(looksInForward));
  library.impl("foo.backward", c10::DispatchKey::CompositeImplicitAutograd, TORCH_FN(looksInBackward));
}

namespace {

TEST(AotAutogradFallbackTests, data_ptr_access_copy) {
  for (const fake::Backing backing : {fake::Backing::kMeta, fake::Backing::kValues}) {
    fake::Tracer tracer(backing);
    const fake::Tracer::Scope scope(tracer);
    const at::Tensor x = at::randn({3});
    ASSERT_NE(fake::fakeOf(x), nullptr);
    const at::Tensor y(x.unsafeGetTensorImpl()->shallow_copy_and_detach(c10::VariableVersion(0), true));
    EXPECT_EQ(y.sizes(), x.sizes());
    EXPECT_NE(fake::fakeOf(y), nullptr);
    EXPECT_TRUE(contains(raisedBy([&] { y.data_ptr(); }), kRefusal));
  }
}

TEST(AotAutogradFallbackTests, data_ptr_access_fails_in_forward) {
  const capture::CallableProgram::Function graphInput =
      [](const std::vector<at::Tensor>& arguments) -> std::vector<at::Tensor> { return {callFoo("", arguments[0])}; };
  const capture::CallableProgram::Function graphIntermediate =
      [](const std::vector<at::Tensor>& arguments) -> std::vector<at::Tensor> {
    return {callFoo("", arguments[0].clone())};
  };
  const at::Tensor x = at::randn({3});
  for (const capture::CallableProgram::Function& f : {graphInput, graphIntermediate}) {
    EXPECT_TRUE(at::equal(f({x})[0], x)); // eager may look
    for (const capture::TracingMode mode : {capture::TracingMode::kFake, capture::TracingMode::kReal}) {
      const std::string raised = raisedBy([&] { capture::traceBelowAutograd(f, {x}, mode); });
      EXPECT_TRUE(contains(raised, kRefusal)) << raised;
    }
    const std::string symbolic = raisedBy([&] { capture::traceForSymbols(f, {x}); });
    EXPECT_TRUE(contains(symbolic, kRefusal)) << symbolic;
    for (const fake::Backing backing : {fake::Backing::kMeta, fake::Backing::kValues}) {
      const auto compiled =
          capture::captureCallable({.function = f, .name = "f"}, {.fullgraph = true, .backing = backing});
      const std::string raised = raisedBy([&] { Optimized::call(*compiled, {x}); });
      EXPECT_TRUE(contains(raised, kRefusal)) << raised;
      EXPECT_TRUE(contains(raised, "mylib::foo")) << raised;
      EXPECT_TRUE(contains(raised, "cannot be resumed")) << raised;
    }
  }
}

// The symbolic leg refuses for the sake of the pointer: a function that looks at none is traced for symbols.
TEST(AotAutogradFallbackTests, without_data_ptr_access_symbolic_tracing_holds_for_other_sizes) {
  const capture::CallableProgram::Function f = [](const std::vector<at::Tensor>& arguments) -> std::vector<at::Tensor> {
    const at::Tensor y = arguments[0].clone();
    return {y.unsqueeze(1).expand({-1, 2}).reshape({-1})};
  };
  const capture::SymbolicTrace trace = capture::traceForSymbols(f, {at::randn({3})});
  EXPECT_TRUE(contains(trace.text(), "[s0, 2]")) << trace.text();
  EXPECT_TRUE(contains(trace.text(), "2*s0")) << trace.text();
  EXPECT_EQ(trace.guards(), std::vector<std::string>{"2 <= s0"});
  const at::Tensor x = at::randn({5});
  EXPECT_TRUE(at::equal(runtime::Interpreter(trace.at({x})).runFlat({x})[0], f({x})[0]));
}

TEST(AotAutogradFallbackTests, data_ptr_access_fails_in_backward) {
  const at::Tensor x = at::randn({3}).requires_grad_();
  const capture::CallableProgram::Function f = [](const std::vector<at::Tensor>& arguments) -> std::vector<at::Tensor> {
    return {callFoo("backward", arguments[0])};
  };
  for (const fake::Backing backing : {fake::Backing::kMeta, fake::Backing::kValues}) {
    backwardCalled = false;
    const auto compiled = capture::captureCallable(
        {.function = f},
        {.compiler = aot_autograd::aotCompiler({.backing = backing}), .fullgraph = true, .backing = backing});
    const std::string raised = raisedBy([&] { Optimized::call(*compiled, {x}); });
    EXPECT_TRUE(contains(raised, kRefusal)) << raised;
    EXPECT_TRUE(backwardCalled);
  }
}

} // namespace
} // namespace touchstone::tests
