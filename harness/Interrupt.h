#pragma once

#include <stdexcept>

namespace touchstone::harness {

/// From now on the first Ctrl-C (or SIGTERM) only sets a flag, so that a command can end with its summary; a second one ends
/// the process at once.
void catchInterrupts();
bool interruptRequested();

/// Thrown out of a wait after an interrupt.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("Interrupted.") {}
};

} // namespace touchstone::harness
