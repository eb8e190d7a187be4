#include "backends/compiled_autograd/BackwardCapture.h"
#include "backends/compiled_autograd/CompiledAutograd.h"
#include "backends/compiled_autograd/EngineHook.h"
#include "backends/compiled_autograd/RegionScope.h"

#include <c10/core/AutogradState.h>

#include <utility>

// What a thread's backwards go through.

namespace touchstone::compiled_autograd {

static thread_local std::shared_ptr<CompiledAutograd> currentScope;
static thread_local bool inRegion = false;

CompiledAutogradScope::CompiledAutogradScope(std::shared_ptr<CompiledAutograd> compiled)
    : outer_(currentScope), outerMultithreading_(c10::AutogradState::get_tls_state().get_multithreading_enabled()) {
  linkCapture();
  installEngineHook();
  currentScope = std::move(compiled);
  c10::AutogradState::get_tls_state().set_multithreading_enabled(false);
}

CompiledAutogradScope::~CompiledAutogradScope() {
  currentScope = std::move(outer_);
  c10::AutogradState::get_tls_state().set_multithreading_enabled(outerMultithreading_);
  removeEngineHook();
}

NoCompiledAutogradScope::NoCompiledAutogradScope() : outer_(std::exchange(currentScope, nullptr)) {}

NoCompiledAutogradScope::~NoCompiledAutogradScope() {
  currentScope = std::move(outer_);
}

std::shared_ptr<CompiledAutograd> currentCompiledAutograd() {
  return currentScope;
}

bool isInCompiledAutogradRegion() {
  return inRegion;
}

RegionScope::RegionScope() : outer_(std::exchange(inRegion, true)) {}

RegionScope::~RegionScope() {
  inRegion = outer_;
}

} // namespace touchstone::compiled_autograd
