#include "harness/pool/WorkerPool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <tuple>

namespace touchstone::tests {

namespace {

using language::Outcome;

/// Runs the kernel that the faulty worker breaks, in the forward and in the backward of what is differentiable.
constexpr const char* kCaseText = R"(# touchstone: 1
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return torch.erf(x)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
]
)";

worker::JobResult stagesOf(const std::string& text, double seconds = 10) {
  worker::Job job;
  job.source = worker::PrintedCase{text};
  job.backends = {"aot_eager"};
  job.task = worker::ShowStagesTask{};
  pool::WorkerPool pool({1, job.backends, {seconds, seconds, 256}, TOUCHSTONE_BINARY_DIR "/tests/faulty-worker"});
  return pool.run({{ir::Family::kNative, {{}, {job}}}}).at(0);
}

} // namespace

class ShowStagesJobTest : public testing::TestWithParam<std::tuple<std::string, std::string, Outcome>> {
 protected:
  void TearDown() override { unsetenv("TOUCHSTONE_TEST_FAULT"); }
};

TEST_P(ShowStagesJobTest, WhatEndsTheProcessIsToldWithItsPlace) {
  const auto& [place, deed, outcome] = GetParam();
  setenv("TOUCHSTONE_TEST_FAULT", (place + ":" + deed).c_str(), 1);
  const worker::JobResult result = stagesOf(kCaseText, deed == "hang" ? 0.3 : 10);
  ASSERT_EQ(result.backends.size(), 1U) << result.error;
  EXPECT_EQ(result.backends[0].outcome, outcome) << result.backends[0].message;
  EXPECT_NE(result.backends[0].message.find("The process "), std::string::npos) << result.backends[0].message;
}

INSTANTIATE_TEST_SUITE_P(All, ShowStagesJobTest,
                         testing::Values(std::make_tuple("eager", "abort", Outcome::kEagerCrashed),
                                         std::make_tuple("eager", "hang", Outcome::kEagerTimedOut),
                                         std::make_tuple("backend", "kill", Outcome::kCrashed),
                                         std::make_tuple("backend", "hang", Outcome::kTimedOut),
                                         std::make_tuple("backend", "memory", Outcome::kOutOfMemory)),
                         [](const auto& each) { return std::get<0>(each.param) + "_" + std::get<1>(each.param); });

TEST_F(ShowStagesJobTest, StagesComeInOrderAndSurviveTheirJson) {
  const worker::JobResult result = stagesOf(kCaseText);
  ASSERT_EQ(result.backends.size(), 1U) << result.error;
  EXPECT_EQ(result.backends[0].outcome, Outcome::kAgreed) << result.backends[0].message;
  std::string names;
  const auto* answer = result.as<worker::ShowStagesResult>();
  ASSERT_NE(answer, nullptr) << result.error;
  for (const worker::ShownStage& stage : answer->stages) {
    names += stage.name + " ";
    EXPECT_EQ(stage.graph, 0);
    EXPECT_NE(stage.text, "");
  }
  EXPECT_EQ(names, "captured joint functional merged metadata forward backward ");
}

TEST_F(ShowStagesJobTest, ACapturedBackwardIsShownWithItsOrigins) {
  for (const char* backend : {"eager", "aot_eager"}) {
    worker::Job job;
    job.source = worker::PrintedCase{kCaseText};
    job.backends = {backend};
    job.task = worker::ShowStagesTask{.capturesBackward = true, .drawnStage = "compiled_autograd"};
    pool::WorkerPool pool({1, job.backends, {10, 10, 256}, TOUCHSTONE_BINARY_DIR "/tests/faulty-worker"});
    const worker::JobResult result = pool.run({{ir::Family::kNative, {{}, {job}}}}).at(0);
    const auto* answer = result.as<worker::ShowStagesResult>();
    ASSERT_NE(answer, nullptr) << result.error;
    const auto shown = std::find_if(answer->stages.begin(), answer->stages.end(),
                                    [](const worker::ShownStage& stage) { return stage.name == "compiled_autograd"; });
    ASSERT_NE(shown, answer->stages.end()) << backend << ": " << result.error;
    EXPECT_NE(shown->text.find("aten.exp.default"), std::string::npos) << shown->text;
    EXPECT_NE(shown->text.find("# torch::autograd::AccumulateGrad (NodeCall "), std::string::npos) << shown->text;
    EXPECT_NE(answer->drawing.find("digraph"), std::string::npos);
    EXPECT_NE(answer->drawing.find("set_grad"), std::string::npos);
    EXPECT_EQ(answer->drawing.find("forward"), std::string::npos) << "all of it is the backward";
  }
}

} // namespace touchstone::tests
