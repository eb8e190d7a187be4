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
