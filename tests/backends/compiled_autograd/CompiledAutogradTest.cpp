#include "backends/compiled_autograd/CaptureLog.h"
#include "backends/compiled_autograd/CompiledAutograd.h"

#include "tests/backends/CompiledCalls.h"
#include "tests/backends/CountingAllocator.h"
#include "tests/backends/WalkFunctions.h"
#include "tests/backends/WalkJudge.h"

#include "backends/debugging/CompilerRegistry.h"
#include "graph/ir/GraphText.h"
#include "graph/ir/Unsupported.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <c10/core/AutogradState.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/autograd/engine.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

// What is captured, kept and run again; scopes; what is refused. Gradients against the engine's are in BackwardWalk*.
namespace touchstone::tests {
namespace {

/// The text holds this piece.
testing::AssertionResult holds(const std::string& text, const std::string& piece) {
  return (text.find(piece) != std::string::npos ? testing::AssertionSuccess() : testing::AssertionFailure())
         << text << " should hold " << piece;
}
testing::AssertionResult anyHolds(const std::vector<std::string>& lines, const std::string& piece) {
  return holds(fmt::format("{}", fmt::join(lines, "\n")), piece);
}

/// Differentiates the sum of what `forward` makes of a leaf of ones; gives the leaf's gradient.
template <class Forward>
at::Tensor gradientOf(at::IntArrayRef sizes, const Forward& forward) {
  const at::Tensor x = at::ones(sizes).requires_grad_();
  forward(x).sum().backward();
  return x.grad();
}

at::Tensor sinOfCube(const at::Tensor& x) {
  return (x * x * x).sin();
}

TEST(CompiledAutogradTest, AStructureIsCapturedOnceAndRunAgain) {
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  const at::Tensor eager = gradientOf({3}, sinOfCube);
  const compiled_autograd::CompiledAutogradScope scope(compiled);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(at::equal(gradientOf({3}, sinOfCube), eager));
  }
  const compiled_autograd::CompiledAutogradCounts counts = compiled->counts();
  EXPECT_EQ(counts.backwards, 3);
  EXPECT_EQ(counts.captures, 1);
  EXPECT_EQ(counts.graphs, 1);
  EXPECT_GE(counts.operations, 6) << "expand, cos, four products and a sum at least";
  EXPECT_EQ(counts.compiledRuns, 3);
  EXPECT_EQ(counts.eagerNodes, 0);
  EXPECT_EQ(counts.misses, std::vector<std::string>{"nothing is compiled yet"});
}

TEST(CompiledAutogradTest, WhatIsMissedIsToldByItsReason) {
  std::vector<std::string> log;
  compiled_autograd::CompiledAutogradOptions options;
  options.log = [&](const std::string& line) { log.push_back(line); };
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>(std::move(options));
  const compiled_autograd::CompiledAutogradScope scope(compiled);
  gradientOf({3}, sinOfCube);
  gradientOf({4}, sinOfCube);
  gradientOf({4}, [](const at::Tensor& x) { return (x * x * x).cos(); });
  gradientOf({4}, [](const at::Tensor& x) { return (x * x).cos(); });
  gradientOf({3}, sinOfCube);
  const std::vector<std::string> misses = compiled->counts().misses;
  ASSERT_EQ(misses.size(), 4u);
  EXPECT_TRUE(holds(misses[1], "sizes, strides or offsets of tensors, or scalars"));
  EXPECT_TRUE(holds(misses[2], "CosBackward0 (NodeCall 2) is another kind of node"));
  EXPECT_TRUE(holds(misses[3], "(NodeCall"));
  EXPECT_TRUE(anyHolds(log, "cache miss: nothing is compiled yet"));
  EXPECT_TRUE(anyHolds(log, "traced torch::autograd::GraphRoot (NodeCall 0) to torch::autograd::AccumulateGrad"));
}

/// Keeps what it hears.
class KeptCaptures final : public compiled_autograd::CaptureListener {
 public:
  void onMiss(const std::string& reason, const std::vector<std::string>& byNode) override {
    reasons.push_back(reason);
    lines.push_back(byNode);
  }
  void onGraph(int64_t capture, const ir::CapturedBackward&) override { captures.push_back(capture); }
  void onNote(const std::string&) override { ++notes; }

