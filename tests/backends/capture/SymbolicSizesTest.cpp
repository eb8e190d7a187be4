#include "tests/backends/AotPrograms.h"

#include "backends/aot_autograd/AotCompiler.h"
#include "backends/capture/Capture.h"
#include "backends/debugging/CompiledBackwards.h"
#include "backends/debugging/DebugInterpreter.h"
#include "program/evaluator/Evaluator.h"
#include "program/language/CasePrinter.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/ones_like.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

namespace touchstone::tests {
namespace {

using values::Value;
using values::ValueList;

at::Tensor counted(at::IntArrayRef sizes, bool requiresGrad = false) {
  at::Tensor tensor = at::arange(c10::multiply_integers(sizes), at::kFloat).div_(7).view(sizes).clone();
  return tensor.set_requires_grad(requiresGrad);
}

Value integer(int64_t value) {
  return Value(Value::Payload(value));
}

/// A Program captured with symbols, beside eager.
class Symbolic {
 public:
  Symbolic(const std::string& parameters, const std::string& body, std::optional<bool> dynamic = true,
           backends::GraphCompiler compiler = backends::compileToInterpreter, const std::string& classes = "")
      : case_(caseOfText(classes + "def inputs(seed, kind):\n    return (), ()\n\n\ndef program(" + parameters +
                         "):\n" + indented(body))),
        program_(capture::captureProgram(case_, {.compiler = std::move(compiler), .dynamic = dynamic})) {}

  /// Calls both; what they return is the same.
  std::vector<at::Tensor> call(const ValueList& arguments) {
    ValueList given = arguments;
    const Value eager = evaluator::Evaluator(case_).call("program", arguments);
    const Value compiled = (*program_)(given);
    std::vector<at::Tensor> expected, actual;
    values::collectTensors(eager, expected);
    values::collectTensors(compiled, actual);
    EXPECT_EQ(expected.size(), actual.size());
    for (size_t i = 0; i < std::min(expected.size(), actual.size()); ++i) {
      EXPECT_EQ(expected[i].sizes(), actual[i].sizes());
      EXPECT_EQ(expected[i].strides(), actual[i].strides());
      EXPECT_TRUE(expected[i].equal(actual[i]));
    }
    EXPECT_EQ(integersIn(eager), integersIn(compiled));
    return actual;
  }

  static std::vector<int64_t> integersIn(const Value& value) {
    std::vector<int64_t> integers;
    if (const auto* integer = value.maybe<int64_t>()) {
      integers.push_back(*integer);
    }
    if (const ValueList* items = value.items()) {
      for (const Value& item : *items) {
        for (const int64_t integer : integersIn(item)) {
          integers.push_back(integer);
        }
      }
    }
    return integers;
  }

  ir::CompileReport report() const { return program_->report(); }
  values::CompiledProgram& program() { return *program_; }
  bool hasGuard(const std::string& text) const {
    const std::vector<std::string> guards = report().guards;
    return std::find(guards.begin(), guards.end(), text) != guards.end();
  }

