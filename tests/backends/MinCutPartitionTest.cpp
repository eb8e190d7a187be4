#include "tests/backends/CompiledCalls.h"

#include "backends/partitioners/MemoryBudget.h"
#include "backends/partitioners/MinCutPartition.h"
#include "backends/partitioners/MinimumCut.h"
#include "graph/ir/Arguments.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace touchstone::tests {
namespace {

/// Keeps what a compile left, all stages of it.
class ArtifactsKept final : public backends::PipelineObserver {
 public:
  void afterStage(const std::string&, ir::StageArtifacts& artifacts) override { kept = artifacts; }
  ir::StageArtifacts kept;
};

struct SavedProgram {
  const char* name;
  const char* parameters;
  const char* body;
  std::vector<std::vector<int64_t>> inputs; // leaves that require grad, float32
  /// What the backward gets, in the order of the joint Graph: an input's name, or the operator that made it.
  std::vector<std::string> saved;
  double budget = 1;
};
std::ostream& operator<<(std::ostream& stream, const SavedProgram& program) {
  return stream << program.name;
}

std::vector<at::Tensor> leavesOf(const SavedProgram& program) {
  std::vector<at::Tensor> leaves;
  for (const std::vector<int64_t>& sizes : program.inputs) {
    leaves.push_back(leaf(sizes, static_cast<double>(leaves.size())));
  }
  return leaves;
}

std::vector<std::string> savedBy(const ir::StageArtifacts& artifacts) {
  ir::StageArtifacts copy = artifacts;
  const ir::Graph& joint = *copy.graph("merged");
  std::set<std::string> taken;
  for (const std::string& name : ir::placeholderNames(*copy.graph("backward"))) {
    taken.insert(name);
  }
  std::vector<std::string> saved;
  for (const ir::Node& node : joint.nodes()) {
    const bool isSaved = std::find(artifacts.partition.saved.begin(), artifacts.partition.saved.end(), node.name) !=
                         artifacts.partition.saved.end();
    if (isSaved && taken.contains(node.name)) {
      saved.push_back(node.kind == ir::NodeKind::kPlaceholder ? node.name
                      : node.kind == ir::NodeKind::kElement   ? "element"
                                                              : node.target.substr(0, node.target.find('.')));
    }
  }
  return saved;
}

// What min_cut_rematerialization_partition of PyTorch 2.13 saves for the same programs under torch.compile when the `detach`s
// are taken out of its joint Graph first. It has one for each saved result of a formula (exp, sigmoid); ours has none. With
// them PyTorch saves the result of exp in Chain and Broadcast, too: it takes a detach for something that needs it in memory.
const std::vector<SavedProgram> kSavedPrograms{
    {"Chain", "x", "return x.sin().exp().cos()", {{4, 5}}, {"x"}},
    {"OutputOfAFormula", "x", "return x.sigmoid()", {{4, 5}}, {"aten::sigmoid"}},
    {"Product",
     "x, w",
     "return x.mm(w).sin().exp()",
     {{4, 5}, {5, 6}},
     {"aten::mm", "aten::exp", "aten::t", "aten::t"}},
    {"Relu", "x, w", "return x.mm(w).relu()", {{4, 5}, {5, 6}}, {"aten::relu", "aten::t", "aten::t"}},
    {"MaskMadeInTheBackward", "x", "return x.sin().clamp(-0.5, 0.5) * 2", {{4, 5}}, {"x"}},
    {"ProductAndClamp",
     "x, w",
     "return x.mm(w).clamp(-0.5, 0.5).sin()",
     {{4, 5}, {5, 6}},
     {"aten::mm", "aten::t", "aten::t"}},
    {"SumMadeSmall", "x", "return x.sin().sum(0).exp()", {{40, 5}}, {"x", "aten::exp"}},
    {"Repeated", "x", "return x.sin() * x.sin()", {{4, 5}}, {"x"}},
    {"Norm",
     "x, w",
     "return torch.nn.functional.layer_norm(x * 2, (6,), w).sin()",
     {{4, 6}, {6}},
     {"w", "aten::mul", "element", "element", "aten::cos"}},
    {"Draw", "x", "return (x.sin() * torch.rand_like(x)).cos()", {{4, 5}}, {"x", "aten::rand_like"}},
    {"Softmax", "x", "return torch.softmax(x.exp(), 1)", {{4, 5}}, {"aten::exp", "aten::_softmax"}},
    {"ProductWithATranspose", "x, w", "return x.mm(w.t()).exp()", {{4, 5}, {6, 5}}, {"x", "aten::exp", "aten::t"}},
    {"Concatenation", "x, y", "return torch.cat([x.sin(), y.cos()]).exp()", {{4, 5}, {4, 5}}, {"x", "y", "aten::exp"}},
    {"Conversion", "x, y", "return (x.double() * y.double()).sin().float()", {{4, 5}, {4, 5}}, {"x", "y"}},
    {"FarApart",
     "x, w",
     "a = x.cos()\nreturn a.mm(w).sin() * a.exp()",
     {{4, 4}, {4, 4}},
     {"x", "aten::mm", "aten::exp", "aten::t", "aten::t"}},
    {"Budget100",
     "x, w, v",
     "return x.mm(w).sin().mm(v).sin().exp()",
     {{64, 4}, {4, 64}, {64, 64}},
     {"aten::mm", "aten::mm", "aten::exp", "aten::t", "aten::t", "aten::t", "aten::t"}},
    {"Budget50",
     "x, w, v",
     "return x.mm(w).sin().mm(v).sin().exp()",
     {{64, 4}, {4, 64}, {64, 64}},
     {"aten::mm", "aten::mm", "aten::t", "aten::t", "aten::t"},
     0.5},
    {"Budget30",
     "x, w, v",
     "return x.mm(w).sin().mm(v).sin().exp()",
     {{64, 4}, {4, 64}, {64, 64}},
     {"x", "w", "aten::mm", "aten::t"},
     0.3},
    {"Budget10",
     "x, w, v",
     "return x.mm(w).sin().mm(v).sin().exp()",
     {{64, 4}, {4, 64}, {64, 64}},
     {"x", "w", "v"},
     0.1},
    {"Budget0", "x, w, v", "return x.mm(w).sin().mm(v).sin().exp()", {{64, 4}, {4, 64}, {64, 64}}, {"x", "w", "v"}, 0},
    {"Broadcast", "x, y", "return (x.sin() + y).exp() * y", {{4, 5}, {5}}, {"x", "y"}},
};

/// The output and the gradients of one call.
std::vector<at::Tensor> gradients(values::Callable& callable, const SavedProgram& program, bool plainTangent) {
  at::manual_seed(3);
  std::vector<at::Tensor> leaves = leavesOf(program);
  std::vector<at::Tensor> results = CompiledCalls::call(callable, leaves);
  (plainTangent ? results[0].mul(values(results[0].sizes(), 2)) : results[0]).sum().backward();
  for (const at::Tensor& input : leaves) {
    results.push_back(input.grad());
  }
  return results;
}

} // namespace

