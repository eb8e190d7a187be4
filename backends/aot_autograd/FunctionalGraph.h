#pragma once

#include "graph/ir/Graph.h"

#include <optional>
#include <string>
#include <vector>

namespace touchstone::aot_autograd {

/// How effects hang together: the placeholder of the first one's token, and the token that the last one gave; -1: there is
/// no effect.
struct EffectTokens {
  ir::NodeId taken = -1, given = -1;
};

/// A functional Graph in the making. What is added stands for the recorded node that was begun last.
struct FunctionalGraph {
  void begin(const ir::Node& recorded) {
    line = recorded.line;
    sequence = recorded.sequence;
    original = recorded.target;
  }
  ir::NodeId emit(const std::string& target, std::vector<ir::Argument> arguments);
  ir::NodeId element(ir::NodeId call, int64_t position, std::optional<ir::TensorMetadata> metadata);
  /// A call of an operator with an effect, as one of `with_effects`; its first result, the token, is the next one's.
  ir::NodeId emitEffect(const std::string& target, std::vector<ir::Argument> arguments);
  /// The token that the next effect takes: the last one's, or that of a new placeholder.
  ir::NodeId takeToken();
  /// Adds another Graph's nodes, its placeholders replaced by `operands`; gives the new number of each node.
  std::vector<ir::NodeId> append(const ir::Graph& other, const std::vector<ir::NodeId>& operands);

  ir::Graph graph;
  EffectTokens tokens; // of the forward, or of the backward that is added
  bool backward = false; // the nodes are the backward's
  int line = 0;
  int64_t sequence = -1;
  std::string original;
};

} // namespace touchstone::aot_autograd
