#include "tests/backends/DebuggingCalls.h"

#include "backends/compilers/Canonicalization.h"
#include "backends/compilers/JitAutocastScope.h"
#include "backends/compilers/JitFuser.h"
#include "backends/compilers/TorchScriptCompilers.h"
#include "backends/compilers/TorchScriptModule.h"
#include "backends/debugging/CompilerRegistry.h"
#include "backends/native/BackendTable.h"
#include "graph/ir/Unsupported.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/RaisedException.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/rand.h>
#include <ATen/record_function.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/codegen/fuser/interface.h>
#include <torch/csrc/jit/passes/autocast.h>
#include <torch/csrc/jit/passes/tensorexpr_fuser.h>
#include <torch/csrc/jit/python/update_graph_executor_opt.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <string_view>

namespace touchstone::tests {
namespace {

using ir::Argument;

/// What a compiler made of the Graphs of one Program, to look at.
struct ScriptedCalls {
  ScriptedCalls(const std::string& program, compilers::TorchScriptOptions options)
      : calls(program, [this, options](ir::Graph graph, const std::vector<at::Tensor>& examples) {
          auto compiled = compilers::compileToTorchScript(std::move(graph), examples, options);
          scripted.push_back(compiled);
          return compiled;
        }) {}
  std::vector<std::shared_ptr<const compilers::ScriptedGraph>> scripted;
  DebuggingCalls calls;
};

/// Programs of two tensors `x` and `w`, 3 by 4 and 4 by 2.
constexpr std::array kTorchScriptPrograms{
    "    return (x * 2 + 1).relu(), torch.mm(x, w)\n",
    "    y = x.clone()\n    y.add_(1)\n    y.mul_(x)\n    return y\n",
    "    a, b = x.split(2, dim=1)\n    return torch.cat([a.sin(), b.cos()], 1)\n",
    "    return torch.nn.functional.linear(x, w.t()).softmax(1)\n",
    "    return x.sum(dim=[0], dtype=torch.float64), x.to(torch.int64), x.max(dim=1)\n",
    "    t = torch.tensor([1.0, 2.0, 3.0, 4.0])\n    t.mul_(2)\n    return x + t * t.exp()\n",
    "    k = torch.ones(2, 1, 2, 2)\n"
    "    return torch.nn.functional.conv2d(x.view(1, 1, 3, 4), k * 3).relu()\n",
    "    y = x[1:, ::2]\n    z = x.t().contiguous()\n    return y * 2, z.view(2, 6), x.exp() - x.exp()\n",
    "    y = torch.empty_like(x)\n    y.zero_()\n    y[0] = x[1]\n    return y\n",
    "    return torch.addmm(torch.ones(2), x, w) + torch.ones(3, 2) * 2, torch.where(x > 0, x, w.sum())\n",
};

/// Programs in which there is something to optimize.
constexpr std::array kOptimizedPrograms{
    "    y = x.clone()\n    y.add_(1)\n    return y\n",
    "    y = x * 2\n    y.relu_()\n    return y\n",
    "    return x.exp() - x.exp()\n",
    "    return torch.cat([x, x]) * torch.cat([x, x])\n",
    "    return x + torch.ones(4) * 2\n",
    "    t = torch.tensor([1.0, 2.0, 3.0, 4.0])\n    return x * t.exp()\n",
    "    k = torch.ones(2, 1, 2, 2)\n    return torch.nn.functional.conv2d(x.view(1, 1, 3, 4), k)\n",
    "    y = x.sin()\n    return x.cos()\n",
    "    return torch.addmm(torch.ones(2), x, w)\n",
    "    return torch.nn.functional.linear(x, torch.ones(2, 4), torch.zeros(2))\n",
};

std::string torchScriptProgram(const char* body) {
  return std::string("def program(x, w):\n") + body;
}

TEST(TorchScriptTest, EveryCompilerGivesWhatEagerGives) {
  for (const char* body : kTorchScriptPrograms) {
    for (const compilers::TorchScriptOptions& options :
         {compilers::scriptAlone(), compilers::forCapturedGraphs(compilers::simpleTsCompile()),
          compilers::forCapturedGraphs(compilers::tsCompile())}) {
      ScriptedCalls scripted(torchScriptProgram(body), options);
      for (double shift : {-2.0, 0.5, 3.0}) {
        const std::vector<at::Tensor> arguments{numbers({3, 4}, shift), numbers({4, 2}, shift)};
        const auto expected = DebuggingCalls::call(*scripted.calls.eager, arguments);
        const auto outputs = scripted.calls(arguments);
        ASSERT_EQ(outputs.size(), expected.size());
        for (size_t i = 0; i < expected.size(); ++i) {
          EXPECT_TRUE(outputs[i].allclose(expected[i])) << body << outputs[i] << expected[i];
          EXPECT_EQ(outputs[i].strides(), expected[i].strides()) << body;
        }
      }
      ASSERT_EQ(scripted.scripted.size(), 1u) << body;
    }
  }
}

TEST(TorchScriptTest, OptimizationChangesNodesOfTenPrograms) {
  for (const char* body : kOptimizedPrograms) {
    ScriptedCalls scripted(torchScriptProgram(body), compilers::forCapturedGraphs(compilers::tsCompile()));
    for (int i = 0; i < 3; ++i) {
      scripted.calls({numbers({3, 4}), numbers({4, 2})});
    }
    EXPECT_GT(scripted.scripted.at(0)->changedNodes(), 0) << body << *scripted.scripted[0]->optimized();
  }
}

/// What the optimized graph of a Program has of an operator.
bool runsOperator(const compilers::ScriptedGraph& scripted, const char* kind) {
  const auto optimized = scripted.optimized();
  const auto nodes = optimized->nodes();
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const torch::jit::Node* node) { return node->kind() == c10::Symbol::fromQualString(kind); });
}

