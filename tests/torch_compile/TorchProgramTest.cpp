#include "tests/torch_compile/Programs.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <torch/csrc/autograd/autograd.h>

namespace touchstone::tests {

using ir::CompileReport;
using values::ModuleObject;
using values::Value;
using values::ValueList;

namespace {

class TorchProgramTest : public PythonTest {};

at::Tensor counting(at::IntArrayRef sizes) {
  int64_t count = 1;
  for (int64_t size : sizes) {
    count *= size;
  }
  return at::arange(count, at::kFloat).reshape(sizes);
}

const std::string kMutating = R"(
def program(x, n):
    y = x.t()
    x.add_(n)
    return y, x, x.sin(), n + 1
)";

} // namespace

TEST_F(TorchProgramTest, SeesMutationStridesAliasingAndIdentity) {
  for (const char* backend : {"eager_python", "eager", "aot_eager", "aot_function"}) {
    SCOPED_TRACE(backend);
    auto program = torch_compile::compileInPython(kMutating, backend);
    at::Tensor x = counting({2, 3});
    at::Tensor expected = counting({2, 3}).add_(2);
    Value returned = call(*program, {Value(x), Value(Value::Payload(int64_t{2}))});
    const ValueList& outputs = *returned.items();
    ASSERT_EQ(outputs.size(), 4u);
    EXPECT_TRUE(x.equal(expected));
    EXPECT_EQ(outputs[0].tensor().strides(), at::IntArrayRef({1, 3}));
    EXPECT_TRUE(outputs[0].tensor().is_alias_of(x));
    EXPECT_TRUE(outputs[1].tensor().is_same(x));
    EXPECT_FALSE(outputs[2].tensor().is_alias_of(x));
    EXPECT_TRUE(outputs[2].tensor().equal(expected.sin()));
    EXPECT_EQ(outputs[3].as<int64_t>(), 3);
  }
}

TEST_F(TorchProgramTest, CountsFramesGraphsOperationsRunsBreaksAndRecompiles) {
  auto program = torch_compile::compileInPython(R"(
def program(x):
    y = x.sin().cos()
    torch._dynamo.graph_break()
    return y + 1
)",
                                                "aot_eager");
  EXPECT_EQ(program->report().compiledRuns, 0);
  call(*program, {Value(counting({2, 3}))});
  CompileReport first = program->report();
  EXPECT_EQ(first.frames, 2);
  EXPECT_EQ(first.graphs, 2);
  EXPECT_EQ(first.operations, 3);
  EXPECT_EQ(first.compiledRuns, 2);
  ASSERT_EQ(first.breaks.size(), 1u);
  EXPECT_NE(first.breaks[0].find("graph_break"), std::string::npos) << first.breaks[0];
  EXPECT_TRUE(first.recompiles.empty());
  EXPECT_GT(first.compileSeconds, 0);
  EXPECT_FALSE(first.guards.empty());

  call(*program, {Value(counting({2, 3}).neg_())});
  CompileReport again = program->report();
  EXPECT_EQ(again.graphs, 2);
  EXPECT_EQ(again.compiledRuns, 4);

  call(*program, {Value(counting({4, 3}))});
  CompileReport other = program->report();
  EXPECT_EQ(other.graphs, 4);
  EXPECT_EQ(other.compiledRuns, 6);
  ASSERT_EQ(other.recompiles.size(), 2u);
  EXPECT_NE(other.recompiles[0].find("size mismatch at index 0. expected 2, actual 4"), std::string::npos)
      << other.recompiles[0];
}

TEST_F(TorchProgramTest, DynamicShapesDoNotRecompile) {
  torch_compile::TorchCompileArguments arguments;
  arguments.dynamic = true;
  auto program =
      torch_compile::compileInPython("def program(x):\n    return x.sin() * x.size(0)\n", "aot_eager", arguments);
  for (int64_t rows : {5, 7, 9}) {
    Value returned = call(*program, {Value(counting({rows, 3}))});
    EXPECT_TRUE(returned.tensor().equal(counting({rows, 3}).sin().mul(rows)));
  }
  EXPECT_EQ(program->report().graphs, 1);
  EXPECT_EQ(program->report().compiledRuns, 3);
}

