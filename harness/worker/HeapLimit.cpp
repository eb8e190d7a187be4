#include "harness/worker/HeapLimit.h"

#include "harness/worker/Progress.h"

#include <cstdlib>
#include <new>

namespace touchstone::worker {

namespace {

constexpr size_t kEnoughForOthers = 32 << 20;

void refuseOrEnd() {
  currentProgress().noteShortMemory();
  void* probe = std::malloc(kEnoughForOthers);
  if (probe == nullptr) {
    std::abort();
  }
  std::free(probe);
  throw std::bad_alloc();
}

} // namespace

void endWhenHeapIsUsedUp() {
  std::set_new_handler(refuseOrEnd);
}

} // namespace touchstone::worker