  std::vector<std::string> reasons;
  std::vector<std::vector<std::string>> lines;
  std::vector<int64_t> captures;
  int notes = 0;
};

TEST(CompiledAutogradTest, AListenerHearsOfMissesNodeByNodeAndOfGraphs) {
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  const compiled_autograd::CompiledAutogradScope scope(compiled);
  KeptCaptures kept;
  {
    const compiled_autograd::CaptureListenerScope heard(kept);
    gradientOf({3}, [](const at::Tensor& x) { return x * 2.0; });
    gradientOf({3}, [](const at::Tensor& x) { return x * 2.0; });
    gradientOf({3}, [](const at::Tensor& x) { return x * 3.0; });
    gradientOf({3}, sinOfCube);
    const at::Tensor x = at::ones({3}).requires_grad_();
    const at::Tensor loss = (x * 2.0).sum();
    loss.backward({}, /*retain_graph=*/true);
  }
  gradientOf({3}, [](const at::Tensor& x) { return x.exp(); });
  EXPECT_EQ(kept.captures, (std::vector<int64_t>{0, 1, 2, 3}));
  ASSERT_EQ(kept.lines.size(), 4u);
  EXPECT_GE(kept.notes, 4);
  EXPECT_TRUE(kept.lines[0].empty()); // nothing to hold it against
  EXPECT_TRUE(anyHolds(kept.lines[1], "MulBackward1 (NodeCall 2): other edges, hooks, dtypes or constants"));
  EXPECT_TRUE(anyHolds(kept.lines[1], "AccumulateGrad (NodeCall 3): the same"));
  EXPECT_TRUE(
      anyHolds(kept.lines[2], "SinBackward0 (NodeCall 2): another kind of node than MulBackward1 (NodeCall 2)"));
  EXPECT_TRUE(anyHolds(kept.lines[2], ": new, what is compiled has 4 nodes"));
  EXPECT_TRUE(holds(kept.reasons[3], "the state around the backward"));
  EXPECT_TRUE(anyHolds(kept.lines[3], "differs: the state around the backward"));
  EXPECT_TRUE(anyHolds(kept.lines[3], "missing: torch::autograd::AccumulateGrad"));
}

TEST(CompiledAutogradTest, ScalarsThatAreLiftedAreGuarded) {
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  const compiled_autograd::CompiledAutogradScope scope(compiled);
  for (double factor : {2.0, 3.0, 2.0}) {
    const at::Tensor gradient = gradientOf({3}, [&](const at::Tensor& x) { return x * factor; });
    EXPECT_TRUE(at::equal(gradient, at::ones({3}) * factor));
  }
  EXPECT_EQ(compiled->counts().captures, 2);
}

TEST(CompiledAutogradTest, OfMoreSizesThanTheLimitOthersRunEagerly) {
  std::vector<std::string> log;
  const auto compiled =
      std::make_shared<compiled_autograd::CompiledAutograd>(compiled_autograd::CompiledAutogradOptions{
          .recompileLimit = 2, .makesSymbols = false, .log = [&](const std::string& line) { log.push_back(line); }});
  const compiled_autograd::CompiledAutogradScope scope(compiled);
  for (int64_t size : {2, 3, 4, 2, 4}) {
    EXPECT_EQ(gradientOf({size}, sinOfCube).numel(), size);
  }
  EXPECT_EQ(compiled->counts().captures, 2);
  EXPECT_EQ(compiled->counts().compiledRuns, 3);
  EXPECT_TRUE(anyHolds(log, "runs eagerly: it was compiled as often as it may be"));
}

TEST(CompiledAutogradTest, ScopesNestAndEndWithWhatThrows) {
  const auto outer = std::make_shared<compiled_autograd::CompiledAutograd>(),
             inner = std::make_shared<compiled_autograd::CompiledAutograd>();
  EXPECT_FALSE(compiled_autograd::isCompiledAutogradInstalled());
  const bool multithreading = c10::AutogradState::get_tls_state().get_multithreading_enabled();
  {
    const compiled_autograd::CompiledAutogradScope scope(outer);
    EXPECT_TRUE(compiled_autograd::isCompiledAutogradInstalled());
    EXPECT_FALSE(c10::AutogradState::get_tls_state().get_multithreading_enabled());
    try {
      const compiled_autograd::CompiledAutogradScope within(inner);
      gradientOf({2}, sinOfCube);
      const compiled_autograd::NoCompiledAutogradScope off;
      gradientOf({2}, sinOfCube);
      EXPECT_EQ(compiled_autograd::currentCompiledAutograd(), nullptr);
      throw std::runtime_error("ends three scopes");
    } catch (const std::runtime_error&) {
    }
    EXPECT_EQ(compiled_autograd::currentCompiledAutograd(), outer);
    gradientOf({2}, sinOfCube);
    gradientOf({2}, sinOfCube);
  }
  EXPECT_EQ(compiled_autograd::currentCompiledAutograd(), nullptr);
  EXPECT_FALSE(compiled_autograd::isCompiledAutogradInstalled());
  EXPECT_EQ(c10::AutogradState::get_tls_state().get_multithreading_enabled(), multithreading);
  gradientOf({2}, sinOfCube);
  EXPECT_EQ(inner->counts().backwards, 1);
  EXPECT_EQ(outer->counts().backwards, 2);
}

TEST(CompiledAutogradTest, ResetDropsWhatIsCompiled) {
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  const compiled_autograd::CompiledAutogradScope scope(compiled);
  gradientOf({2}, sinOfCube);
  compiled->reset();
  EXPECT_EQ(compiled->counts().backwards, 0);
  EXPECT_TRUE(compiled->captured().empty());
  gradientOf({2}, sinOfCube);
  EXPECT_EQ(compiled->counts().captures, 1);
}

TEST(CompiledAutogradTest, ResetInsideABackwardIsRefused) {
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  const compiled_autograd::CompiledAutogradScope scope(compiled);
  const at::Tensor x = at::ones({2}).requires_grad_();
  x.register_hook([&](const at::Tensor&) { compiled->reset(); });
  EXPECT_TRUE(holds(errorOf([&] { x.sin().sum().backward(); }), "is reset inside a backward"));
  compiled->reset(); // outside it can be
}

TEST(CompiledAutogradTest, CreateGraphAndAnomalyModeAreRefused) {
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  const at::Tensor x = at::ones({2}).requires_grad_();
  {
    const compiled_autograd::CompiledAutogradScope scope(compiled);
    EXPECT_THROW(sinOfCube(x).sum().backward({}, std::nullopt, /*create_graph=*/true), ir::Unsupported);
    torch::autograd::AnomalyMode::set_enabled(true, false);
    EXPECT_THROW(sinOfCube(x).sum().backward(), ir::Unsupported);
    torch::autograd::AnomalyMode::set_enabled(false);
    EXPECT_FALSE(x.grad().defined()) << "nothing has run";
    sinOfCube(x).sum().backward();
  }
  EXPECT_TRUE(at::equal(x.grad(), gradientOf({2}, sinOfCube)));
  EXPECT_EQ(compiled->counts().captures, 1);
}

TEST(CompiledAutogradTest, SumsOfGradientsThatAreRecordedAreNewTensors) {
  // Nobody else holds the first gradient of x, so that without gradient mode the second is added to it in place.
  const auto slope = [](bool isRecorded) {
    const at::Tensor x = values({3}).requires_grad_();
    const at::Tensor sum =
        torch::autograd::grad({(x.sin() + x.cos() * x).sum()}, {x}, {}, /*retain_graph=*/true, isRecorded)[0];
    const std::string first = fmt::format("{} version {}", describeTensor(sum), sum._version());
    return isRecorded ? first + describeTensor(torch::autograd::grad({sum.exp().sum()}, {x})[0]) : first;
  };
  const std::string eager = slope(true);
  EXPECT_TRUE(holds(eager, "version 0"));
  EXPECT_FALSE(holds(slope(false), "version 0")) << "nothing is added in place";
  const compiled_autograd::CompiledAutogradScope scope(std::make_shared<compiled_autograd::CompiledAutograd>());
  const compiled_autograd::NoCompiledAutogradScope off; // where create_graph works; the hook is there all the same
  EXPECT_TRUE(compiled_autograd::isCompiledAutogradInstalled());
  EXPECT_EQ(slope(true), eager);
}

TEST(CompiledAutogradTest, AGraphThatWasReleasedRaisesAsTheEngineDoes) {
  const auto twice = [](const at::Tensor& x) {
    const at::Tensor loss = sinOfCube(x).sum();
    loss.backward();
    loss.backward();
  };
  const at::Tensor x = at::ones({2}).requires_grad_(), y = at::ones({2}).requires_grad_();
  const std::string eager = errorOf([&] { twice(x); });
  EXPECT_TRUE(holds(eager, "second time"));
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  {
    const compiled_autograd::CompiledAutogradScope scope(compiled);
    EXPECT_EQ(errorOf([&] { twice(y); }), eager);
    EXPECT_EQ(compiled_autograd::currentCompiledAutograd(), compiled);
  }
  EXPECT_TRUE(at::equal(x.grad(), y.grad()));
}

TEST(CompiledAutogradTest, AGraphThatIsKeptCanRunAgain) {
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  const compiled_autograd::CompiledAutogradScope scope(compiled);
  const at::Tensor x = at::ones({2}).requires_grad_();
  const at::Tensor loss = sinOfCube(x).sum();
  loss.backward({}, /*retain_graph=*/true);
  const at::Tensor once = x.grad().clone();
  loss.backward({}, /*retain_graph=*/true); // there is a `.grad` now
  loss.backward({}, /*retain_graph=*/true);
  EXPECT_TRUE(at::equal(x.grad(), once + once + once));
  EXPECT_EQ(compiled->counts().captures, 2);
}

TEST(CompiledAutogradTest, AThreadWithoutAScopeIsTheEngines) {
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  const at::Tensor eager = gradientOf({5}, sinOfCube);
  const compiled_autograd::CompiledAutogradScope scope(compiled);
  at::Tensor gradient;
  std::string error;
  std::thread([&] {
    EXPECT_EQ(compiled_autograd::currentCompiledAutograd(), nullptr);
    gradient = gradientOf({5}, sinOfCube);
    const at::Tensor x = at::ones({2}).requires_grad_();
    const at::Tensor slope =
        torch::autograd::grad({sinOfCube(x).sum()}, {x}, {}, /*retain_graph=*/std::nullopt, /*create_graph=*/true)[0];
    EXPECT_TRUE(slope.requires_grad()) << "what the scope refuses is nothing to other threads";
    const at::Tensor y = at::ones({2}).requires_grad_();
    error = errorOf([&] { Throws::apply(y).sum().backward(); });
  }).join();
  EXPECT_TRUE(at::equal(gradient, eager));
  EXPECT_EQ(error, "RuntimeError: backward of Throws");
  EXPECT_EQ(compiled->counts().backwards, 0);
}

TEST(CompiledAutogradTest, ThreadsShareWhatIsCompiled) {
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  const at::Tensor eager = gradientOf({5}, sinOfCube);
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&] {
      const compiled_autograd::CompiledAutogradScope scope(compiled);
      for (int i = 0; i < 50;) {
        try {
          right += at::equal(gradientOf({5}, sinOfCube), eager) ? 1 : 0;
          ++i;
        } catch (const c10::Error& error) { // libtorch refuses a backward as another thread enters the hook
          ASSERT_TRUE(holds(error.what(), "Compiled Autograd"));
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(right, 400);
  EXPECT_EQ(compiled->counts().backwards, 400);
  EXPECT_GE(compiled->counts().captures, 1);
  EXPECT_LE(compiled->counts().captures, 8) << "several may capture the same at once";
  EXPECT_FALSE(compiled_autograd::isCompiledAutogradInstalled());
}

TEST(CompiledAutogradTest, SavedTensorsAreFreedDuringTheBackward) {
  // Five factors of a MiB are saved; the backward needs two more tensors at once, not five.
  static auto* allocator = new CountingAllocator; // blocks may outlive the test
  const auto peak = [&](bool isCompiled) {
    const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
    int64_t most = 0;
    for (int time = 0; time < 2; ++time) {
      const CountingAllocator::Scope counted(*allocator);
      const at::Tensor x = at::ones({1 << 18}).requires_grad_();
      at::Tensor y = x;
      for (int i = 0; i < 5; ++i) {
        y = y.sin();
      }
      at::Tensor loss = y.sum();
      y = at::Tensor();
      const int64_t before = allocator->live;
      allocator->peak = before;
      std::optional<compiled_autograd::CompiledAutogradScope> scope;
      if (isCompiled) {
        scope.emplace(compiled);
      }
      loss.backward();
      most = allocator->peak - before;
    }
    return most; // of what was compiled before
  };
  EXPECT_LE(peak(true), peak(false) + 4096);
  EXPECT_LE(peak(true), (2 << 20) + 4096);
}

TEST(CompiledAutogradTest, AnOpaqueFunctionIsCalledInTheGraph) {
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  const auto forward = [](const at::Tensor& x) { return Reentrant::apply(x.sin().exp()).cos().tanh(); };
  const at::Tensor eager = gradientOf({3}, forward);
  const compiled_autograd::CompiledAutogradScope scope(compiled);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(at::equal(gradientOf({3}, forward), eager));
  }
  const compiled_autograd::CompiledAutogradCounts counts = compiled->counts();
  EXPECT_EQ(counts.eagerNodes, 2) << "the function itself, each time";
  EXPECT_EQ(counts.backwards, 4) << "the one inside it counts";
  EXPECT_EQ(counts.captures, 2);
  EXPECT_EQ(counts.graphs, 2);
}

struct Traceable : torch::autograd::Function<Traceable> {
  static constexpr bool is_traceable = true;
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x) {
    context->save_for_backward({x});
    return x.sin();
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    return {gradients[0] * context->get_saved_variables()[0].cos()};
  }
};

TEST(CompiledAutogradTest, ATraceableFunctionIsPartOfTheGraph) {
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  const auto forward = [](const at::Tensor& x) { return Traceable::apply(x.exp()).cos(); };
  const at::Tensor eager = gradientOf({3}, forward);
  const compiled_autograd::CompiledAutogradScope scope(compiled);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(at::equal(gradientOf({3}, forward), eager));
  }
  EXPECT_EQ(compiled->counts().eagerNodes, 0);
  EXPECT_EQ(compiled->counts().graphs, 1);
}

