#include "tests/backends/DebuggingCalls.h"

#include "backends/debugging/AotDebugging.h"
#include "backends/debugging/EagerCompilers.h"
#include "graph/runtime/CallMode.h"
#include "graph/runtime/Interpreter.h"
#include "graph/runtime/NodeWatch.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/silu.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace touchstone::tests {
namespace {

using Log = std::vector<std::string>;

/// Writes down what it sees, and passes it on.
class Noting : public runtime::CallMode {
 public:
  Noting(Log& log, std::string name) : log_(log), name_(std::move(name)) {}
  void onOperator(const ir::Node& node, const c10::OperatorHandle& op, torch::jit::Stack& stack,
                  const std::function<void()>& next) override {
    EXPECT_EQ(stack.size(), op.schema().arguments().size());
    log_.push_back(name_ + " " + node.target + (c10::GradMode::is_enabled() ? "" : " without grad"));
    next();
    EXPECT_EQ(stack.size(), op.schema().returns().size());
    log_.push_back(name_ + " done");
  }
  values::Value onCallable(const ir::Node& node, const runtime::CallableCall&, const values::ValueList& arguments,
                           const std::function<values::Value()>& next) override {
    log_.push_back(name_ + " " + node.target + " of " + std::to_string(arguments.size()));
    return next();
  }

