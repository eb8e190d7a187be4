#pragma once

#include "graph/ir/Graph.h"

#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

#include <optional>

namespace touchstone::runtime {

/// Sets the grad and inference mode of one node for its run, where they differ from the surrounding ones. Regions of autocast
/// are nodes of their own.
class CallStateScope {
 public:
  explicit CallStateScope(const ir::CallState& state) {
    if (state.inference != c10::InferenceMode::is_enabled()) {
      inference_.emplace(state.inference);
    }
    if (state.gradEnabled != c10::GradMode::is_enabled()) {
      grad_.emplace(state.gradEnabled);
    }
  }

 private:
  std::optional<c10::InferenceMode> inference_;
  std::optional<c10::AutoGradMode> grad_;
};

} // namespace touchstone::runtime