TEST(CompiledAutogradTest, TheBackwardOfACompiledProgramIsPartOfTheGraph) {
  CompiledCalls calls("x", "return (x.sin() * x).exp()");
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  const at::Tensor eager = gradientOf({3}, [](const at::Tensor& x) { return (x.sin() * x).exp().cos(); });
  const compiled_autograd::CompiledAutogradScope scope(compiled);
  for (int i = 0; i < 2; ++i) {
    const at::Tensor gradient = gradientOf({3}, [&](const at::Tensor& x) { return calls({x})[0].cos(); });
    EXPECT_TRUE(at::equal(gradient, eager));
  }
  EXPECT_EQ(compiled->counts().eagerNodes, 0);
  EXPECT_EQ(compiled->counts().graphs, 1);
  const ir::CapturedBackward captured = compiled->captured().at(0);
  bool isInlined = false;
  for (const ir::Node& node : captured.graph.nodes()) {
    isInlined = isInlined || (node.target == "aten::cos" && node.sequence >= 0 &&
                              captured.origins.at(static_cast<size_t>(node.sequence)).starts_with("CompiledFunction"));
  }
  EXPECT_TRUE(isInlined) << ir::graphCode(captured.graph);
}

TEST(CompiledAutogradTest, AnyCompilerTakesTheGraphs) {
  native::registerNativeBackends();
  const at::Tensor eager = gradientOf({3}, sinOfCube);
  for (const char* name : {"eager", "aot_eager", "ts_compile", "debug_nop"}) {
    int compilations = 0;
    const backends::GraphCompiler inner = debugging::lookUpCompiler(name);
    const auto compiled =
        std::make_shared<compiled_autograd::CompiledAutograd>(compiled_autograd::CompiledAutogradOptions{
            .compiler = [&](ir::Graph graph, const std::vector<at::Tensor>& examples) {
              ++compilations;
              return inner(std::move(graph), examples);
            }});
    const compiled_autograd::CompiledAutogradScope scope(compiled);
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(at::equal(gradientOf({3}, sinOfCube), eager)) << name;
    }
    EXPECT_EQ(compilations, 1) << name;
    EXPECT_EQ(compiled->counts().compiledRuns, 3) << name;
  }
}

