#include "tests/backends/CompiledCalls.h"

#include "backends/decompositions/DecompositionTable.h"
#include "backends/fake/EffectfulOperators.h"
#include "backends/fake/OperatorTraits.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Stages.h"
#include "graph/runtime/RunnableCode.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>
#include <torch/library.h>

#include <algorithm>
#include <iostream>
#include <random>
#include <sstream>

namespace touchstone::tests {
namespace {

using aot_autograd::AotOptions;
using aot_autograd::AotPartition;
using ir::NodeId;

/// What `_print` prints while it lives.
class Printed {
 public:
  Printed() : before_(std::cout.rdbuf(text_.rdbuf())) {}
  ~Printed() { std::cout.rdbuf(before_); }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::streambuf* before_;
};

class GraphsOfStages final : public backends::PipelineObserver {
 public:
  void afterStage(const std::string& stage, ir::StageArtifacts& artifacts) override {
    if (const ir::Graph* graph = artifacts.graph(stage)) {
      graphs.insert_or_assign(stage, *graph);
    }
  }
  std::map<std::string, ir::Graph> graphs;
};

/// The first text among a call's arguments, or its name.
std::string sayingOf(const ir::Node& node) {
  for (const ir::Argument& argument : node.arguments) {
    if (const auto* text = std::get_if<std::string>(&argument.payload)) {
      return *text;
    }
  }
  return node.target;
}

/// What the effects say of which a chain of tokens consists that ends in this node, first to last.
std::vector<std::string> chainTo(const ir::Graph& graph, NodeId node) {
  std::vector<std::string> chain;
  while (graph.node(node).kind != ir::NodeKind::kPlaceholder && graph.node(node).target != fake::kMakeToken) {
    if (graph.node(node).kind == ir::NodeKind::kOperator) {
      EXPECT_TRUE(fake::isWithEffects(graph.node(node).target)) << graph.node(node).target;
      chain.push_back(sayingOf(graph.node(node)));
    }
    node = std::get<ir::NodeReference>(graph.node(node).arguments.at(0).payload).node;
  }
  std::ranges::reverse(chain);
  return chain;
}

using Chain = std::vector<std::string>;

constexpr const char* kHookedFunctions = R"(
def tell(g):
    torch.ops.aten._print("b1")
    torch._assert_async((g < 100).all(), "b2")
    return g * 2


def program(x, w):
    torch.ops.aten._print("f1")
    torch._assert_async((x < 100).all(), "f2")
    y = x * w
    y.register_hook(tell)
    torch._assert_async((x < 100).all(), "f3")
    torch.ops.aten._print("f1")
    return y.sin()
)";

struct HookedCalls {
  explicit HookedCalls(AotOptions options)
      : theCase(caseOfText("def inputs(seed, kind):\n    return (), ()\n\n" + std::string(kHookedFunctions))),
        eager(evaluator::eagerProgram(theCase)) {
    native::registerNativeBackends();
    options.observers.push_back(seen);
    backend = native::makeCapturingBackend(backends::backendInfo("aot_eager"),
                                           {.compiler = aot_autograd::aotCompiler(std::move(options))});
    compiled = backend->compile(theCase);
  }
  /// Values, gradients, and what was printed when the call was made and when the backward ran.
  static std::pair<std::vector<at::Tensor>, std::vector<std::string>> run(values::Callable& program) {
    const at::Tensor x = leaf({3}), w = leaf({3}, 2);
    std::vector<std::string> printed;
    std::vector<at::Tensor> results;
    {
      const Printed output;
      results = CompiledCalls::call(program, {x, w});
      printed.push_back(output.text());
    }
    const Printed output;
    results[0].sum().backward();
    printed.push_back(output.text());
    results.insert(results.end(), {x.grad(), w.grad()});
    return {results, printed};
  }

  std::shared_ptr<GraphsOfStages> seen = std::make_shared<GraphsOfStages>();
  language::Case theCase;
  std::unique_ptr<values::Callable> eager;
  std::unique_ptr<backends::Backend> backend;
  std::unique_ptr<values::CompiledProgram> compiled;
};

const std::vector<AotPartition> kPartitions{AotPartition::kDefault, AotPartition::kMinCut};

NodeId lastSunk(const ir::Graph& graph) {
  const auto& nodes = graph.nodes();
  const auto sunk = std::ranges::find(nodes, fake::kSinkTokens, &ir::Node::target);
  EXPECT_NE(sunk, nodes.end());
  return std::get<ir::NodeReference>(
             std::get<ir::Argument::Container>(sunk->arguments.at(0).payload).items.at(0).payload)
      .node;
}

// With `__` for `::` all are one name.
TORCH_LIBRARY(token__test_, library) {
  library.def("tell(int number) -> ()", [](int64_t) {});
}
TORCH_LIBRARY(token, library) {
  library.def("test___tell(int number) -> ()", [](int64_t) {});
}
TORCH_LIBRARY(token_, library) {
  library.def("_test__tell.more(int number) -> ()", [](int64_t) {});
}

} // namespace

