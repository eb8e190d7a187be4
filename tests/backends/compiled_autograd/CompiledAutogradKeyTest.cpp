#include "backends/compiled_autograd/BackwardCache.h"
#include "backends/compiled_autograd/CacheMiss.h"
#include "backends/compiled_autograd/CompiledAutograd.h"

#include "tests/backends/WalkFunctions.h"
#include "tests/backends/WalkJudge.h"
#include "tests/backends/functions/SameName.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <c10/core/DefaultDtype.h>
#include <torch/csrc/autograd/function.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

// What tells backwards apart: state that no node saves, types, and what a node says at such a length that libtorch cuts it off.
namespace touchstone::tests {
namespace {

/// The `.grad` that a backward leaves at a leaf of ones, in words, and with the leaf as `prepare` makes it.
std::string gradAfter(const std::function<at::Tensor(const at::Tensor&)>& forward,
                      const std::function<void(const at::Tensor&)>& prepare = nullptr, int64_t size = 3) {
  const at::Tensor x = at::ones({size}).requires_grad_();
  if (prepare) {
    prepare(x);
  }
  forward(x).sum().backward();
  return describeTensor(x.grad());
}

/// Does `run` with each of the two settings, in turn and again: what the engine leaves, and a capture for each of them.
template <class Setting>
compiled_autograd::CompiledAutogradCounts expectOneCaptureEach(const std::vector<Setting>& settings,
                                                               const std::function<std::string(Setting)>& run) {
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  for (int time = 0; time < 2; ++time) {
    for (const Setting& setting : settings) {
      const std::string engine = run(setting);
      const compiled_autograd::CompiledAutogradScope scope(compiled);
      EXPECT_EQ(run(setting), engine);
    }
  }
  EXPECT_EQ(compiled->counts().captures, static_cast<int64_t>(settings.size()));
  return compiled->counts();
}

at::Tensor sinOfSquare(const at::Tensor& x) {
  return (x * x).sin();
}

TEST(CompiledAutogradKeyTest, TheDtypeOfALeafsGradientIsPartOfTheStructure) {
  expectOneCaptureEach<at::ScalarType>({at::kFloat, at::kDouble}, [](at::ScalarType dtype) {
    return gradAfter(sinOfSquare, [&](const at::Tensor& x) { x.set_grad_dtype(dtype); });
  });
}

TEST(CompiledAutogradKeyTest, DeterministicAlgorithmsArePartOfTheStructure) {
  expectOneCaptureEach<bool>({false, true}, [](bool isDeterministic) {
    at::globalContext().setDeterministicAlgorithms(isDeterministic, /*w=*/false);
    const std::string grad = gradAfter(sinOfSquare);
    at::globalContext().setDeterministicAlgorithms(false, /*w=*/false);
    return grad;
  });
}

TEST(CompiledAutogradKeyTest, TheStateOfAutocastIsPartOfTheStructure) {
  const auto grad = [](bool underAutocast) {
    const at::Tensor x = at::arange(9, at::kFloat).mul(0.3).sin().view({3, 3}).requires_grad_();
    const at::Tensor loss = at::mm(x, x.detach().cos()).sum();
    at::autocast::set_autocast_enabled(at::kCPU, underAutocast);
    loss.backward();
    at::autocast::set_autocast_enabled(at::kCPU, false);
    return describeTensor(x.grad());
  };
  EXPECT_NE(grad(false), grad(true)) << "autocast does nothing to this backward";
  expectOneCaptureEach<bool>({false, true}, grad);
}

TEST(CompiledAutogradKeyTest, WhatAWriteToAViewRunsIsPartOfTheStructure) {
  expectOneCaptureEach<bool>({false, true}, [](bool isSin) {
    return gradAfter([=](const at::Tensor& x) {
      const at::Tensor y = x * 1;
      const at::Tensor first = y.select(0, 0);
      isSin ? first.sin_() : first.cos_();
      return y;
    });
  });
}

struct MultipliesByOnes : torch::autograd::Function<MultipliesByOnes> {
  static constexpr bool is_traceable = true;
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x) { return x.exp(); }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    return {gradients[0] * at::ones({3})}; // of the default dtype, at the time of the backward
  }
};