class MinCutPartitionTest : public testing::TestWithParam<SavedProgram> {};

TEST_P(MinCutPartitionTest, SavesWhatPyTorchSaves) {
  const SavedProgram& program = GetParam();
  const auto hook = std::make_shared<ArtifactsKept>();
  aot_autograd::AotOptions options{.observers = {hook}, .partition = aot_autograd::AotPartition::kMinCut};
  options.minCut.memoryBudget = program.budget;
  CompiledCalls calls(program.parameters, program.body, options);
  for (const bool plain : {true, false}) { // the second tangent is expanded: a backward of its own, compiled later
    const std::vector<at::Tensor> expected = gradients(*calls.eager, program, plain);
    const std::vector<at::Tensor> found = gradients(*calls.compiled, program, plain);
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_TRUE(at::equal(found[i], expected[i])) << i << (plain ? "" : " of the second");
    }
  }
  EXPECT_EQ(savedBy(hook->kept), program.saved) << ir::printGraph(*hook->kept.graph("merged"));
}

INSTANTIATE_TEST_SUITE_P(All, MinCutPartitionTest, testing::ValuesIn(kSavedPrograms),
                         [](const auto& program) { return program.param.name; });

namespace {

/// The gradients of x and w from each choice among three outputs, the compiled program's and eager's.
void expectGradientsOfEachChoice(const char* body) {
  CompiledCalls calls("x, w", body, {.partition = aot_autograd::AotPartition::kMinCut});
  for (unsigned chosen = 7; chosen > 0; --chosen) {
    const auto run = [&](values::Callable& callable) {
      at::manual_seed(3);
      const at::Tensor x = leaf({4, 4}), w = leaf({4, 4}, 3);
      const std::vector<at::Tensor> outputs = CompiledCalls::call(callable, {x, w});
      at::Tensor sum = at::zeros({});
      for (unsigned i = 0; i < 3; ++i) {
        sum = (chosen >> i & 1U) != 0 ? sum + outputs[i].mul(values({4, 4}, i)).sum() : sum;
      }
      sum.backward();
      return std::vector<at::Tensor>{x.grad(), w.grad()};
    };
    const std::vector<at::Tensor> expected = run(*calls.eager), found = run(*calls.compiled);
    for (size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i].defined(), expected[i].defined()) << body << chosen;
      EXPECT_TRUE(!found[i].defined() || at::equal(found[i], expected[i])) << body << chosen;
    }
  }
}

} // namespace

