// Gradients inside, outside and across compiled code.
#include "tests/backends/FallbackPrograms.h"

#include "backends/aot_autograd/JointTrace.h"
#include "backends/capture/CallableCapture.h"
#include "backends/capture/ExportedProgram.h"
#include "backends/debugging/AotDebugging.h"

#include <ATen/ops/full.h>
#include <ATen/ops/split_with_sizes.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/graph_task.h>
#include <torch/library.h>

namespace touchstone::tests {
namespace {

/// Returns `y`; its gradient for `x` is `x` itself.
struct ReturnsSecond : torch::autograd::Function<ReturnsSecond> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x, const at::Tensor& y) {
    context->save_for_backward({x});
    return y;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    return {context->get_saved_variables()[0], gradients[0]};
  }
};

at::Tensor returnsSecond(const at::Tensor& x, const at::Tensor& y) {
  return ReturnsSecond::apply(x, y);
}

} // namespace

TORCH_LIBRARY(fallback_tests, library) {
  library.def("returns_second(Tensor x, Tensor(a) y) -> Tensor(a)");
  library.impl("returns_second", c10::DispatchKey::CompositeImplicitAutograd, TORCH_FN(returnsSecond));
}

namespace {

constexpr const char* kNoDoubleBackward = "torch.compile with aot_autograd does not currently support double backward";

// Graphs break at `torch.autograd.grad`, as in PyTorch by default. Where they hold it, the native pipeline has second
// derivatives in (1) and (2): then they are eager's.
TEST(AotAutogradFallbackTests, double_backward_errors) {
  const language::Case inside = fallbackCase(
      "def program(x, grad_output):\n"
      "    y = x.sin().exp()\n"
      "    gx = torch.autograd.grad(y, x, create_graph=True, grad_outputs=grad_output)[0]\n"
      "    torch.autograd.grad(gx, x)\n"
      "    return gx\n");
  const language::Case secondOutside = fallbackCase(
      "def program(x, grad_output):\n"
      "    y = x.sin().exp()\n"
      "    gx = torch.autograd.grad(y, x, create_graph=True, grad_outputs=grad_output)[0]\n"
      "    return gx\n");
  const capture::CaptureOptions breaking{.compiler = aot_autograd::aotCompiler(), .traceGradients = false};
  for (const bool withTangent : {true, false}) {
    const at::Tensor x = at::ones({}).requires_grad_();
    const at::Tensor gradOutput = withTangent ? at::ones({}).requires_grad_() : at::Tensor();
    const values::Value tangent = withTangent ? values::Value(gradOutput) : values::Value();
    auto gradOf = [&](const at::Tensor& y, bool createGraph) {
      return torch::autograd::grad({y}, {x}, {gradOutput}, std::nullopt, createGraph)[0];
    };
    // (1) both backwards inside
    const Optimized f1(inside, breaking);
    Optimized::call(*f1.eager, {x, tangent});
    const std::string first = raisedBy([&] { f1({x, tangent}); });
    EXPECT_TRUE(contains(first, kNoDoubleBackward)) << first;
    // (2) the second outside
    const Optimized f2(secondOutside, breaking);
    const at::Tensor gx2 = f2({x, tangent}).tensor();
    const std::string second = raisedBy([&] { torch::autograd::grad({gx2}, {x}); });
    EXPECT_TRUE(contains(second, kNoDoubleBackward)) << second;
    // (3) both outside
    const Optimized f3(fallbackCase("def program(x):\n    y = x.sin().exp()\n    return y\n"),
                       aot_autograd::aotCompiler());
    const at::Tensor gx3 = gradOf(f3({x}).tensor(), true);
    const std::string third = raisedBy([&] { torch::autograd::grad({gx3}, {x}); });
    EXPECT_TRUE(contains(third, kNoDoubleBackward)) << third;
    // without create_graph
    const at::Tensor gx4 = gradOf(f3({x}).tensor(), false);
    EXPECT_TRUE(at::allclose(gx4, gradOf(x.sin().exp(), false)));
    EXPECT_FALSE(gx4.requires_grad());
    // one Graph
    const Optimized held(secondOutside, aot_autograd::aotCompiler());
    const at::Tensor gx = held({x, tangent}).tensor(), expected = Optimized::call(*held.eager, {x, tangent}).tensor();
    EXPECT_TRUE(held.compiled->report().breaks.empty());
    EXPECT_TRUE(at::allclose(torch::autograd::grad({gx}, {x})[0], torch::autograd::grad({expected}, {x})[0]));
  }
}

TEST(AotAutogradFallbackTests, grad_inputs_alias_inputs) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("fallback_tests::returns_second", "")
                             .typed<at::Tensor(const at::Tensor&, const at::Tensor&)>();
  const at::Tensor x = at::ones({1}).requires_grad_(), y = at::ones({1}).requires_grad_();
  capture::CallableProgram fn;
  fn.function = [](const std::vector<at::Tensor>& arguments) -> std::vector<at::Tensor> {
    return {op.call(arguments[0], arguments[1])};
  };
  fn.parameters = {"x", "y"};
  const auto compiled = capture::captureCallable(fn, {.compiler = aot_autograd::aotCompiler()});
  const at::Tensor out = tensorsOf(Optimized::call(*compiled, {x, y}))[0];
  EXPECT_TRUE(at::equal(out, y));
  out.sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), x));
  EXPECT_TRUE(at::equal(y.grad(), at::ones({1})));
  EXPECT_EQ(compiled->report().graphs, 1);
}

