#pragma once

#include "graph/ir/Graph.h"
#include "program/values/AutocastState.h"
#include "program/values/DefaultDevice.h"

#include <c10/core/ScalarType.h>

#include <optional>

namespace touchstone::runtime {

/// Autocast as it was when a node was recorded, where it is another one now: for a part of a Graph whose regions of autocast
/// are not nodes of it.
class AutocastStateScope {
 public:
  explicit AutocastStateScope(const ir::CallState& state) {
    const values::AutocastState now(values::defaultDevice().type());
    const bool isEnabled = !state.autocast.empty();
    const at::ScalarType dtype = dtypeOf(state).value_or(now.dtype());
    if (now.isEnabled() != isEnabled || now.dtype() != dtype) {
      scope_.emplace(values::AutocastState(now.device(), dtype, isEnabled, now.isCached()));
    }
  }

 private:
  static std::optional<at::ScalarType> dtypeOf(const ir::CallState& state) {
    for (const at::ScalarType dtype : {at::kBFloat16, at::kHalf, at::kFloat, at::kDouble}) {
      if (state.autocast == c10::toString(dtype)) {
        return dtype;
      }
    }
    return std::nullopt;
  }

  std::optional<values::AutocastScope> scope_;
};

} // namespace touchstone::runtime
