#include "tests/backends/AotPrograms.h"
#include "tests/backends/CallOutcome.h"
#include "tests/backends/CompiledCalls.h"

#include "backends/aot_autograd/Pipeline.h"
#include "backends/decompositions/DecompositionTable.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/PassGate.h"
#include "graph/ir/Stages.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sin.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace touchstone::tests {
namespace {

struct StageProgram {
  const char* name;
  const char* body;
  friend std::ostream& operator<<(std::ostream& stream, const StageProgram& program) { return stream << program.name; }
};

const std::vector<StageProgram> kPrograms{
    {"Saves", "return (x.sin() * w.exp()).sum(0)"},
    {"WritesToAnIntermediate", "y = x * w\ny.add_(w)\nz = y.t()\nz.mul_(2)\nreturn y.sin(), z"},
    {"WritesToAnInput", "b.mul_(3)\nc = b.view(12)\nc.add_(1)\nreturn x * b.view(3, 4) * w, c"},
    {"Draws", "y = torch.nn.functional.dropout(x, 0.5, True)\nreturn (y * w).sin() + torch.rand_like(x)"},
    {"SavesAnInputThatIsWrittenTo", "y = (x * 2 + b.view(3, 4)).exp() * w\nb.add_(1)\nreturn y"},
};

/// Outputs, what was written to `b`, gradients, and the generator behind it all.
std::vector<at::Tensor> run(values::Callable& program) {
  const at::Tensor x = leaf({3, 4}), w = leaf({3, 4}, 5), b = values({3, 4}, 9);
  at::manual_seed(11);
  std::vector<at::Tensor> results = CompiledCalls::call(program, {x, w, b});
  at::Tensor sum;
  for (const at::Tensor& output : results) {
    if (output.requires_grad()) {
      const at::Tensor part = output.mul(values(output.sizes(), 2)).sum();
      sum = sum.defined() ? sum + part : part;
    }
  }
  sum.backward();
  results.insert(results.end(), {b, x.grad(), w.grad(), generatorState()});
  return results;
}

class AotStagesTest : public testing::TestWithParam<std::tuple<StageProgram, aot_autograd::AotResult>> {};

} // namespace

