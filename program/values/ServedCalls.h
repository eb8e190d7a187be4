#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace touchstone::values {

/// What served the calls of a compiled Program.
struct ServedCalls {
  /// By call and run of a captured graph: the same number for equal graphs, captured for arguments of equal layouts.
  std::vector<std::vector<uint64_t>> codes;
  /// By call: what shows that the code around the captured graphs went wrong, a sentence; mostly nothing does.
  std::vector<std::string> around;
  int placed = 0; // with Serving::kByGraphs: graphs that run themselves
};

} // namespace touchstone::values