TEST(CompiledAutogradTest, OnlyCompiledGraphsAreInTheRegion) {
  std::vector<bool> inGraph, inHook;
  const auto compiled =
      std::make_shared<compiled_autograd::CompiledAutograd>(compiled_autograd::CompiledAutogradOptions{
          .compiler = [&](ir::Graph graph, const std::vector<at::Tensor>& examples) {
            struct Asking final : backends::CompiledGraph {
              std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
                asked->push_back(compiled_autograd::isInCompiledAutogradRegion());
                return inner->run(std::move(inputs));
              }
              std::vector<bool>* asked = nullptr;
              std::shared_ptr<const backends::CompiledGraph> inner;
            };
            auto asking = std::make_shared<Asking>();
            asking->asked = &inGraph;
            asking->inner = backends::compileToInterpreter(std::move(graph), examples);
            return asking;
          }});
  const compiled_autograd::CompiledAutogradScope scope(compiled);
  gradientOf({3}, [&](const at::Tensor& x) {
    const at::Tensor y = x.sin();
    y.register_hook([&](const at::Tensor&) { inHook.push_back(compiled_autograd::isInCompiledAutogradRegion()); });
    return y.cos();
  });
  EXPECT_EQ(inGraph, (std::vector<bool>{true, true}));
  EXPECT_EQ(inHook, (std::vector<bool>{false}));
  EXPECT_FALSE(compiled_autograd::isInCompiledAutogradRegion());
}

