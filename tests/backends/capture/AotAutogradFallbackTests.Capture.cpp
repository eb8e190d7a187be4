// What capture makes of modules, branches and custom operators.
#include "tests/backends/FallbackPrograms.h"

#include "backends/capture/CallableCapture.h"
#include "backends/capture/ExportedProgram.h"
#include "backends/passes/SplitModule.h"
#include "graph/ir/Arguments.h"

#include <ATen/ops/rand.h>
#include <torch/library.h>

namespace touchstone::tests {
namespace {

std::tuple<at::Tensor, at::Tensor> maybeDuplicate(const at::Tensor& a) {
  const at::Tensor y = a + 1, z = a + 2;
  return a.numel() < 5 ? std::make_tuple(y, y) : std::make_tuple(y, z);
}

} // namespace

TORCH_LIBRARY(custom, library) {
  library.def("maybe_dupe_op(Tensor a) -> (Tensor, Tensor)");
  library.impl("maybe_dupe_op", c10::DispatchKey::CPU, TORCH_FN(maybeDuplicate));
  library.impl("maybe_dupe_op", c10::DispatchKey::Meta, TORCH_FN(maybeDuplicate));
}

namespace {

TEST(AotAutogradFallbackTests, LSTM) {
  const language::Case theCase = fallbackCase(
      "def program(m, permute):\n"
      "    lstm = m.self_mod_model_lstm_lstm(permute)\n"
      "    return (lstm,)\n",
      "m = torch.nn.Module()\n"
      "m.self_mod_model_lstm_lstm = torch.nn.LSTM(64, 64, num_layers=2, bidirectional=True)\n"
      "x = torch.randn(4, 64, 92).permute(2, 0, 1)\n"
      "return (m, x), ()");
  const values::ValueList arguments = argumentsOf(theCase);
  ASSERT_EQ(arguments[1].tensor().strides(), at::IntArrayRef({1, 5888, 92}));
  const Optimized fn(theCase, aot_autograd::aotCompiler());
  expectSame(Optimized::call(*fn.eager, arguments), fn(arguments));
  EXPECT_EQ(fn.compiled->report().graphs, 1);
  EXPECT_TRUE(fn.compiled->report().breaks.empty());
}

TEST(AotAutogradFallbackTests, call_fn_with_non_const_inputs_aot_safe) {
  const language::Case theCase = fallbackCase(
      "def _conv_forward(m, x):\n"
      "    return torch.nn.functional.conv2d(x, m.conv.weight, m.conv.bias)\n\n\n"
      "def program(m, x):\n"
      "    return _conv_forward(m, x)\n",
      "m = torch.nn.Module()\n"
      "m.conv = torch.nn.Conv2d(in_channels=3, out_channels=20, kernel_size=(5, 5))\n"
      "return (m, torch.randn(3, 10, 10)), ()");
  const values::ValueList arguments = argumentsOf(theCase);
  const values::Value real = Optimized::call(*evaluator::eagerProgram(theCase), arguments);
  const std::unique_ptr<capture::ExportedProgram> exported = capture::exportGraph(theCase, arguments);
  EXPECT_GE(exported->graph().operatorCount(), 1);
  EXPECT_EQ(exported->graph().placeholders().size(), 3u);
  expectSame(real, Optimized::call(*exported, arguments));
  exported->compile(aot_autograd::aotCompiler(), arguments);
  expectSame(real, Optimized::call(*exported, arguments));
}

TEST(ExportedProgram, CompiledAgainForOtherTensorsStillLooksAtThem) {
  const language::Case theCase = fallbackCase("def program(x, y):\n    return x * 2 + y.sum()\n");
  const std::unique_ptr<capture::ExportedProgram> exported =
      capture::exportGraph(theCase, {at::ones({3}), at::ones({2})});
  exported->compile(aot_autograd::aotCompiler(), {at::zeros({3}), at::zeros({2})});
  EXPECT_EQ(Optimized::call(*exported, {at::ones({3}), at::ones({2})}).tensor().size(0), 3);
  EXPECT_THROW(Optimized::call(*exported, {at::ones({4}), at::ones({2})}), values::RaisedException);
  EXPECT_THROW(Optimized::call(*exported, {at::ones({3}), at::ones({2}, at::kDouble)}), values::RaisedException);
  EXPECT_THROW(exported->compile(aot_autograd::aotCompiler(), {at::zeros({4}), at::zeros({2})}), c10::ValueError);
}

TEST(AotAutogradFallbackTests, call_fn_with_non_const_inputs_aot_unsafe) {
  const language::Case theCase = fallbackCase(
      "def _some_bad_fwd(param, y):\n"
      "    prev_grad = torch.is_grad_enabled()\n"
      "    torch.set_grad_enabled(False)\n"
      "    param.add_(y)\n"
      "    torch.set_grad_enabled(prev_grad)\n"
      "    return y\n\n\n"
      "def program(x, y):\n"
      "    return _some_bad_fwd(x, y)\n");
  const at::Tensor x = at::randn({4}).requires_grad_(), y = at::randn({4}), before = x.detach().clone();
  const values::Value real = Optimized::call(*evaluator::eagerProgram(theCase), {x, y});
  const std::unique_ptr<capture::ExportedProgram> exported = capture::exportGraph(theCase, {x, y});
  EXPECT_TRUE(at::equal(x.detach(), before + y)); // exporting has not run it
  expectSame(real, Optimized::call(*exported, {x, y}));
  exported->compile(aot_autograd::aotCompiler(), {x, y});
  expectSame(real, Optimized::call(*exported, {x, y}));
  EXPECT_TRUE(at::equal(x.detach(), before + y + y + y));
  EXPECT_TRUE(x.is_leaf() && x.requires_grad());
}

TEST(AotAutogradFallbackTests, call_fn_with_non_const_inputs_aot_unsafe_control_flow) {
  const std::string program =
      "def _some_bad_fwd(param, y):\n"
      "    if y[0][0] < 3:\n"
      "        return y + param\n"
      "    return param * y\n\n\n"
      "def program(x, y):\n"
      "    a = x * y\n"
      "    a = _some_bad_fwd(a, a)\n"
      "    b = x + y\n"
      "    return a * b\n";
  const at::Tensor x = at::randn({2, 2}).requires_grad_(), y = at::randn({2, 2});
  const debugging::CountingCompiler counter;
  const Optimized fn(fallbackCase(program), backends::GraphCompiler(counter));
  const values::Value real = Optimized::call(*fn.eager, {x, y});
  expectSame(real, fn({x, y}));
  EXPECT_EQ(counter.count().frames, 4);
  EXPECT_EQ(counter.count().operations, 7);
  const std::vector<std::vector<std::string>> graphs{
      {"aten::mul.Tensor"},
      {"aten::select.int", "aten::select.int", "aten::lt.Scalar"}, // Python's `y[0][0] < 3`
      {(x * y)[0][0].item<double>() < 3 ? "aten::add.Tensor" : "aten::mul.Tensor"},
      {"aten::add.Tensor", "aten::mul.Tensor"}};
  EXPECT_EQ(fn.compiled->report().operationsOfGraphs, graphs);
  // The seed resets, and compiles what is compiled already: the innermost program, so the first compiler has nothing to do.
  fn.compiled->reset();
  const Optimized aot(*fn.theCase, aot_autograd::aotCompiler());
  expectSame(real, aot({x, y}));
  EXPECT_EQ(aot.compiled->report().operationsOfGraphs, graphs);
  EXPECT_EQ(counter.count().frames, 4);
  expectSame(real, fn({x, y})); // which it has when it is called itself: nothing is left of before
  EXPECT_EQ(counter.count().frames, 8);
}

TEST(AotAutogradFallbackTests, nn_parameter_construction) {
  const Optimized fn(fallbackCase("def program(x):\n"
                                  "    y = x.sin()\n"
                                  "    z = torch.nn.Parameter(torch.ones(1))\n"
                                  "    return y + z\n"),
                     aot_autograd::aotCompiler());
  const at::Tensor x = at::rand({4, 4});
  const values::Value actual = fn({x});
  expectSame(Optimized::call(*fn.eager, {x}), actual);
  EXPECT_TRUE(actual.tensor().requires_grad());
}

// A custom operator that returns one tensor twice for few elements, and two tensors for many: what follows it is compiled for
// inputs that are one object, or are not. The graph is split behind the operator, and each part goes through AOT autograd.
TEST(AotAutogradFallbackTests, multiple_aot_autograd_calls_dupe_args) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("custom::maybe_dupe_op", "")
                             .typed<std::tuple<at::Tensor, at::Tensor>(const at::Tensor&)>();
  int64_t splits = 0, parts = 0;
  const backends::GraphCompiler compileSubmodule = [&](ir::Graph graph, const std::vector<at::Tensor>& examples) {
    ++parts;
    return native::aotModuleSimplified(
        std::move(graph), examples,
        {.stages = {.forwardCompiler = backends::compileToInterpreter}, .debugAssert = true});
  };
  const backends::GraphCompiler testCompile = [&](ir::Graph graph, const std::vector<at::Tensor>& examples) {
    ++splits;
    auto split = std::make_shared<passes::SplitModule>(
        std::move(graph), [](const ir::Node& node) { return contains(node.name, "mul") ? 1 : 0; }, compileSubmodule,
        examples);
    EXPECT_EQ(split->parts().size(), 2u);
    EXPECT_EQ(split->parts()[1].inputs.size(), examples[0].numel() < 5 ? 1u : 2u); // one object is one input
    return split;
  };
  capture::CallableProgram f;
  f.function = [](const std::vector<at::Tensor>& arguments) -> std::vector<at::Tensor> {
    const auto [b, c] = op.call(arguments[0]);
    return {b.mul_(c)};
  };
  const auto compiled = capture::captureCallable(f, {.compiler = testCompile});
  expectSame(values::Value(at::full({4}, 4.0)), Optimized::call(*compiled, {at::ones({4})}));
  expectSame(values::Value(at::full({6}, 6.0)), Optimized::call(*compiled, {at::ones({6})}));
  EXPECT_EQ(splits, 2);
  EXPECT_EQ(parts, 4);

