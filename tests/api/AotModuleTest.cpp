#include "tests/api/Comparison.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/relu.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>
#include <torch/utils.h>

namespace touchstone::aot {
namespace {

struct Perceptron : torch::nn::Module {
  Perceptron() {
    register_module("first", first);
    register_module("norm", norm);
    register_module("second", second);
  }
  at::Tensor forward(const at::Tensor& x) { return second(at::relu(norm(first(x)))); }

  torch::nn::Linear first{4, 8}, second{8, 2};
  torch::nn::BatchNorm1d norm{8};
};

/// Two modules with the same values.
struct Twins {
  std::shared_ptr<Perceptron> eager = seeded(), compiled = seeded();

  static std::shared_ptr<Perceptron> seeded() {
    torch::manual_seed(3);
    return std::make_shared<Perceptron>();
  }
  void expectSameState() const {
    expectSame(eager->buffers(), compiled->buffers());
    const Tensors left = eager->parameters(), right = compiled->parameters();
    for (size_t i = 0; i < left.size(); ++i) {
      expectSame({left[i], left[i].grad()}, {right[i], right[i].grad()});
    }
  }
};

Function forwardOf(const std::shared_ptr<Perceptron>& module) {
  return [module](const Tensors& x) -> Tensors { return {module->forward(x[0])}; };
}

std::vector<std::string> placeholderNames(const ir::Graph& graph) {
  std::vector<std::string> names;
  for (ir::NodeId placeholder : graph.placeholders()) {
    names.push_back(graph.node(placeholder).name);
  }
  return names;
}

TEST(AotModuleTest, GradientsReachParametersAndBuffersAreWrittenTo) {
  const Twins twins;
  const GraphFunction compiled =
      aotModuleSimplified(twins.compiled, forwardOf(twins.compiled), {at::randn({5, 4})}, {});
  twins.expectSameState(); // compiling leaves the module as it is
  for (int step = 0; step < 3; ++step) {
    const at::Tensor x = at::randn({5, 4});
    const at::Tensor expected = twins.eager->forward(x), actual = compiled({x})[0];
    expectSame({expected}, {actual});
    expected.pow(2).sum().backward();
    actual.pow(2).sum().backward();
    twins.expectSameState();
    EXPECT_EQ(twins.compiled->norm->num_batches_tracked.item<int64_t>(), step + 1);
    EXPECT_GT(twins.compiled->first->weight.grad().abs().sum().item<float>(), 0);
  }
}

TEST(AotModuleTest, ParametersBuffersAndArgumentsAreInputsInOrder) {
  const Twins twins;
  const auto forward = std::make_shared<SeenGraphs>();
  const GraphFunction compiled = aotModuleSimplified(twins.compiled, forwardOf(twins.compiled), {at::randn({5, 4})},
                                                     {.forwardCompiler = keeping(forward)});
  EXPECT_EQ(placeholderNames(forward->graphs.at(0)),
            (std::vector<std::string>{"first_weight", "first_bias", "norm_weight", "norm_bias", "second_weight",
                                      "second_bias", "norm_running_mean", "norm_running_var",
                                      "norm_num_batches_tracked", "x0"}));
  EXPECT_EQ(forward->count("aten::native_batch_norm") + forward->count("aten::_native_batch_norm_legit_functional") +
                forward->count("aten::native_batch_norm.out"),
            1u);
  EXPECT_TRUE(contains(codeOf(forward->graphs[0]), "first_weight: \"f32[8, 4]\""));
  EXPECT_TRUE(contains(thrownBy<c10::ValueError>([&] { compiled({}); }), "compiled for 1 arguments; got 0"));
  EXPECT_TRUE(contains(thrownBy<c10::ValueError>([&] { aotModuleSimplified(nullptr, forwardOf(nullptr), {}); }),
                       "a module is needed"));
  EXPECT_TRUE(
      contains(thrownBy<c10::ValueError>([&] { aotModuleSimplified(twins.compiled, nullptr, {}); }), "a function"));
}

TEST(AotModuleTest, DecompositionsAndThePartitionAreTheModules) {
  const Twins twins;
  const auto seen = std::make_shared<SeenGraphs>();
  const at::Tensor x = at::randn({5, 4});
  const GraphFunction compiled = aotModuleSimplified(
      twins.compiled, forwardOf(twins.compiled), {x},
      {.forwardCompiler = keeping(seen), .decompositions = Decompositions::all(), .partition = Partition::kMinCut});
  const at::Tensor expected = twins.eager->forward(x), actual = compiled({x})[0];
  EXPECT_TRUE(at::allclose(expected, actual, 1e-4, 1e-5));
  expected.pow(2).sum().backward();
  actual.pow(2).sum().backward();
  for (size_t i = 0; i < twins.eager->parameters().size(); ++i) {
    EXPECT_TRUE(at::allclose(twins.eager->parameters()[i].grad(), twins.compiled->parameters()[i].grad(), 1e-3, 1e-4));
  }
  EXPECT_TRUE(at::allclose(twins.eager->norm->running_var, twins.compiled->norm->running_var));
  for (const char* target :
       {"aten::native_batch_norm", "aten::native_batch_norm_backward", "aten::threshold_backward"}) {
    EXPECT_EQ(seen->count(target), 0u) << target;
  }
}

TEST(AotModuleTest, AModuleIsCompiledAnewForOtherArguments) {
  const Twins twins;
  const CompiledFunction compiled = aotModule(twins.compiled, forwardOf(twins.compiled));
  for (int64_t rows : {5, 5, 7}) {
    const at::Tensor x = at::randn({rows, 4});
    const at::Tensor expected = twins.eager->forward(x), actual = compiled({x})[0];
    expectSame({expected}, {actual});
    expected.sum().backward();
    actual.sum().backward();
    twins.expectSameState();
  }
  EXPECT_EQ(compiled.report().graphs, 2);
  const c10::AutoGradMode off(false);
  const at::Tensor x = at::randn({5, 4});
  expectSame({twins.eager->forward(x)}, compiled({x}));
  EXPECT_EQ(compiled.report().graphs, 3);
}

TEST(AotModuleTest, WithoutGradientsOneGraphIsCompiled) {
  const Twins twins;
  twins.eager->eval();
  twins.compiled->eval();
  const auto forward = std::make_shared<SeenGraphs>(), inference = std::make_shared<SeenGraphs>();
  const at::Tensor x = at::randn({5, 4});
  const c10::AutoGradMode off(false);
  const GraphFunction compiled =
      aotModuleSimplified(twins.compiled, forwardOf(twins.compiled), {x},
                          {.forwardCompiler = keeping(forward), .inferenceCompiler = keeping(inference)});
  expectSame({twins.eager->forward(x)}, compiled({x}));
  EXPECT_FALSE(compiled({x})[0].requires_grad());
  EXPECT_TRUE(forward->graphs.empty());
  EXPECT_EQ(inference->graphs.size(), 1u);
  twins.expectSameState();
}

TEST(AotModuleTest, TheModuleLivesAsLongAsWhatWasCompiled) {
  std::weak_ptr<Perceptron> watched;
  GraphFunction compiled;
  {
    const auto module = Twins::seeded();
    watched = module;
    compiled = aotModuleSimplified(
        module, [raw = module.get()](const Tensors& x) -> Tensors { return {raw->forward(x[0])}; }, {at::ones({5, 4})});
  }
  EXPECT_FALSE(watched.expired());
  EXPECT_TRUE(compiled({at::randn({5, 4})})[0].requires_grad());
  compiled = nullptr;
  EXPECT_TRUE(watched.expired());
}

TEST(AotModuleTest, AReturnedParameterIsTheParameter) {
  const auto linear = std::make_shared<torch::nn::LinearImpl>(3, 2);
  const GraphFunction compiled = aotModuleSimplified(linear,
                                                     [linear](const Tensors& x) -> Tensors {
                                                       return {linear->weight, x[0], x[0].mm(linear->weight.t())};
                                                     },
                                                     {at::ones({1, 3})});
  const at::Tensor x = at::randn({1, 3});
  const Tensors results = compiled({x});
  EXPECT_TRUE(results[0].is_same(linear->weight));
  EXPECT_TRUE(results[1].is_same(x));
  expectSame({results[2]}, {x.mm(linear->weight.t())});
}

TEST(AotModuleTest, ACapturedGraphIsCompiled) {
  const Function function = [](const Tensors& x) -> Tensors { return {x[0].sin() * x[1], x[1]}; };
  const at::Tensor x = at::randn({3}).requires_grad_(), y = at::randn({3}).requires_grad_(), unread = at::ones({2});
  const ir::Graph graph = capture(function, {x, y, unread});
  EXPECT_EQ(placeholderNames(graph), (std::vector<std::string>{"x0", "x1", "x2"}));
  EXPECT_EQ(graph.operatorCount(), 2);
  expectSame(interpret(graph)({x, y, unread}), function({x, y}));
  const GraphFunction compiled = aotModuleSimplified(graph, {x, y, unread});
  const Tensors actual = compiled({x, y, unread});
  expectSame(function({x, y}), actual);
  EXPECT_TRUE(actual[1].is_same(y));
  expectSame(gradientsOf(function({x, y}), {x, y}), gradientsOf(actual, {x, y}));
  EXPECT_TRUE(contains(thrownBy<c10::ValueError>([&] { compiled({x}); }), "compiled for 3 inputs; got 1"));
  EXPECT_TRUE(
      contains(thrownBy<c10::ValueError>([&] { aotModuleSimplified(graph, {x}); }), "3 placeholders; got 1 examples"));
}

TEST(AotModuleTest, OneTensorTwiceIsOneInput) {
  const Function function = [](const Tensors& x) -> Tensors { return {x[0] * x[1]}; };
  const at::Tensor x = at::randn({3}).requires_grad_();
  const GraphFunction compiled = aotModuleSimplified(capture(function, {x, x}), {x, x});
  const Tensors results = compiled({x, x});
  expectSame(results, {x * x});
  expectSame(gradientsOf(results, {x}), gradientsOf({x * x}, {x}));
}

TEST(AotModuleTest, AGraphThatAnOperatorIsMissingForIsRefused) {
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x");
  graph.addOperator("aten::no_such_operator", {ir::Argument{ir::NodeReference{x}}});
  EXPECT_FALSE(thrownBy<c10::Error>([&] { interpret(graph); }).empty());
}

} // namespace
} // namespace touchstone::aot
