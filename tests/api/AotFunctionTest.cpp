#include "tests/api/Comparison.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace touchstone::aot {
namespace {

Tensors sinTimes(const Tensors& x) {
  return {x[0].sin() * x[1], x[1]};
}

TEST(AotFunctionTest, ValuesAndGradientsAreEagers) {
  const CompiledFunction compiled = aotFunction(sinTimes);
  for (int64_t size : {3, 3, 5}) {
    const at::Tensor x = at::randn({size}).requires_grad_(), y = at::randn({size}).requires_grad_();
    const Tensors expected = sinTimes({x, y}), actual = compiled({x, y});
    expectSame(expected, actual);
    EXPECT_TRUE(actual[1].is_same(y));
    expectSame(gradientsOf(expected, {x, y}), gradientsOf(actual, {x, y}));
  }
  EXPECT_EQ(compiled.report().graphs, 2);
  EXPECT_EQ(compiled.report().compiledRuns, 3);
  ASSERT_EQ(compiled.report().recompiles.size(), 1u);
  EXPECT_TRUE(contains(compiled.report().recompiles[0], "size mismatch")) << compiled.report().recompiles[0];
  const CompiledFunction copy = compiled;
  copy({at::randn({3}).requires_grad_(), at::randn({3}).requires_grad_()});
  EXPECT_EQ(compiled.report().compiledRuns, 4);
}

TEST(AotFunctionTest, AnotherNumberOfArgumentsCompilesAnew) {
  const CompiledFunction compiled = aotFunction([](const Tensors& x) -> Tensors { return {x[0] + double(x.size())}; });
  const at::Tensor x = at::randn({3});
  for (size_t count : {1u, 2u, 1u, 3u, 2u}) {
    EXPECT_TRUE(at::equal(compiled(Tensors(count, x))[0], x + double(count))) << count;
  }
  EXPECT_EQ(compiled.report().graphs, 3);
}

TEST(AotFunctionTest, ArgumentsAreWrittenToAsInEager) {
  const Function function = [](const Tensors& x) -> Tensors {
    x[0].mul_(2);
    return {x[0].t(), at::Tensor()};
  };
  const CompiledFunction compiled = aotFunction(function);
  const at::Tensor x = at::ones({2, 3}), results = compiled({x})[0];
  EXPECT_TRUE(at::equal(x, at::ones({2, 3}) * 2));
  EXPECT_TRUE(results.is_alias_of(x));
  EXPECT_FALSE(compiled({x})[1].defined());
}

at::Tensor twice(const at::Tensor& x, const at::Tensor&) {
  return x * 2;
}

/// The backward reads at an index, and moves it on.
struct StepsOn : torch::autograd::Function<StepsOn> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x, const at::Tensor& index) {
    context->saved_data["index"] = index;
    const at::AutoDispatchBelowADInplaceOrView below;
    return x * 2;
  }
  static Tensors backward(torch::autograd::AutogradContext* context, const Tensors& gradients) {
    const at::Tensor index = context->saved_data["index"].toTensor();
    const at::Tensor read = gradients[0].index_select(0, index);
    index.add_(1);
    return {read, at::Tensor()};
  }
};

TORCH_LIBRARY(aot_function_test, library) {
  library.def("steps_on(Tensor x, Tensor index) -> Tensor");
  library.impl("steps_on", torch::dispatch(c10::DispatchKey::CPU, TORCH_FN(twice)));
  library.impl("steps_on", torch::dispatch(c10::DispatchKey::Meta, TORCH_FN(twice)));
  library.impl("steps_on",
               torch::dispatch(c10::DispatchKey::Autograd,
                               [](const at::Tensor& x, const at::Tensor& index) { return StepsOn::apply(x, index); }));
}

TEST(AotFunctionTest, ABackwardThatIsRecordedLeavesExamplesAsTheyWere) {
  const auto function = [](const Tensors& x) -> Tensors {
    static const auto op = c10::Dispatcher::singleton()
                               .findSchemaOrThrow("aot_function_test::steps_on", "")
                               .typed<at::Tensor(const at::Tensor&, const at::Tensor&)>();
    return {op.call(x[0], x[1]).sin()};
  };
  const CompiledFunction compiled = aotFunction(function, {.traceWithValues = true});
  const at::Tensor dense = at::randn({3, 2});
  // Each layout is recorded. If one moved the index for the next, that would read behind the end.
  for (const at::Tensor& tangent : {dense, dense.t().contiguous().t(), dense.select(0, 0).expand({3, 2}),
                                    dense.select(1, 0).unsqueeze(1).expand({3, 2}), at::ones({}).expand({3, 2})}) {
    Tensors gradients;
    for (const auto& called : {Function(function), Function(compiled)}) {
      const at::Tensor x = at::ones({3, 2}).requires_grad_(), index = at::zeros({3}, at::kLong);
      called({x, index})[0].backward(tangent);
      EXPECT_TRUE(at::equal(index, at::ones({3}, at::kLong)));
      gradients.push_back(x.grad());
    }
    EXPECT_TRUE(at::equal(gradients[0], gradients[1]));
  }
}

