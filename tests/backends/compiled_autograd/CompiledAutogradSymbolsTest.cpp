#include "backends/compiled_autograd/CompiledAutograd.h"

#include "tests/backends/AotPrograms.h"
#include "tests/backends/WalkJudge.h"

#include "backends/capture/Capture.h"
#include "backends/debugging/CompilerRegistry.h"
#include "program/evaluator/Evaluator.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/randn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

// A size that has changed is a symbol: the second size is captured for all.
namespace touchstone::tests {
namespace {

using compiled_autograd::CompiledAutograd;
using compiled_autograd::CompiledAutogradScope;

using Sizes = std::vector<std::vector<int64_t>>;
/// Of leaves of some sizes.
using Loss = std::function<at::Tensor(const std::vector<at::Tensor>& leaves)>;

/// Backwards of one loss for leaves of ever other sizes, beside the engine's.
class Backwards {
 public:
  explicit Backwards(Loss loss, const std::string& compiler = "", bool makesSymbols = true)
      : loss_(std::move(loss)),
        compiled_(std::make_shared<CompiledAutograd>(compiled_autograd::CompiledAutogradOptions{
            .compiler = compiler.empty() ? backends::GraphCompiler() : counting(debugging::lookUpCompiler(compiler)),
            .makesSymbols = makesSymbols,
            .log = [this](const std::string& line) { log_ += line + "\n"; }})) {}

  Backwards& run(
      const Sizes& sizes, const std::function<void()>& betweenEagerAndCompiled = [] {}) {
    const std::vector<at::Tensor> expected = gradients(sizes);
    betweenEagerAndCompiled();
    const CompiledAutogradScope scope(compiled_);
    const std::vector<at::Tensor> actual = gradients(sizes);
    for (size_t i = 0; i < sizes.size(); ++i) {
      EXPECT_EQ(expected[i].strides(), actual[i].strides()) << log_;
      EXPECT_TRUE(at::equal(expected[i], actual[i])) << fmt::format("{}", fmt::join(sizes[i], ", ")) << log_;
    }
    return *this;
  }
  int64_t captures() const { return compiled_->counts().captures; }
  int64_t compiles() const { return compiles_; }
  const std::string& log() const { return log_; }
  const CompiledAutograd& compiled() const { return *compiled_; }

 private:
  backends::GraphCompiler counting(backends::GraphCompiler compiler) {
    return [this, compiler](ir::Graph graph, const std::vector<at::Tensor>& examples) {
      ++compiles_;
      return compiler(std::move(graph), examples);
    };
  }
  std::vector<at::Tensor> gradients(const Sizes& sizes) const {
    at::manual_seed(3);
    std::vector<at::Tensor> leaves;
    for (const std::vector<int64_t>& each : sizes) {
      leaves.push_back(at::randn(each).requires_grad_());
    }
    loss_(leaves).backward();
    std::vector<at::Tensor> gradients;
    for (const at::Tensor& leaf : leaves) {
      gradients.push_back(leaf.grad());
    }
    return gradients;
  }

