#include <touchstone/compilers.h>

#include "tests/api/Comparison.h"
#include "tests/graph/PythonProcess.h"

#include <ATen/ops/elu.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/hardsigmoid.h>
#include <ATen/ops/hardswish.h>
#include <ATen/ops/hardtanh.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/threshold.h>
#include <c10/core/InferenceMode.h>
#include <torch/nn/modules/linear.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <latch>
#include <limits>
#include <map>
#include <sstream>
#include <thread>

namespace touchstone::aot {
namespace {

namespace fs = std::filesystem;

Tensors sinTimesWeight(const Tensors& x) {
  return {x[0].sin() * x[1]};
}

/// Keeps what is warned of, as long as it is there.
class WarningsSeen final : public c10::WarningHandler {
 public:
  void process(const c10::Warning& warning) override { text_ += warning.msg() + "\n"; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  const c10::WarningUtils::WarningHandlerGuard guard_{this};
};

class CompilersTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("touchstone_compilers_" + std::to_string(getpid()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// What a function compiled with these options gives, gradients included, beside what eager gives.
  static void expectEagers(const CompiledFunction& compiled, const Function& function, bool exact = true,
                           at::ScalarType dtype = at::kFloat) {
    const at::Tensor x = at::randn({3, 4}, dtype).requires_grad_(), w = at::randn({3, 4}, dtype).requires_grad_();
    const Tensors expected = function({x, w}), actual = compiled({x, w});
    const Tensors wanted = gradientsOf(expected, {x, w}), got = gradientsOf(actual, {x, w});
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_TRUE(exact ? at::equal(expected[i], actual[i]) : at::allclose(expected[i], actual[i]));
    }
    for (size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_TRUE(exact ? at::equal(wanted[i], got[i]) : at::allclose(wanted[i], got[i], 1e-5, 1e-6));
    }
  }
  static std::string read(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  fs::path folder_;
};

TEST_F(CompilersTest, NopLeavesTheGraphAsItIs) {
  expectEagers(aotFunction(sinTimesWeight, {.forwardCompiler = nop()}), sinTimesWeight);
}

TEST_F(CompilersTest, AGraphRunsInTheStateOfTheCall) {
  const CompiledFunction compiled = aotFunction(sinTimesWeight, {.forwardCompiler = nop()});
  const at::Tensor x = at::randn({3, 4}).requires_grad_(), w = at::randn({3, 4});
  const c10::InferenceMode inference; // in which nothing is saved for a backward
  const at::Tensor actual = compiled({x, w})[0];
  EXPECT_TRUE(actual.is_inference());
  EXPECT_TRUE(at::equal(actual, sinTimesWeight({x, w})[0]));
}

TEST_F(CompilersTest, PrintCompileGivesTheCodeOfEachGraph) {
  std::vector<std::string> codes;
  const Compiler compiler = printCompile([&](const std::string& code) { codes.push_back(code); });
  expectEagers(aotFunction(sinTimesWeight, {.forwardCompiler = compiler}), sinTimesWeight);
  ASSERT_EQ(codes.size(), 2u);
  EXPECT_TRUE(contains(codes[0], ": \"f32[3, 4]\" = torch.ops.aten.sin.default(")) << codes[0];
  EXPECT_TRUE(contains(codes[1], "torch.ops.aten.cos.default(")) << codes[1];
}

TEST_F(CompilersTest, DebugNopFindsWhatWasTracedWrong) {
  expectEagers(aotFunction(sinTimesWeight, {.forwardCompiler = debugNop()}), sinTimesWeight);
  ir::Graph graph = capture(sinTimesWeight, {at::randn({3, 4}), at::randn({3, 4})});
  for (const ir::NodeId id : graph.placeholders()) {
    graph.node(id).metadata->sizes = {4, 3};
  }
  EXPECT_TRUE(contains(thrownBy<std::runtime_error>([&] {
                         debugNop()(graph, {})({at::randn({3, 4}), at::randn({3, 4})});
                       }),
                       "size: expected [4, 3], as traced, got [3, 4]"));
}

TEST_F(CompilersTest, TheDebugInterpreterIsASwitchAtRunTime) {
  for (const bool isForward : {true, false}) { // which Graph is traced wrong
    int compiles = 0;
    const Compiler compiler = [&](const ir::Graph& graph, const Tensors& examples) {
      ir::Graph wrong = graph;
      if (++compiles == (isForward ? 1 : 2)) {
        for (size_t i = 0; i < wrong.nodes().size(); ++i) {
          ir::Node& node = wrong.node(static_cast<ir::NodeId>(i));
          if (node.metadata && node.target == "aten::mul.Tensor") {
            node.metadata->sizes = {5, 7};
          }
        }
      }
      return nop()(wrong, examples);
    };
    const CompiledFunction compiled = aotFunction(sinTimesWeight, {.forwardCompiler = compiler});
    const at::Tensor x = at::randn({3, 4}).requires_grad_(), w = at::randn({3, 4});
    const auto run = [&] { compiled({x, w})[0].backward(at::ones({3, 4})); };
    run();
    {
      const DebugInterpreterScope checked;
      EXPECT_TRUE(contains(thrownBy<std::runtime_error>(run), "size: expected [5, 7], as traced, got [3, 4]"));
    }
    run();
    EXPECT_EQ(compiles, 2);
  }
}

TEST_F(CompilersTest, DrawGraphCompileDrawsEachGraphIntoAFileOfItsOwn) {
  for (int round = 0; round < 2; ++round) {
    expectEagers(
        aotFunction(sinTimesWeight, {.forwardCompiler = drawGraphCompile(folder_ / "net", {.clearMeta = false})}),
        sinTimesWeight);
  }
  int pictures = 0;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string text = read(entry.path());
    EXPECT_TRUE(contains(text, "sin") || contains(text, "cos")) << entry.path();
    EXPECT_TRUE(contains(text, "f32[3, 4]"));
    EXPECT_TRUE(contains(text, "pointwise")) << "the legend says what the colours mean";
    ++pictures;
  }
  EXPECT_EQ(pictures, 4);
}

TEST_F(CompilersTest, DrawingsOfSeveralThreadsHaveFilesOfTheirOwn) {
  const std::string path = getenv("PATH");
  for (const bool hasGraphviz : {true, false}) {
    fs::create_directories(folder_ / "empty");
    setenv("PATH", hasGraphviz ? path.c_str() : (folder_ / "empty").c_str(), 1);
    constexpr int kThreads = 8;
    std::latch start(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        const Function function = [](const Tensors& x) -> Tensors { return {x[0].sin()}; };
        const ir::Graph graph = capture(function, {at::randn({100 + i})});
        start.arrive_and_wait();
        drawGraphCompile(folder_ / "net", {.clearMeta = false, .print = false})(graph, {});
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    setenv("PATH", path.c_str(), 1);
  }
  std::map<std::string, int> drawn; // by the size of what is drawn
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string text = entry.is_directory() ? "" : read(entry.path());
    for (int i = 100; i < 108; ++i) {
      drawn[std::to_string(i)] += contains(text, "f32[" + std::to_string(i) + "]") ? 1 : 0;
    }
  }
  for (const auto& [number, files] : drawn) {
    EXPECT_EQ(files, 2) << number;
  }
}

TEST_F(CompilersTest, DrawGraphCompileWritesTextWhereThereIsNoGraphviz) {
  const std::string path = getenv("PATH");
  setenv("PATH", folder_.c_str(), 1);
  const ir::Graph graph = capture(sinTimesWeight, {at::randn({3, 4}), at::randn({3, 4})});
  testing::internal::CaptureStdout();
  drawGraphCompile(folder_ / "net")(graph, {});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), codeOf(graph));
  setenv("PATH", path.c_str(), 1);
  const std::string text = read(folder_ / "net.dot");
  EXPECT_TRUE(contains(text, "digraph touchstone") && !contains(text, "f32[3, 4]")) << text;
}

TEST_F(CompilersTest, TorchScriptCompilersAreCompilersOfThePipeline) {
  expectEagers(aotFunction(sinTimesWeight, {.forwardCompiler = tsCompile()}), sinTimesWeight, false);
  expectEagers(aotFunction(sinTimesWeight, {.forwardCompiler = simpleTsCompile()}), sinTimesWeight, false);
  expectEagers(nncJit(sinTimesWeight), sinTimesWeight, false);
}

TEST_F(CompilersTest, MemoryEfficientFusionWrapsFunctionsAndModules) {
  const Function function = [](const Tensors& x) -> Tensors { return {at::silu(x[0].sin().cos()).mul(x[1])}; };
  expectEagers(memoryEfficientFusion(function), function, false);

  const auto seen = std::make_shared<SeenGraphs>(), plain = std::make_shared<SeenGraphs>();
  Options options = fusionOptions();
  options.forwardCompiler = keeping(seen);
  expectEagers(memoryEfficientFusion(function, options), function, false);
  expectEagers(aotFunction(function, {.forwardCompiler = keeping(plain)}), function);
  EXPECT_EQ(plain->count("aten::silu_backward"), 1u);
  EXPECT_EQ(seen->count("aten::silu_backward"), 0u) << "it is decomposed";
  EXPECT_GT(seen->count("aten::sin"), plain->count("aten::sin")) << "it is computed again rather than saved";

  const auto model = std::make_shared<torch::nn::LinearImpl>(4, 2);
  const Function forward = [model](const Tensors& x) -> Tensors { return {at::silu((*model).forward(x[0]))}; };
  const at::Tensor x = at::randn({3, 4});
  const Tensors expected = forward({x}), actual = memoryEfficientFusion(model, forward)({x});
  EXPECT_TRUE(at::allclose(expected[0], actual[0]));
  const Tensors wanted = gradientsOf(expected, {model->weight, model->bias}),
                got = gradientsOf(actual, {model->weight, model->bias});
  EXPECT_TRUE(at::allclose(wanted[0], got[0]) && at::allclose(wanted[1], got[1]));
}

TEST_F(CompilersTest, TheDefaultDecompositionsGiveEagersValuesAndGradients) {
  const std::vector<std::pair<const char*, std::function<at::Tensor(const at::Tensor&)>>> functions{
      {"aten::gelu_backward", [](const at::Tensor& x) { return at::gelu(x); }},
      {"aten::leaky_relu_backward", [](const at::Tensor& x) { return at::leaky_relu(x, 0.2); }},
      {"aten::leaky_relu", [](const at::Tensor& x) { return at::leaky_relu(x); }},
      {"aten::sigmoid_backward", [](const at::Tensor& x) { return x.sigmoid(); }},
      {"aten::threshold_backward", [](const at::Tensor& x) { return at::threshold(x, 0.5, 2); }},
      {"aten::hardsigmoid_backward", [](const at::Tensor& x) { return at::hardsigmoid(x.mul(2)); }},
      {"aten::hardsigmoid", [](const at::Tensor& x) { return at::hardsigmoid(x.mul(3)); }},
      {"aten::tanh_backward", [](const at::Tensor& x) { return x.tanh(); }},
      {"aten::silu_backward", [](const at::Tensor& x) { return at::silu(x); }},
      {"aten::masked_fill.Scalar", [](const at::Tensor& x) { return x.masked_fill(x > 0, 3); }},
      {"aten::masked_fill.Tensor", [](const at::Tensor& x) { return x.masked_fill(x > 0, x.sum().detach()); }},
      {"aten::elu", [](const at::Tensor& x) { return at::elu(x); }},
      {"aten::hardtanh", [](const at::Tensor& x) { return at::hardtanh(x); }},
      {"aten::hardswish", [](const at::Tensor& x) { return at::hardswish(x.mul(3)); }},
      {"aten::elu_backward", [](const at::Tensor& x) { return at::elu(x, 1.5, 1.25, 0.75); }},
      {"aten::hardtanh_backward", [](const at::Tensor& x) { return at::hardtanh(x); }},
      {"aten::hardswish_backward", [](const at::Tensor& x) { return at::hardswish(x.mul(3)); }},
  };
  const Decompositions defaults = Decompositions::named("default_decompositions");
  std::vector<std::string> names;
  for (const auto& [target, call] : functions) {
    names.push_back(target);
    const Function function = [&call = call](const Tensors& x) -> Tensors { return {call(x[0]) * x[1]}; };
    const auto seen = std::make_shared<SeenGraphs>(), plain = std::make_shared<SeenGraphs>();
    // Of float32 another library computes a gelu, and that is left as it is.
    expectEagers(aotFunction(function, {.forwardCompiler = keeping(plain)}), function, true, at::kDouble);
    expectEagers(aotFunction(function, {.forwardCompiler = keeping(seen), .decompositions = defaults}), function, false,
                 at::kDouble);
    EXPECT_EQ(seen->count(target), 0u) << target;
    EXPECT_GT(plain->count(target), 0u) << target;
  }
  // No Graph for the CPU holds these; backends.DecompositionsTest calls them.
  names.insert(names.end(), {"aten::conj_physical", "aten::cudnn_batch_norm", "aten::cudnn_batch_norm_backward",
                             "aten::detach", "aten::is_same_size"});
  std::sort(names.begin(), names.end());
  EXPECT_EQ(defaults.operators(), names) << "each of the table is tried here";
  EXPECT_EQ(names.size(), 22u);
  EXPECT_TRUE(contains(thrownBy<std::invalid_argument>([] { Decompositions::named("mine"); }), "`inductor`"));
}

TEST_F(CompilersTest, GraphDumperAotWritesFoldersThatCanBeReadAgain) {
  const at::Tensor x = at::randn({3, 4}).requires_grad_(), w = at::randn({3, 4}).requires_grad_();
  const Compiler dumper = graphDumperAot("net", folder_, true);
  for (int i = 0; i < 2; ++i) {
    const Tensors actual = dumper(capture(sinTimesWeight, {x, w}), {x, w})({x, w});
    EXPECT_TRUE(at::equal(actual[0], x.sin() * w));
    actual[0].backward(at::ones_like(actual[0]));
    const fs::path folder = folder_ / ("net_" + std::to_string(i));
    EXPECT_TRUE(fs::exists(folder / "backward" / "values.bin"));
    const ir::Graph forward = getGraph(folder, "forward");
    const Tensors inputs = getInputs(folder / "forward" / "inputs.json");
    ASSERT_EQ(inputs.size(), forward.placeholders().size());
    EXPECT_TRUE(at::equal(interpret(forward)(inputs)[0].reshape(-1), (inputs[0].sin() * inputs[1]).reshape(-1)));
    EXPECT_EQ(getGraph(folder, "joint").placeholders().size(), 3u);
  }
  EXPECT_THROW(getGraph(folder_, "forward"), std::runtime_error);
}

TEST_F(CompilersTest, TheInputsOfADumpedJointGraphAreInTwoParts) {
  const at::Tensor x = at::randn({3, 4}).requires_grad_(), w = at::randn({3, 4}).requires_grad_();
  graphDumperAot("net", folder_)(capture(sinTimesWeight, {x, w}), {x, w});
  const JointInputs inputs = getJointInputs(folder_ / "net_0" / "joint" / "inputs.json");
  ASSERT_EQ(inputs.primals.size(), 2u);
  ASSERT_EQ(inputs.tangents.size(), 1u);
  Tensors all = inputs.primals;
  all.push_back(inputs.tangents[0]);
  const Tensors results = interpret(getGraph(folder_ / "net_0", "joint"))(all);
  const at::Tensor gradient = inputs.tangents[0] * inputs.primals[0].sin();
  EXPECT_TRUE(std::ranges::any_of(results, [&](const at::Tensor& each) { return at::allclose(each, gradient); }));
  EXPECT_EQ(getInputs(folder_ / "net_0" / "joint" / "inputs.json").size(), 3u);
  const auto ofForward = [&] { getJointInputs(folder_ / "net_0" / "forward" / "inputs.json"); };
  EXPECT_TRUE(contains(thrownBy<std::runtime_error>(ofForward), "does not say which inputs are tangents"));
}

TEST_F(CompilersTest, AGraphWithoutNodesIsWarnedOfAndNotWritten) {
  WarningsSeen warnings;
  const Compiler dumper = graphDumperAot("net", folder_);
  ir::Graph empty;
  empty.output.payload = ir::Argument::Container{ir::Argument::Container::Kind::kTuple, {}, {}};
  EXPECT_TRUE(dumper(empty, {})({}).empty());
  EXPECT_TRUE(contains(warnings.text(), "does not write the Graph `forward`: the Graph has no nodes"))
      << warnings.text();
  EXPECT_FALSE(fs::exists(folder_ / "net_0" / "forward"));
}

TEST_F(CompilersTest, NumbersAmongTheInputsAreWrittenAsNumbers) {
  const ir::Graph graph = capture(sinTimesWeight, {at::randn({3, 4}), at::randn({3, 4})});
  const std::vector<at::Scalar> numbers{int64_t{3}, 2.5, std::numeric_limits<double>::infinity()};
  for (size_t i = 0; i < numbers.size(); ++i) {
    at::Tensor number = at::scalar_tensor(numbers[i], numbers[i].isFloatingPoint() ? at::kDouble : at::kLong);
    number.unsafeGetTensorImpl()->set_wrapped_number(true);
    testing::internal::CaptureStdout();
    debugCompile(folder_, "part")(graph, {at::randn({3, 4}), number});
    testing::internal::GetCapturedStdout();
    const fs::path folder = folder_ / ("part_" + std::to_string(i)) / "forward";
    const Tensors inputs = getInputs(folder / "inputs.json");
    EXPECT_TRUE(at::equal(inputs.at(1), number) && inputs[1].scalar_type() == number.scalar_type());
    EXPECT_TRUE(inputs[1].unsafeGetTensorImpl()->is_wrapped_number());
    EXPECT_EQ(inputs[0].sizes(), at::IntArrayRef({3, 4}));
    const tests::PythonResult script = tests::runPython(
        "import runpy, sys\nrunpy.run_path(sys.argv[1] + '/graph.py', run_name='__main__')\n", folder.string());
    EXPECT_TRUE(script.status == 0 && contains(script.output, "output 0: torch.float32 (3, 4)")) << script.output;
  }
}

TEST_F(CompilersTest, DebugCompileRunsWhatItWrote) {
  const ir::Graph graph = capture(sinTimesWeight, {at::randn({3, 4}), at::randn({3, 4})});
  ir::Graph wrong = graph; // traced of tensors that can be multiplied, and of others by what is written down
  wrong.node(wrong.placeholders().at(1)).metadata->sizes = {5, 7};
  testing::internal::CaptureStdout();
  EXPECT_TRUE(contains(thrownBy<c10::Error>([&] { debugCompile(folder_, "part")(wrong, {}); }), "must match the size"));
  debugCompile(folder_, "part")(graph, {});
  const std::string said = testing::internal::GetCapturedStdout();
  EXPECT_TRUE(contains(said, "touchstone reduce " + (folder_ / "part_1").string())) << said;
}

TEST_F(CompilersTest, DebugCompileWritesTheGraphAndCompilesIt) {
  testing::internal::CaptureStdout();
  expectEagers(aotFunction(sinTimesWeight, {.forwardCompiler = debugCompile(folder_, "part")}), sinTimesWeight, false);
  const std::string said = testing::internal::GetCapturedStdout();
  EXPECT_TRUE(contains(said, "touchstone run " + (folder_ / "part_1").string())) << said;
  EXPECT_TRUE(contains(read(folder_ / "part_0" / "forward" / "graph.py"), "torch.ops.aten.sin.default("));
  EXPECT_TRUE(contains(read(folder_ / "part_1" / "forward" / "graph.py"), "torch.ops.aten.cos.default("));
}

/// Loads a graph.py as a module, calls its Graph with the inputs that are written down beside it, and writes the outputs' bytes.
constexpr const char* kRunAsModule = R"(
import importlib.util, pathlib, sys
import torch

folder = pathlib.Path(sys.argv[1])
spec = importlib.util.spec_from_file_location("graph", folder / "graph.py")
graph = importlib.util.module_from_spec(spec)
spec.loader.exec_module(graph)
outputs = graph.run_graphforward(*graph.inputs_like(folder / "inputs.json"))
for number, output in enumerate(outputs):
    print(output.dtype, tuple(output.shape))
    (folder / f"{number}.bytes").write_bytes(bytes(output.contiguous().untyped_storage().tolist()))
)";