TEST(TorchScriptTest, AConvolutionByAConstantBecomesOneDnns) {
  for (const bool forInference : {true, false}) {
    ScriptedCalls scripted(
        torchScriptProgram(kTorchScriptPrograms[6]),
        compilers::forCapturedGraphs(forInference ? compilers::tsCompile() : compilers::simpleTsCompile()));
    scripted.calls({numbers({3, 4}), numbers({4, 2})});
    EXPECT_EQ(runsOperator(*scripted.scripted.at(0), "prim::mkldnn_convolution"), forInference)
        << *scripted.scripted[0]->optimized();
  }
}

TEST(TorchScriptTest, FreezingLeavesNoAttributes) {
  for (const bool freezes : {true, false}) {
    ScriptedCalls scripted(
        "def program(x):\n    return x + torch.tensor([1.0, 2.0, 3.0])\n",
        freezes ? compilers::forCapturedGraphs(compilers::simpleTsCompile()) : compilers::scriptAlone());
    scripted.calls({numbers({3})});
    EXPECT_EQ(runsOperator(*scripted.scripted.at(0), "prim::GetAttr"), !freezes) << *scripted.scripted[0]->optimized();
  }
}

TEST(TorchScriptTest, WritesThatNobodySeesAreTakenOut) {
  ScriptedCalls scripted("def program(x):\n    y = x * 2\n    y.add_(1)\n    x.mul_(3)\n    return y\n",
                         compilers::forCapturedGraphs(compilers::tsCompile()));
  const at::Tensor x = numbers({3});
  EXPECT_TRUE(at::equal(scripted.calls({x}).at(0), numbers({3}).mul(2).add(1)));
  EXPECT_TRUE(at::equal(x, numbers({3}).mul(3)));
  EXPECT_TRUE(runsOperator(*scripted.scripted.at(0), "aten::mul_"));
  EXPECT_FALSE(runsOperator(*scripted.scripted.at(0), "aten::add_"));
}