TEST_P(AotStagesTest, EveryStageRunsAsEagerDoes) {
  const auto& [program, stage] = GetParam();
  CompiledCalls calls("x, w, b", program.body, {.runs = stage});
  const std::vector<at::Tensor> expected = run(*calls.eager);
  for (int time = 0; time < 2; ++time) {
    const std::vector<at::Tensor> found = run(*calls.compiled);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_TRUE(at::equal(found[i], expected[i])) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, AotStagesTest,
                         testing::Combine(testing::ValuesIn(kPrograms),
                                          testing::Values(aot_autograd::AotResult::kJoint,
                                                          aot_autograd::AotResult::kFunctional,
                                                          aot_autograd::AotResult::kPartitioned)));

namespace {

/// Shows the Graphs that run.
class GraphsKept final : public backends::PipelineObserver {
 public:
  void afterStage(const std::string& stage, ir::StageArtifacts& artifacts) override {
    if (stage == "forward" || stage == "backward") {
      texts[stage] = ir::printGraph(*artifacts.graph(stage));
    }
  }
  std::map<std::string, std::string> texts;
};

size_t countOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

} // namespace

TEST(AotStagesTest, OnlyTheJointStageHasWritesAndOnlyThePartitionSavesWhatItComputed) {
  std::map<aot_autograd::AotResult, std::map<std::string, std::string>> texts;
  for (const aot_autograd::AotResult stage :
       {aot_autograd::AotResult::kJoint, aot_autograd::AotResult::kFunctional, aot_autograd::AotResult::kPartitioned}) {
    const auto kept = std::make_shared<GraphsKept>();
    CompiledCalls calls("x, w, b", "y = x * w\ny.add_(w)\nreturn y.sin().exp()", {.observers = {kept}, .runs = stage});
    run(*calls.compiled);
    texts[stage] = kept->texts;
  }
  for (const char* part : {"forward", "backward"}) {
    EXPECT_GE(countOf(texts[aot_autograd::AotResult::kJoint][part], "aten.add_."), 1U)
        << texts[aot_autograd::AotResult::kJoint][part];
    EXPECT_EQ(countOf(texts[aot_autograd::AotResult::kFunctional][part], "aten.add_."), 0U);
    EXPECT_EQ(countOf(texts[aot_autograd::AotResult::kFunctional][part], "aten.sin."), 1U)
        << "the forward is computed again";
  }
  EXPECT_EQ(countOf(texts[aot_autograd::AotResult::kPartitioned]["backward"], "aten.sin."), 0U);
}

TEST(AotStagesTest, AWriteToWhatEagerSavesIsAnErrorAtEveryStage) {
  for (const aot_autograd::AotResult stage :
       {aot_autograd::AotResult::kJoint, aot_autograd::AotResult::kFunctional, aot_autograd::AotResult::kPartitioned}) {
    CompiledCalls calls("x, b", "return (x * b).sum(), b * 2", {.runs = stage});
    const at::Tensor x = leaf({3}), b = values({3}, 1);
    const std::vector<at::Tensor> outputs = calls({x, b});
    b.add_(1);
    EXPECT_NE(errorOf([&] { outputs[0].backward(); }).find("modified by an inplace operation"), std::string::npos);
    const std::vector<at::Tensor> harmless = calls({x, b});
    harmless[1].add_(1);
    EXPECT_EQ(errorOf([&] { harmless[0].backward(); }), "");
  }
}

TEST(AotStagesTest, AWriteThroughAnotherViewOfWhatEagerSavesIsAnErrorAtEveryStage) {
  for (const aot_autograd::AotResult stage :
       {aot_autograd::AotResult::kJoint, aot_autograd::AotResult::kFunctional, aot_autograd::AotResult::kPartitioned}) {
    for (const char* write : {"x.mul_(1)", "y.mul_(1)", "x.sin()"}) {
      const std::string body = std::string("r = x + y.cos()\ntorch._dynamo.graph_break()\n") + write + "\nreturn r";
      CompiledCalls calls("x, y", body.c_str(), {.runs = stage});
      const auto backward = [&](values::Callable& program) {
        const at::Tensor x = leaf({2, 2}) * 1;
        const at::Tensor r = CompiledCalls::call(program, {x, x.t()})[0];
        return errorOf([&] { r.sum().backward(); });
      };
      EXPECT_EQ(backward(*calls.compiled).substr(0, 100), backward(*calls.eager).substr(0, 100))
          << write << " at stage " << static_cast<int>(stage);
    }
  }
}

TEST(AotStagesTest, AWriteToTheMemoryOfASavedViewIsAnErrorAtEveryStage) {
  for (const aot_autograd::AotResult stage :
       {aot_autograd::AotResult::kJoint, aot_autograd::AotResult::kFunctional, aot_autograd::AotResult::kPartitioned}) {
    CompiledCalls calls("x, w", "y = x * 2\nreturn y.t().mm(w), y, x.t().mm(w)", {.runs = stage});
    for (const int written : {0, 1, 2}) {
      const auto backward = [&](values::Callable& program) {
        const at::Tensor x = values({2, 2}), w = leaf({2, 2}, 3);
        const std::vector<at::Tensor> outputs = CompiledCalls::call(program, {x, w});
        if (written > 0) {
          at::Tensor(written == 1 ? x : outputs[1]).detach().mul_(1);
        }
        return errorOf([&] { (outputs[0] + outputs[2]).sum().backward(); });
      };
      EXPECT_EQ(backward(*calls.compiled).substr(0, 100), backward(*calls.eager).substr(0, 100))
          << written << " at stage " << static_cast<int>(stage);
    }
  }
}

TEST(AotStagesTest, AnInputMayBeAViewOfMemoryOfAnotherDtype) {
  for (const aot_autograd::AotResult stage :
       {aot_autograd::AotResult::kJoint, aot_autograd::AotResult::kFunctional, aot_autograd::AotResult::kPartitioned}) {
    for (const char* body : {"return x * 2", "x.mul_(3)\nreturn x.sin()",
                             "z = torch.complex(x, x * 2)\nreturn x.sin(), torch.imag(z), z"}) {
      CompiledCalls calls("x", body, {.runs = stage});
      const auto run = [&](values::Callable& program) {
        const at::Tensor base = leaf({3}, 0, at::kComplexFloat), numbers = base * 1;
        std::vector<at::Tensor> results = CompiledCalls::call(program, {at::imag(numbers)});
        at::Tensor sum = results[0].sum();
        if (results.size() > 1) { // a view of another dtype that the call has made
          results[1].mul_(3);
          sum = sum + at::imag(results[2]).sum();
        }
        sum.backward();
        results.insert(results.end(), {numbers, base.grad()});
        return results;
      };
      const std::vector<at::Tensor> expected = run(*calls.eager), found = run(*calls.compiled);
      for (size_t i = 0; i < expected.size(); ++i) {
        EXPECT_TRUE(at::equal(found.at(i), expected[i])) << body << " at stage " << static_cast<int>(stage);
      }
    }
  }
}

TEST(AotStagesTest, WhatEagerDoesNotSaveMayBeWrittenToAtEveryStage) {
  for (const aot_autograd::AotResult stage :
       {aot_autograd::AotResult::kJoint, aot_autograd::AotResult::kFunctional, aot_autograd::AotResult::kPartitioned}) {
    CompiledCalls calls("x, b", "return (x.sin() + b).exp()", {.runs = stage});
    const at::Tensor x = leaf({3}), b = values({3}, 1), y = leaf({3}), c = values({3}, 1);
    const at::Tensor output = calls({x, b})[0];
    b.add_(1);
    output.sum().backward();
    CompiledCalls::call(*calls.eager, {y, c})[0].sum().backward();
    EXPECT_TRUE(at::equal(x.grad(), y.grad())) << static_cast<int>(stage);
  }
}

TEST(AotStagesTest, ASecondBackwardIsWhatItIsInEager) {
  for (const aot_autograd::AotResult stage :
       {aot_autograd::AotResult::kJoint, aot_autograd::AotResult::kFunctional, aot_autograd::AotResult::kPartitioned}) {
    for (const char* body : {"return x.sin().exp() * 2", "return x + 1"}) {
      CompiledCalls calls("x", body, {.runs = stage});
      const auto second = [&](values::Callable& program) {
        const at::Tensor output = CompiledCalls::call(program, {leaf({3})})[0], ones = at::ones({3});
        output.backward(ones);
        return errorOf([&] { output.backward(ones); });
      };
      EXPECT_EQ(second(*calls.compiled), second(*calls.eager)) << body;
    }
  }
}

TEST(AotStagesTest, PassesOfThePartitionStopWhereTheGateSays) {
  // Two values are saved, one operator is dead.
  const char* body = "y = x.sin()\ndead = x.cos()\nreturn y.exp() * w";
  const auto run = [&](std::shared_ptr<ir::PassGate> gate) {
    const auto kept = std::make_shared<GraphsKept>();
    CompiledCalls calls("x, w, b", body, {.observers = {kept}, .gate = std::move(gate)});
    const std::vector<at::Tensor> expected = tests::run(*calls.eager), found = tests::run(*calls.compiled);
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_TRUE(at::equal(found.at(i), expected[i])) << i;
    }
    return kept->texts;
  };
  const auto all = std::make_shared<ir::PassGate>();
  auto texts = run(all);
  EXPECT_EQ(countOf(texts["forward"], "aten.cos."), 0U);
  EXPECT_EQ(countOf(texts["backward"], "aten.exp."), 0U);
  std::map<std::string, int64_t> counts;
  for (const auto& [pass, count] : all->counts()) {
    counts[pass] = count;
  }
  EXPECT_EQ(counts["dead_code"], 1);
  EXPECT_EQ(counts["saved_values"], 1) << "inputs are saved in any case";
  EXPECT_EQ(countOf(run(std::make_shared<ir::PassGate>("dead_code", 0))["forward"], "aten.cos."), 1U);
  EXPECT_EQ(countOf(run(std::make_shared<ir::PassGate>("saved_values", 0))["backward"], "aten.exp."), 1U);
}

