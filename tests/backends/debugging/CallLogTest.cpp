#include "tests/backends/DebuggingCalls.h"

#include "backends/debugging/CallLog.h"
#include "backends/debugging/CallText.h"
#include "graph/runtime/StackMode.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace touchstone::tests {
namespace {

/// A Program under a native backend, whose calls are written down.
struct LoggedCalls {
  LoggedCalls(const std::string& program, const std::string& backend, std::vector<std::string> source = {})
      : log(std::move(source)), theCase(debuggingCase(program)) {
    native::registerNativeBackends();
    compiled = native::makeNativeBackend(backends::backendInfo(backend), {log.observer()})->compile(theCase);
  }

  std::vector<at::Tensor> operator()(const std::vector<at::Tensor>& tensors) {
    return DebuggingCalls::call(*compiled, tensors);
  }

  /// A line for the beginning of each run, then one for each call.
  std::vector<std::string> lines() {
    std::vector<std::string> lines;
    for (const debugging::GraphRun& run : log.take()) {
      lines.push_back(run.stage + " " + std::to_string(run.graph));
      lines.insert(lines.end(), run.calls.begin(), run.calls.end());
    }
    return lines;
  }

  debugging::CallLog log;
  language::Case theCase;
  std::unique_ptr<values::CompiledProgram> compiled;
};

using Lines = std::vector<std::string>;

TEST(CallLogTest, CallsHaveDtypesAndShapesOfOperandsAndResults) {
  LoggedCalls calls("def program(x):\n    return torch.cat([x.t(), x.t()]).sum(1, dtype=torch.float64)\n", "eager");
  const debugging::CallLog::Scope scope(calls.log);
  calls({numbers({2, 3})});
  EXPECT_EQ(calls.lines(), (Lines{"captured 0", "t = aten::t(f32[2, 3]) -> f32[3, 2][1, 3]",
                                  "t_2 = aten::t(f32[2, 3]) -> f32[3, 2][1, 3]",
                                  "cat = aten::cat([f32[3, 2][1, 3], f32[3, 2][1, 3]]) -> f32[6, 2]",
                                  "sum = aten::sum.dim_IntList(f32[6, 2], [1], dtype=torch.float64) -> f64[6]"}));
  calls({numbers({2, 3})});
  EXPECT_EQ(calls.lines().size(), 5u) << "each call anew";
}

TEST(CallLogTest, ForwardAndBackwardAreToldApartAndTheGraphsNumbered) {
  LoggedCalls calls("def program(x):\n    y = x.sin()\n    if y.sum() > 100:\n        return y\n    return y.exp()\n",
                    "aot_eager_default_partitioner");
  const debugging::CallLog::Scope scope(calls.log);
  const at::Tensor x = numbers({3}).requires_grad_();
  at::Tensor y = calls({x}).at(0);
  const Lines forward = calls.lines();
  ASSERT_GE(forward.size(), 4u) << testing::PrintToString(forward);
  EXPECT_EQ(forward[0], "forward 0");
  EXPECT_EQ(forward[1], "sin = aten::sin(f32[3]) -> f32[3]");
  EXPECT_NE(std::find(forward.begin(), forward.end(), "forward 1"), forward.end());
  EXPECT_EQ(std::find(forward.begin(), forward.end(), "captured 0"), forward.end()) << "it has run others alone";
  y.backward(at::ones({3}));
  const Lines backward = calls.lines();
  EXPECT_EQ(backward.at(0), "backward 1") << testing::PrintToString(backward);
  EXPECT_EQ(backward.back(), "mul = aten::mul.Tensor(f32[3], f32[3]) -> f32[3]");
}

TEST(CallLogTest, TheBackwardOfTheRecordedJointGraphIsSeen) {
  LoggedCalls calls("def program(x):\n    return x.sin()\n", "aot_joint");
  const debugging::CallLog::Scope scope(calls.log);
  at::Tensor y = calls({numbers({3}).requires_grad_()}).at(0);
  calls.log.take();
  y.backward(at::ones({3}));
  const Lines backward = calls.lines();
  EXPECT_EQ(backward.at(0), "backward -1");
  EXPECT_NE(std::find(backward.begin(), backward.end(), "cos = aten::cos(f32[3]) -> f32[3]"), backward.end())
      << testing::PrintToString(backward);
}

TEST(CallLogTest, CodeThatIsNotRunNodeByNodeIsAnEmptyRun) {
  LoggedCalls calls("def program(x):\n    return x.sin()\n", "ts");
  const debugging::CallLog::Scope scope(calls.log);
  calls({numbers({3})});
  const std::vector<debugging::GraphRun> runs = calls.log.take();
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].operators, 1);
  EXPECT_TRUE(runs[0].calls.empty());
}

