#include "oracles/stages/ReplayJudge.h"

#include "backends/torch_compile/EmbeddedPython.h"
#include "backends/torch_compile/PythonErrors.h"
#include "oracles/stages/ReplayRun.h"
#include "program/values/GeneratorState.h"
#include "program/values/RaisedException.h"
#include "tests/torch_compile/Programs.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>

#include <map>

namespace touchstone::tests {

using stages::ReplayRung;

/// What came of the stages of a program of two tensors.
struct JudgedProgram {
  std::map<std::string, ReplayRung> rungs;
  std::vector<values::ReplayCall> calls;

  std::string differing() const {
    std::string names;
    for (const char* stage : {"tracing", "partition", "forward", "backward"}) {
      names += rungs.at(stage).outcome == ReplayRung::Outcome::kDiffers ? std::string(stage) + " " : "";
    }
    return names;
  }
};

class ReplayJudgeTest : public PythonTest {
 protected:
  static void SetUpTestSuite() {
    PythonTest::SetUpTestSuite();
    const torch_compile::PythonLock lock;
    torch_compile::bridgeModule("imports").callMethod(
        "look_in", torch_compile::pythonString(TOUCHSTONE_SOURCE_DIR "/tests/python"));
  }

  static at::Tensor numbers() { return at::arange(12, at::kFloat).div_(8).reshape({3, 4}); }

  /// Makes two calls, and the backward of each, of a `program(x, w)` with this body; the tensors require grad as said.
  static JudgedProgram judged(const std::string& body, const std::string& backend, bool leaves = true,
                              bool second = true) {
    const auto program = torch_compile::compileInPython("import torch\n\n\ndef program(x, w):\n" + body, backend,
                                                        {.keepsStages = true, .keepsCalls = true});
    for (int i = 0; i < 2; ++i) {
      const at::Tensor x = numbers().add_(i).requires_grad_(leaves);
      const at::Tensor w = numbers().requires_grad_(leaves && second);
      try {
        const values::Value result = call(*program, {x, w});
        if (leaves) {
          result.tensor().sum().backward();
        }
      } catch (...) {
        values::currentException(); // it is in the calls
      }
    }
    JudgedProgram judged{.rungs = {}, .calls = program->replayCalls()};
    for (ReplayRung& rung : stages::judgeReplays(program->stages(), judged.calls)) {
      judged.rungs[rung.stage] = std::move(rung);
    }
    return judged;
  }