TEST(EffectTokensTest, AChainOfTokensKeepsEffectsInJointForwardAndBackwardGraphs) {
  const Chain forward{"f1", "f2", "f3", "f1"}, backward{"b1", "b2"};
  for (const AotPartition partition : kPartitions) {
    HookedCalls calls({.partition = partition});
    const auto expected = HookedCalls::run(*calls.eager), found = HookedCalls::run(*calls.compiled);
    EXPECT_EQ(expected.second, found.second);
    EXPECT_EQ(found.second, (Chain{"f1\nf1\n", "b1\n"}));
    for (size_t i = 0; i < found.first.size(); ++i) {
      EXPECT_TRUE(at::equal(found.first[i], expected.first[i])) << i;
    }
    for (const char* stage : {ir::kFunctionalStage, ir::kMergedStage}) {
      if (!calls.seen->graphs.contains(stage)) {
        continue;
      }
      const ir::Graph& joint = calls.seen->graphs.at(stage);
      EXPECT_EQ(joint.node(joint.placeholders().front()).name, "token") << stage;
      EXPECT_EQ(chainTo(joint, ir::outputNodes(joint).front()), forward) << stage;
      EXPECT_EQ(chainTo(joint, ir::outputNodes(joint).back()), backward) << stage;
    }
    const ir::Graph& first = calls.seen->graphs.at(ir::kForwardStage);
    EXPECT_EQ(first.node(first.placeholders().front()).name, "token");
    EXPECT_EQ(chainTo(first, ir::outputNodes(first).front()), forward);
    const ir::Graph& second = calls.seen->graphs.at(ir::kBackwardStage);
    EXPECT_EQ(second.node(second.placeholders().back()).name, "backward_token");
    EXPECT_EQ(chainTo(second, ir::outputNodes(second).back()), backward);
  }
}

TEST(EffectTokensTest, UnliftedGraphsMakeAndSinkTheirTokens) {
  for (const AotPartition partition : kPartitions) {
    HookedCalls calls({.unliftEffectTokens = true, .partition = partition});
    const auto expected = HookedCalls::run(*calls.eager), found = HookedCalls::run(*calls.compiled);
    EXPECT_EQ(expected.second, found.second);
    const ir::Graph& first = calls.seen->graphs.at(ir::kForwardStage);
    const ir::Graph& second = calls.seen->graphs.at(ir::kBackwardStage);
    for (const ir::Graph* graph : {&first, &second}) {
      for (const NodeId placeholder : graph->placeholders()) {
        EXPECT_EQ(graph->node(placeholder).name.find("token"), std::string::npos);
      }
    }
    EXPECT_EQ(chainTo(first, lastSunk(first)), (Chain{"f1", "f2", "f3", "f1"}));
    EXPECT_EQ(chainTo(second, lastSunk(second)), (Chain{"b1", "b2"}));
  }
}

TEST(EffectTokensTest, BackendsUnliftWhatPyTorchsDoUnlessAnOptionSaysOtherwise) {
  const auto unlifts = [](const std::string& name, std::optional<bool> option) {
    CompiledCalls calls("x", "torch.ops.aten._print(\"f\")\nreturn x * 2");
    if (option) {
      calls.theCase.compile.options.emplace_back("unlift_effect_tokens", language::makeBool(*option));
    }
    const auto seen = std::make_shared<GraphsOfStages>();
    const auto backend = native::makeNativeBackend(backends::backendInfo(name), {seen});
    const Printed output;
    CompiledCalls::call(*backend->compile(calls.theCase), {values({3})});
    EXPECT_EQ(output.text(), "f\n");
    return std::ranges::count(seen->graphs.at(ir::kForwardStage).nodes(), fake::kMakeToken, &ir::Node::target) == 1;
  };
  EXPECT_FALSE(unlifts("aot_eager", std::nullopt));
  EXPECT_TRUE(unlifts("aot_eager", true));
  EXPECT_TRUE(unlifts("aot_eager_decomp_partition", std::nullopt));
  EXPECT_FALSE(unlifts("aot_eager_decomp_partition", false));
}

