#include "tests/backends/WalkFunctions.h"
#include "tests/backends/WalkJudge.h"

#include <ATen/autocast_mode.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>

// Hooks, what the thread's state is while they run, and errors.
namespace touchstone::tests {
namespace {

using torch::autograd::edge_list;
using torch::autograd::impl::gradient_edge;

struct ScalingPostHook : torch::autograd::FunctionPostHook {
  ScalingPostHook(const Scene& scene, std::string name, double factor)
      : log(scene.log), name(std::move(name)), factor(factor) {}
  variable_list operator()(const variable_list& results, const variable_list& given) override {
    std::string line = "after " + name;
    for (const at::Tensor& gradient : given) {
      line += " given " + describeTensor(gradient);
    }
    variable_list scaled;
    for (const at::Tensor& result : results) {
      line += " result " + describeTensor(result);
      scaled.push_back(result.defined() ? result * factor : result);
    }
    log->push_back(line);
    return scaled;
  }
  std::shared_ptr<std::vector<std::string>> log;
  std::string name;
  double factor;
};

struct LoggingGradHook : torch::autograd::PostAccumulateGradHook {
  LoggingGradHook(const Scene& scene, std::string name, bool frees)
      : log(scene.log), name(std::move(name)), frees(frees) {}
  void operator()(const at::Tensor& tensor) override {
    log->push_back("accumulated " + name + ": " + describeTensor(tensor.grad()));
    if (frees) {
      tensor.mutable_grad().reset();
    }
  }
  std::shared_ptr<std::vector<std::string>> log;
  std::string name;
  bool frees;
};

void addPreHook(const Scene& scene, const at::Tensor& tensor, const std::string& name, double factor) {
  gradient_edge(tensor).function->add_pre_hook(
      std::make_unique<CallingPreHook>([hook = scene.hook(name, factor)](variable_list& gradients) {
        for (at::Tensor& gradient : gradients) {
          gradient = hook(gradient);
        }
      }));
}

TEST(BackwardWalkHooksTest, TensorHooksChangeWhatGoesOn) {
  const std::vector<std::pair<bool, bool>> kWanted = {{false, true}, {true, true}, {true, false}};
  for (const auto& [interior, leaf] : kWanted) {
    for (bool retain : {false, true}) {
      expectAsEngine([=, interior = interior, leaf = leaf](Scene& scene) {
        const at::Tensor x = scene.leaf({3});
        const at::Tensor h = x.sin();
        x.register_hook(scene.hook("x", 7));
        h.register_hook(scene.hook("h first", 2));
        if (retain) {
          h.retain_grad();
          scene.leaves.push_back(h);
        }
        h.register_hook(scene.hook("h second", 3));
        scene.outputs = {h.exp(), h * 2};
        if (interior) {
          scene.wanted.push_back(h);
        }
        if (leaf) {
          scene.wanted.push_back(x);
        }
      });
    }
  }
}

TEST(BackwardWalkHooksTest, HooksWhereLeavesAccumulate) {
  for (bool retain : {false, true}) {
    for (bool hooked : {false, true}) {
      expectAsEngine([=](Scene& scene) {
        const at::Tensor x = scene.leaf({3});
        const at::Tensor h = x.sin();
        if (retain) {
          h.retain_grad();
          scene.leaves.push_back(h);
        }
        if (hooked) {
          h.register_hook(scene.hook("h", 5));
          x.register_hook(scene.hook("x", 2));
          scene.outputs = {h.exp(), x * 3};
        } else {
          scene.outputs = {h.exp()};
        }
        scene.options = {/*keepGraph=*/true, /*accumulate=*/true};
        scene.times = 2;
      });
    }
  }
}

TEST(BackwardWalkHooksTest, HooksOfOutputsAndOfSeveralOutputsOfANode) {
  expectAsEngine([](Scene& scene) {
    const at::Tensor x = scene.leaf({3, 4});
    auto rows = x.unbind(0);
    rows[0].register_hook(scene.hook("row 0", 2));
    rows[2].register_hook(scene.hook("row 2", 3));
    rows[2].retain_grad();
    scene.leaves.push_back(rows[2]);
    const at::Tensor y = rows[0] * rows[1];
    y.register_hook(scene.hook("y", 5));
    scene.outputs = {y, rows[2], y};
    scene.wanted = {x, rows[1], rows[2]};
  });
}

TEST(BackwardWalkHooksTest, HooksBeforeAndAfterNodes) {
  for (bool accumulate : {false, true}) {
    expectAsEngine([=](Scene& scene) {
      const at::Tensor x = scene.leaf({3});
      const at::Tensor y = scene.leaf({3});
      const at::Tensor h = x * y;
      const at::Tensor k = h.sin();
      addPreHook(scene, h, "before h", 2);
      addPreHook(scene, h, "before h again", 3);
      addPreHook(scene, x, "before x", 5);
      h.register_hook(scene.hook("tensor hook of h", 7));
      for (const auto& [tensor, name] : {std::pair(h, "h"), std::pair(k, "k"), std::pair(y, "y")}) {
        gradient_edge(tensor).function->add_post_hook(std::make_unique<ScalingPostHook>(scene, name, 0.5));
      }
      gradient_edge(k).function->add_post_hook(std::make_unique<ScalingPostHook>(scene, "k again", 4));
      scene.outputs = {k + y, y}; // the second is handed through to a leaf that has a hook after it
      scene.options.accumulate = accumulate;
      if (!accumulate) {
        scene.wanted = {x, y, h};
      }
    });
  }
}

TEST(BackwardWalkHooksTest, HooksAfterAccumulation) {
  for (bool frees : {false, true}) {
    for (bool accumulate : {false, true}) {
      expectAsEngine([=](Scene& scene) {
        const at::Tensor x = scene.leaf({3});
        const at::Tensor y = scene.leaf({3});
        torch::autograd::impl::set_post_acc_grad_hooks(x, std::make_unique<LoggingGradHook>(scene, "x", frees));
        torch::autograd::impl::set_post_acc_grad_hooks(y, std::make_unique<LoggingGradHook>(scene, "y", frees));
        x.register_hook(scene.hook("x", 2));
        scene.outputs = {x * y, x};
        scene.options = {/*keepGraph=*/true, accumulate};
        scene.times = 2;
        if (!accumulate) {
          scene.wanted = {x};
        }
      });
    }
  }
}

TEST(BackwardWalkHooksTest, TheOrderOfIndependentNodes) {
  expectAsEngine([](Scene& scene) { // many leaves: all have the same, highest number
    std::vector<at::Tensor> terms;
    for (int index = 0; index < 12; ++index) {
      const at::Tensor x = scene.leaf({2});
      x.register_hook(scene.hook(fmt::format("leaf {}", index), 1));
      terms.push_back(index % 3 ? x * 2 : x.sin().exp());
    }
    at::Tensor sum = terms[0] + terms[7];
    for (const at::Tensor& term : terms) {
      sum = sum * term;
    }
    scene.outputs = {terms[3], sum, terms[5]};
    scene.options.accumulate = true;
  });
}

TEST(BackwardWalkHooksTest, EachNodeRunsInTheCallersState) {
  const at::Tensor x = at::ones({3}).requires_grad_(true);
  for (Runner runner : {Runner::kEngine, Runner::kWalk}) {
    for (bool callerAutocasts : {false, true}) {
      std::vector<bool> modes;
      auto changeState = [&](const at::Tensor& gradient) {
        modes.push_back(at::GradMode::is_enabled());
        modes.push_back(at::autocast::is_autocast_enabled(at::kCPU));
        at::GradMode::set_enabled(true);
        at::autocast::set_autocast_enabled(at::kCPU, !callerAutocasts);
        return gradient * 1;
      };
      const at::Tensor h = x.sin();
      const at::Tensor k = h.cos();
      h.register_hook(changeState);
      k.register_hook(changeState);
      const edge_list root = {gradient_edge(k)};
      variable_list tangents = {at::ones({3})};
      at::autocast::set_autocast_enabled(at::kCPU, callerAutocasts);
      {
        at::AutoGradMode gradientMode(false);
        differentiate(runner, root, tangents, {gradient_edge(x)}, {});
        EXPECT_FALSE(at::GradMode::is_enabled());
      }
      EXPECT_EQ(at::autocast::is_autocast_enabled(at::kCPU), callerAutocasts);
      at::autocast::set_autocast_enabled(at::kCPU, false);
      EXPECT_EQ(modes, std::vector<bool>({false, callerAutocasts, false, callerAutocasts}));
    }
  }
}

TEST(BackwardWalkHooksTest, TheStateIsRestoredWhenANodeThrows) {
  const at::Tensor x = at::ones({3}).requires_grad_(true);
  const at::Tensor h = x.sin();
  h.register_hook([](const at::Tensor&) -> at::Tensor {
    at::autocast::set_autocast_enabled(at::kCPU, true);
    throw std::domain_error("a hook");
  });
  EXPECT_THROW(fake::walkBackward({gradient_edge(h)}, {at::ones({3})}, {gradient_edge(x)}), std::domain_error);
  EXPECT_TRUE(at::GradMode::is_enabled());
  EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
}

TEST(BackwardWalkHooksTest, TangentsAreCheckedBeforeAnythingRuns) {
  const std::vector<at::Tensor> kTangents = {at::ones({2}), // not to be summed to the shape
                                             at::ones({4, 3}), // to be summed
                                             at::ones({3}, at::kDouble), // to be converted
                                             at::ones({3}, at::kComplexFloat),
                                             at::ones({3}, at::kLong),
                                             at::ones({3}).to_sparse(),
                                             at::ones({3}).requires_grad_(true)};
  for (const at::Tensor& tangent : kTangents) {
    for (int roots = 1; roots <= 2; ++roots) {
      expectAsEngine([=](Scene& scene) {
        const at::Tensor x = scene.leaf({3});
        const at::Tensor h = x * 2;
        h.register_hook(scene.hook("h", 2));
        scene.outputs = std::vector<at::Tensor>(roots, h);
        scene.tangents = {tangent};
        scene.wanted = {x};
      });
    }
  }
}

TEST(BackwardWalkHooksTest, ErrorsAreThoseOfTheEngine) {
  for (bool accumulate : {false, true}) {
    for (int which = 0; which < 4; ++which) {
      expectAsEngine([=](Scene& scene) {
        const at::Tensor x = scene.leaf({3});
        const at::Tensor y = scene.leaf({3});
        at::Tensor h = x.sin();
        if (which == 0) {
          h = Throws::apply(h);
        } else if (which == 1) {
          h = WrongShape::apply(h);
        } else if (which == 2) {
          const at::Tensor saved = h;
          h = saved.exp().mul(saved);
          saved.mul_(2); // a saved tensor that was written
        } else {
          h.register_hook([](const at::Tensor& gradient) { return gradient.new_ones({2}); });
        }
        scene.outputs = {y * 2, h.exp()}; // the gradient of `y` is there before the error
        scene.options.accumulate = accumulate;
        scene.times = 2;
        if (!accumulate) {
          scene.wanted = {x, y};
        }
      });
    }
  }
}

std::string typeAndTextOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return describeError(error);
  }
  return "none";
}

