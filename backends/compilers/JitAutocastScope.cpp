#include "backends/compilers/JitAutocastScope.h"

#include <torch/csrc/jit/passes/autocast.h>

#include <mutex>

namespace touchstone::compilers {

namespace {

struct JitAutocastSwitch {
  std::mutex mutex;
  int scopes = 0;
  bool outer = true; // before the first scope
};

JitAutocastSwitch& jitAutocastSwitch() {
  static JitAutocastSwitch theSwitch;
  return theSwitch;
}

} // namespace

JitAutocastScope::JitAutocastScope() {
  JitAutocastSwitch& theSwitch = jitAutocastSwitch();
  const std::lock_guard<std::mutex> lock(theSwitch.mutex);
  if (theSwitch.scopes++ == 0) {
    theSwitch.outer = torch::jit::setAutocastMode(false);
  }
}

JitAutocastScope::~JitAutocastScope() {
  JitAutocastSwitch& theSwitch = jitAutocastSwitch();
  const std::lock_guard<std::mutex> lock(theSwitch.mutex);
  if (--theSwitch.scopes == 0) {
    torch::jit::setAutocastMode(theSwitch.outer);
  }
}

} // namespace touchstone::compilers