  Loss loss_;
  std::string log_;
  int64_t compiles_ = 0;
  std::shared_ptr<CompiledAutograd> compiled_;
};

testing::AssertionResult says(const std::string& text, const std::string& piece) {
  return (text.find(piece) != std::string::npos ? testing::AssertionSuccess() : testing::AssertionFailure())
         << text << " should hold " << piece;
}

Loss ofModel() {
  at::manual_seed(1);
  torch::nn::Sequential model(torch::nn::Linear(4, 4), torch::nn::ReLU(), torch::nn::Linear(4, 4), torch::nn::ReLU());
  return [model](const std::vector<at::Tensor>& x) mutable {
    model->zero_grad();
    return model->forward(x[0]).sum();
  };
}

// test_dynamic_shapes: one capture with numbers, one with symbols.
TEST(CompiledAutogradSymbolsTest, BatchesOfEverOtherSizesAreCapturedTwice) {
  for (const std::string compiler : {"", "aot_eager"}) {
    Backwards backwards(ofModel(), compiler);
    for (int64_t batch = 10; batch < 100; batch += 10) {
      backwards.run({{batch, 4}});
    }
    EXPECT_EQ(backwards.captures(), 2) << compiler << backwards.log();
    EXPECT_EQ(backwards.compiles(), compiler.empty() ? 0 : 2);
    EXPECT_TRUE(says(backwards.log(), "sizes[0] is s0") || says(backwards.log(), "is 4*s0"));
  }
}

TEST(CompiledAutogradSymbolsTest, WithoutSymbolsEachSizesAreCaptured) {
  Backwards backwards(ofModel(), "aot_eager", /*makesSymbols=*/false);
  for (const int64_t batch : {10, 20, 30, 10}) {
    backwards.run({{batch, 4}});
  }
  EXPECT_EQ(backwards.captures(), 3);
  EXPECT_EQ(backwards.compiles(), 3);
}

// What a compiler cannot make a form for symbols of is captured once, and compiled for each sizes.
TEST(CompiledAutogradSymbolsTest, ACompilerThatBuildsSizesInCompilesForEach) {
  Backwards backwards(ofModel(), "ts_compile");
  for (const int64_t batch : {10, 20, 30, 40, 20}) {
    backwards.run({{batch, 4}});
  }
  EXPECT_EQ(backwards.captures(), 2);
}

TEST(CompiledAutogradSymbolsTest, SizesThatChangeTogetherAndApart) {
  Backwards backwards([](const auto& x) { return (x[0].mm(x[1]).view({-1}).cumsum(0) * 2.0).exp().mean(); },
                      "aot_eager");
  backwards.run({{3, 4}, {4, 5}}).run({{6, 4}, {4, 7}});
  EXPECT_EQ(backwards.captures(), 2) << backwards.log();
  backwards.run({{2, 4}, {4, 9}}).run({{11, 4}, {4, 2}}).run({{5, 4}, {4, 5}});
  EXPECT_EQ(backwards.captures(), 2) << backwards.log();
  EXPECT_TRUE(says(backwards.log(), "inputs[1].size()[0] is s0*s1"));
  EXPECT_TRUE(says(backwards.log(), "[s0, 4]")) << "the Graph has symbols";
  backwards.run({{5, 3}, {3, 5}}); // what has not changed yet is a number
  EXPECT_EQ(backwards.captures(), 3);
  backwards.run({{7, 9}, {9, 2}}).run({{3, 8}, {8, 4}});
  EXPECT_EQ(backwards.captures(), 3) << backwards.log();
}

// Two sizes that have doubled look like one that is twice the other; a third call tells.
TEST(CompiledAutogradSymbolsTest, WhatLookedComputedAndIsNotIsCapturedOnceMore) {
  Backwards backwards([](const auto& x) { return x[0].mm(x[1]).sin().sum(); });
  backwards.run({{3, 4}, {4, 6}}).run({{5, 4}, {4, 10}});
  EXPECT_TRUE(says(backwards.log(), "2*s0"));
  backwards.run({{7, 4}, {4, 14}});
  EXPECT_EQ(backwards.captures(), 2) << backwards.log();
  backwards.run({{7, 4}, {4, 9}}).run({{8, 4}, {4, 13}}).run({{2, 4}, {4, 2}});
  EXPECT_EQ(backwards.captures(), 3) << backwards.log();
}

TEST(CompiledAutogradSymbolsTest, SumsRoundingsAndViews) {
  const std::vector<std::pair<Loss, Sizes>> cases{
      {[](const auto& x) {
         return at::cat({x[0].sin(), x[1]}).cos().sum();
       },
       {{4, 3}, {7, 3}}},
      {[](const auto& x) {
         return at::max_pool2d(x[0].unsqueeze(0), {2, 2}).pow(2).sum() + x[1].sum();
       },
       {{2, 8, 9}, {3}}},
      {[](const auto& x) { return x[0].transpose(0, 1).contiguous().view({-1}).sin().sum() + x[1].exp().sum(); },
       {{4, 5}, {3}}},
      {[](const auto& x) { return x[0].narrow(0, 1, 2).mul(x[0].select(0, 0)).sum() + x[1].sum(); }, {{4, 5}, {3}}},
      {[](const auto& x) {
         return x[0].expand({5, -1, -1}).mul(x[1]).sum();
       },
       {{4, 5}, {1}}},
  };
  for (const auto& [loss, sizes] : cases) {
    Backwards backwards(loss, "aot_eager");
    for (const int64_t grown : {0, 4, 10, 6, 14}) {
      Sizes now = sizes;
      now[0][now[0].size() - 2] += grown;
      backwards.run(now);
    }
    EXPECT_EQ(backwards.captures(), 2) << backwards.log();
  }
  Backwards sums([](const auto& x) { return at::cat({x[0].sin(), x[1]}).cos().sum(); });
  sums.run({{3, 4}, {9, 4}}).run({{5, 4}, {13, 4}}).run({{8, 4}, {2, 4}}).run({{20, 4}, {3, 4}});
  EXPECT_EQ(sums.captures(), 2) << sums.log();
}

// A size of 1 is broadcast, and one of 0 is nothing: these are captured by themselves.
TEST(CompiledAutogradSymbolsTest, ZeroAndOneAreNoSymbols) {
  Backwards backwards([](const auto& x) { return (x[0] * x[1]).sin().sum(); });
  backwards.run({{3, 4}, {4}}).run({{5, 4}, {4}}).run({{1, 4}, {4}}).run({{0, 4}, {4}});
  EXPECT_EQ(backwards.captures(), 4);
  EXPECT_TRUE(says(backwards.log(), "sizes stay numbers: inputs["));
  backwards.run({{9, 4}, {4}}).run({{1, 4}, {4}});
  EXPECT_EQ(backwards.captures(), 4);
}

// What a hook gives is looked at in each backward, also in one that was captured for symbols.
TEST(CompiledAutogradSymbolsTest, HooksAreCalledBetweenThePartsOfASymbolicBackward) {
  int calls = 0;
  bool transposes = false;
  Backwards backwards(
      [&](const auto& x) {
        const at::Tensor y = x[0].sin();
        y.register_hook([&](const at::Tensor& gradient) {
          ++calls;
          return transposes ? gradient.t().contiguous().t() : gradient * 3.0;
        });
        return y.square().mm(x[1]).sum();
      },
      "aot_eager");
  for (const int64_t size : {3, 5, 8, 13}) {
    backwards.run({{size, 4}, {4, 2}});
  }
  EXPECT_EQ(backwards.captures(), 2) << backwards.log();
  EXPECT_EQ(backwards.compiles(), 4) << "two parts each";
  EXPECT_EQ(calls, 8);
  transposes = true;
  backwards.run({{8, 4}, {4, 2}}).run({{21, 4}, {4, 2}});
  EXPECT_TRUE(says(backwards.log(), "")); // captured behind the hook, for these sizes
}

// A forward that was compiled for symbols, as `torch.compile(model, dynamic=True)` of test_dynamic_shapes.
TEST(CompiledAutogradSymbolsTest, BackwardsOfASymbolicForwardAreCapturedTwice) {
  for (const std::optional<bool> dynamic : {std::optional<bool>(true), std::optional<bool>()}) {
    const language::Case theCase = caseOfText(
        "def inputs(seed, kind):\n    return (), ()\n\n\ndef program(x, w, v):\n"
        "    return (torch.relu(x @ w) @ v).relu().flatten().sin()\n");
    const auto program =
        capture::captureProgram(theCase, {.compiler = debugging::lookUpCompiler("aot_eager"), .dynamic = dynamic});
    bool isCompiled = false;
    const Loss loss = [&](const std::vector<at::Tensor>& x) {
      values::ValueList arguments(x.begin(), x.end());
      const values::Value returned =
          isCompiled ? (*program)(arguments) : evaluator::Evaluator(theCase).call("program", arguments);
      return returned.tensor().sum();
    };
    Backwards backwards(loss, "aot_eager");
    for (int64_t batch = 10; batch < 100; batch += 10) {
      isCompiled = false;
      backwards.run({{batch, 4}, {4, 3}, {3, 5}}, [&] { isCompiled = true; });
    }
    EXPECT_EQ(backwards.captures(), dynamic ? 2 : 3) << backwards.log();
    EXPECT_EQ(program->report().frames, dynamic ? 1 : 2);
    EXPECT_TRUE(says(backwards.log(), "captured for symbols")) << backwards.log();
  }
}

struct Scaled : torch::autograd::Function<Scaled> {
  static constexpr bool is_traceable = true;
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x, double factor) {
    context->saved_data["factor"] = factor;
    return x * factor;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    return {gradients[0] * context->saved_data["factor"].toDouble(), at::Tensor()};
  }
};

// A number that a function keeps is in no key of the engine's, and no size.
TEST(CompiledAutogradSymbolsTest, OtherScalarsAreCapturedApart) {
  double factor = 2.0;
  Backwards backwards([&](const auto& x) { return Scaled::apply(x[0], factor).sin().sum(); });
  backwards.run({{3}}).run({{5}});
  factor = 3.0;
  backwards.run({{7}});
  EXPECT_EQ(backwards.captures(), 3);
  factor = 2.0;
  backwards.run({{7}});
  EXPECT_EQ(backwards.captures(), 3);
}

// A `.grad` that is there is added to in place, of any size.
TEST(CompiledAutogradSymbolsTest, GradsThatAreThereAreAddedTo) {
  Backwards backwards(
      [](const auto& x) {
        x[0].mutable_grad() = x[0].detach().cos();
        return (x[0] * x[0]).sum();
      },
      "aot_eager");
  for (const int64_t size : {3, 5, 8, 13}) {
    backwards.run({{size, 4}});
  }
  EXPECT_EQ(backwards.captures(), 2) << backwards.log();
}

} // namespace
} // namespace touchstone::tests
