#include "base/Interrupt.h"

#include <signal.h>

namespace touchstone::base {

namespace {

volatile sig_atomic_t interruptFlag = 0;
int pauses = 0;

void noteInterrupt(int) {
  interruptFlag = 1;
}

} // namespace

void catchInterrupts() {
  struct sigaction action {};
  action.sa_handler = noteInterrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND); // the second one has its usual meaning; no SA_RESTART: waits end
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
