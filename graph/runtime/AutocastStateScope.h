#pragma once

#include "graph/ir/Graph.h"
#include "program/values/DefaultDevice.h"

#include <ATen/autocast_mode.h>
#include <c10/core/ScalarType.h>

#include <optional>

namespace touchstone::runtime {

/// Autocast as it was when a node was recorded, where it is another one now: for a part of a Graph whose regions of autocast
/// are not nodes of it.
class AutocastStateScope {
 public:
  explicit AutocastStateScope(const ir::CallState& state)
      : device_(values::defaultDevice().type()),
        enabledBefore_(at::autocast::is_autocast_enabled(device_)),
        dtypeBefore_(at::autocast::get_autocast_dtype(device_)) {
    const at::ScalarType dtype = dtypeOf(state).value_or(dtypeBefore_);
    changes_ = enabledBefore_ != !state.autocast.empty() || dtype != dtypeBefore_;
    if (changes_) {
      at::autocast::increment_nesting();
      at::autocast::set_autocast_enabled(device_, !state.autocast.empty());
      at::autocast::set_autocast_dtype(device_, dtype);
    }
  }
  ~AutocastStateScope() {
    if (!changes_) {
      return;
    }
    if (at::autocast::decrement_nesting() == 0) {
      at::autocast::clear_cache();
    }
    at::autocast::set_autocast_enabled(device_, enabledBefore_);
    at::autocast::set_autocast_dtype(device_, dtypeBefore_);
  }
  AutocastStateScope(const AutocastStateScope&) = delete;
  AutocastStateScope& operator=(const AutocastStateScope&) = delete;

 private:
  static std::optional<at::ScalarType> dtypeOf(const ir::CallState& state) {
    for (const at::ScalarType dtype : {at::kBFloat16, at::kHalf, at::kFloat, at::kDouble}) {
      if (state.autocast == c10::toString(dtype)) {
        return dtype;
      }
    }
    return std::nullopt;
  }

  at::DeviceType device_;
  bool enabledBefore_, changes_ = false;
  at::ScalarType dtypeBefore_;
};

} // namespace touchstone::runtime
