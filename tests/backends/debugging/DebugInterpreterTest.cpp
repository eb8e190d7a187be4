#include "backends/debugging/DebugInterpreter.h"

#include "backends/debugging/AotCompilerOptions.h"
#include "backends/debugging/BoxedNop.h"
#include "graph/runtime/Interpreter.h"
#include "tests/backends/DebuggingCalls.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>

#include <gtest/gtest.h>

#include <thread>

namespace touchstone::tests {
namespace {

constexpr const char* kProgram = "def program(x, w):\n    return torch.mm(x, w).sin().sum()\n";

/// Tells a Graph's nodes of another layout than they have.
class WrongStrides final : public backends::PipelineObserver {
 public:
  WrongStrides(std::string stage, std::string target) : stage_(std::move(stage)), target_(std::move(target)) {}
  void afterStage(const std::string& stage, ir::StageArtifacts& artifacts) override {
    ir::Graph* graph = artifacts.graph(stage);
    for (size_t i = 0; stage == stage_ && i < graph->nodes().size(); ++i) {
      ir::Node& node = graph->node(static_cast<ir::NodeId>(i));
      if (node.target == target_ && node.metadata) {
        node.metadata->strides = {1, 3};
        node.line = 7;
        ++changed;
      }
    }
  }
  int changed = 0;