TEST(MinCutPartitionTest, BackwardsOfLessReadWhatTheCutHasSaved) {
  expectGradientsOfEachChoice("y = x.sin() * w\nreturn y.exp(), y.cos().clamp(-0.5, 0.5), x.sin() * x.sin()");
  expectGradientsOfEachChoice(
      "y = torch.nn.functional.dropout(x.mm(w), 0.5, True)\nreturn y.cos(), (y * 2).sin(), (w.t() @ y).clamp(0, 1)");
  expectGradientsOfEachChoice("return (x * 3).sin(), (w * 2).clamp(-1, 1), (w * 2).sin()"); // graphs that do not meet
}

TEST(MinCutPartitionTest, AnotherLayoutOfTangentsReadsAViewOfAnOutputThatWasSaved) {
  CompiledCalls calls("x", "y, i = torch.max(x, 0)\nreturn y, i", {.partition = aot_autograd::AotPartition::kMinCut});
  const auto run = [&](values::Callable& callable) {
    const at::Tensor x = leaf({4, 3});
    CompiledCalls::call(callable, {x})[0].sum().backward(); // expanded
    return x.grad();
  };
  EXPECT_TRUE(at::equal(run(*calls.compiled), run(*calls.eager)));
}

TEST(MinCutPartitionTest, AnotherLayoutOfTangentsReadsWhatTheCutComputesFromOtherValues) {
  CompiledCalls calls(
      "x, m", "y = torch.nn.functional.group_norm(x.expand(2, 2), 1)\nreturn torch.copysign(m, torch.lerp(y, y, y))",
      {.partition = aot_autograd::AotPartition::kMinCut});
  const auto run = [&](values::Callable& callable) {
    const at::Tensor x = leaf({1, 2}), y = CompiledCalls::call(callable, {x, values({2}, 1)})[0];
    y.backward(values({2, 2, 2}, 3).select(2, 0)); // gapped
    return x.grad();
  };
  EXPECT_TRUE(at::equal(run(*calls.compiled), run(*calls.eager)));
}

TEST(MinCutPartitionTest, ABackwardOfLessMayReadNothingThatWasSaved) {
  CompiledCalls calls("x", "y = x[[0], :1]\nreturn y, torch.clamp_max(y, 1.0)",
                      {.partition = aot_autograd::AotPartition::kMinCut});
  const auto run = [&](values::Callable& callable) {
    const at::Tensor x = leaf({2, 2});
    const at::Tensor sum = CompiledCalls::call(callable, {x})[0].sum();
    sum.backward({}, /*retain_graph=*/false);
    EXPECT_NE(errorOf([&] { sum.backward(); }).find("a second time"), std::string::npos);
    return x.grad();
  };
  EXPECT_TRUE(at::equal(run(*calls.compiled), run(*calls.eager)));
}

TEST(MinCutPartitionTest, WhatOnlyTheCutSavesIsKeptFromWrites) {
  const auto hook = std::make_shared<ArtifactsKept>();
  CompiledCalls calls("x", "return (x * 2).sin()",
                      {.observers = {hook}, .partition = aot_autograd::AotPartition::kMinCut});
  const auto run = [&](values::Callable& callable) {
    const at::Tensor x = leaf({4});
    const at::Tensor y = CompiledCalls::call(callable, {x})[0];
    x.detach().add_(1); // eager has saved the product
    y.sum().backward();
    return x.grad();
  };
  const at::Tensor expected = run(*calls.eager), found = run(*calls.compiled);
  EXPECT_EQ(savedBy(hook->kept), std::vector<std::string>{"x"});
  EXPECT_TRUE(at::equal(found, expected));
}