// The seed's second compiler is Inductor; here it is AOT autograd traced without values.
// The seed's compilers are `aot_eager` and `inductor`; what Inductor is given is what `aot_eager_decomp_partition` runs. The seed
// gives the node of the second output a tangent of the first one besides, None; here that output, which has no node, has no
// tangent either.
TEST(AotAutogradFallbackTests, aot_grad_mode_mutation) {
  const aot_autograd::AotOptions aotEager{.partition = aot_autograd::AotPartition::kMinCut};
  const aot_autograd::AotOptions legs[] = {aotEager, debugging::decompPartition({})};
  for (const auto& [leg, backing] : {std::pair(0, fake::Backing::kValues), std::pair(0, fake::Backing::kMeta),
                                     std::pair(1, fake::Backing::kValues), std::pair(1, fake::Backing::kMeta)}) {
    aot_autograd::AotOptions options = legs[leg];
    options.backing = backing;
    const Optimized f(
        fallbackCase("def program(x):\n"
                     "    y = x * x\n"
                     "    torch.set_grad_enabled(False)\n"
                     "    return y.clone(), y\n"),
        capture::CaptureOptions{.compiler = aot_autograd::aotCompiler(options), .fullgraph = true, .backing = backing});
    const c10::AutoGradMode restored(true);
    const at::Tensor x = at::ones({3}).requires_grad_() * 3;
    auto call = [&](values::Callable& program) {
      const std::vector<at::Tensor> returned = tensorsOf(Optimized::call(program, {x}));
      EXPECT_FALSE(at::GradMode::is_enabled());
      at::GradMode::set_enabled(true);
      return returned;
    };
    const std::vector<at::Tensor> expected = call(*f.eager);
    for (int times = 0; times < 2; ++times) { // captured, and found in the cache
      const std::vector<at::Tensor> y = call(*f.compiled);
      ASSERT_EQ(y.size(), 2u);
      EXPECT_TRUE(at::equal(expected[0], y[0]) && at::equal(expected[1], y[1]));
      EXPECT_EQ(expected[0].grad_fn(), nullptr);
      EXPECT_EQ(y[0].grad_fn(), nullptr);
      EXPECT_NE(expected[1].grad_fn(), nullptr);
      ASSERT_NE(y[1].grad_fn(), nullptr);
      EXPECT_EQ(y[1].grad_fn()->num_inputs(), 1u);
      const at::Tensor tangent = at::tensor({-1.0f, 2.0f, 0.0f});
      auto sumOfGradients = [&](const at::Tensor& output) {
        at::Tensor sum = at::zeros({3});
        for (const at::Tensor& gradient : (*output.grad_fn())({tangent})) {
          sum = gradient.defined() ? sum + gradient : sum;
        }
        return sum;
      };
      EXPECT_TRUE(at::equal(sumOfGradients(expected[1]), sumOfGradients(y[1])));
    }
    EXPECT_EQ(f.compiled->report().graphs, 1);
  }
}

