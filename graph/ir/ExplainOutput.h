#pragma once

#include "graph/ir/Graph.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::ir {

/// What capturing a program has come to: the fields and the text of torch._dynamo.backends.debugging.ExplainOutput.
struct ExplainOutput {
  std::vector<Graph> graphs; // as captured
  int64_t graphCount = 0;
  /// The breaks themselves, one a reason. Dynamo gives graphs - 1, which is the same for straight-line code, but leaves out
  /// a break before the first or after the last operator, counts one for a place captured anew, and is -1 for no Graph.
  int64_t graphBreakCount = 0;
  std::vector<GraphBreakReport> breakReasons;
  int64_t opCount = 0; // callables included
  std::optional<std::vector<std::vector<std::string>>> opsPerGraph; // targets
  std::optional<std::vector<std::string>> outGuards;
  std::vector<std::string> specializations; // sizes that were to be symbols, and why they are not
  std::vector<std::string> givenUp; // Graphs that were compiled for symbols and are not among these: why not
  std::optional<std::string> compileTimes;

  /// With `source`, the lines of the case file, each line of a stack is followed by what stands there.
  std::string text(const std::vector<std::string>& source = {}) const;
};

/// Adds a captured Graph: the Graph itself, its operations, and why it ends where a break ends it.
void addGraphDetail(const Graph& graph, ExplainOutput& output);

} // namespace touchstone::ir
