#pragma once

#include "graph/runtime/CallMode.h"

namespace touchstone::runtime {

/// While it lives, every Interpreter that begins to run on this thread tells `watch` the value of each of its nodes
/// (CallMode::onResult; nothing else of it is called), behind the mode that the run was given. The innermost scope counts.
class NodeWatchScope {
 public:
  explicit NodeWatchScope(CallMode& watch);
  ~NodeWatchScope();
  NodeWatchScope(const NodeWatchScope&) = delete;
  NodeWatchScope& operator=(const NodeWatchScope&) = delete;

  /// Of this thread; null: none.
  static CallMode* current();

 private:
  CallMode* outer_;
};

} // namespace touchstone::runtime