TEST_F(TorchProgramTest, AMarkedDimensionIsASymbol) {
  const std::string source = "def program(x):\n    return x.sin() * x.size(0)\n";
  for (const char* mark : {"mark_dynamic", "maybe_mark_dynamic", "decorators.mark_unbacked", "mark_static", ""}) {
    SCOPED_TRACE(mark);
    auto program = torch_compile::compileInPython(source, "aot_eager");
    for (int64_t rows : {5, 7}) {
      const at::Tensor x = counting({rows, 3});
      if (*mark != '\0') {
        program->mark(x, {.function = mark, .dimension = 0});
      }
      EXPECT_TRUE(call(*program, {Value(x)}).tensor().equal(x.sin().mul(rows)));
    }
    const bool isSymbol = std::string(mark).find("dynamic") != std::string::npos || mark[0] == 'd';
    EXPECT_EQ(program->report().graphs, isSymbol ? 1 : 2);
    EXPECT_EQ(program->symbols() > 0, isSymbol);
  }
}

TEST_F(TorchProgramTest, AProgramThatContradictsAMarkIsUnsupported) {
  const std::string source = "def program(x):\n    return x + 1 if x.size(0) == 5 else x\n";
  auto program = torch_compile::compileInPython(source, "aot_eager");
  const at::Tensor x = counting({5, 3});
  program->mark(x, {.function = "mark_dynamic", .dimension = 0, .minimum = 2, .maximum = 9});
  EXPECT_THROW(call(*program, {Value(x)}), ir::Unsupported);
}

TEST_F(TorchProgramTest, ResetCompilesAgainAndKeepsTheTotals) {
  auto program = torch_compile::compileInPython("def program(x):\n    return x.sin()\n", "eager");
  call(*program, {Value(counting({2}))});
  program->reset();
  call(*program, {Value(counting({2}))});
  CompileReport report = program->report();
  EXPECT_EQ(report.graphs, 2);
  EXPECT_EQ(report.compiledRuns, 2);
  EXPECT_TRUE(report.recompiles.empty());
}

TEST_F(TorchProgramTest, ManyRecompilesNeverFallBackToEager) {
  auto program = torch_compile::compileInPython("def program(x, n):\n    return x * n\n", "eager");
  for (int64_t n = 1; n <= 32; ++n) {
    Value returned = call(*program, {Value(at::ones({2})), Value(Value::Payload(n + 1))});
    EXPECT_EQ(returned.tensor().sum().item<double>(), 2.0 * (n + 1));
    EXPECT_EQ(program->report().compiledRuns, n);
  }
}

TEST_F(TorchProgramTest, ASkippedFrameIsNoEvidence) {
  auto program = torch_compile::compileInPython("def program(x):\n    return x\n", "aot_eager");
  at::Tensor x = counting({2});
  EXPECT_TRUE(call(*program, {Value(x)}).tensor().is_same(x));
  EXPECT_EQ(program->report().compiledRuns, 0);
  EXPECT_EQ(program->report().operations, 0);
}

TEST_F(TorchProgramTest, GradientsFlowThroughTheEngineOfCpp) {
  const std::string source = R"(
def program(x, w):
    y = torch.mm(x.clone(), w)
    x.add_(1)
    return y.t(), y.sin()
)";
  std::vector<at::Tensor> gradients;
  for (const char* backend : {"eager_python", "aot_function", "aot_eager", "aot_eager_decomp_partition"}) {
    SCOPED_TRACE(backend);
    auto program = torch_compile::compileInPython(source, backend);
    at::Tensor w = counting({3, 3}).requires_grad_();
    Value returned = call(*program, {Value(counting({2, 3})), Value(w)});
    const ValueList& outputs = *returned.items();
    EXPECT_TRUE(outputs[0].tensor().grad_fn() != nullptr);
    torch::autograd::backward({outputs[0].tensor().sum(), outputs[1].tensor().sum()}, {});
    ASSERT_TRUE(w.grad().defined());
    gradients.push_back(w.grad());
    EXPECT_TRUE(at::allclose(gradients.back(), gradients.front()));
  }
}