TEST(AotFunctionTest, CompilersAreAskedAndWhatTheyReturnRuns) {
  const auto forward = std::make_shared<SeenGraphs>(), backward = std::make_shared<SeenGraphs>(),
             inference = std::make_shared<SeenGraphs>();
  const CompiledFunction compiled = aotFunction(sinTimes, {.forwardCompiler = keeping(forward),
                                                           .backwardCompiler = keeping(backward),
                                                           .inferenceCompiler = keeping(inference)});
  const at::Tensor x = at::randn({3}).requires_grad_(), y = at::randn({3});
  const Tensors results = compiled({x, y});
  EXPECT_EQ(forward->graphs.size(), 1u);
  EXPECT_EQ(forward->count("aten::sin"), 1u);
  EXPECT_TRUE(forward->examples[0].at(0).is_meta());
  EXPECT_EQ(forward->examples[0][0].sizes(), x.sizes());
  EXPECT_EQ(backward->graphs.size(), 1u);
  EXPECT_EQ(backward->count("aten::cos"), 1u);
  EXPECT_TRUE(inference->graphs.empty());
  compiled({x.detach(), y});
  EXPECT_EQ(inference->graphs.size(), 1u);
  EXPECT_EQ(forward->graphs.size(), 1u);

  const auto zeros = [](const ir::Graph& graph, const Tensors&) -> GraphFunction {
    return [run = interpret(graph)](Tensors inputs) {
      Tensors results = run(std::move(inputs));
      for (at::Tensor& result : results) {
        result = at::zeros_like(result);
      }
      return results;
    };
  };
  const at::Tensor zero = aotFunction(sinTimes, {.inferenceCompiler = zeros})({x.detach(), y})[0];
  EXPECT_TRUE(at::equal(zero, at::zeros({3})));
  const Tensors right = aotFunction(sinTimes, {.backwardCompiler = zeros})({x, y});
  expectSame({right[0]}, {x.sin() * y});
  expectSame(gradientsOf({right[0]}, {x}), {at::zeros({3})});
  // Without a compiler of its own the backward is the forward compiler's.
  const auto both = std::make_shared<SeenGraphs>();
  aotFunction(sinTimes, {.forwardCompiler = keeping(both)})({x, y});
  EXPECT_EQ(both->graphs.size(), 2u);
}

TEST(AotFunctionTest, WhatCompilersGetWrongIsSaid) {
  const at::Tensor x = at::ones({3});
  const auto compileWith = [&](const Compiler& compiler) {
    return thrownBy<c10::Error>([&] { aotFunction(sinTimes, {.forwardCompiler = compiler})({x, x + 1}); });
  };
  EXPECT_TRUE(contains(compileWith([](const ir::Graph&, const Tensors&) { return GraphFunction(); }),
                       "nothing that could be called"));
  EXPECT_TRUE(contains(compileWith([](const ir::Graph&, const Tensors&) -> GraphFunction {
                         return [](const Tensors&) { return Tensors(); };
                       }),
                       "with 1 outputs returned 0"));
  EXPECT_EQ(
      thrownBy<std::domain_error>([&] {
        compileWith([](const ir::Graph&, const Tensors&) -> GraphFunction { throw std::domain_error("not today"); });
      }),
      "not today");
  EXPECT_TRUE(contains(thrownBy<c10::ValueError>([] { aotFunction(nullptr); }), "needs a function"));
}

TEST(AotFunctionTest, WhatNoGraphHoldsIsRefused) {
  const at::Tensor x = at::ones({3}), outside = at::ones({3});
  EXPECT_TRUE(contains(thrownBy<ir::Unsupported>([&] {
                         aotFunction([](const Tensors& x) -> Tensors { return {x[0] * x[0].sum().item<float>()}; })(
                             {x});
                       }),
                       "`aten::item`"));
  EXPECT_TRUE(contains(thrownBy<ir::Unsupported>(
                           [&] { aotFunction([&](const Tensors& x) -> Tensors { return {x[0] * outside}; })({x}); }),
                       "not declared"));
  EXPECT_TRUE(contains(
      thrownBy<c10::Error>([&] { aotFunction([](const Tensors& x) -> Tensors { return {x[0].mm(x[0])}; })({x}); }),
      "self must be a matrix"));
}