TEST(EffectTokensTest, NothingHappensWhileAProgramIsCompiledAndNothingHappensTwiceWhereItRaises) {
  for (const AotOptions& options :
       {AotOptions{}, AotOptions{.unliftEffectTokens = true}, AotOptions{.runs = aot_autograd::AotResult::kJoint}}) {
    CompiledCalls calls("x",
                        "torch.ops.aten._print(\"before\")\nx.add_(1)\n"
                        "torch._assert_async((x > 0).all(), \"too small\")\n"
                        "torch.ops.aten._print(\"after\")\nreturn x * 2",
                        options);
    const auto run = [](values::Callable& program, double shift) {
      const Printed output;
      const at::Tensor x = values({3}).add(shift);
      std::string error = errorOf([&] { CompiledCalls::call(program, {x}); });
      return std::make_tuple(error, output.text(), x);
    };
    for (const double shift : {5.0, -5.0, 6.0}) {
      const auto [error, printed, x] = run(*calls.eager, shift);
      const auto [errorFound, printedFound, found] = run(*calls.compiled, shift);
      EXPECT_EQ(errorFound, error);
      EXPECT_EQ(error.find("too small") != std::string::npos, shift < 0) << error;
      EXPECT_EQ(printedFound, printed);
      EXPECT_EQ(printed, shift < 0 ? "before\n" : "before\nafter\n");
      EXPECT_TRUE(at::equal(found, x));
    }
  }
}

TEST(EffectTokensTest, NamespacesOfEffectsAreWhateverTheyAre) {
  const std::pair<const char*, const char*> ops[] = {{"token__test_::tell", "torch.ops.token__test_.tell.default"},
                                                     {"token::test___tell", "torch.ops.token.test___tell.default"},
                                                     {"token_::_test__tell.more", "torch.ops.token_._test__tell.more"}};
  ir::Graph graph;
  NodeId token = graph.addPlaceholder("token");
  for (const auto& [target, python] : ops) {
    fake::registerEffectfulOperator({target, /*mayRaise=*/false});
    fake::registerEffectfulOperator({target}); // said anew
    const std::string made = fake::withEffectsTarget(target);
    EXPECT_EQ(fake::effectOf(made), target);
    EXPECT_EQ(fake::effectOf(target), "");
    EXPECT_TRUE(fake::isWithEffects(made));
    token = graph.addOperator(made, {ir::nodeArgument(token), ir::Argument{int64_t{1}}});
    EXPECT_NE(fake::traitsOf(fake::operatorOf(made)).raisesOnData, fake::RaisesOnData::kNever);
  }
  graph.output = ir::nodeTuple({token});
  const std::string code = runtime::runnableCode(graph, {});
  for (const auto& [target, python] : ops) {
    EXPECT_NE(code.find("with_effects(" + std::string(python) + ")"), std::string::npos) << python << "\n" << code;
  }
}

TEST(EffectTokensTest, RandomProgramsWithEffectsAgreeWithEager) {
  std::mt19937 random(7);
  const std::vector<AotOptions> options{
      {},
      {.unliftEffectTokens = true},
      {.partition = AotPartition::kMinCut},
      {.unliftEffectTokens = true, .partition = AotPartition::kMinCut},
      {.runs = aot_autograd::AotResult::kFunctional},
      {.partition = AotPartition::kMinCut, .decompositions = decompositions::inductorDecompositions()}};
  int raised = 0;
  for (int program = 0; program < 60; ++program) {
    std::string body;
    for (int line = 0; line < 8; ++line) {
      const std::string number = std::to_string(line);
      switch (random() % 6) {
        case 0: body += "torch.ops.aten._print(\"" + number + "\")\n"; break;
        case 1:
          body += "torch._assert_async((x < " + std::to_string(random() % 3) + ").all(), \"" + number + "\")\n";
          break;
        case 2: body += "torch._assert_async((b < 100).all())\n"; break;
        case 3: body += "x = x.sin() * w\n"; break;
        case 4: body += "b.add_(0.5)\n"; break;
        default: body += "x = torch.nn.functional.silu(x) + b\n"; break;
      }
    }
    body += "return x * w, b";
    CompiledCalls calls("x, w, b", body.c_str(), options[static_cast<size_t>(program) % options.size()]);
    const auto run = [](values::Callable& called) {
      const at::Tensor x = leaf({3}), w = leaf({3}, 2), b = values({3}, 4);
      std::vector<at::Tensor> results;
      const Printed output;
      const std::string error = errorOf([&] {
        results = CompiledCalls::call(called, {x, w, b});
        results[0].sum().backward();
        results.insert(results.end(), {x.grad(), w.grad()});
      });
      results.push_back(b);
      return std::make_tuple(error, output.text(), results);
    };
    const auto [error, printed, expected] = run(*calls.eager);
    raised += error.empty() ? 0 : 1;
    for (int time = 0; time < 2; ++time) {
      const auto [errorFound, printedFound, found] = run(*calls.compiled);
      EXPECT_EQ(errorFound, error) << body;
      EXPECT_EQ(printedFound, printed) << body;
      ASSERT_EQ(found.size(), expected.size()) << body;
      for (size_t i = 0; i < found.size(); ++i) {
        EXPECT_TRUE(found[i].defined() == expected[i].defined() &&
                    (!found[i].defined() || at::allclose(found[i], expected[i])))
            << i << " of\n"
            << body;
      }
    }
  }
  EXPECT_GT(raised, 5);
  EXPECT_LT(raised, 50);
}

} // namespace touchstone::tests
