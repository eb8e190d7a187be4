#include "tests/backends/DebuggingCalls.h"

#include "backends/debugging/CompilerRegistry.h"
#include "backends/debugging/FaultInjection.h"
#include "program/values/RaisedException.h"

#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

namespace touchstone::tests {
namespace {

const std::vector<std::string> kSpellings{"torch.relu(x)", "x.relu()", "torch.nn.functional.relu(x)"};

std::string programOf(const std::string& expression) {
  return "def program(x):\n    return " + expression + "\n";
}

/// What a registered name raises; empty: nothing.
std::string raisedBy(const std::string& name, const std::string& expression, const at::Tensor& input) {
  DebuggingCalls calls(programOf(expression), debugging::lookUpCompiler(name + "_TESTING_ONLY"));
  return thrownText([&] { calls({input}); });
}

TEST(FaultInjectionTest, AGraphWithAReluDoesNotCompile) {
  for (const std::string& spelling : kSpellings) {
    EXPECT_EQ(raisedBy("relu_compile_error", spelling, numbers({3})), "ReluCompileError: ") << spelling;
  }
  EXPECT_EQ(raisedBy("relu_compile_error", "x.exp()", numbers({3})), "");
  EXPECT_EQ(raisedBy("relu_compile_error", "x.relu_()", numbers({3})), "");
}

TEST(FaultInjectionTest, ACompileErrorSaysThatItIsOne) {
  try {
    debugging::reluCompileError(chainGraph({"aten::relu"}), {});
    FAIL();
  } catch (const values::RaisedException& raised) {
    EXPECT_EQ(raised.type(), "ReluCompileError");
    EXPECT_EQ(raised.phase, "compile");
    EXPECT_EQ(raised.wrapper, "BackendCompilerFailed");
  }
}

TEST(FaultInjectionTest, AReluRaisesWhenTheGraphComesToIt) {
  for (const std::string& spelling : kSpellings) {
    EXPECT_EQ(raisedBy("relu_runtime_error", spelling, numbers({3})), "AssertionError: ReluRuntimeError") << spelling;
  }
  EXPECT_EQ(raisedBy("relu_runtime_error", "x.exp()", numbers({3})), "");
  const at::Tensor x = numbers({3});
  EXPECT_EQ(raisedBy("relu_runtime_error", "x.add_(1).relu()", x), "AssertionError: ReluRuntimeError");
  EXPECT_TRUE(at::equal(x, numbers({3}).add(1))) << "what comes before has run";
}

TEST(FaultInjectionTest, AReluAddsOne) {
  for (const std::string& spelling : kSpellings) {
    DebuggingCalls calls(programOf(spelling + ".neg()"), debugging::lookUpCompiler("relu_accuracy_error_TESTING_ONLY"));
    EXPECT_TRUE(at::equal(calls({numbers({3})}).at(0), numbers({3}).add(1).neg())) << spelling;
  }
  DebuggingCalls calls(programOf("x.exp()"), debugging::lookUpCompiler("relu_accuracy_error_TESTING_ONLY"));
  EXPECT_TRUE(at::equal(calls({numbers({3})}).at(0), numbers({3}).exp()));
}

TEST(FaultInjectionTest, ARareOperatorGivesOneMore) {
  DebuggingCalls calls(programOf("torch.angle(x).neg()"),
                       debugging::lookUpCompiler("rare_accuracy_error_TESTING_ONLY"));
  EXPECT_TRUE(at::equal(calls({numbers({3})}).at(0), numbers({3}).angle().add(1).neg()));
  DebuggingCalls others(programOf("x.exp()"), debugging::lookUpCompiler("rare_accuracy_error_TESTING_ONLY"));
  EXPECT_TRUE(at::equal(others({numbers({3})}).at(0), numbers({3}).exp()));
}

TEST(FaultInjectionTest, AnInputThatIsNoLeafDoesNotCompile) {
  const at::Tensor leaf = numbers({3}).requires_grad_();
  EXPECT_EQ(raisedBy("non_leaf_compile_error", "x.exp()", leaf.mul(2)), "TestingOnlyCompileError: ");
  EXPECT_EQ(raisedBy("non_leaf_compile_error", "x.exp()", leaf), "");
  EXPECT_EQ(raisedBy("non_leaf_compile_error", "x.exp()", numbers({3})), "");
  EXPECT_NO_THROW(debugging::nonLeafCompileError(chainGraph({}), {leaf.mul(2)})) << "no operation";
}

TEST(FaultInjectionTest, AsBackendsTheyBlameEagerFirst) {
  for (const char* name :
       {"relu_compile_error_TESTING_ONLY", "relu_runtime_error_TESTING_ONLY", "relu_accuracy_error_TESTING_ONLY",
        "relu_out_of_bounds_TESTING_ONLY", "relu_uninitialized_TESTING_ONLY", "non_leaf_compile_error_TESTING_ONLY"}) {
    EXPECT_EQ(backends::blamedBefore(backends::backendInfo(name)), std::vector<std::string>{"eager"}) << name;
    EXPECT_NO_THROW(native::makeNativeBackend(backends::backendInfo(name))) << name;
  }
}

} // namespace
} // namespace touchstone::tests