TEST(AotFunctionTest, OperatorsAreDecomposedAsSelected) {
  const Function function = [](const Tensors& x) -> Tensors { return {at::silu(at::addcmul(x[0], x[0], x[1]))}; };
  const at::Tensor x = at::randn({4}).requires_grad_(), y = at::randn({4});
  const Tensors expected = function({x, y}), gradients = gradientsOf(expected, {x});
  const auto countsWith = [&](const Decompositions& decompositions) {
    const auto seen = std::make_shared<SeenGraphs>();
    const Tensors results =
        aotFunction(function, {.forwardCompiler = keeping(seen), .decompositions = decompositions})({x, y});
    EXPECT_TRUE(at::allclose(results[0], expected[0]));
    EXPECT_TRUE(at::allclose(gradientsOf(results, {x})[0], gradients[0], 1e-4, 1e-5));
    return std::vector<size_t>{seen->count("aten::addcmul"), seen->count("aten::silu"),
                               seen->count("aten::silu_backward")};
  };
  using Counts = std::vector<size_t>;
  EXPECT_EQ(countsWith({}), (Counts{1, 1, 1}));
  EXPECT_EQ(countsWith(Decompositions::all()), (Counts{0, 0, 0}));
  EXPECT_EQ(countsWith(Decompositions::coreAten().only({"aten::addcmul"})), (Counts{0, 1, 1}));
  EXPECT_EQ(countsWith(Decompositions::all().without({"aten::silu"})), (Counts{0, 1, 0}));
}

TEST(AotFunctionTest, ADecompositionOfOnesOwnTakesThePlaceOfTheOneThatIsThere) {
  const Function function = [](const Tensors& x) -> Tensors { return {at::silu(x[0])}; };
  const auto seen = std::make_shared<SeenGraphs>();
  const Decompositions own = Decompositions::all().with("aten::silu", [](std::vector<c10::IValue>& stack) {
    const at::Tensor x = stack[0].toTensor();
    stack = {x / ((-x).exp() + 1).abs()};
  });
  const at::Tensor x = at::randn({4});
  const Tensors results = aotFunction(function, {.forwardCompiler = keeping(seen), .decompositions = own})({x});
  EXPECT_TRUE(at::allclose(results[0], at::silu(x)));
  EXPECT_EQ(seen->count("aten::silu"), 0u);
  EXPECT_EQ(seen->count("aten::abs"), 1u);
  const Decompositions wrong =
      Decompositions().with("aten::silu", [](std::vector<c10::IValue>& stack) { stack = {stack[0].toTensor().sum()}; });
  EXPECT_EQ(wrong.operators(), std::vector<std::string>{"aten::silu"});
  EXPECT_TRUE(contains(thrownBy<c10::Error>([&] { aotFunction(function, {.decompositions = wrong})({x}); }),
                       "the decomposition of `aten::silu` gives"));
}

TEST(AotFunctionTest, SelectionsAreValuesAndNameOperators) {
  const Decompositions all = Decompositions::all(), inductor = Decompositions::inductor();
  EXPECT_GT(all.operators().size(), inductor.operators().size());
  EXPECT_GT(inductor.operators().size(), Decompositions::coreAten().operators().size());
  EXPECT_GT(Decompositions::coreAten().operators().size(), Decompositions::defaults().operators().size());
  EXPECT_GT(Decompositions::defaults().operators().size(), 0u);
  EXPECT_TRUE(Decompositions().operators().empty());
  EXPECT_TRUE(all.only({}).operators().empty());
  EXPECT_EQ(all.without({"aten::silu"}).operators().size() + 1, all.operators().size());
  EXPECT_TRUE(contains(thrownBy<std::invalid_argument>([&] { all.only({"aten::convolution"}); }),
                       "`aten::convolution` has no decomposition"));
  EXPECT_TRUE(contains(thrownBy<std::invalid_argument>([] { Decompositions().without({"aten::mm"}); }), "`aten::mm`"));
  EXPECT_FALSE(thrownBy<c10::Error>([] { Decompositions().with("aten::nothing", nullptr); }).empty());
}

Tensors longChain(const Tensors& x) {
  return {x[0].sin().cos().sin().cos()};
}

