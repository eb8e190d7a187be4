#pragma once

#include "graph/ir/Graph.h"

#include <ATen/core/ivalue.h>

#include <functional>

namespace touchstone::runtime {

/// Hears of the value that a node of a Graph has got, whatever its kind.
using NodeWatch = std::function<void(const ir::Node& node, const c10::IValue& value)>;

/// While it lives, every Interpreter that begins to run on this thread tells `watch`, and those of the scopes around this one,
/// of each of its nodes. Keeps a reference; empty: nobody is told.
class NodeWatchScope {
 public:
  explicit NodeWatchScope(const NodeWatch& watch);
  ~NodeWatchScope();
  NodeWatchScope(const NodeWatchScope&) = delete;
  NodeWatchScope& operator=(const NodeWatchScope&) = delete;

  /// The innermost of this thread that has somebody to tell; null: none.
  static const NodeWatchScope* current();
  void tell(const ir::Node& node, const c10::IValue& value) const;

 private:
  const NodeWatch& watch_;
  const NodeWatchScope* outer_;
};

} // namespace touchstone::runtime