TEST(CompiledAutogradKeyTest, TheDefaultDtypeIsPartOfTheStructure) {
  expectOneCaptureEach<at::ScalarType>({at::kFloat, at::kDouble}, [](at::ScalarType dtype) {
    const at::Tensor x = at::ones({3}, at::kFloat).requires_grad_();
    const at::Tensor loss = MultipliesByOnes::apply(x).sum();
    c10::set_default_dtype(c10::scalarTypeToTypeMeta(dtype));
    loss.backward();
    c10::set_default_dtype(c10::scalarTypeToTypeMeta(at::kFloat));
    return describeTensor(x.grad());
  });
}

TEST(CompiledAutogradKeyTest, FunctionsOfOneNameFromTwoSourcesAreTwo) {
  using Scale = at::Tensor (*)(const at::Tensor&);
  const compiled_autograd::CompiledAutogradCounts counts =
      expectOneCaptureEach<Scale>({&scaleByTwo, &scaleByThree}, [](Scale scale) { return gradAfter(scale); });
  EXPECT_EQ(counts.eagerNodes, 0);
}

TEST(CompiledAutogradKeyTest, FunctionsOfOneNameInOneBackwardAreTwo) {
  expectOneCaptureEach<bool>({false, true}, [](bool twoIsFirst) {
    return gradAfter([=](const at::Tensor& x) {
      const at::Tensor inner = (twoIsFirst ? scaleByTwo(x) : scaleByThree(x)).exp();
      return twoIsFirst ? scaleByThree(inner) : scaleByTwo(inner);
    });
  });
}

struct ScalesByTheLast : torch::autograd::Function<ScalesByTheLast> {
  static constexpr bool is_traceable = true;
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, std::vector<int64_t> numbers) {
    context->saved_data["numbers"] = numbers;
    return x * numbers.back();
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    return {gradients[0] * context->saved_data["numbers"].toIntVector().back(), at::Tensor()};
  }
};

TEST(CompiledAutogradKeyTest, ANodeThatSavesMoreThanItsKeyHoldsRunsEagerly) {
  for (const bool isLong : {false, true}) { // a number takes 8 bytes of 65536
    const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
    for (const int64_t last : {2, 3, 2}) {
      std::vector<int64_t> numbers(isLong ? 9000 : 90, 1);
      numbers.back() = last;
      const auto forward = [&](const at::Tensor& x) { return ScalesByTheLast::apply(x.exp(), numbers).cos(); };
      const std::string engine = gradAfter(forward);
      const compiled_autograd::CompiledAutogradScope scope(compiled);
      EXPECT_EQ(gradAfter(forward), engine) << last;
    }
    EXPECT_EQ(compiled->counts().eagerNodes, isLong ? 3 : 0);
    EXPECT_GT(compiled->counts().compiledRuns, 0);
  }
}

TEST(CompiledAutogradKeyTest, ANodeOfMoreEdgesThanItsKeyHoldsRunsEagerly) {
  for (const int64_t parts : {300, 4000}) {
    const auto forward = [](const at::Tensor& x) { return at::cat(x.exp().view({-1, 1}).unbind(0)).sin(); };
    const std::string engine = gradAfter(forward, nullptr, parts);
    const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
    const compiled_autograd::CompiledAutogradScope scope(compiled);
    for (int time = 0; time < 2; ++time) {
      EXPECT_EQ(gradAfter(forward, nullptr, parts), engine) << parts;
    }
    EXPECT_EQ(compiled->counts().eagerNodes, parts > 1000 ? 2 : 0);
    EXPECT_EQ(compiled->counts().captures, 1);
  }
}