TEST(TorchScriptTest, AGraphIsWrittenAsItIs) {
  const auto module = compilers::torchScriptModule(chainGraph({"aten::exp", "aten::neg"}));
  const auto method = module.get_method("forward").graph();
  EXPECT_EQ(compilers::differingNodes(*method, *method->copy()), 0);
  EXPECT_EQ(compilers::differingNodes(
                *method, *compilers::torchScriptModule(chainGraph({"aten::exp"})).get_method("forward").graph()),
            1);
  EXPECT_EQ(
      compilers::differingNodes(
          *method, *compilers::torchScriptModule(chainGraph({"aten::exp", "aten::sin"})).get_method("forward").graph()),
      2);
  EXPECT_TRUE(module.hasattr("training"));
}

TEST(TorchScriptTest, WhatItHasNoNodeForIsRefusedWithTheReason) {
  const auto refusal = [](compilers::TorchScriptOptions options, const char* body) {
    return thrownText([&] {
      ScriptedCalls scripted(torchScriptProgram(body), options);
      scripted.calls({numbers({3, 4}), numbers({4, 2})});
    });
  };
  const char* autocast =
      "    with torch.autocast(\"cpu\", dtype=torch.bfloat16):\n        z = torch.mm(x, w)\n    return z\n";
  EXPECT_NE(refusal(compilers::scriptAlone(), autocast).find("is no operator"), std::string::npos) << "as one module";
}

TEST(TorchScriptTest, AnOverloadThatItWouldNotChooseIsCalledByAStandIn) {
  for (const char* body :
       {"    return x * 2, torch.full((2,), True)\n", "    return x.view(torch.int32), x.view(2, 6)\n",
        "    return x.clone().fill_(True), torch.add(x, True)\n"}) {
    ScriptedCalls scripted(torchScriptProgram(body), compilers::scriptAlone());
    for (int i = 0; i < 3; ++i) {
      const std::vector<at::Tensor> tensors{numbers({3, 4}), numbers({4, 2})};
      const auto expected = DebuggingCalls::call(*scripted.calls.eager, tensors);
      const auto found = scripted.calls(tensors);
      for (size_t k = 0; k < expected.size(); ++k) {
        EXPECT_TRUE(at::equal(found.at(k), expected[k])) << body;
      }
    }
  }
}

TEST(TorchScriptTest, RegionsOfAutocastAreModulesOfTheirOwn) {
  DebuggingCalls calls(
      torchScriptProgram("    a = torch.mm(x, w)\n"
                         "    with torch.autocast(\"cpu\", dtype=torch.bfloat16):\n"
                         "        b = torch.mm(x, w)\n"
                         "        with torch.autocast(\"cpu\", enabled=False):\n            c = torch.mm(x, w)\n"
                         "        d = torch.mm(x, w)\n"
                         "    return a, b, c, d, torch.mm(x, w)\n"),
      compilers::torchScriptCompiler(compilers::scriptAlone()));
  for (const bool around : {false, true}) {
    at::autocast::set_autocast_enabled(at::kCPU, around);
    for (int i = 0; i < 3; ++i) {
      std::vector<at::ScalarType> dtypes;
      for (const at::Tensor& output : calls({numbers({3, 4}), numbers({4, 2})})) {
        dtypes.push_back(output.scalar_type());
      }
      const at::ScalarType outside = around ? at::kBFloat16 : at::kFloat;
      EXPECT_EQ(dtypes, (std::vector{outside, at::kBFloat16, at::kFloat, at::kBFloat16, outside}));
      EXPECT_EQ(at::autocast::is_autocast_enabled(at::kCPU), around);
    }
    at::autocast::set_autocast_enabled(at::kCPU, false);
  }
}

TEST(TorchScriptTest, BetweenTheModulesGradientsAreTakenAndHooksAreCalled) {
  DebuggingCalls calls(torchScriptProgram("    y = x * 2 + 1\n    (g,) = torch.autograd.grad((y * y).sum(), [x])\n"
                                          "    return g * 3, y\n"),
                       compilers::torchScriptCompiler(compilers::scriptAlone()));
  for (int i = 0; i < 3; ++i) {
    const at::Tensor x = numbers({3, 4}).requires_grad_();
    const auto outputs = calls({x, numbers({4, 2})});
    EXPECT_TRUE(at::equal(outputs.at(0), x.detach().mul(2).add(1).mul(12)));
    EXPECT_TRUE(outputs.at(1).requires_grad());
  }
}