TEST(CallLogTest, ACallThatRaisesSaysSoAndItsLineFollows) {
  LoggedCalls calls("def program(x, i):\n    return x.index_select(0, i)\n", "eager",
                    std::vector<std::string>(30, "  the line"));
  const debugging::CallLog::Scope scope(calls.log);
  calls({numbers({2}), at::ones({1}, at::kLong)});
  EXPECT_EQ(calls.lines().at(1), "index_select = aten::index_select(f32[2], 0, i64[1]) -> f32[1]  # the line");
  EXPECT_ANY_THROW(calls({numbers({2}), at::ones({1}, at::kLong).mul(9)}));
  EXPECT_EQ(calls.lines(), (Lines{"captured 0",
                                  "index_select = aten::index_select(f32[2], 0, i64[1]) -> raised "
                                  "IndexError  # the line"}));
}

TEST(CallLogTest, CallablesAreSeenWithTheirResults) {
  LoggedCalls calls(
      "def program(x):\n    y = x.detach().requires_grad_()\n    z = (y * y).sum()\n    (g,) = torch.autograd.grad(z, "
      "[y])\n    return g\n",
      "eager");
  const debugging::CallLog::Scope scope(calls.log);
  calls({numbers({3})});
  const Lines lines = calls.lines();
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("= autograd::grad(") != std::string::npos && line.find("-> (f32[3],)") != std::string::npos;
  })) << testing::PrintToString(lines);
}

TEST(CallLogTest, OnlyTheThreadOfTheScopeIsWrittenDownAndOnlyWhileItLives) {
  LoggedCalls calls("def program(x):\n    return x.sin()\n", "eager");
  {
    const debugging::CallLog::Scope scope(calls.log);
    std::thread([&] { calls({numbers({3})}); }).join();
    EXPECT_EQ(calls.lines(), Lines{});
  }
  calls({numbers({3})});
  EXPECT_EQ(calls.lines(), Lines{});
}

TEST(CallLogTest, ArgumentsThatAreDefaultsAreLeftOut) {
  const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::add", "Tensor");
  const at::Tensor x = at::ones({2});
  EXPECT_EQ(debugging::argumentsText({x, x, 1}, op.schema()), "f32[2], f32[2]");
  EXPECT_EQ(debugging::argumentsText({x, x, 2}, op.schema()), "f32[2], f32[2], alpha=2");
  EXPECT_EQ(debugging::valueText(c10::ivalue::Tuple::create({x, c10::IValue(), 1.5})), "(f32[2], None, 1.5)");
}

/// Sees calls before the mode of the Graph.
class Counting final : public runtime::StackMode {
 public:
  void onCall(const ir::Node& node, torch::jit::Stack& stack, const std::function<void()>& next) override {
    const size_t arguments = stack.size();
    next();
    seen.push_back(node.target + " " + std::to_string(arguments) + (stack.at(0).isTuple() ? " tuple" : ""));
  }
  std::vector<std::string> seen;
};

TEST(StackModeTest, AScopeOfTheThreadSeesOperatorsAndCallablesInOneForm) {
  DebuggingCalls calls(
      "def program(x):\n    y = x.detach().requires_grad_()\n    with torch.no_grad():\n        x.add_(1)\n    (g,) = "
      "torch.autograd.grad(y.exp().sum(), [y])\n    return g\n",
      backends::compileToInterpreter);
  Counting outer, inner;
  {
    const runtime::CallModeScope first(outer), second(inner);
    calls({numbers({3})});
  }
  EXPECT_EQ(outer.seen, inner.seen);
  EXPECT_TRUE(std::any_of(inner.seen.begin(), inner.seen.end(), [](const std::string& each) {
    return each.find("autograd::grad ") == 0 && each.ends_with(" tuple");
  })) << testing::PrintToString(inner.seen);
  const size_t count = inner.seen.size();
  calls({numbers({3})});
  EXPECT_EQ(inner.seen.size(), count) << "the scopes are over";
}

TEST(StackModeTest, TheResultOfACallableMayBeReplaced) {
  class Replacing final : public runtime::StackMode {
   public:
    explicit Replacing(c10::IValue instead) : instead_(std::move(instead)) {}
    void onCall(const ir::Node& node, torch::jit::Stack& stack, const std::function<void()>& next) override {
      node.target == "autograd::grad" ? void(stack = {instead_}) : next();
    }

   private:
    c10::IValue instead_;
  };
  const auto resultWith = [](const c10::IValue& instead) {
    DebuggingCalls calls(
        "def program(x):\n    y = x.detach().requires_grad_()\n    (g,) = torch.autograd.grad(y.exp().sum(), [y])\n    "
        "return g\n",
        backends::compileToInterpreter);
    Replacing mode(instead);
    const runtime::CallModeScope scope(mode);
    return calls({numbers({3})}).at(0);
  };
  EXPECT_TRUE(at::equal(resultWith(c10::ivalue::Tuple::create({at::ones({3})})), at::ones({3})));
  EXPECT_THROW(resultWith(c10::IValue(c10::Device("cpu"))), c10::TypeError);
}

} // namespace
} // namespace touchstone::tests