 private:
  language::Case case_;
  std::unique_ptr<values::CompiledProgram> program_;
};

using Recompiles = std::vector<std::string>;

TEST(SymbolicSizesTest, OneCodeServesAllSizes) {
  Symbolic symbolic("x, y", "z = torch.mm(x, y)\nreturn torch.cat([z, z * 2], 0).reshape(-1), z[1:, ::2].sum(0)");
  symbolic.call({counted({3, 4}), counted({4, 5})});
  for (const int64_t rows : {2, 6, 9, 31}) {
    for (const int64_t columns : {3, 8, 17}) {
      symbolic.call({counted({rows, 7}), counted({7, columns})});
    }
  }
  EXPECT_EQ(symbolic.report().recompiles, Recompiles{});
  EXPECT_EQ(symbolic.report().graphs, 1);
  EXPECT_TRUE(symbolic.report().specializations.empty());
}

TEST(SymbolicSizesTest, GuardsNameWhereSizesComeFrom) {
  Symbolic symbolic("x, y", "return torch.mm(x, y)");
  symbolic.call({counted({3, 4}), counted({4, 5})});
  EXPECT_TRUE(symbolic.hasGuard("2 <= L['x'].size()[0]"));
  EXPECT_TRUE(symbolic.hasGuard("L['y'].size()[0] == L['x'].size()[1]"));
  EXPECT_TRUE(symbolic.hasGuard("L['x'].stride()[0] == L['x'].size()[1]"));
}

TEST(SymbolicSizesTest, ABranchOnASizeIsGuarded) {
  Symbolic symbolic("x", "if x.size(0) > 3:\n    return x * 2\nreturn x + x.size(0) // 2");
  symbolic.call({counted({5, 2})});
  symbolic.call({counted({4, 2})});
  symbolic.call({counted({80, 2})});
  EXPECT_EQ(symbolic.report().recompiles, Recompiles{});
  symbolic.call({counted({3, 2})});
  symbolic.call({counted({2, 2})});
  EXPECT_EQ(symbolic.report().recompiles.size(), 1u);
  const std::vector<std::string> guards = symbolic.report().guards;
  EXPECT_TRUE(std::any_of(guards.begin(), guards.end(),
                          [](const std::string& guard) { return guard.starts_with("3 < L['x'].size()[0] # line "); }));
}

TEST(SymbolicSizesTest, ABranchThatLeavesOneSizeIsGuarded) {
  Symbolic symbolic("x", "if x.size(0) > 2:\n    return x * 0\nreturn x + 1");
  symbolic.call({counted({2, 5})});
  symbolic.call({counted({4, 5})});
  symbolic.call({counted({2, 7})});
  EXPECT_EQ(symbolic.report().recompiles.size(), 1u);
}

TEST(SymbolicSizesTest, IntsAreComputedAsTheProgramComputesThem) {
  Symbolic symbolic("x", "n = x.numel() // 2\nreturn x.reshape(-1)[: 2 * n], x.size(-1) // 3, (n + 1) % 4");
  symbolic.call({counted({2, 3})});
  for (const int64_t rows : {3, 4, 5, 9}) {
    symbolic.call({counted({rows, 7})});
    symbolic.call({counted({rows, 2})});
  }
}

TEST(SymbolicSizesTest, BoundsOfSlicesAreMet) {
  Symbolic symbolic("x, y", "return x[0:4], x[3:], y[1:3].sum()");
  symbolic.call({counted({8, 2}), counted({6})});
  for (const int64_t rows : {2, 3, 4, 5, 12}) {
    symbolic.call({counted({rows, 2}), counted({rows + 1})});
  }
}

TEST(SymbolicSizesTest, BoundsOfTheLastOfManySymbolsAreMet) {
  for (int64_t hint = 5; hint < 40; ++hint) { // under few assignments it is by chance whether the last one is small
    Symbolic symbolic("x, y, z", "return x.sum() + y.sum(), z[0:4].size(0)");
    symbolic.call({counted({hint + 1}), counted({hint + 2}), counted({hint})});
    symbolic.call({counted({hint + 1}), counted({hint + 2}), counted({3})});
    EXPECT_EQ(symbolic.report().recompiles, Recompiles{}) << hint;
  }
}

TEST(SymbolicSizesTest, WhatRaisesForSmallSizesIsCodeForLargerOnes) {
  Symbolic symbolic("x", "return x[4] * 2, x.size(0)");
  symbolic.call({counted({6, 2})});
  symbolic.call({counted({9, 3})});
  EXPECT_EQ(symbolic.report().recompiles, Recompiles{});
  symbolic.call({counted({5, 3})}); // for which it was never traced
  EXPECT_EQ(symbolic.report().recompiles.size(), 1u);
}

TEST(SymbolicSizesTest, ZeroAndOneAreSizesOfTheirOwn) {
  Symbolic symbolic("x", "return x.expand(4, 3) + x");
  symbolic.call({counted({4, 3})});
  symbolic.call({counted({1, 3})});
  EXPECT_EQ(symbolic.report().recompiles.size(), 1u);
  Symbolic sum("x", "return x.sum(0) * 2");
  sum.call({counted({4, 3})});
  sum.call({counted({0, 3})});
  sum.call({counted({0, 5})});
  EXPECT_EQ(sum.report().recompiles.size(), 1u);
}

TEST(SymbolicSizesTest, EqualSizesAreOneSymbol) {
  Symbolic symbolic("x, y", "return x.sum() + y.sum()");
  symbolic.call({counted({4}), counted({4})});
  symbolic.call({counted({6}), counted({6})});
  EXPECT_EQ(symbolic.report().recompiles, Recompiles{});
  symbolic.call({counted({6}), counted({7})});
  EXPECT_EQ(symbolic.report().recompiles.size(), 1u);
}

TEST(SymbolicSizesTest, WhatHasChangedIsDynamicFromThenOn) {
  Symbolic symbolic("x, n", "return x * n", std::nullopt);
  symbolic.call({counted({4, 3}), integer(5)});
  EXPECT_TRUE(symbolic.hasGuard("L['n'] == 5"));
  symbolic.call({counted({6, 3}), integer(5)});
  EXPECT_EQ(symbolic.report().recompiles.size(), 1u);
  symbolic.call({counted({9, 3}), integer(5)});
  EXPECT_EQ(symbolic.report().recompiles.size(), 1u);
  symbolic.call({counted({9, 3}), integer(8)});
  symbolic.call({counted({2, 3}), integer(11)});
  EXPECT_EQ(symbolic.report().recompiles.size(), 2u);
  symbolic.call({counted({2, 5}), integer(11)}); // only now
  EXPECT_EQ(symbolic.report().recompiles.size(), 3u);
}

TEST(SymbolicSizesTest, SizesOfATensorWhoseRankHasChangedAreDynamic) {
  Symbolic symbolic("x", "return x * 2", std::nullopt);
  symbolic.call({counted({3, 2})});
  symbolic.call({counted({3})});
  EXPECT_EQ(symbolic.report().frames, 2);
  EXPECT_TRUE(symbolic.hasGuard("2 <= L['x'].size()[0]"));
  symbolic.call({counted({5})});
  EXPECT_EQ(symbolic.report().frames, 2);
}

TEST(SymbolicSizesTest, ATensorThatIsPassedTwiceIsDynamicWhereItsFirstPlaceIs) {
  Symbolic symbolic("x, y", "return x * 2, y + 1", std::nullopt);
  symbolic.call({counted({4, 3}), counted({5, 3})});
  const at::Tensor both = counted({4, 3});
  symbolic.call({both, both}); // the size of y has changed, that of x has not
  EXPECT_TRUE(symbolic.report().guards.size() > 1 && !symbolic.hasGuard("2 <= L['x'].size()[0]"));
  symbolic.call({counted({4, 3}), counted({6, 3})});
  EXPECT_TRUE(symbolic.hasGuard("2 <= L['y'].size()[0]"));
}

TEST(SymbolicSizesTest, StaticSizesStayNumbers) {
  Symbolic symbolic("x", "return x * 2", false);
  symbolic.call({counted({4, 3})});
  symbolic.call({counted({5, 3})});
  symbolic.call({counted({6, 3})});
  EXPECT_EQ(symbolic.report().recompiles.size(), 2u);
}

TEST(SymbolicSizesTest, MarksSayWhatIsASymbol) {
  Symbolic symbolic("x", "return x * 2", std::nullopt);
  const at::Tensor first = counted({4, 3});
  symbolic.program().mark(first, {.function = "mark_dynamic", .dimension = 0});
  symbolic.call({first});
  EXPECT_EQ(symbolic.program().symbols(), 1);
  symbolic.call({counted({6, 3})});
  EXPECT_EQ(symbolic.report().recompiles, Recompiles{});
  Symbolic fixed("x", "return x * 2", true);
  const at::Tensor second = counted({4, 3});
  fixed.program().mark(second, {.function = "mark_static", .dimension = -1});
  fixed.call({second});
  fixed.call({counted({6, 3})});
  EXPECT_EQ(fixed.report().recompiles, Recompiles{});
  fixed.call({counted({6, 4})});
  EXPECT_EQ(fixed.report().recompiles.size(), 1u);
}

TEST(SymbolicSizesTest, MarksReachAProgramWhoseBackwardsAreCompiled) {
  const language::Case theCase =
      caseOfText("def inputs(seed, kind):\n    return (), ()\n\n\ndef program(x):\n    return x * 2\n");
  const auto program = debugging::withCompiledBackwards(capture::captureProgram(theCase), {});
  const at::Tensor first = counted({4, 3});
  program->mark(first, {.function = "mark_dynamic", .dimension = 0});
  ValueList arguments{first};
  (*program)(arguments);
  EXPECT_EQ(program->symbols(), 1);
}

TEST(SymbolicSizesTest, ACompilerThatBuildsSizesInIsCalledOnceForEachSizes) {
  int compiled = 0;
  const auto compiler = [&](ir::Graph graph, const std::vector<at::Tensor>&) {
    ++compiled;
    const auto interpreter = std::make_shared<const runtime::Interpreter>(std::move(graph));
    return backends::graphOf(
        [interpreter](std::vector<at::Tensor> inputs) { return interpreter->runFlat(std::move(inputs)); });
  };
  Symbolic symbolic("x", "return x.view(-1, x.size(0)) * x.size(0)", true, compiler);
  symbolic.call({counted({3, 4})});
  const int atFirst = compiled;
  for (const int64_t rows : {5, 8, 5, 8}) {
    symbolic.call({counted({rows, 4})});
  }
  EXPECT_EQ(compiled, atFirst + 2);
  EXPECT_EQ(symbolic.report().recompiles, Recompiles{});
  EXPECT_EQ(symbolic.report().graphs, 1);
}

TEST(SymbolicSizesTest, MoreSizesThanAreKeptAreServedByOneCode) {
  Symbolic symbolic("x", "return x + x.size(0)");
  for (int64_t rows = 2; rows < 300; ++rows) {
    symbolic.call({counted({rows})});
  }
  EXPECT_EQ(symbolic.report().recompiles, Recompiles{});
}

TEST(SymbolicSizesTest, MemoryOfATensorThatIsNotLookedAtIsThatOfItsSizes) {
  Symbolic symbolic("x, parts", "parts.append(x)\nx.detach_()\nreturn parts[0]");
  for (const int64_t rows : {2, 5, 9}) {
    symbolic.call({counted({}, true), Value::list({Value(counted({rows}))})});
  }
}

TEST(SymbolicSizesTest, ValuesAreHeldAgainstTheSizesOfTheCall) {
  Symbolic symbolic("x", "y = torch.cat([x, x.sin()], 0)\nreturn y.sum(0), y[1:]", true, aot_autograd::aotCompiler());
  const debugging::DebugInterpreterScope checked;
  for (const int64_t rows : {3, 5, 8}) {
    symbolic.call({counted({rows, 4})});
  }
  EXPECT_EQ(symbolic.report().recompiles, Recompiles{});
}

TEST(SymbolicSizesTest, IntsAreSymbols) {
  Symbolic symbolic("x, n", "return x.sum(0) + n, n * 2 + x.size(0), torch.arange(n)");
  for (const int64_t n : {4, 7, -3 + 9, 12}) {
    symbolic.call({counted({n + 1, 3}), integer(n)});
  }
  EXPECT_EQ(symbolic.report().recompiles, Recompiles{});
}

TEST(SymbolicSizesTest, WhatIsOtherCodeForOtherSizesIsGivenUpAndTold) {
  Symbolic symbolic("x", "return torch.cat(x.unbind(0)), x.size(1)");
  symbolic.call({counted({3, 4})});
  symbolic.call({counted({3, 8})});
  EXPECT_EQ(symbolic.report().recompiles, Recompiles{});
  ASSERT_EQ(symbolic.report().specializations.size(), 1u);
  EXPECT_TRUE(symbolic.report().specializations[0].starts_with("L['x'].size()[0] == 3: "))
      << symbolic.report().specializations[0];
  symbolic.call({counted({4, 8})});
  EXPECT_EQ(symbolic.report().recompiles.size(), 1u);
}

TEST(SymbolicSizesTest, ABreakHasCodeForAllSizesOnBothSides) {
  Symbolic symbolic("x", "y = x * 2\nprint(1)\nreturn y.t().reshape(-1)");
  for (const int64_t rows : {3, 5, 8}) {
    symbolic.call({counted({rows, 4})});
  }
  EXPECT_EQ(symbolic.report().recompiles, Recompiles{});
  EXPECT_EQ(symbolic.report().breaks.size(), 1u);
}

/// Gradients of these outputs of both.
void expectGradients(Symbolic& symbolic, const std::string& body, const std::vector<std::vector<int64_t>>& sizes,
                     const std::vector<size_t>& roots, const std::string& classes = "") {
  std::vector<std::vector<at::Tensor>> gradients;
  for (const bool isCompiled : {false, true}) {
    ValueList arguments;
    std::vector<at::Tensor> leaves, outputs;
    for (const auto& each : sizes) {
      leaves.push_back(counted(each, true));
      arguments.emplace_back(leaves.back());
    }
    if (isCompiled) {
      outputs = symbolic.call(arguments);
    } else {
      const language::Case eager =
          caseOfText(classes + "def inputs(seed, kind):\n    return (), ()\n\n\ndef program(x, y):\n" + indented(body));
      values::collectTensors(evaluator::Evaluator(eager).call("program", arguments), outputs);
    }
    std::vector<at::Tensor> from, tangents;
    for (const size_t root : roots) {
      from.push_back(outputs.at(root));
      tangents.push_back(at::ones_like(outputs.at(root)));
    }
    gradients.push_back(torch::autograd::grad(from, leaves, tangents, true, false, true));
  }
  for (size_t i = 0; i < gradients[0].size(); ++i) {
    ASSERT_EQ(gradients[0][i].defined(), gradients[1][i].defined());
    EXPECT_TRUE(!gradients[0][i].defined() || gradients[0][i].allclose(gradients[1][i])) << sizes[0][0];
  }
}

TEST(SymbolicSizesTest, GradientsForAllSizesAndAllRoots) {
  const std::string body = "z = torch.mm(x, y).sin()\nreturn z * z.sum(0), x[1:] * 2";
  aot_autograd::AotOptions cut;
  cut.partition = aot_autograd::AotPartition::kMinCut;
  for (const aot_autograd::AotOptions& options : {aot_autograd::AotOptions(), cut}) {
    Symbolic symbolic("x, y", body, true, aot_autograd::aotCompiler(options));
    for (const int64_t rows : {3, 6, 4, 11}) {
      for (const std::vector<size_t>& roots : {std::vector<size_t>{0, 1}, {1}, {0}}) {
        expectGradients(symbolic, body, {{rows, 2 * rows}, {2 * rows, rows + 5}}, roots);
      }
    }
    EXPECT_EQ(symbolic.report().recompiles, Recompiles{});
    EXPECT_TRUE(symbolic.report().specializations.empty());
  }
}

/// Runs node by node, and notes of how many other sizes it is made one for symbols.
class NotesSamples final : public backends::CompiledGraph {
 public:
  NotesSamples(std::shared_ptr<const backends::CompiledGraph> graph, std::vector<size_t>& seen)
      : graph_(std::move(graph)), seen_(seen) {}
  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override { return graph_->run(std::move(inputs)); }
  std::shared_ptr<const backends::SymbolicCompiledGraph> forSymbols(const std::vector<backends::GraphSample>& others,
                                                                    symbols::Fitting& fitting) const override {
    seen_.push_back(others.size());
    return graph_->forSymbols(others, fitting);
  }

