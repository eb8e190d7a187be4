#pragma once

#include <stdexcept>

namespace touchstone::base {

/// From now on the first Ctrl-C (or SIGTERM) only sets a flag, so that a command can end with its summary; a second one ends
/// the process at once. Within half a second it is the same one: `timeout` and scripts signal a process and its group.
void catchInterrupts();
bool interruptRequested();

/// As long as it lives, waits go on although an interrupt came, so that what was begun is not left half done; a second one
/// still ends the process at once.
class InterruptPause {
 public:
  InterruptPause();
  ~InterruptPause();
  InterruptPause(const InterruptPause&) = delete;
  InterruptPause& operator=(const InterruptPause&) = delete;
};

/// Thrown out of a wait after an interrupt.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("Interrupted.") {}
};

} // namespace touchstone::base
