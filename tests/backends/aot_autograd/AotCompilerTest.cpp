#include "backends/aot_autograd/AotCompiler.h"

#include "tests/backends/CompiledCalls.h"

#include "backends/debugging/AotCompilerOptions.h"
#include "backends/debugging/CountingCompiler.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/PassGate.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/scalar_tensor.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

namespace touchstone::tests {
namespace {

/// Reads both; a value is saved and one is dead.
constexpr const char* kReads = "dead = x.cos()\nreturn x.sin().exp() * y";

/// Counts the writes in forward Graphs.
class ForwardWrites final : public backends::PipelineObserver {
 public:
  void afterStage(const std::string& stage, ir::StageArtifacts& artifacts) override {
    if (stage == "forward") {
      for (const ir::Node& node : artifacts.graph(stage)->nodes()) {
        count += node.target == "aten::copy_" ? 1 : 0;
      }
    }
  }
  int count = 0;
};

TEST(AotCompilerTest, APassIsCountedOnceForInputsThatShareMemory) {
  const at::Tensor memory = values({4});
  for (const bool requiresGrad : {false, true}) {
    const auto gate = std::make_shared<ir::PassGate>();
    CompiledCalls calls("x, y, z", "dead = x.cos()\nreturn x.sin().exp() * y + z", {.gate = gate});
    calls({requiresGrad ? leaf({4}) : memory, memory, memory.view({4})});
    std::map<std::string, int64_t> counts;
    for (const auto& [pass, count] : gate->counts()) {
      counts[pass] = count;
    }
    EXPECT_EQ(counts["dead_code"], 1);
    EXPECT_EQ(counts["saved_values"], requiresGrad ? 1 : 0);
  }
}

TEST(AotCompilerTest, OneTensorTwiceAmongTheExamplesIsTwoInputs) {
  ir::Graph graph;
  const ir::NodeId first = graph.addPlaceholder("first"), second = graph.addPlaceholder("second");
  graph.output = ir::nodeTuple({first, second});
  const at::Tensor both = values({4});
  const auto compiled = aot_autograd::aotCompiler({})(std::move(graph), {both, both});
  const at::Tensor one = values({2}), other = values({3});
  const std::vector<at::Tensor> results = compiled->run({one, other});
  EXPECT_TRUE(at::equal(results[0], one));
  EXPECT_TRUE(at::equal(results[1], other));
}

TEST(AotCompilerTest, CompilersAreCalledOnceForInputsThatShareMemory) {
  const debugging::CountingCompiler forward, backward;
  CompiledCalls calls("x, y", kReads, {.forwardCompiler = forward, .backwardCompiler = backward});
  const at::Tensor memory = leaf({4}) * 1;
  const at::Tensor out = calls({memory, memory.view({4})})[0];
  EXPECT_EQ(forward.count().frames, 1) << "inputs that gradients flow to stay in one memory";
  EXPECT_EQ(backward.count().frames, 1);
  const at::Tensor read = values({4});
  calls({read, read.view({4})});
  EXPECT_EQ(forward.count().frames, 2) << "inputs that are only read are compiled for any memory";
  EXPECT_EQ(calls.compiled->report().graphs, 2);
}

TEST(AotCompilerTest, ARecordedBackwardIsNotHandedToACompiler) {
  const debugging::CountingCompiler forward, backward;
  CompiledCalls calls(
      "x, y", kReads,
      {.forwardCompiler = forward, .backwardCompiler = backward, .runs = aot_autograd::AotResult::kJoint});
  const at::Tensor x = leaf({4}), y = values({4}, 3), other = leaf({4});
  calls({x, y})[0].sum().backward();
  EXPECT_EQ(forward.count().frames, 1);
  EXPECT_EQ(backward.count().frames, 0);
  CompiledCalls::call(*calls.eager, {other, y})[0].sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), other.grad()));
}