TEST_F(TorchProgramTest, CallsRunUnderTheCallersModes) {
  auto program = torch_compile::compileInPython(
      "def program(x):\n    return x * 2, torch.is_grad_enabled(), x.sin().requires_grad\n", "aot_eager");
  at::Tensor x = counting({2}).requires_grad_();
  Value enabled = call(*program, {Value(x)});
  EXPECT_TRUE((*enabled.items())[0].tensor().requires_grad());
  EXPECT_TRUE((*enabled.items())[1].as<bool>());
  {
    at::NoGradGuard guard;
    Value disabled = call(*program, {Value(x)});
    EXPECT_FALSE((*disabled.items())[0].tensor().requires_grad());
    EXPECT_FALSE((*disabled.items())[1].as<bool>());
    EXPECT_FALSE((*disabled.items())[2].as<bool>());
  }
  {
    c10::InferenceMode guard;
    Value inference = call(*program, {Value(counting({2}))});
    EXPECT_TRUE((*inference.items())[0].tensor().is_inference());
  }
  EXPECT_EQ(program->report().recompiles.size(), 2u);
}

TEST_F(TorchProgramTest, EveryKindOfValueGoesInAndComesOut) {
  for (const char* backend : {"eager_python", "eager"}) {
    SCOPED_TRACE(backend);
    auto program = torch_compile::compileInPython(R"(
def program(x, dtype, device, layout, memory, items, pair, table, flag, number, text, nothing):
    items[0] = items[0] + 1
    table["new"] = x.shape
    y = x.to(dtype).contiguous(memory_format=memory)
    return dtype, device, layout, memory, items, pair, table, flag, number * 1j, text, nothing, y, x.shape
)",
                                                  backend);
    Value items = Value::list({Value(Value::Payload(int64_t{4})), Value(Value::Payload(2.5))});
    auto table = std::make_shared<values::DictObject>();
    table->entries.emplace_back("a", Value(Value::Payload(int64_t{1})));
    at::Tensor x = at::ones({1, 2, 3, 4});
    Value returned = call(
        *program, {Value(x), Value(Value::Payload(at::kDouble)), Value(Value::Payload(at::Device(at::kCPU))),
                   Value(Value::Payload(at::kStrided)), Value(Value::Payload(at::MemoryFormat::ChannelsLast)), items,
                   Value::tuple({Value(x), Value()}), Value(Value::Payload(table)), Value(Value::Payload(true)),
                   Value(Value::Payload(1.5)), Value(Value::Payload(std::string("grüß"))), Value()});
    const ValueList& out = *returned.items();
    ASSERT_EQ(out.size(), 13u);
    EXPECT_EQ(out[0].as<at::ScalarType>(), at::kDouble);
    EXPECT_EQ(out[1].as<at::Device>(), at::Device(at::kCPU));
    EXPECT_EQ(out[2].as<at::Layout>(), at::kStrided);
    EXPECT_EQ(out[3].as<at::MemoryFormat>(), at::MemoryFormat::ChannelsLast);
    EXPECT_EQ(out[4].as<values::ListPtr>(), items.as<values::ListPtr>());
    EXPECT_EQ((*items.items())[0].as<int64_t>(), 5);
    EXPECT_TRUE((*out[5].items())[0].tensor().is_same(x));
    EXPECT_EQ(out[6].as<values::DictPtr>(), table);
    ASSERT_EQ(table->entries.size(), 2u);
    EXPECT_EQ(table->entries[1].first, "new");
    EXPECT_TRUE(table->entries[1].second.as<values::TuplePtr>()->isSize);
    EXPECT_TRUE(out[7].as<bool>());
    EXPECT_EQ(out[8].as<std::complex<double>>(), std::complex<double>(0, 1.5));
    EXPECT_EQ(out[9].as<std::string>(), "grüß");
    EXPECT_TRUE(out[10].isNone());
    EXPECT_EQ(out[11].tensor().scalar_type(), at::kDouble);
    EXPECT_TRUE(out[11].tensor().is_contiguous(at::MemoryFormat::ChannelsLast));
    EXPECT_TRUE(out[12].as<values::TuplePtr>()->isSize);
  }
}