  static void expectOnly(const JudgedProgram& judged, const std::string& stage, const std::string& message) {
    EXPECT_EQ(judged.differing(), stage + " ");
    EXPECT_NE(judged.rungs.at(stage).message.find(message), std::string::npos) << judged.rungs.at(stage).message;
  }
};

using Reasons = std::vector<std::string>;

constexpr const char* kSines = "    return x.sin() * w.sin()\n";

TEST_F(ReplayJudgeTest, EveryStageOfARightBackendHolds) {
  for (const char* backend : {"planted_stages:right", "aot_eager", "aot_eager_default_partitioner", "aot_function"}) {
    const JudgedProgram found = judged(kSines, backend);
    EXPECT_EQ(found.differing(), "") << backend;
    for (const auto& [stage, judgedRuns] :
         {std::pair("partition", 4), std::pair("forward", 2), std::pair("backward", 2)}) {
      const ReplayRung& rung = found.rungs.at(stage);
      EXPECT_EQ(rung.outcome, ReplayRung::Outcome::kHolds) << backend << " " << stage;
      EXPECT_EQ(rung.judged, judgedRuns) << backend << " " << stage;
      EXPECT_TRUE(rung.unjudged.empty()) << backend << " " << stage << ": " << rung.unjudged.at(0);
    }
    const ReplayRung& tracing = found.rungs.at("tracing");
    const bool isCaptured = backend != std::string("aot_function");
    EXPECT_EQ(tracing.judged, isCaptured ? 4 : 0) << backend;
    EXPECT_EQ(tracing.unjudged, isCaptured ? Reasons{} : Reasons{"no captured graph is known"}) << backend;
  }
}

TEST_F(ReplayJudgeTest, TheStageThatIsWrongIsNamed) {
  expectOnly(judged(kSines, "planted_stages:wrong_forward"), "forward",
             "graph 0, run 0: result 0[0, 0]: 0 by the forward graph, ");
  expectOnly(judged(kSines, "planted_stages:wrong_backward"), "backward", "graph 0, run 0: gradient 0 of argument ");
  expectOnly(judged("    return x + w.sin()\n", "planted_stages:writing_forward", false), "forward",
             "input `arg0_1` after the run[0, 0]: ");
  expectOnly(judged(kSines, "planted_stages:wrong_gradient_of_partition"), "partition", "gradient 0 of argument ");
  expectOnly(judged(kSines, "planted_stages:wrong_result_of_partition"), "partition", "by the joint graph");
}

TEST_F(ReplayJudgeTest, AStageThatRaisesIsNamed) {
  expectOnly(judged(kSines, "planted_stages:raising_forward"), "forward",
             "raises while compiling: NotImplementedError: not for this compiler");
  expectOnly(judged(kSines, "planted_stages:raising_partition"), "partition",
             "raises while compiling: NotImplementedError: not for this partition");
}

TEST_F(ReplayJudgeTest, ASavedValueThatIsWrittenToIsThePartitions) {
  const char* body = "    y = x * w.clone()\n    w.add_(1)\n    return y\n";
  expectOnly(judged(body, "aot_eager", true, false), "partition",
             "by the backward graph, on what the forward graph saves");
  EXPECT_EQ(judged(body, "aot_eager_default_partitioner", true, false).differing(), "");
}

TEST_F(ReplayJudgeTest, WhatBecomesOfSavedValuesIsThePartitions) {
  const auto program = torch_compile::compileInPython(std::string("import torch\n\n\ndef program(x, w):\n") + kSines,
                                                      "aot_eager", {.keepsStages = true, .keepsCalls = true});
  const values::Value result = call(*program, {numbers().requires_grad_(), numbers().requires_grad_()});
  result.tensor().sum().backward();
  const std::vector<ir::StageArtifacts> frames = program->stages();
  std::vector<values::ReplayCall> calls = program->replayCalls();
  values::ReplayCall& backward = calls.back();
  ASSERT_EQ(backward.stage, "backward");
  backward.inputs.at(0).add_(1);
  const stages::ReplayRun run =
      stages::replayStage(*frames.at(0).graph("backward"), backward.inputs, backward.generator);
  backward.outputs = run.outputs;
  backward.inputsAfter = run.inputsAfter;
  for (const ReplayRung& rung : stages::judgeReplays(frames, calls)) {
    EXPECT_EQ(rung.outcome == ReplayRung::Outcome::kDiffers, rung.stage == "partition") << rung.stage;
    if (rung.stage == "partition") {
      EXPECT_NE(rung.message.find(" was written to before the backward read it; gradient "), std::string::npos)
          << rung.message;
    }
  }
}

TEST_F(ReplayJudgeTest, WhatTracingLosesIsTracings) {
  // Dropout that is off is its very input in eager; see corpus/found/write_through_no_op_dropout.py.
  const char* body = "    torch.nn.functional.dropout(x, 0.5, False).add_(1)\n    return w * 2\n";
  expectOnly(judged(body, "aot_eager", false), "tracing",
             "argument `l_x_` after the run[0, 0]: 0 by the traced graph, 1 by the captured graph");
  const char* right = "    x.add_(1)\n    return w * x, x.t()\n";
  const JudgedProgram found = judged(right, "aot_eager", false);
  EXPECT_EQ(found.rungs.at("tracing").outcome, ReplayRung::Outcome::kHolds);
  EXPECT_TRUE(found.rungs.at("tracing").unjudged.empty());
}

TEST_F(ReplayJudgeTest, GradientsThatTracingLosesAreTracings) {
  expectOnly(judged("    return x * w.sin() + x.cos()\n", "fault:second_use_is_not_accumulated"), "tracing",
             "by the joint graph, ");
  for (const char* right : {"    return (x * w).t()\n", "    y = x * 2\n    y.mul_(w)\n    return y\n"}) {
    const JudgedProgram found = judged(right, "aot_eager", true, false);
    EXPECT_EQ(found.differing(), "") << right;
    EXPECT_EQ(found.rungs.at("tracing").judged, 4) << right;
  }
}

TEST_F(ReplayJudgeTest, WhereResultsLieIsTheForwards) {
  expectOnly(judged("    return x + w, (x - w).sum(0)\n", "fault:results_begin_in_a_larger_memory", false), "forward",
             " of its memory by the forward graph, at ");
  expectOnly(judged("    return x + w, x + w\n", "fault:results_that_are_equal_are_one", false), "forward",
             " shares memory with result 0 by what was compiled alone");
}

TEST_F(ReplayJudgeTest, WithoutGradientsOnlyTheForwardIsThere) {
  const JudgedProgram right = judged(kSines, "planted_stages:right", false);
  EXPECT_EQ(right.rungs.at("forward").outcome, ReplayRung::Outcome::kHolds);
  for (const char* stage : {"partition", "backward"}) {
    EXPECT_EQ(right.rungs.at(stage).outcome, ReplayRung::Outcome::kAbsent);
    EXPECT_EQ(right.rungs.at(stage).unjudged, std::vector<std::string>{"no gradient was traced"});
  }
  expectOnly(judged(kSines, "planted_stages:wrong_forward", false), "forward", "");
}

TEST_F(ReplayJudgeTest, DrawsAreMadeAgain) {
  const JudgedProgram found =
      judged("    return torch.nn.functional.dropout(x, 0.5, True) * torch.rand_like(w)\n", "aot_eager");
  EXPECT_EQ(found.differing(), "");
  EXPECT_EQ(found.rungs.at("partition").judged, 4);
}

TEST_F(ReplayJudgeTest, RecordingLeavesTheProgramAsItIs) {
  const std::string source =
      "import torch\n\n\ndef program(x, w):\n    x.mul_(torch.rand_like(x))\n    return x + w, x.t()\n";
  std::vector<at::Tensor> results;
  for (const bool keeps : {false, true}) {
    const auto program =
        torch_compile::compileInPython(source, "aot_eager", {.keepsStages = keeps, .keepsCalls = keeps});
    const at::Tensor x = numbers(), base = numbers();
    values::seedDefaultGenerators(5);
    call(*program, {x, base.t().t()});
    results.push_back(x);
    results.push_back(at::rand({3, 4})); // where the generator is left
    EXPECT_EQ(program->replayCalls().empty(), !keeps);
  }
  EXPECT_TRUE(at::equal(results[0], results[2]));
  EXPECT_TRUE(at::equal(results[1], results[3]));
}

TEST_F(ReplayJudgeTest, CopiesShareMemoryAsTheArgumentsDo) {
  const auto program = torch_compile::compileInPython("import torch\n\n\ndef program(x, w):\n    return x + w\n",
                                                      "aot_eager", {.keepsStages = true, .keepsCalls = true});
  const at::Tensor base = numbers();
  const at::Tensor part = base.narrow(0, 1, 2);
  call(*program, {part, part.flip(0).as_strided_(part.sizes(), part.strides(), 0)});
  call(*program, {part, base.narrow(0, 0, 2)});
  const std::vector<values::ReplayCall> calls = program->replayCalls();
  ASSERT_FALSE(calls.empty());
  const std::vector<at::Tensor>& inputs = calls.back().inputs;
  ASSERT_EQ(inputs.size(), 2U);
  EXPECT_TRUE(inputs[0].is_alias_of(inputs[1]));
  EXPECT_EQ(inputs[0].storage_offset(), 4);
  EXPECT_FALSE(inputs[0].is_alias_of(base));
}

TEST_F(ReplayJudgeTest, RunsThatCannotBeMadeAgainAreTold) {
  JudgedProgram found = judged(kSines, "aot_eager");
  for (values::ReplayCall& each : found.calls) {
    each.unusable = "too large";
  }
  JudgedProgram ungraded = judged(kSines, "aot_eager");
  for (values::ReplayCall& each : ungraded.calls) {
    each.ungraded = "a reason";
  }
  const auto program = torch_compile::compileInPython(std::string("import torch\n\n\ndef program(x, w):\n") + kSines,
                                                      "aot_eager", {.keepsStages = true, .keepsCalls = true});
  call(*program, {numbers().requires_grad_(), numbers().requires_grad_()});
  for (const ReplayRung& rung : stages::judgeReplays(program->stages(), found.calls)) {
    EXPECT_EQ(rung.outcome, ReplayRung::Outcome::kNotJudged) << rung.stage;
    if (rung.stage != "tracing") {
      EXPECT_EQ(rung.unjudged, Reasons{"too large"}) << rung.stage;
    }
  }
  const ReplayRung tracing = stages::judgeReplays(program->stages(), ungraded.calls).at(0);
  EXPECT_EQ(tracing.judged, 2);
  EXPECT_EQ(tracing.unjudged, Reasons{"gradients: a reason"});
}

} // namespace touchstone::tests