TEST(CompiledAutogradTest, WhatIsCapturedCanBeRead) {
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  const compiled_autograd::CompiledAutogradScope scope(compiled);
  gradientOf({3}, [&](const at::Tensor& x) {
    const at::Tensor y = x.sin();
    y.register_hook([](const at::Tensor& gradient) { return gradient * 2; });
    return y.cos();
  });
  ASSERT_EQ(compiled->captured().size(), 1u);
  const ir::CapturedBackward captured = compiled->captured()[0];
  captured.graph.check();
  const std::string text = ir::graphCode(captured.graph);
  EXPECT_TRUE(holds(text, "ops.aten.sin.default("));
  EXPECT_TRUE(holds(text, "compiled_autograd.call_hook.default("));
  EXPECT_TRUE(holds(text, "ops.aten.cos.default("));
  EXPECT_TRUE(holds(text, "set_grad"));
  EXPECT_EQ(captured.origins,
            (std::vector<std::string>{"torch::autograd::GraphRoot (NodeCall 0)", "SumBackward0 (NodeCall 1)",
                                      "CosBackward0 (NodeCall 2)", "SinBackward0 (NodeCall 3)",
                                      "torch::autograd::AccumulateGrad (NodeCall 4)"}));
}

TEST(CompiledAutogradTest, ACompiledProgramThatIsGoneIsNotTakenForAnother) {
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  for (int i = 0; i < 6; ++i) {
    const bool isSin = i % 2 == 0;
    CompiledCalls calls("x", isSin ? "return x.sin()" : "return x.cos()");
    const at::Tensor eager = gradientOf({3}, [&](const at::Tensor& x) { return isSin ? x.sin() : x.cos(); });
    const compiled_autograd::CompiledAutogradScope scope(compiled);
    EXPECT_TRUE(at::equal(gradientOf({3}, [&](const at::Tensor& x) { return calls({x})[0]; }), eager)) << i;
  }
}

