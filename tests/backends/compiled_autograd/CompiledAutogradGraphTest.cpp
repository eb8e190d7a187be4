#include "backends/compiled_autograd/CompiledAutograd.h"

#include "backends/GraphCompiler.h"
#include "graph/ir/GraphText.h"
#include "graph/runtime/Interpreter.h"
#include "tests/backends/CountingAllocator.h"
#include "tests/backends/RandomScene.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/ones.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

// The one Graph of a backward: what is called in it, at which place, and with what.
namespace touchstone::tests {
namespace {

using compiled_autograd::CompiledAutograd;

/// `x.sin().exp().cos()` of a leaf, with hooks of all kinds, and an opaque function behind `exp`.
void runWithHooks(const std::shared_ptr<CompiledAutograd>& compiled) {
  const compiled_autograd::CompiledAutogradScope scope(compiled);
  const auto log = std::make_shared<std::vector<std::string>>();
  const at::Tensor x = at::ones({3}).requires_grad_();
  const at::Tensor y = x.sin(), z = y.exp();
  const at::Tensor u = Reentrant::apply(z);
  z.register_hook([](const at::Tensor& gradient) { return gradient * 2; });
  y.grad_fn()->add_pre_hook(std::make_unique<LoggingHook>(log, 1, 2.0));
  z.grad_fn()->add_post_hook(std::make_unique<LoggingHook>(log, 2, 2.0));
  torch::autograd::impl::set_post_acc_grad_hooks(x, std::make_unique<LoggingHook>(log, 3, 2.0));
  u.cos().sum().backward();
  EXPECT_EQ(log->size(), 4u);
}

/// The lines of the text that hold `piece`, in order.
std::vector<std::string> linesWith(const std::string& text, const std::string& piece) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    if (line.find(piece) != std::string::npos) {
      lines.push_back(line);
    }
    begin = end + 1;
  }
  return lines;
}

TEST(CompiledAutogradGraphTest, HooksAndOpaqueFunctionsAreCallsAtTheirPlace) {
  const auto compiled = std::make_shared<CompiledAutograd>();
  runWithHooks(compiled);
  ASSERT_EQ(compiled->captured().size(), 2u) << "the backward, and the one in the function";
  const std::string text = ir::graphCode(compiled->captured()[0].graph);
  const std::vector<std::string> calls = linesWith(text, "compiled_autograd.");
  ASSERT_EQ(calls.size(), 6u) << text;
  const char* expected[] = {"call_backward", "\"tensor_pre_hook\"",   "\"post_hook\"", "\"pre_hook\"",
                            "set_grad",      "\"post_acc_grad_hook\""};
  for (size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_NE(calls[i].find(expected[i]), std::string::npos) << "call " << i << " of\n" << text;
  }
  EXPECT_NE(calls[0].find("[(torch.float32, [3]"), std::string::npos) << "what the function gives\n" << text;
}

TEST(CompiledAutogradGraphTest, InputsSizesAndHooksArePlaceholders) {
  const auto compiled = std::make_shared<CompiledAutograd>();
  runWithHooks(compiled);
  const std::string text = ir::graphCode(compiled->captured()[0].graph);
  EXPECT_TRUE(text.starts_with("def graph(inputs, sizes, hooks):")) << text;
  EXPECT_FALSE(linesWith(text, "= inputs[1]").empty()) << text;
  EXPECT_EQ(linesWith(text, "= hooks[").size(), 5u) << text;
}

TEST(CompiledAutogradGraphTest, OperatorsReadLiftedSizesAndCompilersGetNumbers) {
  std::vector<std::string> compiledTexts;
  const auto compiled = std::make_shared<CompiledAutograd>(
      compiled_autograd::CompiledAutogradOptions{.compiler = [&](ir::Graph graph, const std::vector<at::Tensor>&) {
        compiledTexts.push_back(ir::graphCode(graph));
        return backends::interpreted(std::move(graph), runtime::NodeState::kCallers);
      }});
  const compiled_autograd::CompiledAutogradScope scope(compiled);
  for (const int64_t rows : {2, 5}) {
    const at::Tensor x = at::ones({rows, 3}).requires_grad_();
    x.exp().sum(0).sin().sum().backward();
    EXPECT_TRUE(at::allclose(x.grad(), x.detach().exp() * x.detach().exp().sum(0).cos()));
  }
  ASSERT_EQ(compiled->captured().size(), 2u);
  ASSERT_EQ(compiledTexts.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    const std::string text = ir::graphCode(compiled->captured()[i].graph);
    const std::vector<std::string> read = linesWith(text, "= sizes[");
    ASSERT_GE(read.size(), 2u) << text;
    const std::vector<std::string> calls = linesWith(text, ".expand.default(");
    ASSERT_EQ(calls.size(), 2u) << text;
    EXPECT_NE(calls[1].find(", [sizes_element_"), std::string::npos) << text;
    EXPECT_EQ(compiledTexts[i].find("sizes"), std::string::npos) << compiledTexts[i];
    EXPECT_NE(compiledTexts[i].find(i == 0 ? ", [2, 3]" : ", [5, 3]"), std::string::npos) << compiledTexts[i];
  }
  EXPECT_EQ(compiled->counts().eagerNodes, 0);
}

