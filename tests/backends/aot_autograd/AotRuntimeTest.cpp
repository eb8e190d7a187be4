#include "backends/aot_autograd/RuntimeCall.h"

#include "tests/backends/CompiledCalls.h"
#include "tests/backends/CountingAllocator.h"
#include "tests/backends/WholeCapture.h"

#include "graph/ir/StageArtifacts.h"
#include "program/values/CompiledProgram.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>

#include <atomic>

namespace touchstone::tests {
namespace {

TEST(AotRuntimeTest, TheProgramDoesNotNeedItsBackend) {
  struct Nothing final : backends::PipelineObserver {
    void afterStage(const std::string&, ir::StageArtifacts&) override {}
  };
  native::registerNativeBackends();
  const language::Case theCase = caseOfProgram({"", "1", "x", "return x.sin()"});
  std::weak_ptr<backends::PipelineObserver> hook;
  std::unique_ptr<values::CompiledProgram> compiled;
  {
    aot_autograd::AotOptions options;
    options.observers = {std::make_shared<Nothing>()};
    hook = options.observers[0];
    compiled = native::makeNativeBackend(backends::backendInfo("aot_eager"), options.observers)->compile(theCase);
  }
  ASSERT_FALSE(hook.expired()) << "the program would use hooks that are gone";
  EXPECT_EQ(CompiledCalls::call(*compiled, {values({3})}).size(), 1u);
}

TEST(AotRuntimeTest, BothNamesAreTheSamePipelineToday) {
  native::registerNativeBackends();
  const language::Case theCase =
      caseOfProgram({"", "F(3, 4).requires_grad_()", "x", "y = x * 2\ny[1].add_(1)\nreturn y.exp()"});
  const auto eager = evaluator::eagerProgram(theCase);
  for (const char* name : {"aot_eager", "aot_eager_default_partitioner"}) {
    const auto backend = backends::makeBackend(name);
    EXPECT_EQ(backend->info().name, name);
    EXPECT_TRUE(backend->info().compiles);
    const auto compiled = backend->compile(theCase);
    EXPECT_EQ(differenceOf(callProgram(theCase, *eager, 1), callProgram(theCase, *compiled, 1)), "") << name;
  }
}

TEST(AotRuntimeTest, RandomNumbersAreEagersAndSoIsTheState) {
  CompiledCalls calls("x", "y = torch.rand_like(x)\nz = torch.dropout(x * y, 0.5, True)\nreturn y, z, torch.randn(3)");
  for (const bool withGrad : {true, false}) {
    CallOutcome sides[2];
    for (const bool isCompiled : {false, true}) {
      CallOutcome& side = sides[isCompiled ? 1 : 0];
      const at::Tensor x = values({4, 6}).requires_grad_(withGrad);
      at::manual_seed(17);
      side.outputs = CompiledCalls::call(isCompiled ? *calls.compiled : *calls.eager, {x});
      side.generator.push_back(generatorState());
      if (withGrad) {
        side.outputs[1].sum().backward();
        side.gradients.push_back(x.grad());
      }
      side.generator.push_back(generatorState());
      side.outputs.push_back(at::rand({3}));
    }
    EXPECT_EQ(differenceOf(sides[0], sides[1]), "") << withGrad;
  }
}

TEST(AotRuntimeTest, RandomNumbersThatNobodyReadsAreDrawn) {
  CompiledCalls calls("x", "y = torch.rand(5)\nreturn x + 1");
  at::manual_seed(3);
  CompiledCalls::call(*calls.eager, {values({2})});
  const at::Tensor eager = generatorState();
  for (int round = 0; round < 2; ++round) {
    at::manual_seed(3);
    calls({values({2})});
    EXPECT_TRUE(generatorState().equal(eager)) << "call " << round;
  }
}

/// The most bytes that there were at once while an argument was passed that nobody else holds.
int64_t peakOfBoxedCall(values::Callable& program) {
  static auto* allocator = new CountingAllocator; // blocks may outlive the test
  const CountingAllocator::Scope counted(*allocator);
  values::ValueList arguments;
  const int64_t before = allocator->live;
  arguments.emplace_back(at::ones({1 << 18})); // a MiB
  allocator->peak = allocator->live;
  program(arguments);
  return allocator->peak - before;
}

TEST(AotRuntimeTest, AnArgumentThatOnlyTheCalleeHoldsIsFreedEarly) {
  // The argument is last read by the first operator; then come tensors of its size, one after the other.
  CompiledCalls calls("x", "y = x.exp()\nz = y.sin()\ndel y\nw = z.cos()\ndel z\nreturn w.sum()");
  calls({at::ones({1 << 18})});
  const int64_t peak = peakOfBoxedCall(*calls.compiled);
  EXPECT_LE(peak, (2 << 20) + 4096) << "two tensors at most are needed at once";
}

TEST(AotRuntimeTest, IntermediatesAreFreedAsSoonAsNobodyReadsThem) {
  CompiledCalls calls("x", "y = x.exp()\nz = y.sin()\nw = z.cos()\nv = w.tan()\nreturn v.sum()");
  calls({at::ones({1 << 18})});
  EXPECT_LE(peakOfBoxedCall(*calls.compiled), (3 << 20) + 4096) << "the argument and two others";
}

TEST(AotRuntimeTest, AFrameKeepsNoValuesOfTheExampleThatNobodyRefersTo) {
  static auto* allocator = new CountingAllocator;
  const CountingAllocator::Scope counted(*allocator);
  CompiledCalls calls("x", "y = x.exp()\nz = y.sin()\nw = z.cos()\nv = w.tan()\nreturn v.sum()");
  const int64_t before = allocator->live;
  calls({at::ones({1 << 18})});
  EXPECT_LE(allocator->live - before, (1 << 20) + 16384) << "the copy of the argument, and nothing made of it";
}

TEST(AotRuntimeTest, ABackwardThatRaisesIsRecordedOnce) {
  const language::Case theCase =
      caseOfProgram({"", "F(3).requires_grad_() * 1", "x", "y = x.exp()\ny.mul_(2)\nreturn y"});
  const WholeFrame whole(theCase, evaluator::Evaluator(theCase).makeInputs("inputs", 1, "uniform").arguments);
  const aot_autograd::CompiledAotGraph& frame = *whole.frame;
  const aot_autograd::TangentLayouts layouts{frame.plan().tangents.at(0)};
  const auto nodesAfterAnError = [&] {
    EXPECT_THROW(frame.backwardFor(0, layouts), std::exception);
    return frame.trace().recorded().nodes().size();
  };
  const size_t nodes = nodesAfterAnError();
  EXPECT_EQ(nodesAfterAnError(), nodes);
}

TEST(AotRuntimeTest, NothingOfACallIsKept) {
  CompiledCalls calls("x, w", "y = x * w\nx.add_(1)\nreturn y, y[0]");
  const at::Tensor x = values({3, 3}), w = leaf({3, 3});
  calls({x, w});
  const auto uses = x.use_count();
  const auto storageUses = x.storage().use_count();
  {
    const auto outputs = calls({x, w});
    EXPECT_TRUE(outputs[0].requires_grad());
  }
  EXPECT_EQ(x.use_count(), uses);
  EXPECT_EQ(x.storage().use_count(), storageUses);
}

TEST(AotRuntimeTest, InferenceModeGivesInferenceTensors) {
  CompiledCalls calls("x, w", "y = torch.mm(x, w)\ny.add_(1)\nreturn y, x[0], y.t()");
  const at::Tensor x = values({3, 3}), w = leaf({3, 3}, 1);
  std::vector<at::Tensor> eager, compiled;
  {
    c10::InferenceMode mode;
    eager = CompiledCalls::call(*calls.eager, {x, w});
    compiled = calls({x, w});
  }
  for (size_t i = 0; i < eager.size(); ++i) {
    EXPECT_EQ(differenceOfValues(eager[i], compiled[i]), "");
    EXPECT_EQ(eager[i].is_inference(), compiled[i].is_inference()) << i;
    EXPECT_EQ(eager[i].requires_grad(), compiled[i].requires_grad()) << i;
  }
  const auto normal = calls({x, w});
  EXPECT_FALSE(normal[0].is_inference());
  EXPECT_TRUE(normal[0].requires_grad());
  EXPECT_EQ(calls.compiled->report().graphs, 2);
}

TEST(AotRuntimeTest, NoGradGivesNoGraph) {
  CompiledCalls calls("x", "return x.sin()");
  const at::Tensor x = leaf({3});
  at::NoGradGuard noGrad;
  EXPECT_FALSE(calls({x})[0].requires_grad());
}

TEST(AotRuntimeTest, AProgramThatRaisesRaisesEagersErrorAndLeavesEagersWrites) {
  for (const char* body : {"x.add_(1)\ny = x.sin()\nx.mul_(y)\nreturn torch.mm(x, x)", "x.add_(1)\nreturn x.view(5)",
                           "x.t_()\nx.add_(1)\nreturn x + w"}) {
    CompiledCalls calls("x, w", body);
    CallOutcome sides[2];
    for (int round = 0; round < 2; ++round) {
      for (const bool isCompiled : {false, true}) {
        const at::Tensor x = values({2, 3}), w = values({5});
        CallOutcome& side = sides[isCompiled ? 1 : 0];
        side = {};
        at::manual_seed(3);
        side.error = errorOf([&] { CompiledCalls::call(isCompiled ? *calls.compiled : *calls.eager, {x, w}); });
        side.inputs = {x, w};
        side.generator.push_back(generatorState());
      }
      EXPECT_FALSE(sides[0].error.empty()) << body;
      EXPECT_EQ(differenceOf(sides[0], sides[1]), "") << body;
    }
  }
}

TEST(AotRuntimeTest, ALeafThatRequiresGradIsNotWrittenInPlace) {
  CompiledCalls calls("x", "x.mul_(2)\nreturn x");
  std::string errors[2];
  for (const bool isCompiled : {false, true}) {
    const at::Tensor x = leaf({3});
    errors[isCompiled ? 1 : 0] =
        errorOf([&] { CompiledCalls::call(isCompiled ? *calls.compiled : *calls.eager, {x}); });
  }
  EXPECT_NE(errors[0].find("a leaf Variable that requires grad"), std::string::npos) << errors[0];
  EXPECT_EQ(errors[0], errors[1]);
}

TEST(AotRuntimeTest, EachExactSetOfArgumentsIsCompiledOnce) {
  CompiledCalls calls("x, w", "y = x + 1\ny.mul_(2)\nreturn y, w * 2");
  const at::Tensor w = values({2});
  auto graphsAfter = [&](const at::Tensor& x, const at::Tensor& other) {
    calls({x, other});
    return calls.compiled->report().graphs;
  };
  EXPECT_EQ(graphsAfter(values({3, 4}), w), 1);
  EXPECT_EQ(graphsAfter(values({3, 4}, 5), w), 1) << "other values";
  EXPECT_EQ(graphsAfter(values({3, 5}), w), 2) << "other sizes";
  EXPECT_EQ(graphsAfter(values({4, 3}).t(), w), 3) << "other strides";
  EXPECT_EQ(graphsAfter(values({3, 4}, 0, at::kDouble), w), 4) << "another dtype";
  EXPECT_EQ(graphsAfter(leaf({3, 4}), w), 5) << "a leaf that requires grad";
  EXPECT_EQ(graphsAfter(leaf({3, 4}) * 1, w), 5) << "no leaf: nothing relied on it";
  EXPECT_EQ(graphsAfter(values({13}).slice(0, 1).view({3, 4}), w), 5) << "an offset: nothing relied on it";
  const at::Tensor both = values({2});
  EXPECT_EQ(graphsAfter(both, both), 6) << "the same tensor twice";
  EXPECT_EQ(graphsAfter(both, both.clone()), 7) << "two tensors of these sizes";
  EXPECT_EQ(graphsAfter(values({3, 4}), w), 7) << "the first again";
  const ir::CompileReport report = calls.compiled->report();
  EXPECT_EQ(report.recompiles.size(), 6u);
  EXPECT_EQ(report.frames, 7);
  EXPECT_EQ(report.compiledRuns, 11);
  EXPECT_EQ(report.operations, 7 * 3);
  EXPECT_TRUE(report.breaks.empty());
}

TEST(AotRuntimeTest, GradModeIsPartOfTheKey) {
  CompiledCalls calls("x", "return x.sin()");
  const at::Tensor x = leaf({3});
  EXPECT_TRUE(calls({x})[0].requires_grad());
  {
    at::NoGradGuard noGrad;
    EXPECT_FALSE(calls({x})[0].requires_grad());
  }
  EXPECT_TRUE(calls({x})[0].requires_grad());
  EXPECT_EQ(calls.compiled->report().graphs, 2);
}

/// Three calls in both grad modes, each beside eager: outputs that require grad, and the mode afterwards.
void expectModesOfEager(const std::vector<const char*>& bodies) {
  for (const char* body : bodies) {
    CompiledCalls calls("x", body);
    for (int round = 0; round < 3; ++round) {
      for (const bool outside : {true, false}) {
        const at::AutoGradMode restored(outside);
        bool after[2];
        std::vector<bool> requireGrad[2];
        for (const bool isCompiled : {false, true}) {
          c10::GradMode::set_enabled(outside);
          const at::Tensor x = leaf({3});
          for (const at::Tensor& output : CompiledCalls::call(isCompiled ? *calls.compiled : *calls.eager, {x})) {
            requireGrad[isCompiled ? 1 : 0].push_back(output.requires_grad());
          }
          after[isCompiled ? 1 : 0] = c10::GradMode::is_enabled();
        }
        EXPECT_EQ(after[0], after[1]) << body << "\nround " << round << ", grad mode " << outside;
        EXPECT_EQ(requireGrad[0], requireGrad[1]) << body << "\nround " << round << ", grad mode " << outside;
      }
    }
  }
}

TEST(AotRuntimeTest, ModesInsideAreEagers) {
  expectModesOfEager(
      {"with torch.no_grad():\n    y = x + 1\nreturn y, x * y",
       "with torch.set_grad_enabled(True):\n    y = x * 2\nreturn y, x",
       "with torch.no_grad():\n    with torch.enable_grad():\n        y = x * 2\n    z = y + 1\nreturn y, z"});
}

TEST(AotRuntimeTest, ModesAreLeftAsEagerLeavesThem) {
  expectModesOfEager(
      {"y = x * 2\ntorch.set_grad_enabled(False)\nreturn y, x.sin()", "torch.set_grad_enabled(True)\nreturn x * 2, x"});
}

TEST(AotRuntimeTest, ResetCompilesAnew) {
  int compiles = 0;
  struct Counter final : backends::PipelineObserver {
    explicit Counter(int& compiled) : count(compiled) {}
    void afterStage(const std::string& stage, ir::StageArtifacts&) override { count += stage == "captured" ? 1 : 0; }
    int& count;
  };
  aot_autograd::AotOptions options;
  options.observers = {std::make_shared<Counter>(compiles)};
  CompiledCalls calls("x", "return x.sin()", options);
  const at::Tensor y = calls({leaf({3})})[0];
  calls({leaf({3})});
  EXPECT_EQ(compiles, 1);
  calls.compiled->reset();
  EXPECT_NO_THROW(y.sum().backward()) << "what was called before lives on";
  calls({leaf({3})});
  EXPECT_EQ(compiles, 2);
}

/// Notes the stages, and may change the Graph of one.
struct StageNotes final : backends::PipelineObserver {
  void afterStage(const std::string& stage, ir::StageArtifacts& artifacts) override {
    stages.push_back(stage);
    if (ir::Graph* graph = artifacts.graph(stage)) {
      graph->check();
      texts.push_back(ir::printGraph(*graph, stage));
      if (stage == replaced) {
        for (size_t i = 0; i < graph->nodes().size(); ++i) {
          ir::Node& node = graph->node(static_cast<ir::NodeId>(i));
          if (node.target == "aten::mul.Tensor") {
            node.target = "aten::add.Tensor";
            node.arguments.push_back(ir::Argument{int64_t{1}}); // alpha
          }
        }
      }
    }
    if (const std::string* text = artifacts.text(stage)) {
      texts.push_back(*text);
    }
  }
  std::vector<std::string> stages, texts;
  std::string replaced;
};

TEST(AotRuntimeTest, HooksSeeAllStagesInOrder) {
  auto notes = std::make_shared<StageNotes>();
  aot_autograd::AotOptions options;
  options.observers = {notes};
  CompiledCalls calls("x, w", "y = x * w\ny.add_(1)\nreturn y", options);
  calls({leaf({3}), leaf({3})});
  EXPECT_EQ(notes->stages,
            (std::vector<std::string>{"captured", "joint", "functional", "metadata", "forward", "backward"}));
  ASSERT_EQ(notes->texts.size(), 6u);
  EXPECT_NE(notes->texts[0].find("add_"), std::string::npos) << notes->texts[0];
  EXPECT_NE(notes->texts[1].find("tangent"), std::string::npos) << notes->texts[1];
  EXPECT_EQ(notes->texts[2].find("add_("), std::string::npos) << notes->texts[2];
  EXPECT_NE(notes->texts[3].find("input x"), std::string::npos) << notes->texts[3];
  EXPECT_EQ(notes->texts[4].find("tangent"), std::string::npos) << notes->texts[4];
  EXPECT_NE(notes->texts[5].find("tangent"), std::string::npos) << notes->texts[5];
}

TEST(AotRuntimeTest, HooksMayReplaceTheForwardAndTheBackward) {
  const at::Tensor x0 = values({3}), w0 = values({3}, 1);
  for (const char* replaced : {"", "forward", "backward", "captured", "joint", "functional"}) {
    auto notes = std::make_shared<StageNotes>();
    notes->replaced = replaced;
    aot_autograd::AotOptions options;
    options.observers = {notes};
    CompiledCalls calls("x, w", "return x * w", options);
    const at::Tensor x = leaf({3}), w = leaf({3}, 1);
    const at::Tensor y = calls({x, w})[0];
    y.backward(at::ones({3}) * 5);
    const bool forward = std::string(replaced) == "forward", backward = std::string(replaced) == "backward";
    EXPECT_EQ(differenceOfValues(y, forward ? x0 + w0 : x0 * w0), "") << replaced;
    EXPECT_EQ(differenceOfValues(x.grad(), backward ? w0 + 5 : w0 * 5), "") << replaced;
  }
}

TEST(AotRuntimeTest, GraphsThatDoNotMeetHaveBackwardsOfTheirOwn) {
  auto notes = std::make_shared<StageNotes>();
  aot_autograd::AotOptions options;
  options.observers = {notes};
  CompiledCalls calls("x, w", "return x.sin(), w.exp()", options);
  const at::Tensor x = leaf({3}), w = leaf({3});
  const auto outputs = calls({x, w});
  EXPECT_NE(outputs[0].grad_fn(), outputs[1].grad_fn());
  EXPECT_EQ(notes->stages, (std::vector<std::string>{"captured", "joint", "functional", "metadata", "forward",
                                                     "backward_0", "backward_1"}));
  outputs[1].sum().backward();
  outputs[0].sum().backward();
  EXPECT_EQ(differenceOfValues(x.grad(), x.detach().cos()), "");
}

TEST(AotRuntimeTest, ContainersModulesAndConstantsAreHandedThrough) {
  native::registerNativeBackends();
  const language::Case theCase = caseOfProgram(
      {"", "[F(3), F(3)], {\"a\": F(2).requires_grad_()}, 3, None, \"s\"", "l, d, n, o, s",
       "l[0].add_(n)\nreturn {\"sum\": l[0] + l[1], \"same\": l[1], \"list\": [d[\"a\"] * n, None, n, s]}, "
       "l[0].shape"});
  const auto backend = backends::makeBackend("aot_eager");
  const auto compiled = backend->compile(theCase);
  const auto eager = evaluator::eagerProgram(theCase);
  EXPECT_EQ(differenceOf(callProgram(theCase, *eager, 1), callProgram(theCase, *compiled, 1)), "");
  EXPECT_EQ(compiled->report().compiledRuns, 1);
}

TEST(AotRuntimeTest, WhatCannotBeTracedIsSaidToBeUnsupported) {
  CompiledCalls calls("x", "y = x.exp()\nx.detach_()\nx.requires_grad_()\nreturn x * x, y");
  EXPECT_THROW(calls({leaf({3}) * 1}), ir::Unsupported);
}

} // namespace
} // namespace touchstone::tests
