#include "base/Interrupt.h"

#include <signal.h>

#include <cstdint>
#include <ctime>

namespace touchstone::base {

namespace {

constexpr int64_t kSameMilliseconds = 500;

volatile sig_atomic_t interruptFlag = 0;
int64_t firstMilliseconds = 0; // the handler's alone
int pauses = 0;

void noteInterrupt(int number) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t milliseconds = int64_t{1000} * now.tv_sec + now.tv_nsec / 1'000'000;
  if (interruptFlag == 0) {
    interruptFlag = 1;
    firstMilliseconds = milliseconds;
  } else if (milliseconds - firstMilliseconds > kSameMilliseconds) {
    signal(number, SIG_DFL);
    raise(number); // once this one is over
  }
}

} // namespace

void catchInterrupts() {
  struct sigaction action {};
  action.sa_handler = noteInterrupt; // no SA_RESTART: waits end
  sigaddset(&action.sa_mask, SIGINT);
  sigaddset(&action.sa_mask, SIGTERM);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interruptRequested() {
  return interruptFlag != 0 && pauses == 0;
}

InterruptPause::InterruptPause() {
  ++pauses;
}

InterruptPause::~InterruptPause() {
  --pauses;
}

} // namespace touchstone::base