static compiled_autograd::BackwardKey keyNumbered(size_t i, size_t ofOneKey) {
  compiled_autograd::BackwardKey key;
  key.bytes = fmt::format("key {}", i / ofOneKey);
  key.lifted =
      std::make_unique<torch::dynamo::autograd::AutogradCompilerCall>(torch::dynamo::autograd::SizeInput::STATIC);
  key.scalars = {static_cast<int64_t>(i % ofOneKey)};
  return key;
}

/// Counts how often it is asked for its name.
struct NamedNode final : torch::autograd::Node {
  std::string name() const override {
    ++asked;
    return "Named";
  }
  torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override {
    return std::move(gradients);
  }
  mutable int asked = 0;
};

TEST(CompiledAutogradKeyTest, AMissAsksTheNodeThatItNamesForItsNameAlone) {
  constexpr size_t kNodes = 100, kOther = 90, kPart = 16;
  const auto node = values::makeNode<NamedNode>();
  compiled_autograd::BackwardTask task;
  compiled_autograd::BackwardKey key;
  for (size_t i = 0; i < kNodes; ++i) {
    task.nodes.push_back({.node = node});
    key.nodes.push_back({.keyBegin = i * kPart});
    key.bytes += std::string(kPart, 'a');
  }
  const compiled_autograd::KnownKey known(task, key);
  key.bytes[kOther * kPart] = 'b';
  node->asked = 0;
  EXPECT_EQ(compiled_autograd::reasonOfMiss(task, key, &known).find("Named (NodeCall 90) is another kind"), 0u);
  EXPECT_EQ(node->asked, 1);
  EXPECT_EQ(compiled_autograd::missByNode(task, key, known).size(), kNodes);
  EXPECT_EQ(node->asked, 1 + static_cast<int>(kNodes));
}

TEST(CompiledAutogradKeyTest, WhatIsAddedWhileAnotherThreadClearsIsThere) {
  constexpr size_t kBackwards = 4000, kOfOneKey = 32;
  compiled_autograd::BackwardCache cache;
  std::atomic<bool> ends = false;
  std::thread clearing([&] {
    while (!ends) {
      cache.clear();
    }
  });
  size_t missing = 0, lost = 0;
  for (size_t i = 0; i < kBackwards; ++i) {
    missing += cache.findOrAdd({}, keyNumbered(i, kOfOneKey), kOfOneKey).backward == nullptr ? 1 : 0;
  }
  ends = true;
  clearing.join();
  EXPECT_EQ(missing, 0u);
  for (size_t i = 0; i < kOfOneKey; ++i) { // and what was cleared in between leaves nothing that is not found again
    const auto backward = cache.findOrAdd({}, keyNumbered(i, kOfOneKey), kOfOneKey).backward;
    lost += cache.findOrAdd({}, keyNumbered(i, kOfOneKey), kOfOneKey).backward == backward ? 0 : 1;
  }
  EXPECT_EQ(lost, 0u);
}

TEST(CompiledAutogradKeyTest, ThreadsThatAddTheSameAtOnceGetOne) {
  constexpr size_t kThreads = 4, kBackwards = 20000, kOfOneKey = 32;
  compiled_autograd::BackwardCache cache;
  std::vector<std::vector<std::shared_ptr<compiled_autograd::SpecializedBackward>>> found(kThreads);
  const auto add = [&](size_t thread) {
    for (size_t i = 0; i < kBackwards; ++i) { // who lags behind finds what is there, and catches up
      found[thread].push_back(cache.findOrAdd({}, keyNumbered(i, kOfOneKey), kOfOneKey).backward);
    }
  };
  std::vector<std::thread> threads;
  for (size_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back(add, thread);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(cache.all().size(), kBackwards);
  for (size_t thread = 1; thread < kThreads; ++thread) {
    EXPECT_TRUE(found[thread] == found[0]) << thread;
  }
  EXPECT_EQ(std::set(found[0].begin(), found[0].end()).size(), kBackwards);
  EXPECT_FALSE(std::count(found[0].begin(), found[0].end(), nullptr)) << "more than the limit";
}

} // namespace
} // namespace touchstone::tests