struct ReadsAList : torch::autograd::Function<ReadsAList> {
  static constexpr bool is_traceable = true;
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& factor) {
    context->saved_data["factors"] = std::vector<at::Tensor>{factor};
    return x * factor;
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    return {gradients[0] * context->saved_data["factors"].toTensorVector()[0], at::Tensor()};
  }
};

TEST(CompiledAutogradTest, ATensorThatIsNotSavedAsOneIsNoConstant) {
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  const compiled_autograd::CompiledAutogradScope scope(compiled);
  for (double factor : {2.0, 3.0}) {
    const at::Tensor gradient =
        gradientOf({3}, [&](const at::Tensor& x) { return ReadsAList::apply(x.exp(), at::full({3}, factor)).cos(); });
    const compiled_autograd::NoCompiledAutogradScope off;
    const at::Tensor eager =
        gradientOf({3}, [&](const at::Tensor& x) { return ReadsAList::apply(x.exp(), at::full({3}, factor)).cos(); });
    EXPECT_TRUE(at::equal(gradient, eager)) << factor;
  }
}

TEST(CompiledAutogradTest, AGraphThatTheCompilerRefusesRunsNodeByNode) {
  std::vector<std::string> log;
  const auto compiled =
      std::make_shared<compiled_autograd::CompiledAutograd>(compiled_autograd::CompiledAutogradOptions{
          .compiler = [](ir::Graph, const std::vector<at::Tensor>&) -> std::shared_ptr<const backends::CompiledGraph> {
            throw ir::Unsupported("no Graph at all");
          },
          .log = [&](const std::string& line) { log.push_back(line); }});
  const at::Tensor eager = gradientOf({3}, sinOfCube);
  const compiled_autograd::CompiledAutogradScope scope(compiled);
  EXPECT_TRUE(at::equal(gradientOf({3}, sinOfCube), eager));
  EXPECT_TRUE(anyHolds(log, "no Graph at all"));
}