TEST(AotCompilerTest, WritesToInputsStayInTheForwardGraphWhereNoGradientIsTraced) {
  struct {
    const char* body;
    int writes;
  } const programs[] = {{"x.mul_(2)\nreturn x.sin(), x, y[0]", 1},     {"x[0].add_(1)\nreturn x * y", 1},
                        {"x.mul_(2)\ny.copy_(x.t())\nreturn x[1]", 2}, {"x.t_()\nx.mul_(y)\nreturn x", 1},
                        {"x.detach().mul_(2)\nreturn x + y", 1},       {"return x + y", 0}};
  for (const auto& program : programs) {
    for (const bool keeps : {true, false}) {
      for (const bool overlap : {true, false}) {
        const auto written = std::make_shared<ForwardWrites>();
        CompiledCalls calls("x, y", program.body, {.observers = {written}, .keepInferenceInputMutations = keeps});
        const auto run = [&](values::Callable& callable) {
          const at::Tensor memory = values({3, 6}), x = memory.narrow(1, 0, 3),
                           y = overlap ? memory.narrow(1, 2, 3) : values({3, 3}, 5);
          std::vector<at::Tensor> results = CompiledCalls::call(callable, {x, y});
          results.insert(results.end(),
                         {memory, y, at::scalar_tensor(x._version() > 0), at::scalar_tensor(y._version() > 0)});
          return results;
        };
        if (overlap && std::string(program.body).find("copy_") != std::string::npos) {
          continue; // eager refuses
        }
        const std::vector<at::Tensor> expected = run(*calls.eager), found = run(*calls.compiled);
        for (size_t i = 0; i < expected.size(); ++i) {
          EXPECT_TRUE(at::equal(found.at(i), expected[i])) << program.body << ": " << i;
        }
        EXPECT_EQ(written->count, keeps ? program.writes : 0) << program.body;
      }
    }
  }
}

TEST(AotCompilerTest, WritesToInputsAreTheRuntimesWhereGradientsAreTraced) {
  const auto written = std::make_shared<ForwardWrites>();
  CompiledCalls calls("x, y", "x.mul_(2)\nreturn x * y", {.observers = {written}, .keepInferenceInputMutations = true});
  const at::Tensor x = values({3}), y = leaf({3});
  calls({x, y})[0].sum().backward();
  EXPECT_TRUE(at::equal(x, values({3}) * 2) && at::equal(y.grad(), x));
  EXPECT_EQ(written->count, 0);
}

TEST(AotCompilerTest, BackendsKeepWritesInTheForwardGraphUnlessAnOptionTurnsItOff) {
  const auto writes = [](const std::string& name, bool turnsOff) {
    CompiledCalls calls("x, y", "x.mul_(2)\nreturn x + y");
    if (turnsOff) {
      calls.theCase.compile.options.emplace_back("keep_inference_input_mutations", language::makeBool(false));
    }
    const auto written = std::make_shared<ForwardWrites>();
    const auto backend = native::makeNativeBackend(backends::backendInfo(name), {written});
    const at::Tensor x = values({3});
    CompiledCalls::call(*backend->compile(calls.theCase), {x, values({3}, 1)});
    EXPECT_TRUE(at::equal(x, values({3}) * 2)) << name;
    return written->count;
  };
  for (const char* name : {"aot_eager", "aot_eager_default_partitioner"}) {
    EXPECT_EQ(writes(name, false), 1) << name;
    EXPECT_EQ(writes(name, true), 0) << name;
  }
  EXPECT_EQ(writes("invoke_subgraph", false), 1);
  EXPECT_EQ(writes("aot_eager_decomp_partition", false), 0);
}

TEST(AotCompilerTest, OptionsReachThePipelineAndDoNotReplaceCompilers) {
  const auto compile = [](aot_autograd::AotOptions aot, const char* option) {
    CompiledCalls calls("x, y", "x.mul_(2)\nreturn x + y");
    const auto backend = native::makeCapturingBackend(
        backends::backendInfo("aot_eager"),
        {.compiler = debugging::lookUpCompiler(debugging::aotCompilerWithOptions("aot_eager", std::move(aot)),
                                               {{option, "True"}})});
    const auto compiled = backend->compile(calls.theCase);
    CompiledCalls::call(*compiled, {values({3}), values({3}, 1)});
  };
  const auto written = std::make_shared<ForwardWrites>();
  compile({.observers = {written}}, "keep_inference_input_mutations");
  EXPECT_EQ(written->count, 1);
  const debugging::CountingCompiler forward;
  const char* crossref = "fake_tensor_crossref";
  EXPECT_NE(errorOf([&] { compile({.forwardCompiler = forward}, crossref); }).find("Leave one of them out"),
            std::string::npos);
  EXPECT_EQ(errorOf([&] { compile({}, crossref); }), "");
  EXPECT_EQ(forward.count().frames, 0);
  EXPECT_EQ(errorOf([&] { compile({.forwardCompiler = forward}, "debug_interpreter"); }), "");
  EXPECT_EQ(forward.count().frames, 1) << "the debug interpreter looks at what the compiler made";
}

} // namespace
} // namespace touchstone::tests
