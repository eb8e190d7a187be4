#pragma once

#include "graph/program/EvaluatorState.h"

#include <fmt/format.h>

#include <cstdint>

namespace touchstone::graph {

/// Raises MemoryError for a list, tuple or string of `times` times `length` elements, where that is beyond what a Case
/// could use: a case file must not be able to fill the memory, or the time, before any tensor operation.
inline void checkLength(int64_t times, size_t length) {
  constexpr int64_t kMaximumLength = 1'000'000;
  if (length > 0 && times > kMaximumLength / static_cast<int64_t>(length)) {
    raiseError("MemoryError",
               fmt::format("{} times {} elements are more than the {} that a case's list or string holds", times,
                           length, kMaximumLength));
  }
}

} // namespace touchstone::graph
