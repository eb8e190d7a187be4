#include "tests/api/Comparison.h"

#include <touchstone/front_end.h>

#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>

#include <algorithm>

namespace touchstone::aot {
namespace {

Tensors writing(const Tensors& x) {
  const at::Tensor y = x[0].sin() * x[1];
  return {y.add_(1).exp()};
}

TEST(FrontEndTest, CountersCountWhatIsCompiledAndGuardsTellWhyAnew) {
  const CompileCounter forward, backward{nop()};
  std::vector<std::string> reasons;
  const CompiledFunction compiled =
      aotFunction(writing, {.forwardCompiler = forward,
                            .backwardCompiler = backward,
                            .onGuardFailure = [&](const std::string& reason) { reasons.push_back(reason); }});
  for (const int64_t size : {3, 3, 4}) {
    const at::Tensor x = at::randn({size}).requires_grad_(), y = at::randn({size});
    expectSame(compiled({x, y}), writing({x, y}));
  }
  EXPECT_EQ(forward.frames(), 2);
  EXPECT_EQ(backward.frames(), 2);
  EXPECT_EQ(forward.operations(), 2 * forward.graphs()[0].operatorCount());
  EXPECT_GE(forward.graphs()[0].operatorCount(), 4);
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_TRUE(contains(reasons[0], "size mismatch")) << reasons[0];
  CompileCounter copy = forward;
  copy.clear();
  EXPECT_EQ(forward.frames(), 0);
}

TEST(FrontEndTest, PartsOfASplitGraphAreCompiledEachAndRunInTurn) {
  const Tensors examples{at::randn({3}), at::randn({3})};
  const ir::Graph graph = capture(writing, examples);
  const auto partition = [](const ir::Node& node) { return contains(node.target, "exp") ? 1 : 0; };
  EXPECT_EQ(ir::splitGraph(graph, partition).size(), 2u);
  const CompileCounter counter;
  const GraphFunction run = splitModule(graph, partition, counter, examples);
  EXPECT_EQ(counter.frames(), 2);
  EXPECT_EQ(counter.graphs()[1].operatorCount(), 1);
  expectSame(run(examples), writing(examples));
}

TEST(FrontEndTest, GraphsAreTracedOnValuesOrWithoutThem) {
  const Tensors examples{at::ones({3}), at::ones({3})};
  const ir::Graph real = makeGraph(writing, examples), fake = makeGraph(writing, examples, TracingMode::kFake);
  EXPECT_EQ(codeOf(real), codeOf(fake));
  EXPECT_TRUE(contains(codeOf(real), "add_")) << "writes stay";
  expectSame(interpret(fake)(examples), writing(examples));
}

TEST(FrontEndTest, SymbolicTracingGivesOneGraphForAllSizes) {
  int traces = 0;
  const Function plain = [](const Tensors& x) -> Tensors {
    const at::Tensor y = x[0].sin() * x[1];
    y.add_(static_cast<double>(y.dim()));
    return {y.mm(x[1].t()), y.reshape({-1})};
  };
  const Function function = [&](const Tensors& x) {
    ++traces;
    return plain(x);
  };
  const SymbolicGraph graph(function, {at::randn({3, 4}), at::randn({3, 4})});
  EXPECT_TRUE(contains(graph.code(), "[s0, s1]")) << graph.code();
  EXPECT_TRUE(contains(graph.code(), "s0*s1")) << graph.code();
  EXPECT_EQ(graph.guards(), (std::vector<std::string>{"2 <= s0", "2 <= s1"}));
  const int tracesOfAll = traces;
  for (const auto& [rows, columns] : {std::pair{3, 4}, {7, 2}, {50, 61}}) {
    const Tensors inputs{at::randn({rows, columns}), at::randn({rows, columns})};
    const ir::Graph here = graph.at(inputs);
    EXPECT_EQ(codeOf(here), codeOf(makeGraph(plain, inputs, TracingMode::kFake)));
    EXPECT_EQ(traces, tracesOfAll) << "nothing is traced again";
    expectSame(interpret(here)(inputs), plain(inputs));
  }
  const auto refused = [&](const Tensors& inputs) { return thrownBy<ir::Unsupported>([&] { graph.at(inputs); }); };
  EXPECT_TRUE(contains(refused({at::randn({3, 1}), at::randn({3, 1})}), "2 <= s1 does not hold"));
  EXPECT_TRUE(contains(refused({at::randn({3, 4}), at::randn({3, 5})}), "x0 is not like what was traced"));
  EXPECT_TRUE(contains(refused({at::randn({4, 3}).t(), at::randn({3, 4})}), "strides [1, 3]"));
  EXPECT_TRUE(contains(refused({at::randn({3, 4})}), "traced for 2 tensors"));
}

TEST(FrontEndTest, SymbolicTracingKeepsSizesUnderWhichTheFunctionIsAnotherOne) {
  const Function function = [](const Tensors& x) -> Tensors {
    return {x[0].size(0) == 3 ? x[0].sin().mul(x[1].sum()) : x[0].cos()};
  };
  const SymbolicGraph graph(function, {at::randn({3}), at::randn({4})});
  ASSERT_EQ(graph.guards().size(), 2u);
  EXPECT_TRUE(contains(graph.guards()[0], "L['x0'].size()[0] == 3: ")) << graph.guards()[0];
  EXPECT_EQ(graph.guards()[1], "2 <= s0");
  const Tensors other{at::randn({3}), at::randn({9})};
  expectSame(interpret(graph.at(other))(other), function(other));
  EXPECT_TRUE(contains(thrownBy<ir::Unsupported>([&] { graph.at({at::randn({5}), at::randn({4})}); }), "not like"));
  // Smaller sizes raise, so that those from the example's on are guarded.
  const Function picking = [](const Tensors& x) -> Tensors { return {x[0].select(0, 4).exp()}; };
  EXPECT_EQ(SymbolicGraph(picking, {at::randn({6})}).guards(), std::vector<std::string>{"6 <= s0"});
}

TEST(FrontEndTest, DebugAssertionsHoldCallsToWhatWasCompiled) {
  const Tensors examples{at::ones({3}), at::ones({3})};
  const ir::Graph graph = capture(writing, examples);
  const GraphFunction checked = aotModuleSimplified(graph, examples, {.debugAssert = true});
  expectSame(checked({at::ones({3}), at::ones({3})}), writing(examples));
  EXPECT_TRUE(contains(thrownBy<std::exception>([&] {
                         checked({at::ones({3}), at::ones({3}).requires_grad_()});
                       }),
                       "compiled for other inputs"));
  aotModuleSimplified(graph, examples)({at::ones({3}), at::ones({3}).requires_grad_()}); // the caller's promise
}

} // namespace
} // namespace touchstone::aot