namespace {

/// Writes `x + x` for each `x * 2`, one application at a time; the third adds once too often.
class DoublingPass final : public backends::PipelineObserver {
 public:
  explicit DoublingPass(std::shared_ptr<ir::PassGate> gate) : gate_(std::move(gate)) {}
  void afterStage(const std::string& stage, ir::StageArtifacts& artifacts) override {
    ir::Graph* graph = artifacts.graph(stage);
    for (size_t i = 0; stage == "forward" && i < graph->nodes().size(); ++i) {
      ir::Node& node = graph->node(static_cast<ir::NodeId>(i));
      if (node.target != "aten::mul.Scalar" && node.target != "aten::mul.Tensor") {
        continue;
      }
      if (gate_->mayApply("doubling", node.name)) {
        const int64_t times = ++applied_ == 3 ? 2 : 1;
        node.target = "aten::add.Tensor";
        node.arguments = {node.arguments[0], node.arguments[0], ir::Argument{times}};
      }
    }
  }

 private:
  const std::shared_ptr<ir::PassGate> gate_;
  int applied_ = 0;
};

} // namespace

TEST(AotStagesTest, AWrongApplicationOfAPassIsFound) {
  const char* body = "a = x * 2\nb = a.sin() * 2\nc = b.cos() * 2\nd = c.exp() * 2\nreturn d";
  const at::Tensor x = values({3});
  int runs = 0;
  const auto fault = ir::bisectPasses([&](const std::string& pass, int64_t limit) {
    const auto gate = pass.empty() ? std::make_shared<ir::PassGate>() : std::make_shared<ir::PassGate>(pass, limit);
    CompiledCalls calls("x", body, {.observers = {std::make_shared<DoublingPass>(gate)}, .gate = gate});
    const bool same = at::equal(calls({x})[0], CompiledCalls::call(*calls.eager, {x})[0]);
    ++runs;
    return ir::GatedRun{!same, gate->counts(), gate->last()};
  });
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->pass, "doubling");
  EXPECT_EQ(fault->number, 3);
  EXPECT_EQ(fault->where.rfind("mul", 0), 0U) << fault->where;
  EXPECT_GE(runs, 4);
}

