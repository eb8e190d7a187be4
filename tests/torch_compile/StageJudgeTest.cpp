#include "oracles/StageJudge.h"

#include "backends/torch_compile/EmbeddedPython.h"
#include "backends/torch_compile/PythonErrors.h"
#include "graph/program/RaisedException.h"
#include "tests/torch_compile/Programs.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>

#include <map>

namespace touchstone::backends {

using oracles::StageRung;

/// What came of the stages of a program of two tensors.
struct JudgedProgram {
  std::map<std::string, StageRung> rungs;
  std::vector<graph::StageCall> calls;

  std::string differing() const {
    std::string names;
    for (const char* stage : {"tracing", "partition", "forward", "backward"}) {
      names += rungs.at(stage).outcome == StageRung::Outcome::kDiffers ? std::string(stage) + " " : "";
    }
    return names;
  }
};

class StageJudgeTest : public PythonTest {
 protected:
  static void SetUpTestSuite() {
    PythonTest::SetUpTestSuite();
    const PythonLock lock;
    bridgeModule("imports").callMethod("look_in", pythonString(TOUCHSTONE_SOURCE_DIR "/tests/python"));
  }

  static at::Tensor numbers() { return at::arange(12, at::kFloat).div_(8).reshape({3, 4}); }

  /// Makes two calls, and the backward of each, of a `program(x, w)` with this body; both tensors require grad unless `leaves`
  /// is false.
  static JudgedProgram judged(const std::string& body, const std::string& backend, bool leaves = true,
                              bool exact = true) {
    const auto program = compileInPython("import torch\n\n\ndef program(x, w):\n" + body, backend,
                                         {.keepsStages = true, .keepsCalls = true});
    for (int i = 0; i < 2; ++i) {
      const at::Tensor x = numbers().add_(i).requires_grad_(leaves), w = numbers().requires_grad_(leaves);
      try {
        const graph::Value result = call(*program, {x, w});
        if (leaves) {
          result.tensor().sum().backward();
        }
      } catch (...) {
        graph::currentException(); // it is in the calls
      }
    }
    JudgedProgram judged{.rungs = {}, .calls = program->stageCalls()};
    for (StageRung& rung : oracles::judgeStages(program->stages(), judged.calls, {.exact = exact})) {
      judged.rungs[rung.stage] = std::move(rung);
    }
    return judged;
  }