// The seed looks whether hooks that note which backward node runs leave anything in the state of the thread. Here a recorder
// notes it: what is recorded behind the backward belongs to the forward again.
TEST(AotAutogradFallbackTests, split_with_sizes_aot_autograd_cleans_up_traceback_meta) {
  // `ones` is a leaf that nobody asks the gradient of: what leads to it runs behind the backward that is compiled.
  const language::Case theCase = fallbackCase(
      "def program(result, split_sizes):\n"
      "    ones = torch.ones(32).requires_grad_()\n"
      "    rs = torch.ops.aten.split_with_sizes(result * ones, split_sizes)\n"
      "    return rs[0].sum() + rs[1].sum() + rs[2].sum()\n");
  values::ValueList sizes;
  const at::Tensor splitSizes = at::tensor({7, 16, 9}, at::kLong);
  for (int64_t i = 0; i < 3; ++i) {
    sizes.emplace_back(values::Value::Payload(splitSizes[i].item<int64_t>()));
  }
  const values::ValueList arguments{at::randn({32}).requires_grad_(), values::Value::list(sizes)};
  const std::unique_ptr<capture::ExportedProgram> exported = capture::exportGraph(theCase, arguments);
  aot_autograd::JointTrace trace(runtime::Interpreter(exported->graph()), {arguments[0].tensor()},
                                 fake::Backing::kValues);
  const aot_autograd::TangentLayouts layouts(trace.plan().tangents.begin(), trace.plan().tangents.end());
  ASSERT_EQ(layouts.size(), 1u);
  const aot_autograd::JointTrace::Backward backward = trace.recordBackward(0, layouts);
  const auto& nodes = trace.recorded().nodes();
  int64_t ofSplit = -1, inBackward = 0, behind = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].kind != ir::NodeKind::kOperator) {
      continue;
    }
    const auto id = static_cast<ir::NodeId>(i);
    if (contains(nodes[i].target, "split_with_sizes")) {
      ofSplit = nodes[i].sequence;
    }
    EXPECT_EQ(nodes[i].backward, id >= trace.forwardEnd() && id < backward.end) << nodes[i].name;
    inBackward += nodes[i].backward && nodes[i].sequence == ofSplit ? 1 : 0;
    behind += id >= backward.end ? 1 : 0;
  }
  EXPECT_GE(ofSplit, 0);
  EXPECT_GE(inBackward, 1); // the recorder has noted which node ran
  EXPECT_EQ(behind, 0); // and what ran behind it, to all ends of eager's graph, has left nothing
  // Neither the trace nor a compiled backward leaves a node in the state of the thread.
  EXPECT_EQ(torch::autograd::get_current_node(), nullptr);
  exported->compile(aot_autograd::aotCompiler(), arguments);
  tensorsOf(Optimized::call(*exported, arguments))[0].backward();
  EXPECT_TRUE(at::equal(arguments[0].tensor().grad(), at::ones({32})));
  EXPECT_EQ(torch::autograd::get_current_node(), nullptr);
  EXPECT_TRUE(at::GradMode::is_enabled());
  // The seed's own function: the sizes come out of a tensor, where the Graph breaks.
  const Optimized split(fallbackCase("def program(result, split_sizes):\n"
                                     "    rs = torch.ops.aten.split_with_sizes(result * 2, split_sizes.tolist())\n"
                                     "    return rs\n"),
                        aot_autograd::aotCompiler());
  for (const std::vector<int64_t>& each : {std::vector<int64_t>{7, 16, 9}, std::vector<int64_t>{1, 2, 29}}) {
    const at::Tensor result = at::randn({32}).requires_grad_();
    const values::ValueList given{result, at::tensor(each, at::kLong)};
    const std::vector<at::Tensor> outs = tensorsOf(split(given));
    ASSERT_EQ(outs.size(), 3u);
    for (size_t i = 0; i < outs.size(); ++i) {
      EXPECT_EQ(outs[i].numel(), each[i]);
    }
    (outs[0].sum() + outs[1].sum() * 3 + outs[2].sum()).backward();
    EXPECT_TRUE(at::equal(result.grad().narrow(0, each[0], each[1]), at::full({each[1]}, 6.0)));
    EXPECT_EQ(torch::autograd::get_current_node(), nullptr);
  }
  EXPECT_EQ(split.compiled->report().operationsOfGraphs.at(0), std::vector<std::string>{"aten::mul.Tensor"});
}

} // namespace
} // namespace touchstone::tests
