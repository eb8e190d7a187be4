#include "base/Interrupt.h"

#include <gtest/gtest.h>

#include <signal.h>
#include <unistd.h>

namespace touchstone::tests {

namespace {

constexpr useconds_t kLater = 700'000;

void interruptTwice(useconds_t between) {
  base::catchInterrupts();
  raise(SIGTERM);
  usleep(between);
  raise(SIGTERM);
  _exit(base::interruptRequested() ? 0 : 1);
}

} // namespace

TEST(InterruptTest, OneThatIsSentTwiceLeavesTimeForTheSummary) {
  EXPECT_EXIT(interruptTwice(0), testing::ExitedWithCode(0), "");
}

TEST(InterruptTest, ASecondOneEndsTheProcess) {
  EXPECT_EXIT(interruptTwice(kLater), testing::KilledBySignal(SIGTERM), "");
}

} // namespace touchstone::tests