TEST(CompiledAutogradGraphTest, NodesWithHooksAroundThemAreCaptured) {
  const auto compiled = std::make_shared<CompiledAutograd>();
  runWithHooks(compiled);
  const auto first = compiled->counts();
  EXPECT_EQ(first.eagerNodes, 1) << "the function alone";
  runWithHooks(compiled);
  EXPECT_EQ(compiled->counts().captures, first.captures);
  EXPECT_EQ(compiled->counts().eagerNodes, 2);
  EXPECT_GT(compiled->counts().compiledRuns, first.compiledRuns);
}

TEST(CompiledAutogradGraphTest, NumbersOfHooksArePartOfTheKey) {
  const auto compiled = std::make_shared<CompiledAutograd>();
  for (int count : {1, 2, 1, 2}) {
    const compiled_autograd::CompiledAutogradScope scope(compiled);
    const auto log = std::make_shared<std::vector<std::string>>();
    const at::Tensor x = at::ones({3}).requires_grad_();
    const at::Tensor y = x.sin();
    for (int i = 0; i < count; ++i) {
      y.grad_fn()->add_pre_hook(std::make_unique<LoggingHook>(log, i, 2.0));
    }
    y.cos().sum().backward();
    EXPECT_EQ(log->size(), static_cast<size_t>(count));
  }
  EXPECT_EQ(compiled->counts().captures, 2);
}

TEST(CompiledAutogradGraphTest, AHookThatAddsAHookMakesTheRestRunEagerly) {
  std::vector<std::vector<std::string>> logs;
  for (bool isCompiled : {false, true}) {
    const auto compiled = std::make_shared<CompiledAutograd>();
    const auto log = std::make_shared<std::vector<std::string>>();
    for (int time = 0; time < 3; ++time) {
      std::optional<compiled_autograd::CompiledAutogradScope> scope;
      if (isCompiled) {
        scope.emplace(compiled);
      }
      const at::Tensor x = at::ones({3}).requires_grad_();
      const at::Tensor y = x.sin(), z = y.exp();
      y.grad_fn()->add_post_hook(std::make_unique<LoggingHook>(log, 1, 2.0));
      z.register_hook([&](const at::Tensor&) {
        if (time == 1) {
          y.grad_fn()->add_post_hook(std::make_unique<LoggingHook>(log, 2, 3.0));
        }
      });
      z.cos().sum().backward();
      log->push_back(describeTensor(x.grad()));
    }
    logs.push_back(*log);
  }
  EXPECT_EQ(logs[0], logs[1]);
}

TEST(CompiledAutogradGraphTest, SavedTensorsAreFreedBeforeTheNextHook) {
  // Six factors of a MiB are saved; the hook in the middle finds those of the nodes behind it alone.
  static auto* allocator = new CountingAllocator; // blocks may outlive the test
  const auto liveInHook = [&](bool isCompiled) {
    const auto compiled = std::make_shared<CompiledAutograd>();
    int64_t live = 0;
    for (int time = 0; time < 2; ++time) {
      const CountingAllocator::Scope counted(*allocator);
      const at::Tensor x = at::ones({1 << 18}).requires_grad_();
      at::Tensor y = x;
      for (int i = 0; i < 6; ++i) {
        y = y.sin();
        if (i == 2) {
          y.register_hook([&](const at::Tensor&) { live = allocator->live; });
        }
      }
      at::Tensor loss = y.sum();
      y = at::Tensor();
      std::optional<compiled_autograd::CompiledAutogradScope> scope;
      if (isCompiled) {
        scope.emplace(compiled);
      }
      loss.backward();
    }
    return live; // of what was compiled before
  };
  EXPECT_LE(liveInHook(true), liveInHook(false) + 4096);
}

} // namespace
} // namespace touchstone::tests