TEST_F(CompilersTest, WhatDebugCompileWroteRunsAsAScriptAsAModuleAndInTouchstone) {
  testing::internal::CaptureStdout();
  expectEagers(aotFunction(sinTimesWeight, {.forwardCompiler = debugCompile(folder_, "part")}), sinTimesWeight, false);
  testing::internal::GetCapturedStdout();
  for (const char* part : {"part_0", "part_1"}) {
    const fs::path folder = folder_ / part / "forward";
    const Tensors inputs = getInputs(folder / "inputs.json");
    const Tensors expected = interpret(getGraph(folder_ / part, "forward"))(inputs);

    const tests::PythonResult module = tests::runPython(kRunAsModule, folder.string());
    ASSERT_EQ(module.status, 0) << module.output;
    for (size_t i = 0; i < expected.size(); ++i) {
      std::string bytes = read(folder / (std::to_string(i) + ".bytes"));
      ASSERT_EQ(bytes.size(), expected[i].nbytes()) << module.output;
      const at::Tensor actual = at::from_blob(bytes.data(), expected[i].sizes(), expected[i].options());
      EXPECT_TRUE(at::equal(actual, expected[i])) << part << "\n" << actual << "\n" << expected[i];
    }
    const tests::PythonResult script = tests::runPython(
        "import runpy, sys\nrunpy.run_path(sys.argv[1] + '/graph.py', run_name='__main__')\n", folder.string());
    EXPECT_EQ(script.status, 0) << script.output;
    EXPECT_TRUE(contains(script.output, "output 0: torch.float32 (3, 4) (4, 1)")) << script.output;
    const std::string again = std::string(TOUCHSTONE_BINARY_DIR) + "/harness/touchstone run " +
                              (folder_ / part).string() + " >" + (folder_ / "said").string() + " 2>&1";
    EXPECT_EQ(std::system(again.c_str()), 0) << read(folder_ / "said");
    EXPECT_TRUE(contains(read(folder_ / "said"), "ran on inputs like those that it was compiled for"));
  }
  const Tensors inputs = getInputs(folder_ / "part_0" / "forward" / "inputs.json");
  EXPECT_TRUE(at::equal(interpret(getGraph(folder_ / "part_0", "forward"))(inputs).at(0),
                        sinTimesWeight({inputs.at(0), inputs.at(1)}).at(0)));
}

TEST_F(CompilersTest, DebugCompileTakesFromTheExamplesWhatTheNodesDoNotTell) {
  ir::Graph graph = capture(sinTimesWeight, {at::randn({3, 4}), at::randn({3, 4})});
  graph.node(graph.placeholders().at(1)).metadata.reset();
  const at::Tensor example = at::empty({3, 4}, at::TensorOptions().device(at::kMeta));
  testing::internal::CaptureStdout();
  debugCompile(folder_, "part")(graph, {example, example});
  debugCompile(folder_, "part")(graph, {});
  const std::string said = testing::internal::GetCapturedStdout();
  EXPECT_TRUE(contains(said, "touchstone run " + (folder_ / "part_0").string())) << said;
  const Tensors inputs = getInputs(folder_ / "part_0" / "forward" / "inputs.json");
  EXPECT_EQ(interpret(getGraph(folder_ / "part_0", "forward"))(inputs).at(0).sizes(), example.sizes());
  EXPECT_TRUE(!contains(said, "touchstone run " + (folder_ / "part_1").string()) &&
              contains(said, "cannot be run again: nothing is known of the input `"))
      << said;
}

} // namespace
} // namespace touchstone::aot