TEST(MinCutPartitionTest, WhatEagerSavesUnnoticedStaysWhatIsRead) {
  // kron saves an _unsafe_view of each operand, whose version does not count writes to x.
  CompiledCalls calls("x", "return torch.kron(x, x).sin()", {.partition = aot_autograd::AotPartition::kMinCut});
  const auto run = [&](values::Callable& callable) {
    const at::Tensor x = leaf({3});
    const at::Tensor y = CompiledCalls::call(callable, {x})[0];
    x.detach().mul_(2);
    y.sum().backward();
    return x.grad();
  };
  EXPECT_TRUE(at::equal(run(*calls.compiled), run(*calls.eager)));
}

TEST(MinCutPartitionTest, AProductOfMoreThanMatricesIsCutThoughItIsAnUnsafeView) {
  const auto hook = std::make_shared<ArtifactsKept>();
  CompiledCalls calls("x, w", "y = x.matmul(w)\nreturn y, y.sin().exp()",
                      {.observers = {hook}, .partition = aot_autograd::AotPartition::kMinCut});
  calls({leaf({2, 3, 4}), leaf({4, 5})});
  EXPECT_NE(hook->kept.graph("merged"), nullptr);
}

TEST(MinCutPartitionTest, WhatEagerSavesIsStillLookedAt) {
  // The backward reads x alone; eager has saved y, too, which the caller has.
  CompiledCalls calls("x", "y = x * 2\nreturn y, y.sin()", {.partition = aot_autograd::AotPartition::kMinCut});
  for (values::Callable* callable : {calls.eager.get(), static_cast<values::Callable*>(calls.compiled.get())}) {
    const at::Tensor x = leaf({4});
    std::vector<at::Tensor> outputs = CompiledCalls::call(*callable, {x});
    outputs[0].detach().add_(1);
    EXPECT_NE(errorOf([&] { outputs[1].sum().backward(); }).find("modified by an inplace operation"),
              std::string::npos);
  }
}

TEST(MinCutPartitionTest, ASecondBackwardIsAnErrorAlsoWhereNothingIsRead) {
  CompiledCalls calls("x", "return x * torch.ones(3).exp()", {.partition = aot_autograd::AotPartition::kMinCut});
  for (values::Callable* callable : {calls.eager.get(), static_cast<values::Callable*>(calls.compiled.get())}) {
    const at::Tensor x = leaf({3});
    const at::Tensor sum = CompiledCalls::call(*callable, {x})[0].sum();
    sum.backward({}, /*retain_graph=*/false);
    EXPECT_NE(errorOf([&] { sum.backward(); }).find("a second time"), std::string::npos);
  }
}

TEST(MinCutPartitionTest, TheGateStopsWhatItDoes) {
  const auto counts = [](const std::string& pass, int64_t limit) {
    const auto hook = std::make_shared<ArtifactsKept>();
    const auto gate = std::make_shared<ir::PassGate>(pass, limit);
    CompiledCalls calls("x", "return (x * 2).sin() * (x * 2)",
                        {.observers = {hook}, .partition = aot_autograd::AotPartition::kMinCut, .gate = gate});
    calls({leaf({4})});
    return std::make_pair(savedBy(hook->kept), gate->counts());
  };
  EXPECT_EQ(counts("", 0).first, std::vector<std::string>{"x"});
  const auto [saved, asked] = counts("recomputation", 0);

  EXPECT_GT(saved.size(), 1U);
  std::set<std::string> passes;
  for (const auto& [pass, count] : asked) {
    passes.insert(pass);
  }
  EXPECT_TRUE(passes.contains("cse"));
  EXPECT_TRUE(passes.contains("recomputation"));
}

TEST(MinCutPartitionTest, ABudgetOutsideOfItsBoundsIsAnError) {
  aot_autograd::AotOptions options{.partition = aot_autograd::AotPartition::kMinCut};
  options.minCut.memoryBudget = 1.5;
  CompiledCalls calls("x", "return x.sin()", options);
  EXPECT_NE(errorOf([&] { calls({leaf({3})}); }).find("between 0"), std::string::npos);
}

} // namespace touchstone::tests