  // PyTorch hands the object to the second part twice; so does this.
  ir::Graph twice;
  const ir::NodeId b = twice.addPlaceholder("b"), c = twice.addPlaceholder("c");
  twice.output = ir::nodeTuple({twice.addOperator("aten::mul_.Tensor", {ir::nodeArgument(b), ir::nodeArgument(c)})});
  const at::Tensor both = at::full({4}, 2.0);
  const auto submodule = compileSubmodule(twice, {both, both});
  EXPECT_TRUE(at::equal(submodule->run({both, both})[0], at::full({4}, 4.0)));
  EXPECT_TRUE(at::equal(both, at::full({4}, 4.0)));
  const std::string raised = raisedBy([&] { submodule->run({at::ones({4}), at::ones({4})}); });
  EXPECT_TRUE(contains(raised, "L['b'] is L['c']")) << raised;
}

TEST(AotAutogradFallbackTests, aot_export_joint_simple_repro) {
  const language::Case theCase = fallbackCase(
      "def program(m, x):\n"
      "    return m.linear(x)\n",
      "m = torch.nn.Module()\n"
      "m.linear = torch.nn.Linear(5, 7)\n"
      "return (m, torch.rand(3, 4, 5)), ()");
  int64_t exports = 0;
  const backends::GraphCompiler miniBackend = [&](ir::Graph graph, const std::vector<at::Tensor>& examples) {
    ++exports;
    ir::Graph exported =
        aot_autograd::aotExportJointSimple(graph, examples, /*traceJoint=*/false, fake::Backing::kMeta);
    EXPECT_EQ(exported.placeholders().size(), examples.size());
    return backends::compileToInterpreter(std::move(exported), examples);
  };
  const values::ValueList arguments = argumentsOf(theCase);
  const Optimized fn(theCase, miniBackend);
  expectSame(Optimized::call(*fn.eager, arguments), fn(arguments));
  EXPECT_EQ(exports, 1);
}

} // namespace
} // namespace touchstone::tests