TEST_F(TorchProgramTest, ModulesShareTheirTensorsAndKeepWhatTheProgramDid) {
  for (const char* backend : {"eager_python", "eager", "aot_eager"}) {
    SCOPED_TRACE(backend);
    auto program = torch_compile::compileInPython(R"(
def program(m, x):
    m.calls = m.calls + 1
    m.count.add_(1)
    return m.linear(x) * m.scale, m
)",
                                                  backend);
    auto linear = std::make_shared<ModuleObject>();
    linear->typeName = "Linear";
    linear->hyper = {{"in_features", Value(Value::Payload(int64_t{3}))},
                     {"out_features", Value(Value::Payload(int64_t{2}))}};
    at::Tensor weight = counting({2, 3}).requires_grad_();
    at::Tensor bias = counting({2}).requires_grad_();
    using Kind = ModuleObject::FieldKind;
    linear->fields = {{"weight", Kind::kParameter, Value(weight)}, {"bias", Kind::kParameter, Value(bias)}};
    auto module = std::make_shared<ModuleObject>();
    at::Tensor count = at::ones({1});
    module->fields = {{"calls", Kind::kPlain, Value(Value::Payload(int64_t{7}))},
                      {"linear", Kind::kModule, Value(Value::Payload(linear))},
                      {"scale", Kind::kParameter, Value(at::ones({2}).requires_grad_())},
                      {"count", Kind::kBuffer, Value(count)}};
    at::Tensor x = counting({4, 3});
    for (int round = 1; round <= 2; ++round) {
      Value returned = call(*program, {Value(Value::Payload(module)), Value(x)});
      const ValueList& out = *returned.items();
      EXPECT_TRUE(at::allclose(out[0].tensor(), x.matmul(weight.t()).add(bias)));
      EXPECT_EQ(out[1].as<values::ModulePtr>(), module);
      EXPECT_EQ(count.item<double>(), 1 + round);
      ASSERT_EQ(module->fields.size(), 4u);
      EXPECT_EQ(module->fields[0].name, "calls");
      EXPECT_EQ(module->fields[0].value.as<int64_t>(), 7 + round);
      EXPECT_TRUE(module->fields[3].value.tensor().is_same(count));
      out[0].tensor().sum().backward();
    }
    EXPECT_TRUE(weight.grad().defined());
  }
}

TEST_F(TorchProgramTest, CompiledAutogradCompilesABackwardStartedFromCpp) {
  auto program = torch_compile::compileInPython("def program(x):\n    return (x.sin() * x).sum()\n", "aot_eager");
  at::Tensor x = counting({3}).requires_grad_();
  at::Tensor plain = counting({3}).requires_grad_();
  plain.sin().mul(plain).sum().backward();
  for (int round = 0; round < 2; ++round) {
    x.mutable_grad() = at::Tensor();
    std::shared_ptr<void> scope = program->compiledAutograd();
    ASSERT_NE(scope, nullptr);
    Value loss = call(*program, {Value(x)});
    loss.tensor().backward();
    EXPECT_TRUE(at::allclose(x.grad(), plain.grad()));
  }
  CompileReport report = program->report();
  EXPECT_GE(report.graphs, 2);
  EXPECT_GE(report.compiledRuns, 4);
  EXPECT_EQ(torch_compile::compileInPython("def program(x):\n    return x\n", "eager_python")->compiledAutograd(),
            nullptr);
}

} // namespace touchstone::tests