TEST(TorchScriptTest, BelowAutogradNothingRequiresGrad) {
  const auto compiled =
      compilers::compileToTorchScript(chainGraph({"aten::sin", "aten::exp"}), {}, compilers::tsCompile());
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(compiled->run({numbers({3}).requires_grad_()}).at(0).requires_grad());
    EXPECT_TRUE(c10::GradMode::is_enabled());
  }
}

TEST(TorchScriptTest, RegionsOfNoGradHold) {
  DebuggingCalls calls(
      torchScriptProgram(
          "    y = x * 2\n    with torch.no_grad():\n        z = y.exp()\n        y += 1\n    return y, z, y + z\n"),
      compilers::torchScriptCompiler(compilers::scriptAlone()));
  for (int i = 0; i < 4; ++i) {
    const auto outputs = calls({numbers({3, 4}).requires_grad_(), numbers({4, 2})});
    EXPECT_TRUE(outputs.at(0).requires_grad() && outputs.at(2).requires_grad());
    EXPECT_FALSE(outputs.at(1).requires_grad());
    EXPECT_TRUE(at::equal(outputs.at(0), numbers({3, 4}).mul(2).add(1)));
    EXPECT_TRUE(c10::GradMode::is_enabled());
  }
}

TEST(TorchScriptTest, AFrozenGraphTakesNoGradients) {
  ScriptedCalls scripted("def program(x):\n    return x.exp()\n", compilers::forCapturedGraphs(compilers::tsCompile()));
  const at::Tensor leaf = numbers({3}).requires_grad_();
  EXPECT_NE(thrownText([&] { scripted.calls({leaf}); }).find("for inference"), std::string::npos);
  const c10::AutoGradMode off(false);
  EXPECT_TRUE(at::equal(scripted.calls({leaf}).at(0), numbers({3}).exp()));
}

/// Long enough for TorchScript to differentiate it by itself.
ir::Graph torchScriptChain() {
  return chainGraph({"aten::sin", "aten::exp", "aten::tanh", "aten::sigmoid", "aten::neg", "aten::cos"});
}

at::Tensor eagerChain(const at::Tensor& x) {
  return x.sin().exp().tanh().sigmoid().neg().cos();
}

TEST(TorchScriptTest, TheExecutorTakesTensorsThatStartAndStopToRequireGrad) {
  const auto compiled = compilers::compileToTorchScript(torchScriptChain(), {}, compilers::scriptAlone());
  for (const bool requiresGrad : {false, false, true, true, false, true, false}) {
    const at::Tensor x = numbers({5}).mul(0.1).requires_grad_(requiresGrad);
    const at::Tensor expected = eagerChain(x);
    const at::Tensor y = compiled->run({x}).at(0);
    EXPECT_TRUE(at::equal(y, expected));
    EXPECT_EQ(y.requires_grad(), requiresGrad);
    if (y.requires_grad()) {
      y.sum().backward();
      const at::Tensor leaf = numbers({5}).mul(0.1).requires_grad_();
      eagerChain(leaf).sum().backward();
      EXPECT_TRUE(x.grad().allclose(leaf.grad()));
    }
  }
}

TEST(TorchScriptTest, TheExecutorOptimizesForGradientsThatItHasSeen) {
  const auto compiled = compilers::compileToTorchScript(torchScriptChain(), {}, compilers::scriptAlone());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(compiled->changedNodes() > 0, i >= 2) << i;
    compiled->run({numbers({5}).requires_grad_()});
  }
  EXPECT_NE(compiled->optimized()->toString().find("prim::DifferentiableGraph"), std::string::npos)
      << *compiled->optimized();
}