TEST(AotFunctionTest, ThePartitionDecidesWhatIsSaved) {
  const auto savedWith = [](Options options) {
    const auto forward = std::make_shared<SeenGraphs>();
    options.forwardCompiler = keeping(forward);
    options.backwardCompiler = keeping(std::make_shared<SeenGraphs>());
    const at::Tensor x = at::randn({64}).requires_grad_();
    const Tensors expected = longChain({x}), actual = aotFunction(longChain, options)({x});
    expectSame(expected, actual);
    expectSame(gradientsOf(expected, {x}), gradientsOf(actual, {x}));
    return std::get<ir::Argument::Container>(forward->graphs.at(0).output.payload).items.size() - 1;
  };
  EXPECT_EQ(savedWith({}), 4u); // the operand of each operator
  EXPECT_EQ(savedWith({.partition = Partition::kMinCut}), 1u);
  size_t asked = 0;
  const Partitioner second = [&](const JointGraph& joint) {
    ++asked;
    EXPECT_EQ(joint.inputs.size(), 1u);
    EXPECT_EQ(joint.tangents.size(), 1u);
    EXPECT_EQ(joint.outputs.size(), 1u);
    EXPECT_EQ(joint.gradients.size(), 1u);
    EXPECT_EQ(joint.readByBackward.size(), 4u);
    for (ir::NodeId value : joint.readByBackward) {
      EXPECT_LT(value, joint.backwardBegin);
    }
    return std::vector<ir::NodeId>{joint.readByBackward[2]};
  };
  EXPECT_EQ(savedWith({.partitioner = second}), 2u); // and the input, from which the others are computed again
  EXPECT_EQ(asked, 1u);
  EXPECT_EQ(savedWith({.partitioner = [](const JointGraph&) { return std::vector<ir::NodeId>(); }}), 1u);
}

TEST(AotFunctionTest, APartitionerCanSaveTensorsOfTheForwardOnly) {
  const at::Tensor x = at::randn({4}).requires_grad_();
  const auto refusal = [&](const Partitioner& partitioner) {
    return thrownBy<std::invalid_argument>([&] { aotFunction(longChain, {.partitioner = partitioner})({x}); });
  };
  EXPECT_TRUE(contains(refusal([](const JointGraph& joint) { return joint.tangents; }), "no tensor of the forward"));
  EXPECT_TRUE(contains(refusal([](const JointGraph&) { return std::vector<ir::NodeId>{-1}; }), "node -1"));
  EXPECT_TRUE(contains(refusal([](const JointGraph&) { return std::vector<ir::NodeId>{100000}; }), "node 100000"));
  EXPECT_TRUE(contains(thrownBy<std::invalid_argument>(
                           [&] { aotFunction(longChain, {.partition = Partition::kMinCut, .memoryBudget = 2})({x}); }),
                       "memory budget"));
}

TEST(AotFunctionTest, WritesToInputsStayInTheGraphWhereItIsAskedFor) {
  const Function function = [](const Tensors& x) -> Tensors { return {x[0].add_(1) * 2}; };
  for (bool keep : {false, true}) {
    const auto seen = std::make_shared<SeenGraphs>();
    const at::Tensor x = at::ones({3});
    expectSame(aotFunction(function, {.forwardCompiler = keeping(seen), .keepInferenceInputMutations = keep})({x}),
               {at::ones({3}) * 4});
    expectSame({x}, {at::ones({3}) * 2});
    EXPECT_EQ(seen->count("aten::copy_"), keep ? 1u : 0u);
  }
}

TEST(AotFunctionTest, SeveralThreadsMayCallAtOnce) {
  const CompiledFunction compiled = aotFunction(sinTimes, {.partition = Partition::kMinCut});
  std::vector<std::thread> threads;
  std::atomic<int> agreed = 0;
  for (int64_t size = 1; size <= 4; ++size) {
    threads.emplace_back([&, size] {
      for (int times = 0; times < 20; ++times) {
        const at::Tensor x = at::randn({size}).requires_grad_(), y = at::randn({size});
        const Tensors results = compiled({x, y});
        agreed += at::equal(results[0], x.sin() * y) &&
                  at::allclose(gradientsOf({results[0]}, {x})[0], 2 * x.sin() * y * y * x.cos());
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(agreed, 80);
  EXPECT_EQ(compiled.report().graphs, 4);
}

TEST(AotFunctionTest, BehindTheRecompileLimitTheFunctionRunsAsItIs) {
  int64_t runs = 0;
  const CompiledFunction compiled = aotFunction(
      [&](const Tensors& x) -> Tensors {
        ++runs;
        return {x[0] + 1};
      },
      {.traceWithValues = false, .recompileLimit = 1});
  for (int64_t size : {2, 3, 3}) {
    expectSame(compiled({at::ones({size})}), {at::ones({size}) * 2});
  }
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(compiled.report().graphs, 1);
}

} // namespace
} // namespace touchstone::aot