 private:
  Log& log_;
  std::string name_;
};

/// Negates instead of what the Graph says.
class Negating final : public runtime::CallMode {
 public:
  void onOperator(const ir::Node& node, const c10::OperatorHandle&, torch::jit::Stack& stack,
                  const std::function<void()>& next) override {
    if (node.target != "aten::relu") {
      return next();
    }
    stack = {stack.at(0).toTensor().neg()};
  }
};

TEST(CallModesTest, AModeSeesEachCallBeforeItRunsInTheGradModeOfTheNode) {
  Log log;
  DebuggingCalls calls(
      "def program(x):\n    y = x.relu()\n    with torch.no_grad():\n        z = y.exp()\n    return z\n",
      debugging::eagerWithMode(std::make_shared<Noting>(log, "mode")));
  EXPECT_TRUE(at::equal(calls({numbers({3})}).at(0), numbers({3}).relu().exp()));
  EXPECT_EQ(log, (Log{"mode aten::relu", "mode done", "mode aten::exp without grad", "mode done"}));
}

TEST(CallModesTest, OfSeveralModesTheLastEnteredSeesACallFirst) {
  Log log;
  DebuggingCalls calls(
      "def program(x):\n    return x.relu()\n",
      debugging::eagerWithModes({std::make_shared<Noting>(log, "first"), std::make_shared<Noting>(log, "second"),
                                 std::make_shared<Noting>(log, "third")}));
  EXPECT_TRUE(at::equal(calls({numbers({3})}).at(0), numbers({3}).relu()));
  EXPECT_EQ(log, (Log{"third aten::relu", "second aten::relu", "first aten::relu", "first done", "second done",
                      "third done"}));
}

TEST(CallModesTest, AModeMayReplaceACallAndThoseOutsideDoNotSeeIt) {
  Log log;
  DebuggingCalls calls(
      "def program(x):\n    return x.relu().exp()\n",
      debugging::eagerWithModes({std::make_shared<Noting>(log, "outside"), std::make_shared<Negating>()}));
  EXPECT_TRUE(at::equal(calls({numbers({3})}).at(0), numbers({3}).neg().exp()));
  EXPECT_EQ(log, (Log{"outside aten::exp", "outside done"}));
}

TEST(CallModesTest, CallablesAreSeenWithTheirArguments) {
  Log log;
  DebuggingCalls calls(
      "def program(x):\n    y = x.detach().requires_grad_()\n    z = (y * y).sum()\n    (g,) = torch.autograd.grad(z, "
      "[y])\n"
      "    return g\n",
      debugging::eagerWithMode(std::make_shared<Noting>(log, "mode")));
  EXPECT_TRUE(at::equal(calls({numbers({3})}).at(0), numbers({3}).mul(2)));
  EXPECT_TRUE(std::any_of(log.begin(), log.end(), [](const std::string& line) {
    return line.find("mode autograd::grad of ") == 0;
  })) << testing::PrintToString(log);
}

TEST(CallModesTest, AModeThatLeavesNoResultIsToldSo) {
  class Forgetting final : public runtime::CallMode {
   public:
    void onOperator(const ir::Node&, const c10::OperatorHandle&, torch::jit::Stack& stack,
                    const std::function<void()>&) override {
      stack.clear();
    }
  } mode;
  const runtime::Interpreter interpreter(chainGraph({"aten::relu"}));
  const std::string text = thrownText([&] { interpreter.runFlat({numbers({3})}, mode); });
  EXPECT_NE(text.find("node `relu`: a mode has left 0 results, `aten::relu` has 1"), std::string::npos) << text;
}

TEST(CallModesTest, ConstantsAreSeenAndEveryNodeIsTold) {
  class Seeing final : public runtime::CallMode {
   public:
    at::Tensor onConstant(const ir::Node&, const at::Tensor&, const std::function<at::Tensor()>& next) override {
      return next().mul(10);
    }
  } mode;
  Log names;
  const auto noting = [&names](const std::string& who) -> runtime::NodeWatch {
    return [&names, who](const ir::Node& node, const c10::IValue& value) {
      names.push_back(who + node.name + (value.isTensor() ? "" : " is no tensor"));
    };
  };
  ir::Graph graph;
  const ir::NodeId constant = graph.addConstant("two", runtime::tensorConstant(at::ones({3}).mul(2)));
  const ir::NodeId neg = graph.addOperator("aten::neg", {ir::nodeArgument(constant)});
  graph.output = {
      ir::Argument::Container{.kind = ir::Argument::Container::Kind::kTuple, .items = {ir::nodeArgument(neg)}}};
  const runtime::Interpreter interpreter(std::move(graph));
  {
    const runtime::NodeWatch outer = noting("outer "), nobody, inner = noting("inner ");
    const runtime::NodeWatchScope first(outer), second(nobody), third(inner);
    EXPECT_TRUE(at::equal(interpreter.runFlat({}, mode).at(0), at::ones({3}).mul(-20)));
  }
  EXPECT_EQ(names, (Log{"inner two", "outer two", "inner neg", "outer neg"}));
  EXPECT_TRUE(at::equal(interpreter.runFlat({}).at(0), at::ones({3}).mul(-2)));
  EXPECT_EQ(names.size(), 4u) << "the scopes are over";
}

TEST(CallModesTest, ForwardAndBackwardOfAotAutogradRunInTheMode) {
  Log log;
  DebuggingCalls calls("def program(x):\n    return x.sin()\n",
                       debugging::aotEagerWithMode(std::make_shared<Noting>(log, "mode")));
  const at::Tensor x = numbers({3}).requires_grad_();
  at::Tensor y = calls({x}).at(0);
  const auto seen = [&](const std::string& target) {
    return std::count_if(log.begin(), log.end(),
                         [&](const std::string& line) { return line.find("mode " + target) == 0; });
  };
  EXPECT_EQ(seen("aten::sin"), 1);
  EXPECT_EQ(seen("aten::cos"), 0);
  y.backward(at::ones({3}));
  EXPECT_EQ(seen("aten::cos"), 1);
  EXPECT_TRUE(at::equal(x.grad(), numbers({3}).cos()));
}

TEST(CallModesTest, AModeSeesWhatOperatorsAreDecomposedTo) {
  Log log;
  DebuggingCalls calls("def program(x):\n    return torch.nn.functional.silu(x)\n",
                       debugging::aotEagerDecompPartitionWithMode(std::make_shared<Noting>(log, "mode")));
  const auto seen = [&](const std::string& target) {
    return std::any_of(log.begin(), log.end(),
                       [&](const std::string& line) { return line.find("mode " + target) == 0; });
  };
  EXPECT_TRUE(at::allclose(calls({numbers({3})}).at(0), at::silu(numbers({3}))));
  EXPECT_TRUE(seen("aten::exp"));
  EXPECT_FALSE(seen("aten::silu"));
}

} // namespace
} // namespace touchstone::tests