TEST(TorchScriptTest, TheExecutorTakesOtherSizesAndDtypes) {
  const auto compiled = compilers::compileToTorchScript(torchScriptChain(), {}, {});
  for (const at::Tensor& x :
       {numbers({5}), numbers({2, 3}), numbers({2, 3}).to(at::kDouble), numbers({0}), numbers({5})}) {
    EXPECT_TRUE(at::equal(compiled->run({x}).at(0), eagerChain(x))) << x;
  }
}

TEST(TorchScriptTest, AnErrorInsideHasTheOperatorsMessage) {
  ScriptedCalls scripted("def program(x, i):\n    return x.index_select(0, i)\n", compilers::scriptAlone());
  const at::Tensor good = numbers({2}, 0).to(at::kLong), bad = good.add(7);
  for (int i = 0; i < 3; ++i) {
    scripted.calls({numbers({3}), good});
    try {
      scripted.calls({numbers({3}), bad});
      FAIL();
    } catch (const values::RaisedException& raised) {
      EXPECT_EQ(raised.message(), "index out of range in self") << raised.message();
    }
  }
}

TEST(TorchScriptTest, EachBackendOfCapturedGraphsRunsTorchScript) {
  for (const char* name : {"ts", "simple_ts_compile", "ts_compile"}) {
    DebuggingCalls calls("def program(x, i):\n    return x.index_select(0, i)\n", debugging::lookUpCompiler(name));
    calls({numbers({3}), numbers({2}, 0).to(at::kLong)});
    try {
      calls({numbers({3}), numbers({2}, 7).to(at::kLong)});
      ADD_FAILURE() << name;
    } catch (const values::RaisedException& raised) {
      EXPECT_EQ(raised.wrapper, "TorchScriptInterpreter") << name;
    }
  }
}

TEST(TorchScriptTest, RunningOnceIsSeenByNobody) {
  at::manual_seed(3);
  const at::Tensor expected = at::rand({4});
  at::manual_seed(3);
  ScriptedCalls scripted("def program(x):\n    x.add_(1)\n    return torch.rand(4)\n",
                         compilers::forCapturedGraphs(compilers::tsCompile()));
  const at::Tensor x = numbers({4});
  EXPECT_TRUE(at::equal(scripted.calls({x}).at(0), expected));
  EXPECT_TRUE(at::equal(x, numbers({4}).add(1)));
}

TEST(TorchScriptTest, AutocastOfTorchScriptIsOffInAScopeAndAsBeforeBehindIt) {
  ASSERT_TRUE(torch::jit::autocastEnabled());
  {
    const compilers::JitAutocastScope off;
    EXPECT_FALSE(torch::jit::autocastEnabled());
    { const compilers::JitAutocastScope again; }
    EXPECT_FALSE(torch::jit::autocastEnabled());
  }
  EXPECT_TRUE(torch::jit::autocastEnabled());
}

TEST(TorchScriptTest, AFuserIsTheProcessesAsLongAsItsScope) {
  const bool before = torch::jit::tensorExprFuserEnabled();
  {
    const compilers::JitFuserScope expressions(compilers::JitFuser::kNnc);
    EXPECT_TRUE(torch::jit::tensorExprFuserEnabled() && torch::jit::canFuseOnCPU());
    const compilers::JitFuserScope none(compilers::JitFuser::kNone);
    EXPECT_FALSE(torch::jit::tensorExprFuserEnabled() || torch::jit::canFuseOnCPU());
  }
  EXPECT_EQ(torch::jit::tensorExprFuserEnabled(), before);
  EXPECT_FALSE(torch::jit::canFuseOnCPU());
}