TEST(AotStagesTest, ThePipelineHasStagesOfTheListInItsOrder) {
  auto entry = ir::kStages.begin();
  for (const aot_autograd::Stage& stage : aot_autograd::pipeline()) {
    entry = std::find_if(entry, ir::kStages.end(),
                         [&](const ir::StageEntry& each) { return std::string(each.name) == stage.name; });
    ASSERT_NE(entry, ir::kStages.end()) << stage.name;
  }
}

namespace {

/// Notes what an observer is told of a pipeline, and which Graphs are compiled.
struct Watching final : backends::PipelineObserver {
  void afterStage(const std::string& stage, ir::StageArtifacts&) override { stages.push_back(stage); }
  backends::GraphCompiler aroundCompiler(const std::string& stage, backends::GraphCompiler compiler) override {
    EXPECT_TRUE(compiler == nullptr) << "no compiler was chosen";
    return [this, stage](ir::Graph graph, const std::vector<at::Tensor>& examples) {
      compiled.push_back(stage);
      return backends::compileToInterpreter(std::move(graph), examples);
    };
  }
  runtime::NodeWatch nodeWatch() override {
    return [this](const ir::Node& node, const c10::IValue&) { nodes.push_back(node.target); };
  }
  std::vector<std::string> stages, compiled, nodes;
};

} // namespace

TEST(AotStagesTest, AnObserverSeesStagesCompilersAndNodes) {
  for (const aot_autograd::AotResult runs :
       {aot_autograd::AotResult::kJoint, aot_autograd::AotResult::kFunctional, aot_autograd::AotResult::kPartitioned}) {
    const auto watching = std::make_shared<Watching>();
    CompiledCalls calls("x, w", "return x.sin(), x.exp() * w", {.observers = {watching}, .runs = runs});
    const at::Tensor x = leaf({3}), w = leaf({3}, 1);
    const std::vector<at::Tensor> outputs = calls({x, w});
    const auto ran = [&](const char* target) {
      return std::count(watching->nodes.begin(), watching->nodes.end(), target);
    };
    EXPECT_EQ(ran("aten::sin"), 1);
    EXPECT_EQ(ran("aten::cos"), 0);
    const auto weighed = [](const at::Tensor& output) { return output.mul(values({3}, 2)).sum(); };
    (weighed(outputs[0]) + weighed(outputs[1])).backward();
    EXPECT_EQ(ran("aten::cos"), 1) << static_cast<int>(runs);
    const bool isCompiled = runs != aot_autograd::AotResult::kJoint; // the recorded backward never is
    EXPECT_EQ(watching->compiled,
              isCompiled ? (std::vector<std::string>{"forward", "backward"}) : std::vector<std::string>{"forward"});
    EXPECT_EQ(watching->stages.size(), 6U);

    const std::vector<at::Tensor> later = calls({x, w});
    weighed(later[0]).backward();
    EXPECT_EQ(ran("aten::cos"), 2) << "a backward that is compiled later";
    EXPECT_EQ(watching->compiled.size(), isCompiled ? 3U : 1U);
    EXPECT_EQ(watching->stages.size(), 6U) << "which is not shown";
  }
}

TEST(AotStagesTest, DecompositionsStopWhereTheGateSaysSo) {
  std::vector<int64_t> left; // by limit
  for (const int64_t limit : {0, 1, 2}) {
    const auto watching = std::make_shared<Watching>();
    const auto gate = std::make_shared<ir::PassGate>("decompositions", limit);
    CompiledCalls calls(
        "x", "return torch.nn.functional.silu(x) + torch.nn.functional.silu(x * 2)",
        {.observers = {watching}, .decompositions = decompositions::inductorDecompositions(), .gate = gate});
    calls({values({3})});
    left.push_back(std::count(watching->nodes.begin(), watching->nodes.end(), "aten::silu"));
    EXPECT_EQ(gate->last().empty(), limit == 0);
  }
  EXPECT_EQ(left, (std::vector<int64_t>{2, 1, 0}));
}

} // namespace touchstone::tests
