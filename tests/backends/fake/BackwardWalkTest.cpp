#include "backends/fake/BackwardWalk.h"

#include "tests/backends/WalkFunctions.h"
#include "tests/backends/WalkJudge.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/linalg_svd.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/real.h>

#include <thread>

namespace touchstone::tests {
namespace {

using torch::autograd::edge_list;
using torch::autograd::impl::gradient_edge;

at::Tensor onesOf(at::IntArrayRef sizes) {
  return at::ones(sizes);
}

TEST(BackwardWalkTest, SumsWhatArrivesByAllPaths) {
  expectAsEngine([](Scene& scene) { // a diamond, whose inside is an output, twice
    const at::Tensor x = scene.leaf({3, 4});
    const at::Tensor h = x.sin();
    scene.outputs = {h * h, h, h};
    scene.wanted = {x};
  });
  expectAsEngine([](Scene& scene) { // a leaf as an output
    const at::Tensor x = scene.leaf({3});
    scene.outputs = {x, x * 2};
    scene.wanted = {x};
  });
  expectAsEngine([](Scene& scene) { // several edges from one node to another
    const at::Tensor x = scene.leaf({3});
    const at::Tensor h = x.exp();
    scene.outputs = {at::cat({h, h, h * h})};
    scene.wanted = {x, h, x};
  });
}

TEST(BackwardWalkTest, SumsKeepTheStridesOfTheEngine) {
  expectAsEngine([](Scene& scene) {
    const at::Tensor x = scene.leaf({3, 4});
    scene.outputs = {x.sin().t().contiguous(), x.mm(onesOf({4, 4})), (x * 2).t().mm(onesOf({3, 3}))};
    scene.wanted = {x};
  });
  expectAsEngine([](Scene& scene) {
    const at::Tensor h = scene.leaf({3, 4}) * 1;
    scene.outputs = {h.t() * 2, h * 3, h.t().contiguous().sin()};
    scene.wanted = {scene.leaves[0], h};
  });
  expectAsEngine([](Scene& scene) { // an expanded gradient alone, and with a dense one before and after it
    const at::Tensor h = scene.leaf({3, 4}) * 1;
    const at::Tensor k = scene.leaf({3, 4}) * 1;
    const at::Tensor l = scene.leaf({3, 4}) * 1;
    scene.outputs = {h.sum(), k.sum(), k * 3, l * 3, l.sum()};
    scene.wanted = {h, k, l};
  });
}

TEST(BackwardWalkTest, ASumIsPutIntoAGradientThatNobodyElseHolds) {
  for (Runner runner : {Runner::kEngine, Runner::kWalk}) {
    const at::Tensor x = onesOf({4, 3}).requires_grad_(true);
    const at::Tensor product = x * onesOf({4, 3});
    const at::Tensor rows = at::embedding(x, at::arange(4), -1, false, /*sparse=*/true); // newer: its gradient is first
    variable_list tangents = {onesOf({4, 3}), onesOf({3, 4}).t()};
    const auto gradients =
        differentiate(runner, {gradient_edge(rows), gradient_edge(product)}, tangents, {gradient_edge(x)}, {});
    EXPECT_TRUE(at::equal(gradients.at(0), onesOf({4, 3}) * 2));
    EXPECT_EQ(gradients.at(0).stride(0), 1); // of the dense gradient, where a new sum would have 3
  }
}

TEST(BackwardWalkTest, SparseGradientsAreAddedToDenseOnes) {
  for (bool sparseFirst : {false, true}) {
    for (bool accumulate : {false, true}) {
      expectAsEngine([=](Scene& scene) {
        const at::Tensor x = scene.leaf({5, 2});
        const at::Tensor rows = at::arange(3);
        scene.outputs = {at::embedding(x, rows, -1, false, sparseFirst),
                         at::embedding(x, rows, -1, false, !sparseFirst), at::embedding(x, rows, -1, false, true)};
        scene.options.accumulate = accumulate;
        if (!accumulate) {
          scene.wanted = {x};
        }
      });
    }
  }
  expectAsEngine([](Scene& scene) {
    const at::Tensor x = scene.leaf({5, 2});
    scene.outputs = {at::embedding(x, at::arange(3), -1, false, true)};
    scene.options.accumulate = true;
    scene.options.keepGraph = true;
    scene.times = 2;
  });
}

TEST(BackwardWalkTest, ComplexGradientsBecomeReal) {
  expectAsEngine([](Scene& scene) {
    const at::Tensor x = scene.leaf({3});
    const at::Tensor z = at::complex(x, x * 2);
    scene.outputs = {at::real(z * z), z.conj() * z, x.to(at::kDouble)};
    scene.wanted = {x, z};
  });
}

TEST(BackwardWalkTest, UndefinedGradientsStayUndefined) {
  expectAsEngine([](Scene& scene) {
    const at::Tensor x = scene.leaf({3});
    const at::Tensor y = scene.leaf({3});
    const at::Tensor s = scene.leaf({6});
    const auto both = HalfDefined::apply(x, y);
    scene.outputs = {both[1], both[0], s.split(2)[1]};
    scene.wanted = {x, y, s};
  });
  for (int missing = 0; missing < 3; ++missing) {
    expectAsEngine([=](Scene& scene) {
      const at::Tensor x = scene.leaf({3});
      const at::Tensor y = scene.leaf({3});
      const auto both = Unmaterialized::apply(x.sin(), y.sin());
      scene.outputs = {both[0], both[1]};
      scene.tangents = {missing == 0 ? at::Tensor() : onesOf({3}), missing == 1 ? at::Tensor() : onesOf({3})};
      scene.wanted = {x, y};
    });
  }
  expectAsEngine([](Scene& scene) { // no tangent at all
    const at::Tensor x = scene.leaf({3});
    scene.outputs = {x.sin(), x.cos()};
    scene.tangents = {at::Tensor(), at::Tensor()};
    scene.wanted = {x};
  });
  for (bool accumulate : {false, true}) {
    expectAsEngine([=](Scene& scene) { // outputs of one node that lead nowhere
      const at::Tensor x = scene.leaf({3, 4});
      scene.outputs = {x.unbind(0)[1], std::get<0>(x.max(1)), std::get<1>(at::linalg_svd(x))};
      scene.options.accumulate = accumulate;
      if (!accumulate) {
        scene.wanted = {x};
      }
    });
  }
}

TEST(BackwardWalkTest, OnlyWhatLeadsToWantedRuns) {
  expectAsEngine([](Scene& scene) {
    const at::Tensor x = scene.leaf({3});
    const at::Tensor y = scene.leaf({3});
    scene.outputs = {(x * y).sin() + Throws::apply(scene.leaf({3}))};
    scene.wanted = {y};
  });
  expectAsEngine([](Scene& scene) { // what is not reached, and a single root that leads nowhere, whose hooks run
    const at::Tensor x = scene.leaf({3});
    const at::Tensor h = x.sin();
    h.register_hook(scene.hook("h", 2));
    scene.outputs = {h};
    scene.wanted = {scene.leaf({3})};
  });
  expectAsEngine([](Scene& scene) { // of two roots one leads nowhere, and its hooks do not run
    const at::Tensor x = scene.leaf({3});
    const at::Tensor h = x.sin();
    const at::Tensor k = scene.leaf({3}).sin();
    h.register_hook(scene.hook("h", 2));
    k.register_hook(scene.hook("k", 2));
    scene.outputs = {h, k};
    scene.wanted = {x};
  });
  expectAsEngine([](Scene& scene) { // interior and leaf, one below the other, one of them twice
    const at::Tensor x = scene.leaf({3});
    const at::Tensor h = x.sin();
    scene.outputs = {h.exp(), h.cos()};
    scene.wanted = {h, x, h};
  });
}

TEST(BackwardWalkTest, AWantedNodeIsOnlyRunWhenItLeadsOn) {
  expectAsEngine([](Scene& scene) { // the leaf's `.grad` stays empty
    const at::Tensor x = scene.leaf({3});
    scene.outputs = {x.sin()};
    scene.wanted = {x};
  });
  expectAsEngine([](Scene& scene) { // running it would throw
    const at::Tensor h = Throws::apply(scene.leaf({3}));
    scene.outputs = {h.sin()};
    scene.wanted = {h};
  });
  expectAsEngine([](Scene& scene) { // a root
    const at::Tensor h = Throws::apply(scene.leaf({3}));
    scene.outputs = {h, h};
    scene.wanted = {h};
  });
}

TEST(BackwardWalkTest, LeavesAccumulate) {
  expectAsEngine([](Scene& scene) {
    const at::Tensor x = scene.leaf({3, 4});
    const at::Tensor y = scene.leaf({4, 2});
    scene.outputs = {x.mm(y).sin(), x * 2};
    scene.options = {/*keepGraph=*/true, /*accumulate=*/true};
    scene.times = 3;
  });
  expectAsEngine([](Scene& scene) { // gradients that are handed through: who may keep them
    const at::Tensor x = scene.leaf({3});
    const at::Tensor y = scene.leaf({3});
    scene.outputs = {x + y, (x + y).sin(), x};
    scene.options.accumulate = true;
  });
  expectAsEngine([](Scene& scene) {
    scene.outputs = {scene.leaf({3, 4}).t(), scene.leaf({3, 4}).sum(), scene.leaf({2, 3}) + scene.leaf({2, 3})};
    scene.options.accumulate = true;
  });
}

TEST(BackwardWalkTest, ATangentThatNobodyElseHoldsIsCopied) {
  const at::Tensor x = onesOf({3}).requires_grad_(true);
  variable_list tangents = {onesOf({3})};
  const void* const data = tangents[0].const_data_ptr();
  fake::walkBackward({gradient_edge(x)}, std::move(tangents), {}, {false, true});
  EXPECT_TRUE(at::equal(x.grad(), onesOf({3})));
  EXPECT_NE(x.grad().const_data_ptr(), data);
}

TEST(BackwardWalkTest, WantedGradientsAreAlsoHandedOutWhereLeavesAccumulate) {
  const at::Tensor x = onesOf({3}).requires_grad_(true);
  const at::Tensor y = onesOf({3}).requires_grad_(true);
  const at::Tensor h = x * y;
  h.register_hook([](const at::Tensor& gradient) { return gradient * 5; });
  const edge_list wanted = {gradient_edge(x), gradient_edge(h)};
  for (int time = 1; time <= 2; ++time) {
    const auto gradients = fake::walkBackward({gradient_edge(h * 2)}, {onesOf({3})}, wanted, {true, true});
    EXPECT_TRUE(at::equal(gradients.at(0), onesOf({3}) * 10));
    EXPECT_TRUE(at::equal(gradients.at(1), onesOf({3}) * 2)); // from before the hook, as the node runs
    EXPECT_TRUE(at::equal(x.grad(), onesOf({3}) * 10 * time));
    EXPECT_TRUE(at::equal(y.grad(), onesOf({3}) * 10 * time));
  }
}

TEST(BackwardWalkTest, SavedTensorsAreReleasedUnlessTheGraphIsKept) {
  for (bool keepGraph : {false, true}) {
    for (bool throughWanted : {false, true}) {
      expectAsEngine([=](Scene& scene) {
        const at::Tensor x = scene.leaf({3});
        const at::Tensor h = x.sin() * x;
        scene.outputs = {throughWanted ? h.exp() : h};
        scene.wanted = {x, h};
        scene.options.keepGraph = keepGraph;
        scene.times = 3;
      });
    }
  }
  expectAsEngine([](Scene& scene) { // what did not run has released nothing
    const at::Tensor x = scene.leaf({3});
    const at::Tensor h = x.sin() * x;
    scene.outputs = {h};
    scene.wanted = {h};
    scene.times = 2;
  });
}

TEST(BackwardWalkTest, CustomFunctionsAndReentrance) {
  expectAsEngine([](Scene& scene) {
    const at::Tensor x = scene.leaf({3});
    scene.outputs = {Reentrant::apply(x * 2).exp(), Reentrant::apply(x)};
    scene.wanted = {x};
  });
  expectAsEngine([](Scene& scene) { // sums to the shape and converts to the dtype of the input
    const at::Tensor x = scene.leaf({3});
    scene.outputs = {BroadcastDouble::apply(x.sin())};
    scene.wanted = {x};
  });
}

TEST(BackwardWalkTest, WritesIntoViews) {
  for (bool accumulate : {false, true}) {
    expectAsEngine([=](Scene& scene) {
      const at::Tensor x = scene.leaf({3, 4});
      const at::Tensor y = scene.leaf({4});
      const at::Tensor base = x * 2;
      const at::Tensor row = base.select(0, 1);
      row.mul_(y);
      base.t().narrow(0, 1, 2).add_(y.narrow(0, 0, 2).unsqueeze(1));
      base.diagonal().copy_(y.narrow(0, 1, 3));
      scene.outputs = {base.sin(), row, base.select(1, 0)};
      scene.options.accumulate = accumulate;
      if (!accumulate) {
        scene.wanted = {x, y, base};
      }
    });
  }
}

TEST(BackwardWalkTest, AChainOfTwentyThousandNodes) {
  expectAsEngine([](Scene& scene) {
    at::Tensor y = scene.leaf({2});
    for (int step = 0; step < 20000; ++step) {
      y = step % 2 ? y + 1 : y * 1.0001;
    }
    scene.outputs = {y};
    scene.wanted = {scene.leaves[0]};
  });
}

TEST(BackwardWalkTest, AWalkInsideTheEngineOrAnotherWalk) {
  auto innerWalk = [] {
    const at::Tensor x = onesOf({3}).requires_grad_(true);
    at::AutoGradMode gradientMode(true);
    const at::Tensor y = x * 3;
    return fake::walkBackward({gradient_edge(y)}, {onesOf({3})}, {gradient_edge(x)}).at(0);
  };
  const at::Tensor x = onesOf({3}).requires_grad_(true);
  at::Tensor inner;
  const at::Tensor h = x.sin();
  h.register_hook([&](const at::Tensor& gradient) {
    inner = innerWalk();
    return gradient;
  });
  const edge_list root = {gradient_edge(h)};
  fake::walkBackward(root, {onesOf({3})}, {gradient_edge(x)}, {true});
  EXPECT_TRUE(at::equal(inner, onesOf({3}) * 3));
  inner.reset();
  torch::autograd::Engine::get_default_engine().execute(root, {onesOf({3})}, true, false, true);
  EXPECT_TRUE(at::equal(inner, onesOf({3}) * 3));
  try {
    torch::autograd::Engine::get_default_engine().execute(root, {onesOf({3})}, true, false, false, {gradient_edge(x)});
    ADD_FAILURE() << "the nodes would have asked the engine's task what to compute";
  } catch (const c10::Error& error) {
    EXPECT_EQ(firstLine(error.what_without_backtrace()),
              "A backward walk cannot run inside a torch.autograd.grad of the engine on the same thread.");
  }
}

TEST(BackwardWalkTest, ThreadsWalkSeparateGraphsThatShareLeaves) {
  const at::Tensor x = at::randn({4, 4}).requires_grad_(true);
  const at::Tensor y = at::randn({4}).requires_grad_(true);
  const edge_list leaves = {gradient_edge(x), gradient_edge(y)};
  auto build = [&](int number) { return ((x * number).mm(x.t()) + y).sin().mul(x); };
  constexpr int kThreads = 8;
  constexpr int kRounds = 40;
  std::vector<std::vector<at::Tensor>> expected;
  for (int number = 0; number < kThreads * kRounds; ++number) {
    expected.push_back(torch::autograd::grad({build(number)}, {x, y}, {onesOf({4, 4})}));
  }
  std::vector<int> equal(kThreads, 0);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int round = 0; round < kRounds; ++round) {
        const int number = thread * kRounds + round;
        const auto gradients = fake::walkBackward({gradient_edge(build(number))}, {onesOf({4, 4})}, leaves);
        equal[thread] += at::equal(gradients[0], expected[number][0]) && at::equal(gradients[1], expected[number][1]);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(equal, std::vector<int>(kThreads, kRounds));
  EXPECT_FALSE(x.grad().defined());
}

} // namespace
} // namespace touchstone::tests