TEST(TorchScriptTest, AFuserThatProfilesTurnsExecutorAndOptimizationOnAndNothingElse) {
  const bool executor = torch::jit::getExecutorMode(), profiling = torch::jit::getProfilingMode();
  const torch::jit::GraphOptimizerEnabledGuard off(false);
  torch::jit::getExecutorMode() = torch::jit::getProfilingMode() = false;
  for (const auto& [fuser, profiles] :
       {std::pair(compilers::JitFuser::kNnc, true), std::pair(compilers::JitFuser::kOneDnn, true),
        std::pair(compilers::JitFuser::kLegacy, false), std::pair(compilers::JitFuser::kNone, false)}) {
    {
      const compilers::JitFuserScope scope(fuser);
      EXPECT_EQ(torch::jit::getExecutorMode(), profiles);
      EXPECT_EQ(torch::jit::getGraphExecutorOptimize(), profiles);
      EXPECT_FALSE(torch::jit::getProfilingMode());
    }
    EXPECT_FALSE(torch::jit::getExecutorMode() || torch::jit::getGraphExecutorOptimize());
  }
  torch::jit::getExecutorMode() = executor;
  torch::jit::getProfilingMode() = profiling;
}

TEST(TorchScriptTest, OneDnnFusesAConvolutionUnderItsFuserAlone) {
  const std::string program = "def program(x, w):\n    return torch.nn.functional.conv2d(x, w).relu()\n";
  const at::Tensor x = at::rand({1, 3, 8, 8}), w = at::rand({4, 3, 3, 3});
  for (const auto fuser : {compilers::JitFuser::kOneDnn, compilers::JitFuser::kNone, compilers::JitFuser::kOneDnn}) {
    std::shared_ptr<const compilers::ScriptedGraph> scripted;
    const auto compiler = compilers::underFuser(fuser, [&](ir::Graph graph, const std::vector<at::Tensor>& examples) {
      return scripted = compilers::compileToTorchScript(std::move(graph), examples, compilers::scriptAlone());
    });
    DebuggingCalls calls(program, compiler);
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(at::allclose(calls({x, w}).at(0), at::conv2d(x, w).relu(), 1e-4, 1e-5));
    }
    EXPECT_EQ(scripted->optimized()->toString(false).find("prim::oneDNNFusionGroup") != std::string::npos,
              fuser == compilers::JitFuser::kOneDnn)
        << scripted->optimized()->toString(false);
  }
}

/// Whether the CPU was fused for when an operator ran, by backend.
bool runsWithFuser(const std::string& name, const std::string& fuser) {
  static bool fuses;
  fuses = false;
  const auto handle = at::addThreadLocalCallback(
      at::RecordFunctionCallback([](const at::RecordFunction&) -> std::unique_ptr<at::ObserverContext> {
        fuses = fuses || torch::jit::canFuseOnCPU();
        return nullptr;
      }).scopes({at::RecordScope::FUNCTION}));
  debugging::lookUpCompiler(name, {{"fuser", fuser}})(chainGraph({"aten::neg"}), {numbers({3})})->run({numbers({3})});
  at::removeCallback(handle);
  return fuses;
}

TEST(TorchScriptTest, TheFuserIsAnOptionOfItsBackends) {
  for (const char* name : {"ts", "simple_ts_compile", "ts_compile", "aot_ts", "nnc_jit", "memory_efficient_fusion"}) {
    for (const char* fuser : {"0", "1", "3", "'fuser1'"}) {
      EXPECT_TRUE(runsWithFuser(name, fuser)) << name << " " << fuser;
    }
    for (const char* fuser : {"2", "False", "'none'"}) {
      EXPECT_FALSE(runsWithFuser(name, fuser)) << name << " " << fuser;
    }
    EXPECT_NE(thrownText([&] { runsWithFuser(name, "7"); }).find("There is no fuser `7`; choose one of 0 to 3"),
              std::string::npos);
  }
}