TEST(BackwardWalkHooksTest, WrongCallsAreToldAndNeverCrash) {
  const at::Tensor x = at::ones({3}).requires_grad_(true);
  const edge_list root = {gradient_edge(x.sin())};
  const edge_list wanted = {gradient_edge(x)};
  variable_list tangents = {at::ones({3})};
  variable_list twoTangents = {at::ones({3}), at::ones({3})};
  const std::string engine = typeAndTextOf([&] { differentiate(Runner::kEngine, root, twoTangents, wanted, {}); });
  EXPECT_EQ(engine, "N3c105ErrorE: invalid number of gradients - expected 1, but got 2");
  EXPECT_EQ(engine, typeAndTextOf([&] { differentiate(Runner::kWalk, root, twoTangents, wanted, {}); }));
  const std::vector<std::tuple<edge_list, edge_list, std::string>> kOwn = {
      {root, {}, "grad requires non-empty inputs."},
      {{{}}, wanted, "element 0 of tensors does not require grad and does not have a grad_fn"},
      {root, {{}}, "One of the differentiated Tensors does not require grad"},
      {{{root[0].function, 1}}, wanted, "A root names input 1 of SinBackward0, which has 1."},
      {root, {{wanted[0].function, 3}}, "A wanted edge names input 3 of torch::autograd::AccumulateGrad, which has 1."},
  };
  for (const auto& [roots, wantedEdges, message] : kOwn) {
    const std::string told = typeAndTextOf(
        [&, roots = roots, wantedEdges = wantedEdges] { fake::walkBackward(roots, tangents, wantedEdges); });
    EXPECT_NE(told.find(message), std::string::npos) << told;
  }
  EXPECT_FALSE(fake::walkBackward({}, {}, wanted).at(0).defined());
  EXPECT_TRUE(at::equal(fake::walkBackward(root, tangents, wanted).at(0), x.cos().detach()));
}

} // namespace
} // namespace touchstone::tests
