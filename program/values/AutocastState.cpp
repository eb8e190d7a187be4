#include "program/values/AutocastState.h"

#include <ATen/autocast_mode.h>
#include <fmt/format.h>

namespace touchstone::values {

AutocastState::AutocastState(c10::DeviceType device)
    : AutocastState(device, at::autocast::get_autocast_dtype(device), at::autocast::is_autocast_enabled(device),
                    at::autocast::is_autocast_cache_enabled()) {}

std::string AutocastState::text() const {
  return fmt::format("{} {} {}", isEnabled_, c10::toString(dtype_), isCached_);
}

AutocastState AutocastState::withoutCache() const {
  AutocastState state = *this;
  state.isCached_ = false;
  return state;
}

void AutocastState::set() const {
  at::autocast::set_autocast_enabled(device_, isEnabled_);
  at::autocast::set_autocast_dtype(device_, dtype_);
  at::autocast::set_autocast_cache_enabled(isCached_);
}

AutocastScope::AutocastScope(const AutocastState& state) : before_(state.device()) {
  state.set();
  at::autocast::increment_nesting();
}

AutocastScope::~AutocastScope() {
  if (at::autocast::decrement_nesting() == 0) {
    at::autocast::clear_cache();
  }
  before_.set();
}

} // namespace touchstone::values