TEST(TorchScriptTest, CopiesThatChangeTheDtypeAloneBecomeConversionsThatCopy) {
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x");
  const Argument dtype{ir::DtypeConstant{static_cast<int64_t>(at::kDouble)}}, device{ir::DeviceConstant{"cuda:0"}};
  const Argument no{false}, none;
  const ir::NodeId cast = graph.addOperator("aten::_to_copy", {ir::nodeArgument(x), dtype, none, none, none, no, none});
  const ir::NodeId moved =
      graph.addOperator("aten::_to_copy", {ir::nodeArgument(x), dtype, none, device, none, no, none});
  EXPECT_EQ(compilers::canonicalizeForTorchScript(graph), 2);
  EXPECT_EQ(graph.node(cast).target, "aten::to.dtype");
  EXPECT_EQ(graph.node(cast).arguments.at(3), Argument{true}) << "a copy, also where the dtype is the operand's";
  EXPECT_EQ(graph.node(moved).target, "aten::_to_copy");
  EXPECT_EQ(graph.node(moved).arguments.at(3), Argument{ir::DeviceConstant{"cuda"}});
  EXPECT_EQ(compilers::canonicalizeForTorchScript(graph), 0);
}

TEST(TorchScriptTest, ForwardGraphsAreNotCastAgain) {
  for (const char* name : {"aot_ts", "nnc_jit"}) {
    DebuggingCalls calls(
        torchScriptProgram(
            "    with torch.autocast(\"cpu\", enabled=False):\n        y = torch.mm(x, w)\n    return y.exp()\n"),
        debugging::lookUpCompiler(name));
    const at::Tensor x = numbers({3, 4}).mul(0.01), w = numbers({4, 2}).mul(0.01);
    at::autocast::set_autocast_enabled(at::kCPU, true);
    const at::Tensor y = calls({x, w}).at(0);
    at::autocast::set_autocast_enabled(at::kCPU, false);
    EXPECT_TRUE(at::equal(y, x.mm(w).exp())) << name;
  }
}

TEST(TorchScriptTest, AotPipelinesCompileBothGraphsByTorchScript) {
  for (const std::string name : {"aot_ts", "nnc_jit", "memory_efficient_fusion"}) {
    const native::AotPipeline pipeline = native::aotPipelineOf(name);
    ASSERT_NE(pipeline, nullptr) << name;
    const aot_autograd::AotOptions options = pipeline({});
    for (const backends::GraphCompiler& compiler : {options.forwardCompiler, options.backwardCompiler}) {
      ir::Graph graph = chainGraph({"aten::exp"});
      const auto compiled = compiler(std::move(graph), {numbers({3})});
      ASSERT_NE(dynamic_cast<const compilers::ScriptedGraph*>(compiled.get()), nullptr) << name;
      EXPECT_TRUE(at::equal(compiled->run({numbers({3})}).at(0), numbers({3}).exp()));
    }
    const bool isFusion = name == "memory_efficient_fusion";
    EXPECT_EQ(options.partition == aot_autograd::AotPartition::kMinCut, isFusion) << name;
    EXPECT_EQ(options.decompositions != aot_autograd::AotOptions().decompositions, isFusion) << name;
  }
  EXPECT_TRUE(compilers::tsCompile().optimizesForInference);
  EXPECT_FALSE(compilers::simpleTsCompile().optimizesForInference);
}

TEST(TorchScriptTest, AotPipelinesCompileForwardAndBackward) {
  for (const char* name : {"aot_ts", "nnc_jit", "memory_efficient_fusion"}) {
    DebuggingCalls calls(
        "def program(x, w):\n    y = torch.nn.functional.gelu(torch.mm(x, w))\n    return (y * y).sum()\n",
        debugging::lookUpCompiler(name));
    for (int i = 0; i < 3; ++i) {
      const at::Tensor x = numbers({3, 4}).mul(0.1).requires_grad_(), w = numbers({4, 2}).mul(0.1).requires_grad_();
      const at::Tensor eagerX = x.detach().clone().requires_grad_(), eagerW = w.detach().clone().requires_grad_();
      const at::Tensor y = calls({x, w}).at(0), expected = DebuggingCalls::call(*calls.eager, {eagerX, eagerW}).at(0);
      EXPECT_TRUE(y.allclose(expected)) << name;
      y.backward();
      expected.backward();
      EXPECT_TRUE(x.grad().allclose(eagerX.grad()) && w.grad().allclose(eagerW.grad())) << name;
    }
  }
}

} // namespace
} // namespace touchstone::tests