  static void expectOnly(const JudgedProgram& judged, const std::string& stage, const std::string& message) {
    EXPECT_EQ(judged.differing(), stage + " ");
    EXPECT_NE(judged.rungs.at(stage).message.find(message), std::string::npos) << judged.rungs.at(stage).message;
  }
};

constexpr const char* kSines = "    return x.sin() * w.sin()\n";

TEST_F(StageJudgeTest, EveryStageOfARightBackendHolds) {
  for (const char* backend : {"planted_stages:right", "aot_eager", "aot_eager_default_partitioner", "aot_function"}) {
    const JudgedProgram found = judged(kSines, backend);
    EXPECT_EQ(found.differing(), "") << backend;
    for (const auto& [stage, judgedRuns] :
         {std::pair("partition", 4), std::pair("forward", 2), std::pair("backward", 2)}) {
      const StageRung& rung = found.rungs.at(stage);
      EXPECT_EQ(rung.outcome, StageRung::Outcome::kHolds) << backend << " " << stage;
      EXPECT_EQ(rung.judged, judgedRuns) << backend << " " << stage;
      EXPECT_TRUE(rung.unjudged.empty()) << backend << " " << stage << ": " << rung.unjudged.at(0);
    }
  }
}

TEST_F(StageJudgeTest, TheStageThatIsWrongIsNamed) {
  expectOnly(judged(kSines, "planted_stages:wrong_forward"), "forward", "graph 0, run 0: result 0[0, 0]: ");
  expectOnly(judged(kSines, "planted_stages:wrong_backward"), "backward", "graph 0, run 0: gradient 0 of argument ");
  expectOnly(judged(kSines, "planted_stages:writing_forward"), "forward", "input `primals_1` after the run[0, 0]: 0");
  expectOnly(judged(kSines, "planted_stages:wrong_gradient_of_partition"), "partition", "gradient 0 of argument ");
  expectOnly(judged(kSines, "planted_stages:wrong_result_of_partition"), "partition", "by the joint graph");
}

TEST_F(StageJudgeTest, AStageThatRaisesIsNamed) {
  expectOnly(judged(kSines, "planted_stages:raising_forward"), "forward",
             "raises while compiling: NotImplementedError: not for this compiler");
  expectOnly(judged(kSines, "planted_stages:raising_partition"), "partition",
             "raises while compiling: NotImplementedError: not for this partition");
}

TEST_F(StageJudgeTest, ASavedValueThatIsWrittenToIsThePartitions) {
  const char* body = "    y = x * w.detach().clone()\n    w.detach().add_(1)\n    return y\n";
  expectOnly(judged(body, "aot_eager"), "partition", "was written to before the backward read it; gradient 0 ");
  EXPECT_EQ(judged(body, "aot_eager_default_partitioner").differing(), "");
}

TEST_F(StageJudgeTest, WithoutGradientsOnlyTheForwardIsThere) {
  const JudgedProgram right = judged(kSines, "planted_stages:right", false);
  EXPECT_EQ(right.rungs.at("forward").outcome, StageRung::Outcome::kHolds);
  for (const char* stage : {"partition", "backward"}) {
    EXPECT_EQ(right.rungs.at(stage).outcome, StageRung::Outcome::kAbsent);
    EXPECT_EQ(right.rungs.at(stage).unjudged, std::vector<std::string>{"no gradient was traced"});
  }
  expectOnly(judged(kSines, "planted_stages:wrong_forward", false), "forward", "");
}

TEST_F(StageJudgeTest, DrawsAreMadeAgain) {
  const JudgedProgram found =
      judged("    return torch.nn.functional.dropout(x, 0.5, True) * torch.rand_like(w)\n", "aot_eager");
  EXPECT_EQ(found.differing(), "");
  EXPECT_EQ(found.rungs.at("partition").judged, 4);
}

TEST_F(StageJudgeTest, RecordingLeavesTheProgramAsItIs) {
  const std::string source =
      "import torch\n\n\ndef program(x, w):\n    x.mul_(torch.rand_like(x))\n    return x + w, x.t()\n";
  std::vector<at::Tensor> results;
  for (const bool keeps : {false, true}) {
    const auto program = compileInPython(source, "aot_eager", {.keepsStages = keeps, .keepsCalls = keeps});
    const at::Tensor x = numbers(), base = numbers();
    at::globalContext().defaultGenerator(at::kCPU).set_current_seed(5);
    call(*program, {x, base.t().t()});
    results.push_back(x);
    results.push_back(at::rand({3, 4})); // where the generator is left
    EXPECT_EQ(program->stageCalls().empty(), !keeps);
  }
  EXPECT_TRUE(at::equal(results[0], results[2]));
  EXPECT_TRUE(at::equal(results[1], results[3]));
}

TEST_F(StageJudgeTest, CopiesShareMemoryAsTheArgumentsDo) {
  const auto program = compileInPython("import torch\n\n\ndef program(x, w):\n    return x + w\n", "aot_eager",
                                       {.keepsStages = true, .keepsCalls = true});
  const at::Tensor base = numbers();
  call(*program, {base, base.t()});
  const std::vector<graph::StageCall> calls = program->stageCalls();
  ASSERT_EQ(calls.size(), 1U);
}

TEST_F(StageJudgeTest, WhatWasWrittenWhileItWasNotRecordedIsTold) {
  JudgedProgram found = judged(kSines, "aot_eager");
  for (graph::StageCall& each : found.calls) {
    each.unusable = "too large";
  }
  const auto program = compileInPython(std::string("import torch\n\n\ndef program(x, w):\n") + kSines, "aot_eager",
                                       {.keepsStages = true, .keepsCalls = true});
  call(*program, {numbers().requires_grad_(), numbers().requires_grad_()});
  for (const StageRung& rung : oracles::judgeStages(program->stages(), found.calls)) {
    EXPECT_EQ(rung.outcome, StageRung::Outcome::kNotJudged) << rung.stage;
    if (rung.stage != "tracing") {
      EXPECT_EQ(rung.unjudged, std::vector<std::string>{"too large"}) << rung.stage;
    }
  }
}

} // namespace touchstone::backends
