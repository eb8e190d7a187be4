#include "backends/compiled_autograd/BackwardState.h"
#include "backends/compiled_autograd/CompiledAutograd.h"

#include "backends/debugging/CompilerRegistry.h"
#include "graph/ir/GraphText.h"
#include "tests/backends/WalkFunctions.h"
#include "tests/backends/WalkJudge.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

// Programs' code inside a backward: what it is given, in which order, and what becomes of what it does.
namespace touchstone::tests {
namespace {

/// expectAsEngine() of a backward that accumulates into leaves.
compiled_autograd::CompiledAutogradCounts expectBackwardAsEngine(const BuildScene& build) {
  return expectAsEngine([&](Scene& scene) {
    build(scene);
    scene.options.accumulate = true;
  });
}

TEST(CompiledAutogradHooksTest, AHookIsACallInTheGraph) {
  const compiled_autograd::CompiledAutogradCounts counts = expectBackwardAsEngine([](Scene& scene) {
    const at::Tensor x = scene.leaf({3});
    const at::Tensor y = x.sin();
    y.register_hook(scene.hook("y", 2));
    scene.outputs = {y.cos()};
  });
  EXPECT_EQ(counts.backwards, 3);
  EXPECT_EQ(counts.captures, 1);
  EXPECT_EQ(counts.graphs, 1);
  EXPECT_EQ(counts.compiledRuns, 6) << "the part before it and the one behind it";
  EXPECT_EQ(counts.eagerNodes, 0);
}

TEST(CompiledAutogradHooksTest, AHookThatThrowsLeavesWhatTheEngineLeaves) {
  for (bool isLast : {false, true}) {
    expectBackwardAsEngine([=](Scene& scene) {
      const at::Tensor x = scene.leaf({3}), w = scene.leaf({3}), b = scene.leaf({3});
      const at::Tensor y = x.sin();
      const at::Tensor z = y * w;
      (isLast ? x : y)
          .register_hook(
              std::function<at::Tensor(const at::Tensor&)>([log = scene.log](const at::Tensor& gradient) -> at::Tensor {
                log->push_back("throws at " + describeTensor(gradient));
                throw std::domain_error("from a hook");
              }));
      scene.outputs = {z.cos() + b};
    });
  }
}

TEST(CompiledAutogradHooksTest, AHookThatThrowsOnceDoesNotSpoilWhatIsCompiled) {
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  const auto gradient = [&](bool throws, bool isCompiled) {
    std::optional<compiled_autograd::CompiledAutogradScope> scope;
    if (isCompiled) {
      scope.emplace(compiled);
    }
    const at::Tensor x = at::ones({3}).requires_grad_();
    const at::Tensor y = x.sin();
    y.register_hook([=](const at::Tensor&) {
      if (throws) {
        throw std::domain_error("from a hook");
      }
    });
    try {
      y.cos().sum().backward();
      EXPECT_FALSE(throws);
    } catch (const std::domain_error&) {
      EXPECT_TRUE(throws);
    }
    return x.grad();
  };
  EXPECT_FALSE(gradient(true, true).defined());
  EXPECT_FALSE(compiled_autograd::isInCompiledAutogradRegion());
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(describeTensor(gradient(false, true)), describeTensor(gradient(false, false)));
  }
  EXPECT_FALSE(gradient(true, true).defined());
  EXPECT_EQ(describeTensor(gradient(false, true)), describeTensor(gradient(false, false)));
}

TEST(CompiledAutogradHooksTest, AHookThatWritesToItsArgument) {
  // The gradient of y reaches x, and, untouched, w: who shares its memory sees the write.
  for (bool onLeaf : {false, true}) {
    expectBackwardAsEngine([=](Scene& scene) {
      const at::Tensor x = scene.leaf({3}), w = scene.leaf({3});
      const at::Tensor y = x + 0.5;
      const at::Tensor z = (y + w).exp();
      (onLeaf ? w : y).register_hook(std::function<void(at::Tensor)>([log = scene.log](at::Tensor gradient) {
        log->push_back("writes to " + describeTensor(gradient));
        gradient.mul_(3);
      }));
      scene.outputs = {z};
    });
  }
}

TEST(CompiledAutogradHooksTest, AHookMayGiveAnotherLayoutOrNothing) {
  for (int kind = 0; kind < 3; ++kind) {
    expectBackwardAsEngine([=](Scene& scene) {
      const at::Tensor x = scene.leaf({3, 4});
      const at::Tensor y = x.sin();
      y.register_hook(std::function<at::Tensor(const at::Tensor&)>([=](const at::Tensor& gradient) {
        return kind == 0 ? gradient.t().contiguous().t() : kind == 1 ? at::zeros_like(gradient) : at::Tensor();
      }));
      scene.outputs = {y.cos() * 2};
    });
  }
}

TEST(CompiledAutogradHooksTest, AHookThatGivesOneOfTwoLayoutsHasBothCompiled) {
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  for (bool isTransposed : {false, true, false, true}) {
    const compiled_autograd::CompiledAutogradScope scope(compiled);
    const at::Tensor x = at::ones({2, 3}).requires_grad_();
    const at::Tensor y = x.sin();
    y.register_hook(std::function<at::Tensor(const at::Tensor&)>(
        [=](const at::Tensor& gradient) { return isTransposed ? gradient.t().contiguous().t() : gradient; }));
    y.cos().sum().backward();
  }
  const compiled_autograd::CompiledAutogradCounts counts = compiled->counts();
  ASSERT_EQ(counts.misses.size(), 2u);
  EXPECT_EQ(counts.misses[1], "a hook gave a gradient of another kind than in what is compiled");
  EXPECT_EQ(counts.graphs, 2) << "of all, and of what is left behind the hook";
}

TEST(CompiledAutogradHooksTest, ABackwardInsideABackwardGoesTheSameWay) {
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  std::string expected;
  for (bool isCompiled : {false, true, true}) {
    std::optional<compiled_autograd::CompiledAutogradScope> scope;
    if (isCompiled) {
      scope.emplace(compiled);
    }
    const at::Tensor x = at::ones({3}).requires_grad_(), w = at::ones({3}).requires_grad_();
    const at::Tensor y = x.sin();
    y.register_hook([&](const at::Tensor& gradient) {
      const at::AutoGradMode gradients(true);
      (w * gradient).exp().sum().backward();
    });
    y.cos().sum().backward();
    const std::string got = describeTensor(x.grad()) + describeTensor(w.grad());
    expected = isCompiled ? expected : got;
    EXPECT_EQ(got, expected);
  }
  EXPECT_EQ(compiled->counts().backwards, 4);
  EXPECT_EQ(compiled->counts().captures, 2);
}

TEST(CompiledAutogradHooksTest, ABackwardInsideOneIntoTheSameLeaf) {
  // The leaf has a `.grad` by the time that the outer backward arrives there: decided when it runs, not when it began.
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  std::string expected;
  for (bool isCompiled : {false, true, true}) {
    std::optional<compiled_autograd::CompiledAutogradScope> scope;
    if (isCompiled) {
      scope.emplace(compiled);
    }
    const at::Tensor x = at::ones({3}).requires_grad_();
    const at::Tensor y = x.sin();
    y.register_hook([&](const at::Tensor&) {
      const at::AutoGradMode gradients(true);
      (x * 5).sum().backward();
    });
    y.cos().sum().backward();
    const std::string got = describeTensor(x.grad());
    expected = isCompiled ? expected : got;
    EXPECT_EQ(got, expected);
  }
}

TEST(CompiledAutogradHooksTest, AHookThatChangesAGradThatIsWaitedFor) {
  // Set, replaced, dropped, and read inside the backward, on the way to the leaf.
  for (int kind = 0; kind < 4; ++kind) {
    expectBackwardAsEngine([=](Scene& scene) {
      const at::Tensor x = scene.leaf({3});
      if (kind > 0) {
        x.mutable_grad() = at::ones({3});
      }
      const at::Tensor y = x.sin();
      y.register_hook([=, log = scene.log](const at::Tensor& gradient) {
        if (kind == 0 || kind == 1) {
          x.mutable_grad() = at::ones({3}) * 7;
        } else if (kind == 2) {
          x.mutable_grad().reset();
        } else {
          x.mutable_grad().mul_(3);
        }
      });
      scene.outputs = {y.cos()};
    });
  }
}

TEST(CompiledAutogradHooksTest, AHookThatReleasesTheGraphBehindIt) {
  // The node behind the hook runs twice: in the backward that the hook begins, and in the outer one, which raises there.
  expectBackwardAsEngine([](Scene& scene) {
    const at::Tensor x = scene.leaf({3});
    const at::Tensor y = x.sin();
    const at::Tensor z = y * y;
    const auto called = std::make_shared<bool>(false);
    z.register_hook([=](const at::Tensor& gradient) {
      if (!std::exchange(*called, true)) {
        y.sum().backward();
      }
    });
    scene.outputs = {z.cos()};
  });
}

/// The second of three backwards of one structure has a hook in it that does `change`, on the way to `sin` of a leaf and a weight.
/// Gives what each left behind.
std::vector<std::string> changedInTheSecond(
    const std::function<void(const at::Tensor& x, const at::Tensor& w, const at::Tensor& y)>& change,
    const std::shared_ptr<compiled_autograd::CompiledAutograd>& compiled) {
  std::vector<std::string> results;
  for (int time = 0; time < 3; ++time) {
    std::optional<compiled_autograd::CompiledAutogradScope> scope;
    if (compiled) {
      scope.emplace(compiled);
    }
    const at::Tensor x = at::ones({3}).requires_grad_(), w = at::ones({3}).mul_(2).requires_grad_();
    const at::Tensor y = x.sin() * w;
    const at::Tensor z = y.exp();
    std::string text;
    z.register_hook([&](const at::Tensor&) {
      if (time == 1) {
        const at::AutoGradMode gradients(true);
        change(x, w, y);
      }
    });
    try {
      z.cos().sum().backward();
    } catch (const std::exception& error) {
      text = describeError(error);
    }
    for (const at::Tensor& tensor : {x, w, x.grad(), w.grad()}) {
      text += "; " + describeTensor(tensor);
    }
    results.push_back(text);
  }
  return results;
}

TEST(CompiledAutogradHooksTest, WhatIsCompiledIsNotRunOnWhatAHookHasChanged) {
  using Change = std::function<void(const at::Tensor& x, const at::Tensor& w, const at::Tensor& y)>;
  const Change changes[] = {
      [](const at::Tensor& x, const at::Tensor&, const at::Tensor&) { x.mutable_grad() = at::ones({3}) * 7; },
      [](const at::Tensor&, const at::Tensor& w, const at::Tensor&) { w.detach().mul_(3); },
      [](const at::Tensor&, const at::Tensor&, const at::Tensor& y) { y.sum().backward(); },
      [](const at::Tensor& x, const at::Tensor&, const at::Tensor&) {
        x.register_hook([](const at::Tensor& gradient) { return gradient * 5; });
      },
      [](const at::Tensor&, const at::Tensor& w, const at::Tensor&) { w.detach().resize_({6}); },
      [](const at::Tensor& x, const at::Tensor& w, const at::Tensor&) {
        x.mutable_grad() = at::ones({3});
        w.mutable_grad() = x.grad().view({3});
      },
      [](const at::Tensor&, const at::Tensor& w, const at::Tensor&) { w.detach_(); },
  };
  for (size_t i = 0; i < std::size(changes); ++i) {
    const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
    const auto eager = changedInTheSecond(changes[i], nullptr);
    EXPECT_NE(eager[0], eager[1]) << "change " << i << " is none";
    EXPECT_EQ(changedInTheSecond(changes[i], compiled), eager) << "change " << i;
    EXPECT_EQ(compiled->counts().captures, i == 2 ? 2 : 1) << "change " << i << " (2 has a backward of its own)";
  }
}

TEST(CompiledAutogradHooksTest, GradsThatAHookExchanges) {
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  for (int time = 0; time < 3; ++time) {
    std::string expected;
    for (bool isCompiled : {false, true}) {
      std::optional<compiled_autograd::CompiledAutogradScope> scope;
      if (isCompiled) {
        scope.emplace(compiled);
      }
      const at::Tensor x = at::ones({3}).requires_grad_(), w = at::ones({3}).requires_grad_();
      x.mutable_grad() = at::ones({3});
      w.mutable_grad() = at::ones({3}) * 5;
      const at::Tensor first = x.grad(), second = w.grad();
      const at::Tensor y = x.sin() * w;
      y.register_hook([&](const at::Tensor&) {
        if (time == 1) {
          std::swap(x.mutable_grad(), w.mutable_grad());
        }
      });
      y.cos().sum().backward();
      std::string got;
      for (const at::Tensor& tensor : {x.grad(), w.grad(), first, second}) {
        got += describeTensor(tensor) + "; ";
      }
      expected = isCompiled ? expected : got;
      EXPECT_EQ(got, expected) << "time " << time;
    }
  }
}

TEST(CompiledAutogradHooksTest, AHookThatGivesAGradThatIsWrittenTo) {
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>(
      compiled_autograd::CompiledAutogradOptions{.compiler = debugging::lookUpCompiler("aot_eager")});
  for (bool givesGrad : {false, true, false, true}) {
    std::string expected;
    for (bool isCompiled : {false, true}) {
      std::optional<compiled_autograd::CompiledAutogradScope> scope;
      if (isCompiled) {
        scope.emplace(compiled);
      }
      const at::Tensor r = at::ones({3}).requires_grad_(), w = at::ones({3}).requires_grad_();
      w.mutable_grad() = at::ones({3}) * 2;
      const at::Tensor q = r.sin();
      const at::Tensor z = w * 3.0 + q;
      z.register_hook(std::function<at::Tensor(const at::Tensor&)>(
          [&](const at::Tensor&) { return givesGrad ? w.grad() : w.grad().clone(); }));
      z.cos().sum().backward();
      const std::string got = describeTensor(r.grad()) + describeTensor(w.grad());
      expected = isCompiled ? expected : got;
      EXPECT_EQ(got, expected) << givesGrad;
    }
  }
}

TEST(CompiledAutogradHooksTest, ALeafThatWasMovedIntoTheGraph) {
  expectAsEngine([](Scene& scene) {
    const at::Tensor x = scene.leaf({3});
    const at::Tensor base = at::ones({4});
    const at::Tensor leaf = base.narrow(0, 0, 3).requires_grad_();
    scene.outputs = {leaf.sin() + x};
    base.mul_(scene.leaves[0].sum()); // the view gets a history
    scene.options.accumulate = true;
  });
}

TEST(CompiledAutogradHooksTest, WhatIsWantedLiesAboveTheRoot) {
  for (bool several : {false, true}) {
    expectAsEngine([=](Scene& scene) {
      const at::Tensor x = scene.leaf({3}), w = scene.leaf({3});
      x.register_hook(scene.hook("x", 2));
      scene.outputs = {x};
      if (several) {
        scene.outputs.push_back(w);
      }
      scene.wanted = {w.sin().cos()};
    });
  }
}

TEST(CompiledAutogradHooksTest, CallbacksThatAreQueuedRunOnceAtTheEnd) {
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  std::vector<std::string> expected;
  for (bool isCompiled : {false, true, true}) {
    std::optional<compiled_autograd::CompiledAutogradScope> scope;
    if (isCompiled) {
      scope.emplace(compiled);
    }
    std::vector<std::string> log;
    const at::Tensor x = at::ones({3}).requires_grad_();
    const at::Tensor y = x.sin();
    y.register_hook([&](const at::Tensor&) {
      torch::autograd::Engine::get_default_engine().queue_callback([&] {
        log.push_back("callback: " + describeTensor(x.grad()));
        torch::autograd::Engine::get_default_engine().queue_callback([&] { log.emplace_back("queued by a callback"); });
      });
    });
    y.cos().sum().backward();
    EXPECT_EQ(log.size(), 2u);
    expected = isCompiled ? expected : log;
    EXPECT_EQ(log, expected);
  }
}

TEST(CompiledAutogradHooksTest, AHookAfterAccumulationMayStepAnOptimizer) {
  struct Step : torch::autograd::PostAccumulateGradHook {
    void operator()(const at::Tensor& parameter) override {
      const at::NoGradGuard noGradients;
      at::Tensor changed = parameter;
      changed.sub_(parameter.grad(), 0.5);
      parameter.mutable_grad().reset();
    }
  };
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  std::vector<at::Tensor> results;
  for (bool isCompiled : {false, true}) {
    std::optional<compiled_autograd::CompiledAutogradScope> scope;
    if (isCompiled) {
      scope.emplace(compiled);
    }
    const at::Tensor x = at::ones({3}).requires_grad_();
    torch::autograd::impl::set_post_acc_grad_hooks(x, std::make_unique<Step>());
    for (int step = 0; step < 3; ++step) {
      (x.sin() * x).sum().backward();
    }
    EXPECT_FALSE(x.grad().defined());
    results.push_back(x.detach());
  }
  EXPECT_EQ(describeTensor(results[0]), describeTensor(results[1]));
  EXPECT_EQ(compiled->counts().captures, 1);
}

/// What a forward leaves for its backward's hooks: the scale as it is when the backward runs, and a tensor of its own.
struct ForwardState {
  double scale = 1;
  at::Tensor mask;
};

struct ScaleAfter : torch::autograd::FunctionPostHook {
  explicit ScaleAfter(std::shared_ptr<ForwardState> state) : state(std::move(state)) {}
  torch::autograd::variable_list operator()(const torch::autograd::variable_list& results,
                                            const torch::autograd::variable_list&) override {
    torch::autograd::variable_list scaled = results;
    scaled.at(0) = scaled.at(0) * state->scale;
    return scaled;
  }
  std::shared_ptr<ForwardState> state;
};

struct AddToSum : torch::autograd::PostAccumulateGradHook {
  AddToSum(std::shared_ptr<ForwardState> state, at::Tensor sum) : state(std::move(state)), sum(std::move(sum)) {}
  void operator()(const at::Tensor& parameter) override { sum.add_(parameter.grad() * state->mask, state->scale); }
  std::shared_ptr<ForwardState> state;
  at::Tensor sum;
};

TEST(CompiledAutogradHooksTest, HooksSeeWhatTheirForwardLeftAlsoWhenTheBackwardIsReplayed) {
  // Hooks of all kinds read a state that each forward makes anew and that still changes between forward and backward.
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  std::vector<std::vector<std::string>> left(2);
  for (bool isCompiled : {false, true}) {
    std::optional<compiled_autograd::CompiledAutogradScope> scope;
    if (isCompiled) {
      scope.emplace(compiled);
    }
    for (const double scale : {2.0, 3.0, 5.0}) {
      const auto state = std::make_shared<ForwardState>();
      const at::Tensor x = at::ones({3}).requires_grad_(), sum = at::zeros_like(x);
      const at::Tensor y = x.sin(), z = y.exp();
      state->mask = (y * scale).detach() > 2;
      y.register_hook([=](const at::Tensor& gradient) { return gradient * state->scale * state->mask; });
      z.grad_fn()->add_post_hook(std::make_unique<ScaleAfter>(state));
      torch::autograd::impl::set_post_acc_grad_hooks(x, std::make_unique<AddToSum>(state, sum));
      const at::Tensor loss = z.cos().sum();
      state->scale = scale;
      loss.backward();
      left[isCompiled ? 1 : 0].push_back(describeTensor(x.grad()) + "; " + describeTensor(sum));
    }
  }
  EXPECT_EQ(left[0], left[1]);
  EXPECT_NE(left[1][0], left[1][1]);
  EXPECT_NE(left[1][1], left[1][2]);
  EXPECT_EQ(compiled->counts().captures, 1);
  EXPECT_EQ(compiled->counts().backwards, 3);
}

struct AddScaledToSum : torch::autograd::PostAccumulateGradHook, compiled_autograd::CarriesBackwardState {
  AddScaledToSum(std::shared_ptr<const compiled_autograd::BackwardState> state, at::Tensor sum)
      : CarriesBackwardState(std::move(state)), sum(std::move(sum)) {}
  void operator()(const at::Tensor& parameter) override {
    sum.add_(parameter.grad(), backwardState().get("scale").toDouble());
  }
  at::Tensor sum;
};

/// As a hook of registerHook(), to the engine.
struct PlainMultiply : torch::autograd::FunctionPreHook {
  explicit PlainMultiply(std::function<at::Tensor(const at::Tensor&)> change) : change(std::move(change)) {}
  torch::autograd::variable_list operator()(const torch::autograd::variable_list& gradients) override {
    return {change(gradients.at(0))};
  }
  std::function<at::Tensor(const at::Tensor&)> change;
};

/// Two hooks on `x.sin()` and one after accumulation, whose state the forward fills in behind them. What they leave, in words.
std::string leftByHooksWithState(double scale, bool isFirstHookWithState = true) {
  const auto state = std::make_shared<compiled_autograd::BackwardState>();
  const at::Tensor x = at::ones({3}).requires_grad_(), sum = at::zeros_like(x);
  const at::Tensor y = x.sin();
  const auto multiply = [](const at::Tensor& gradient, const compiled_autograd::BackwardState& left) {
    return gradient * left.get("scale").toDouble() * left.get("mask").toTensor();
  };
  if (isFirstHookWithState) {
    registerHook(y, state, multiply);
  } else {
    y.grad_fn()->add_tensor_pre_hook(
        std::make_unique<PlainMultiply>([=](const at::Tensor& gradient) { return multiply(gradient, *state); }));
  }
  y.register_hook([](const at::Tensor& gradient) { return gradient + 1; });
  torch::autograd::impl::set_post_acc_grad_hooks(x, std::make_unique<AddScaledToSum>(state, sum));
  const at::Tensor loss = y.exp().sum();
  state->set("mask", at::tensor({scale, 1.0, 0.0}, at::kFloat));
  state->set("scale", scale);
  loss.backward();
  return describeTensor(x.grad()) + "; " + describeTensor(sum);
}

TEST(CompiledAutogradHooksTest, HooksAreCalledWithTheBackwardStateOfTheirForwardAlsoInAReplay) {
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  std::vector<std::string> engine, left;
  for (const double scale : {2.0, 3.0, 5.0}) {
    engine.push_back(leftByHooksWithState(scale));
    const compiled_autograd::CompiledAutogradScope scope(compiled);
    left.push_back(leftByHooksWithState(scale));
  }
  EXPECT_EQ(left, engine);
  EXPECT_NE(left[0], left[1]);
  EXPECT_NE(left[1], left[2]);
  EXPECT_EQ(compiled->counts().captures, 1);
  const std::string text = ir::graphCode(compiled->captured().at(0).graph);
  EXPECT_NE(text.find("hooks_element_1 = hooks[1]"), std::string::npos) << text;
  EXPECT_NE(text.find("hooks_element_1, \"tensor_pre_hook\")"), std::string::npos) << text; // the state
  EXPECT_NE(text.find("hooks_element_4 = hooks[4]"), std::string::npos) << text;
  EXPECT_NE(text.find("(hooks_element_3, hooks_element_4, \"post_acc_grad_hook\")"), std::string::npos) << text;
}

TEST(CompiledAutogradHooksTest, AHookWithABackwardStateAndOneWithoutAreOtherStructures) {
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  const std::string engine = leftByHooksWithState(2);
  const compiled_autograd::CompiledAutogradScope scope(compiled);
  EXPECT_EQ(leftByHooksWithState(2, true), engine);
  EXPECT_EQ(leftByHooksWithState(2, false), engine);
  EXPECT_EQ(compiled->counts().captures, 2);
}

TEST(CompiledAutogradHooksTest, WhatNoForwardHasLeftIsNamed) {
  const compiled_autograd::BackwardState state;
  try {
    state.get("mask");
    FAIL() << "it is not there";
  } catch (const std::out_of_range& error) {
    EXPECT_NE(std::string(error.what()).find("`mask`"), std::string::npos);
  }
}

TEST(CompiledAutogradHooksTest, RetainedGradsAndSeveralRoots) {
  const compiled_autograd::CompiledAutogradCounts counts = expectBackwardAsEngine([](Scene& scene) {
    const at::Tensor x = scene.leaf({3}), w = scene.leaf({3});
    const at::Tensor y = x.sin() * w;
    y.retain_grad();
    scene.leaves.push_back(y); // whose `.grad` is looked at
    scene.outputs = {y.cos(), (y * w).exp(), w.tanh()};
  });
  EXPECT_GT(counts.compiledRuns, 0);
}

} // namespace
} // namespace touchstone::tests