TEST(CompiledAutogradTest, ASparseGradientThatIsMadeInsideIsNotCompiled) {
  const auto forward = [](const at::Tensor& x) { return at::embedding(x, at::arange(3), -1, false, /*sparse=*/true); };
  const at::Tensor eager = gradientOf({5, 2}, forward);
  ASSERT_TRUE(eager.is_sparse());
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>(
      compiled_autograd::CompiledAutogradOptions{.compiler = debugging::lookUpCompiler("aot_eager")});
  const compiled_autograd::CompiledAutogradScope scope(compiled);
  for (int i = 0; i < 2; ++i) {
    const at::Tensor gradient = gradientOf({5, 2}, forward);
    ASSERT_TRUE(gradient.is_sparse());
    EXPECT_TRUE(at::equal(gradient.to_dense(), eager.to_dense()));
  }
}

TEST(CompiledAutogradTest, AScopeThatEndsInsideABackwardTakesTheHookAlong) {
  auto scope = std::make_optional<compiled_autograd::CompiledAutogradScope>(
      std::make_shared<compiled_autograd::CompiledAutograd>());
  gradientOf({3}, [&](const at::Tensor& x) {
    const at::Tensor y = x.sin();
    y.register_hook([&](const at::Tensor&) { scope.reset(); });
    return y;
  });
  EXPECT_FALSE(compiled_autograd::isCompiledAutogradInstalled());
}

TEST(CompiledAutogradTest, CountsOfAProgramOutliveItsReset) {
  native::registerNativeBackends();
  const language::Case theCase = caseOfProgram({"", "1", "x", "return x.sin()"});
  const auto program = native::makeNativeBackend(backends::backendInfo("aot_eager"))->compile(theCase);
  for (int64_t time = 1; time <= 2; ++time) {
    const auto scope = program->compiledAutograd();
    gradientOf({3}, [&](const at::Tensor& x) { return CompiledCalls::call(*program, {x})[0]; });
    program->reset();
    EXPECT_EQ(program->report().backwards.captures, time);
    EXPECT_EQ(program->report().backwards.compiledRuns, time);
  }
}

TEST(CompiledAutogradTest, AnUnsupportedTensorMakesABackwardRunEagerly) {
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  const auto forward = [](const at::Tensor& x) { return x.to_sparse().mul(2.0).to_dense(); };
  const at::Tensor eager = gradientOf({3}, forward);
  const compiled_autograd::CompiledAutogradScope scope(compiled);
  EXPECT_TRUE(at::equal(gradientOf({3}, forward), eager));
  EXPECT_GT(compiled->counts().eagerNodes, 0);
}

} // namespace
} // namespace touchstone::tests
