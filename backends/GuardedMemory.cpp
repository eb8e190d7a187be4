#include "backends/GuardedMemory.h"

#include <atomic>

namespace touchstone::backends {

namespace {
std::atomic<bool> isGuarded{false};
} // namespace

void noteGuardedMemory() {
  isGuarded = true;
}

bool isMemoryGuarded() {
  return isGuarded;
}

} // namespace touchstone::backends