 private:
  std::shared_ptr<const backends::CompiledGraph> graph_;
  std::vector<size_t>& seen_;
};

TEST(SymbolicSizesTest, CodeOfPlainSizesIsCompiledUnderTwoAssignmentsAndOtherCodeUnderThree) {
  for (const auto& [body, samples] :
       {std::pair("return (x.sin() * y + 2).clamp(max=1)", 1u), std::pair("return torch.mm(x, y.t())", 1u),
        std::pair("return torch.chain_matmul(x, y, x)", 2u), std::pair("return x.sum(0) * y", 2u)}) {
    std::vector<size_t> seen;
    Symbolic symbolic("x, y", body, true, [&](ir::Graph graph, const std::vector<at::Tensor>& examples) {
      return std::make_shared<const NotesSamples>(backends::compileToInterpreter(std::move(graph), examples), seen);
    });
    for (const int64_t rows : {3, 7, 5}) {
      symbolic.call({counted({rows, rows}), counted({rows, rows})});
    }
    EXPECT_EQ(symbolic.report().recompiles, Recompiles{}) << body;
    EXPECT_EQ(seen, std::vector<size_t>{samples}) << body;
  }
}

TEST(SymbolicSizesTest, CustomFunctionsForAllSizesAndAllRoots) {
  for (const std::string& name : language::customFunctionNames()) {
    const std::string text = language::customFunctionText(name) + "\n\n";
    if (name.ends_with("Buffer") || name == "WritesSaved") {
      continue; // a backward that writes to what the forward made is no Graph
    }
    const bool takesTwo = text.find("ctx, a, b") != std::string::npos;
    const bool givesTwo = name == "NonDifferentiable" || name == "TwoInputsTwoOutputs" || name == "KeepsNone";
    const std::string body = "z = x.sin()\n" + std::string(givesTwo ? "a, b" : "a") + " = " + name + ".apply(z" +
                             (takesTwo ? ", y.cos()" : "") + ")\nreturn a * 2, " + (givesTwo ? "b" : "x") +
                             ".t() * 3, (x * y).sum(0)";
    Symbolic symbolic("x, y", body, true, aot_autograd::aotCompiler(), text);
    for (const int64_t rows : {3, 6, 4, 11}) {
      for (const std::vector<size_t>& roots : {std::vector<size_t>{0, 2}, {2}, {0}}) {
        expectGradients(symbolic, body, {{rows, 2 * rows}, {rows, 2 * rows}}, roots, text);
      }
    }
    EXPECT_EQ(symbolic.report().recompiles, Recompiles{}) << name;
    EXPECT_EQ(symbolic.report().specializations, Recompiles{}) << name;
  }
}

TEST(SymbolicSizesTest, FloatsThatATenComputesOfSizesAreFitted) {
  for (const std::string call :
       {"(x * y).var()", "(x * y).std(1)", "torch.nn.functional.scaled_dot_product_attention(x, y, y)",
        "torch.nn.functional.cross_entropy(x * y, x.detach().argmin(1), label_smoothing=0.125)"}) {
    const std::string body = "return " + call + ", x.sin()";
    Symbolic symbolic("x, y", body, true, aot_autograd::aotCompiler());
    for (const int64_t rows : {3, 6, 4, 11, 49, 50}) {
      for (const std::vector<size_t>& roots : {std::vector<size_t>{0, 1}, {0}}) {
        expectGradients(symbolic, body, {{rows, 2 * rows + 1}, {rows, 2 * rows + 1}}, roots);
      }
    }
    EXPECT_EQ(symbolic.report().recompiles, Recompiles{}) << call;
    EXPECT_EQ(symbolic.report().specializations, Recompiles{}) << call;
  }
}

TEST(SymbolicSizesTest, FloatsThatMayBeComputedOtherwiseAreGivenUp) {
  const std::string smoothed = "torch.nn.functional.cross_entropy(x.t(), x[0].long() * 0, label_smoothing=0.1)";
  const std::vector<std::pair<std::string, backends::GraphCompiler>> given{
      {"x * (1 / x.size(0))", backends::compileToInterpreter},
      {"x * (1 / x.size(0))", aot_autograd::aotCompiler()},
      {smoothed, aot_autograd::aotCompiler()}};
  for (const auto& [call, compiler] : given) {
    Symbolic symbolic("x", "return " + call, true, compiler);
    for (const int64_t rows : {3, 6, 4, 49}) {
      symbolic.call({counted({rows, 5})});
    }
    EXPECT_FALSE(symbolic.report().specializations.empty()) << call;
  }
}

TEST(SymbolicSizesTest, WritesToInputsOfAllSizes) {
  Symbolic symbolic("x", "x.mul_(2)\nreturn x.t(), x[0]", true, aot_autograd::aotCompiler());
  for (const int64_t rows : {3, 6, 9}) {
    const at::Tensor compiled = counted({rows, 4}), eager = counted({rows, 4}) * 2 * 2; // by eager, then compiled
    symbolic.call({compiled});
    EXPECT_TRUE(compiled.equal(eager));
  }
  EXPECT_EQ(symbolic.report().recompiles, Recompiles{});
}

TEST(SymbolicSizesTest, OneCodeServesViewsOfAllSizes) {
  Symbolic symbolic("x, y", "x.mul_(2)\nreturn x.t(), y[0]", true, aot_autograd::aotCompiler());
  for (const int64_t rows : {6, 4, 9}) {
    const at::Tensor base = counted({rows, 5}), twice = counted({rows, 5}) * 2 * 2; // by eager, then compiled
    symbolic.call({base.t(), base.view({rows, 5})[1]});
    EXPECT_TRUE(base.equal(twice));
  }
  EXPECT_EQ(symbolic.report().recompiles, Recompiles{});
  EXPECT_EQ(symbolic.report().specializations, std::vector<std::string>{});
}

TEST(SymbolicSizesTest, WhatAHookKeepsKeepsItsSizesAndIsTold) {
  Symbolic symbolic("x, y", "return x + y");
  const at::Tensor base = counted({6, 4}, true), view = base.view({6, 4});
  view.retain_grad();
  symbolic.call({base, view});
  EXPECT_EQ(symbolic.report().specializations,
            (std::vector<std::string>{"L['x']: it shares memory with what has hooks", "L['y']: it has hooks"}));
  symbolic.call({counted({3, 4}), counted({3, 4})});
  EXPECT_EQ(symbolic.report().recompiles.size(), 1u);
}

TEST(SymbolicSizesTest, WhatIsHandedOnBindsNoSymbolOfWhatIsLookedAt) {
  Symbolic symbolic("x, y", "return x, y * 2");
  symbolic.call({counted({3, 4}), counted({3, 4})});
  EXPECT_TRUE(symbolic.hasGuard("2 <= L['y'].size()[0]"));
  EXPECT_FALSE(symbolic.hasGuard("2 <= L['x'].size()[0]"));
  symbolic.call({counted({5, 6}), counted({7, 8})});
  EXPECT_EQ(symbolic.report().recompiles, Recompiles{});
}

TEST(SymbolicSizesTest, GapsAreOfAnySize) {
  Symbolic symbolic("x", "return x * 2, x.t().reshape(-1)");
  symbolic.call({counted({5, 6}).slice(1, 0, 4).detach()});
  EXPECT_TRUE(symbolic.hasGuard("L['x'].size()[1] < L['x'].stride()[0]"));
  symbolic.call({counted({8, 9}).slice(1, 2, 5).detach()});
  EXPECT_EQ(symbolic.report().recompiles, Recompiles{});
  symbolic.call({counted({8, 6})}); // without a gap it may be other code
  EXPECT_EQ(symbolic.report().recompiles.size(), 1u);
}

TEST(SymbolicSizesTest, TensorsOfOneMemoryLieAnywhere) {
  Symbolic symbolic("x, y", "x.mul_(2)\nreturn x.t(), y + 1", true, aot_autograd::aotCompiler());
  for (const int64_t rows : {2, 4, 7}) {
    const at::Tensor memory = counted({rows * (rows + 7)});
    symbolic.call({memory.as_strided({rows, 3}, {5, 1}, 1).detach(),
                   memory.as_strided({rows, rows}, {rows + 1, 1}, rows * 5 + 2).detach()});
  }
  EXPECT_EQ(symbolic.report().recompiles, Recompiles{});
  symbolic.call({counted({8}).as_strided({2, 2}, {3, 1}).detach(), counted({2, 2})});
  EXPECT_EQ(symbolic.report().recompiles.size(), 1u);
}

TEST(SymbolicSizesTest, ATensorLiesBehindAllThatAreBeforeIt) {
  Symbolic symbolic("x, y, z", "return x * 2, y + 1, z + 1");
  const at::Tensor memory = counted({60});
  symbolic.call({memory.as_strided({4, 5}, {5, 1}).detach(), memory.as_strided({3}, {1}, 5).detach(),
                 memory.as_strided({6}, {1}, 24).detach()});
  EXPECT_TRUE(symbolic.hasGuard("L['x'].size()[0]*L['x'].size()[1] <= L['z'].storage_offset()"));
}

TEST(SymbolicSizesTest, SizesThatHaveChangedAreSymbolsOfTheirOwn) {
  Symbolic symbolic("x, y", "return x * 2, y + 1", std::nullopt);
  symbolic.call({counted({3, 4}), counted({3, 4})});
  symbolic.call({counted({5, 4}), counted({5, 4})});
  EXPECT_EQ(symbolic.report().recompiles.size(), 1u);
  symbolic.call({counted({6, 4}), counted({9, 4})});
  EXPECT_EQ(symbolic.report().recompiles.size(), 1u);
  EXPECT_EQ(symbolic.program().symbols(), 2);
}

TEST(SymbolicSizesTest, SizesThatMustBeEqualAreOneSymbolAndOthersAreNot) {
  Symbolic symbolic("x, y, z", "return x + y, z * 2", std::nullopt);
  symbolic.call({counted({3}), counted({3}), counted({3})});
  symbolic.call({counted({5}), counted({5}), counted({5})});
  EXPECT_TRUE(symbolic.hasGuard("L['y'].size()[0] == L['x'].size()[0]"));
  EXPECT_TRUE(symbolic.hasGuard("2 <= L['z'].size()[0]"));
  symbolic.call({counted({6}), counted({6}), counted({9})});
  EXPECT_EQ(symbolic.report().recompiles.size(), 1u);
  EXPECT_TRUE(symbolic.report().specializations.empty());
  Symbolic marked("x, y", "return x * 2, y + 1");
  const at::Tensor first = counted({3});
  marked.program().mark(first, {.function = "mark_dynamic", .dimension = 0});
  marked.call({first, counted({3})});
  marked.call({counted({5}), counted({7})});
  EXPECT_EQ(marked.report().recompiles, Recompiles{});
}

TEST(SymbolicSizesTest, ResultsOfDynamicSizeAreDynamicBehindABreak) {
  Symbolic symbolic("x, z",
                    "r = x * 2\nif (x.sum() > 0).item():\n    t = z + 1\nelse:\n    t = z - 1\nreturn r * 3, t");
  symbolic.call({counted({3}), counted({3})});
  symbolic.call({counted({5}), counted({7})});
  EXPECT_EQ(symbolic.report().recompiles, Recompiles{});
}

TEST(SymbolicSizesTest, ArgumentsOfACallInInferenceModeAreOfAnySize) {
  Symbolic symbolic("x", "return x.sin(), x[1:]");
  const at::Tensor first = counted({3, 4}, true) * 1, second = counted({5, 6}, true) * 1;
  const c10::InferenceMode inference;
  symbolic.call({first});
  symbolic.call({second});
  EXPECT_EQ(symbolic.report().recompiles, Recompiles{});
  EXPECT_TRUE(symbolic.report().specializations.empty());
}

TEST(SymbolicSizesTest, WhatIsOneForOtherSizesIsMetOrGuarded) {
  for (const int64_t divisor : {30, 50, 100}) {
    Symbolic symbolic("x", "n = x.size(0) // " + std::to_string(divisor) + "\nreturn x[:n].squeeze(0)", true,
                      aot_autograd::aotCompiler({}));
    symbolic.call({counted({3 * divisor}, true)});
    symbolic.call({counted({4 * divisor}, true)});
    symbolic.call({counted({divisor + 1}, true)});
  }
}

} // namespace
} // namespace touchstone::tests
