#include "harness/worker/FillAllocator.h"

#include "backends/GuardedMemory.h"
#include "backends/native/NativeBackends.h"
#include "harness/worker/Job.h"
#include "harness/worker/Progress.h"
#include "harness/worker/RedZones.h"
#include "program/parser/CaseParser.h"
#include "tests/harness/BinaryRun.h"

#include <ATen/ops/empty.h>
#include <c10/core/CPUAllocator.h>
#include <gtest/gtest.h>

#include <string>

namespace touchstone::tests {

namespace {

class FillAllocatorTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    worker::installFillAllocator();
    native::registerNativeBackends();
  }
  void SetUp() override { worker::takeOutOfBoundsWrite(); }
};

worker::BackendResult judgedUnder(const std::string& backend, const std::string& result) {
  worker::Job job;
  job.source = worker::PrintedCase{smallCase(result)};
  job.backends = {backend};
  return worker::runCaseJob(job).backends.at(0);
}

float firstOfFresh(worker::FillPattern pattern) {
  worker::setFillPattern(pattern);
  const float first = at::empty({3}).data_ptr<float>()[0];
  worker::setFillPattern(worker::FillPattern::kFirst);
  return first;
}

} // namespace

TEST_F(FillAllocatorTest, FreshMemoryHasTheTwoSignsUnderTheTwoPatterns) {
  EXPECT_GT(firstOfFresh(worker::FillPattern::kFirst), 1e6F);
  EXPECT_LT(firstOfFresh(worker::FillPattern::kSecond), -1e6F);
}

TEST_F(FillAllocatorTest, WhoPlantsAWriteThereMayKnowThatItIsWatched) {
  EXPECT_TRUE(backends::isMemoryGuarded());
}

TEST_F(FillAllocatorTest, AWriteBehindATensorIsToldWithWhereItWasNoticed) {
  worker::currentProgress().enter("compile", 2, "forward");
  {
    at::Tensor tensor = at::empty({3});
    tensor.data_ptr<float>()[3] = 1;
  }
  worker::currentProgress().enter("compile", 3, "late");
  const std::optional<worker::OutOfBoundsWrite> write = worker::takeOutOfBoundsWrite();
  ASSERT_TRUE(write.has_value());
  EXPECT_EQ(write->phase, "compile");
  EXPECT_EQ(write->call, 2);
  EXPECT_EQ(write->step, "forward");
  EXPECT_EQ(write->message,
            "Memory was written outside a tensor: bytes 0 to 3 behind the end of a block of 12 bytes were overwritten "
            "(noticed in call 2 forward).");
  EXPECT_TRUE(worker::wroteOutOfBounds());
  worker::checkAllZones();
  EXPECT_FALSE(worker::takeOutOfBoundsWrite().has_value()) << "told once";
}

TEST_F(FillAllocatorTest, ATensorOfNothingAndOneThatGrowsAreAllowed) {
  at::Tensor nothing = at::empty({0});
  nothing.resize_({5}).fill_(1);
  nothing.resize_({500}).fill_(1);
  nothing.resize_({0});
  nothing = at::Tensor();
  c10::GetCPUAllocator()->raw_deallocate(c10::GetCPUAllocator()->raw_allocate(0)); // as oneDNN does
  worker::checkAllZones();
  EXPECT_FALSE(worker::takeOutOfBoundsWrite().has_value());
}

TEST_F(FillAllocatorTest, ABackendThatWritesBehindAResultIsToldOfThatCall) {
  const worker::BackendResult result = judgedUnder("relu_out_of_bounds_TESTING_ONLY", "torch.relu(x)");
  EXPECT_EQ(result.outcome, language::Outcome::kOutOfBounds);
  EXPECT_EQ(result.symptom, "OutOfBounds/forward");
  EXPECT_EQ(result.origin, "relu_out_of_bounds_TESTING_ONLY");
  EXPECT_NE(result.message.find("(noticed in call 0 forward)"), std::string::npos) << result.message;
  EXPECT_EQ(judgedUnder("relu_out_of_bounds_TESTING_ONLY", "torch.sin(x)").outcome, language::Outcome::kAgreed);
  EXPECT_EQ(judgedUnder("eager", "torch.relu(x)").outcome, language::Outcome::kAgreed) << "nothing is left over";
}

TEST_F(FillAllocatorTest, MemoryThatNobodyWroteIsToldHoweverItIsUsed) {
  for (const char* result : {"torch.relu(-x)", "torch.relu(-x) > 0", "torch.relu(-x).sum()", "torch.relu(-x).sign()",
                             // What the first pattern says is right.
                             "torch.relu(x * x + 1) > 0", "torch.relu(x).sign()"}) {
    const worker::BackendResult judged = judgedUnder("relu_uninitialized_TESTING_ONLY", result);
    EXPECT_EQ(judged.outcome, language::Outcome::kReadsUninitialized) << result << ": " << judged.text;
  }
}

} // namespace touchstone::tests
