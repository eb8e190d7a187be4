#pragma once

#include "graph/ir/Graph.h"
#include "graph/runtime/Interpreter.h"
#include "include/touchstone/backend.h"

#include <ATen/core/Tensor.h>

#include <deque>
#include <mutex>
#include <optional>
#include <vector>

namespace touchstone::shared_library {

/// A Graph as the structs of touchstone/backend.h, which point into it. Stays where it is.
class GraphView {
 public:
  /// `examples`, by placeholder, say what is known of inputs where the Graph does not. The output is a flat tuple.
  GraphView(ir::Graph graph, const std::vector<at::Tensor>& examples, touchstone_role role);
  GraphView(const GraphView&) = delete;
  GraphView& operator=(const GraphView&) = delete;

  const touchstone_graph& view() const { return view_.graph; }
  /// The view that a library was given.
  static const GraphView& of(const touchstone_graph& graph);
  /// The node that a library was shown.
  const touchstone_node& shown(const ir::Node& node) const;
  /// Runs the Graph: in the states in which its nodes were captured; forward and backward in the caller's.
  const runtime::Interpreter& interpreter() const;

 private:
  touchstone_argument argument(const ir::Argument& argument);
  const touchstone_argument* arguments(const std::vector<ir::Argument>& arguments);
  const touchstone_metadata* metadata(const std::optional<ir::TensorMetadata>& metadata);
  touchstone_node node(const ir::Node& node);

  struct Owned {
    touchstone_graph graph; // first: what a library hands back is this address
    const GraphView* owner;
  };
  ir::Graph graph_;
  std::string code_;
  std::deque<std::vector<touchstone_argument>> arguments_;
  std::deque<std::vector<const char*>> keys_;
  std::deque<touchstone_metadata> metadata_;
  std::vector<touchstone_node> nodes_;
  std::vector<int32_t> inputs_, outputs_;
  Owned view_{};
  mutable std::once_flag prepared_;
  mutable std::optional<runtime::Interpreter> interpreter_;
};

} // namespace touchstone::shared_library
