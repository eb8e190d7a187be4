#include "backends/compiled_autograd/EngineHook.h"

#include "backends/compiled_autograd/CompiledAutograd.h"

#include <torch/csrc/autograd/engine.h>

#include <exception>
#include <mutex>

namespace touchstone::compiled_autograd {

namespace {

struct HookState {
  std::mutex mutex;
  int scopes = 0;
  int inside = 0; // backwards
  bool isSet = false;
};

HookState& hookState() {
  static auto* state = new HookState; // threads may end after everything else
  return *state;
}

/// Locked. Where another thread is on its way into the hook, libtorch refuses; whoever leaves it next tries again.
void takeBackUnused(HookState& state) noexcept {
  if (state.scopes > 0 || state.inside > 0 || !state.isSet) {
    return;
  }
  try {
    torch::autograd::Engine::set_compiled_autograd(nullptr);
    state.isSet = false;
  } catch (const std::exception&) {
  }
}

/// A backward inside the hook.
class Inside {
 public:
  Inside() {
    HookState& state = hookState();
    const std::lock_guard<std::mutex> lock(state.mutex);
    ++state.inside;
  }
  ~Inside() {
    HookState& state = hookState();
    const std::lock_guard<std::mutex> lock(state.mutex);
    --state.inside;
    takeBackUnused(state);
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

torch::autograd::variable_list engineHook(const values::NodePtr& root, const torch::autograd::GraphTask& task, bool,
                                          const torch::autograd::edge_list& outputs) {
  const Inside inside;
  return runBackwardOfEngine(root, task, outputs.size());
}

} // namespace

void installEngineHook() {
  HookState& state = hookState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.isSet) {
    torch::autograd::Engine::set_compiled_autograd(&engineHook);
    state.isSet = true;
  }
  ++state.scopes;
}

void removeEngineHook() noexcept {
  HookState& state = hookState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  --state.scopes;
  takeBackUnused(state);
}

bool isCompiledAutogradInstalled() {
  HookState& state = hookState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  return state.isSet;
}

} // namespace touchstone::compiled_autograd
