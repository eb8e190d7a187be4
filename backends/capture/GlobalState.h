#pragma once

#include <c10/core/ScalarType.h>

#include <string>

namespace touchstone::capture {

/// Modes of the thread that compiled code was made for.
struct GlobalState {
  bool gradMode = true, inferenceMode = false;
  bool autocast = false, autocastCache = true;
  at::ScalarType autocastDtype = at::kBFloat16, defaultDtype = at::kFloat;
  bool deterministic = false, deterministicWarnOnly = false, deterministicFill = false;

  static GlobalState now();
  bool operator==(const GlobalState&) const = default;
  /// The first that differs, by name: `grad_mode`.
  std::string difference(const GlobalState& other) const;
};

} // namespace touchstone::capture