 private:
  std::string stage_, target_;
};

/// What a native backend says of the program and its backward, told wrong things of one operator.
std::string saidBy(const std::string& backend, const std::string& stage, const std::string& target, bool checks,
                   bool needsGrad = true) {
  const language::Case theCase = debuggingCase(kProgram, checks ? "options={\"debug_interpreter\": True}" : "");
  const auto wrong = std::make_shared<WrongStrides>(stage, target);
  const auto program = native::makeNativeBackend(backends::backendInfo(backend), {wrong})->compile(theCase);
  const std::string text = thrownText([&] {
    const auto outputs = DebuggingCalls::call(*program, {numbers({3, 4}).mul(0.1).requires_grad_(needsGrad),
                                                         numbers({4, 3}).mul(0.1).requires_grad_(needsGrad)});
    if (needsGrad) {
      outputs.at(0).backward();
    }
  });
  EXPECT_GT(wrong->changed, 0) << backend;
  return text;
}

TEST(DebugInterpreterTest, AMismatchNamesNodeOperatorLineAndBothValues) {
  ir::Graph graph = chainGraph({"aten::neg"});
  graph.node(1).metadata = runtime::metadataOf(numbers({3, 4}));
  graph.node(1).line = 12;
  EXPECT_EQ(thrownText([&] {
              debugging::debugNop()(graph, {})->run({numbers({4, 3})});
            }),
            "AssertionError: node `neg` (`aten::neg`, line 12 of the case file): size: expected [3, 4], as traced, got "
            "[4, 3]");
  graph.node(0).metadata = runtime::metadataOf(numbers({3, 4}));
  EXPECT_EQ(thrownText([&] {
              debugging::debugNop()(graph, {})->run({numbers({4, 3})});
            }),
            "AssertionError: node `x` (an input): size: expected [3, 4], as traced, got [4, 3]");
}

TEST(DebugInterpreterTest, ACompiledBoxedNopIsSwitchedWhereItRuns) {
  ir::Graph graph = chainGraph({"aten::neg"});
  graph.node(1).metadata = runtime::metadataOf(numbers({3, 4}));
  const auto compiled = debugging::boxedNop()(graph, {});
  const auto said = [&] { return thrownText([&] { compiled->run({numbers({4, 3})}); }); };
  EXPECT_EQ(said(), "");
  {
    const debugging::DebugInterpreterScope checked;
    EXPECT_NE(said().find("size: expected [3, 4], as traced, got [4, 3]"), std::string::npos);
    std::thread([&] { EXPECT_EQ(said(), ""); }).join();
  }
  EXPECT_EQ(said(), "");
}

TEST(DebugInterpreterTest, StridesOfEmptyTensorsAndOfSizesOfOneDoNotCount) {
  ir::Graph graph = chainGraph({"aten::neg"});
  ir::TensorMetadata metadata = runtime::metadataOf(numbers({3, 1}));
  metadata.strides = {1, 77};
  graph.node(1).metadata = metadata;
  EXPECT_EQ(thrownText([&] { debugging::debugNop()(graph, {})->run({numbers({3, 1})}); }), "");
  graph.node(1).metadata = runtime::metadataOf(numbers({0, 4}));
  graph.node(1).metadata->strides = {9, 9};
  EXPECT_EQ(thrownText([&] { debugging::debugNop()(graph, {})->run({numbers({0, 4})}); }), "");
}

TEST(DebugInterpreterTest, DebugNopHoldsForwardAndBackwardAgainstTheTrace) {
  EXPECT_EQ(saidBy("debug_nop", "forward", "aten::sin", false),
            "AssertionError: node `sin` (`aten::sin`, line 7 of the case file): stride: expected [1, 3], as traced, "
            "got [3, 1]");
  EXPECT_NE(saidBy("debug_nop", "backward", "aten::cos", false).find("stride: expected [1, 3]"), std::string::npos);
  EXPECT_EQ(saidBy("aot_eager_default_partitioner", "forward", "aten::sin", false), "") << "nobody looks";
}

/// The Graph that runs, of a backend without AOT autograd.
const char* stageOf(const std::string& backend) {
  return backend == "pre_dispatch_eager" ? "pre_dispatch" : "captured";
}

TEST(DebugInterpreterTest, EveryNativeBackendCanBeHeldAgainstTheTrace) {
  for (const ir::BackendInfo& info : backends::builtInBackends()) {
    if (info.family != ir::Family::kNative || info.name.find("TESTING_ONLY") != std::string::npos) {
      continue;
    }
    const bool isAot = info.name.starts_with("aot_") || info.name == "debug_nop" || info.name == "invoke_subgraph" ||
                       info.name == "nnc_jit" || info.name == "memory_efficient_fusion";
    const bool isScript =
        info.name.find("ts") != std::string::npos || info.name == "nnc_jit" || info.name == "memory_efficient_fusion";
    const bool needsGrad = info.name != "simple_ts_compile" && info.name != "ts_compile";
    // TorchScript's values are seen where they leave the Graph: what the forward returns is made of the product alone.
    const std::string target = isScript && isAot ? "aten::mm" : isScript ? "aten::sum" : "aten::sin";
    if (isScript && !isAot) {
      continue; // a sum of no dimension has no strides: see TorchScriptsOutputsAreHeldAgainstTheTrace
    }
    const std::string said = saidBy(info.name, isAot ? "forward" : stageOf(info.name), target, true, needsGrad);
    EXPECT_NE(said.find("stride: expected [1, 3], as traced, got [3, 1]"), std::string::npos)
        << info.name << ": " << said;
  }
}

TEST(DebugInterpreterTest, TorchScriptsOutputsAreHeldAgainstTheTrace) {
  for (const char* name : {"ts", "simple_ts_compile", "ts_compile"}) {
    ir::Graph graph = chainGraph({"aten::neg"});
    graph.node(1).metadata = runtime::metadataOf(numbers({3, 4}));
    const backends::GraphCompiler compiler = debugging::lookUpCompiler(name, {{"debug_interpreter", "True"}});
    EXPECT_EQ(thrownText([&] { compiler(graph, {numbers({3, 4})})->run({numbers({3, 4})}); }), "") << name;
    graph.node(1).metadata->strides = {1, 3};
    EXPECT_NE(thrownText([&] {
                compiler(graph, {numbers({3, 4})})->run({numbers({3, 4})});
              }).find("stride: "),
              std::string::npos)
        << name;
  }
}

TEST(DebugInterpreterTest, TheRecordedBackwardIsHeldAgainstTheTrace) {
  EXPECT_NE(saidBy("aot_joint", "forward", "aten::sin", true).find("stride: "), std::string::npos);
  const language::Case theCase = debuggingCase(kProgram, "options={\"debug_interpreter\": True}");
  const auto wrong = std::make_shared<WrongStrides>("backward", "aten::cos");
  const auto program = native::makeNativeBackend(backends::backendInfo("aot_joint"), {wrong})->compile(theCase);
  const auto outputs =
      DebuggingCalls::call(*program, {numbers({3, 4}).requires_grad_(), numbers({4, 3}).requires_grad_()});
  EXPECT_NE(thrownText([&] { outputs.at(0).backward(); }).find("node `cos`"), std::string::npos);
}

} // namespace
} // namespace touchstone::tests
