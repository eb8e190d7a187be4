#pragma once

#include "graph/ir/GraphBreakReport.h"

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace touchstone::ir {

/// Position of a node in its Graph.
using NodeId = int32_t;

/// A constant of torch's own types as an argument, by the number that the dispatcher uses.
struct DtypeConstant {
  int64_t value;
  bool operator==(const DtypeConstant&) const = default;
};
struct LayoutConstant {
  int64_t value;
  bool operator==(const LayoutConstant&) const = default;
};
struct MemoryFormatConstant {
  int64_t value;
  bool operator==(const MemoryFormatConstant&) const = default;
};
struct DeviceConstant {
  std::string text;
  bool operator==(const DeviceConstant&) const = default;
};
struct NodeReference {
  NodeId node;
  bool operator==(const NodeReference&) const = default;
};

/// What a node is given, and what a Graph returns: a node's result, a constant, or a container of these.
struct Argument {
  struct Container {
    enum class Kind { kList, kTuple, kSize, kDict };
    Kind kind = Kind::kList;
    std::vector<Argument> items;
    std::vector<std::string> keys; // kDict
    bool operator==(const Container&) const = default;
  };
  using Payload = std::variant<std::monostate, NodeReference, bool, int64_t, double, std::complex<double>, std::string,
                               DtypeConstant, LayoutConstant, MemoryFormatConstant, DeviceConstant, Container>;
  Payload payload;
  bool operator==(const Argument&) const = default;
};

/// What is known of a tensor when it was traced. Sizes, strides and offset in elements.
struct TensorMetadata {
  DtypeConstant dtype{6};
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0;
  std::string device;
  bool requiresGrad = false;
  bool conjugate = false, negative = false; // the lazy bits
  int storage = -1; // among Graph::storages; -1: not traced
  bool operator==(const TensorMetadata&) const = default;
};

/// Memory that tensors of a traced Graph share.
struct TracedStorage {
  int64_t bytes = 0;
  DtypeConstant dtype{6}; // of its root
  NodeId root = -1; // the first tensor over it
  int input = -1; // its position among the placeholders, when it is an input's
  bool isPlacedIn = false; // a node of the program takes a place in it for granted: an offset that is a constant
};

enum class NodeKind {
  kPlaceholder, // an input of the Graph
  kConstant, // a tensor that is part of the Graph; `constant` indexes Graph::constants
  kOperator, // target: `aten::add.Tensor`
  kCallable, // what is no operator: a custom autograd function, a hook; `callable` indexes Graph::callables
  kElement, // arguments: a node that gives several results, the index
};

/// The state of autograd and autocast in which an operator was called, restored when it is run.
struct CallState {
  bool gradEnabled = true;
  bool inference = false;
  std::string autocast; // dtype of CPU autocast, or empty when off
  bool operator==(const CallState&) const = default;
};

struct Node {
  NodeKind kind = NodeKind::kOperator;
  std::string name; // unique; letters, digits, underscores
  std::string target;
  std::vector<Argument> arguments; // in schema order
  int constant = -1;
  int callable = -1;
  CallState state;
  std::optional<TensorMetadata> metadata;
  /// Of the case file, 0: unknown. Of a backward node that of the forward call whose gradient it computes.
  int line = 0;

  // What a tracer knows of an operator call.
  std::vector<NodeId> writes; // the tensors whose data it changes
  std::vector<TensorMetadata> functionalResults; // of its functional form, in that form's order, where it writes
  std::string original; // the call that was recorded, of which this node came to be; empty: itself
  bool backward = false; // recorded while autograd ran backward
  int64_t sequence = -1; // autograd's number of the call in the forward, or of the node that runs in the backward
};

/// Straight-line code in single-assignment form: nodes in the order of execution; a node refers to earlier ones only.
/// Effects (in-place operators) happen in that order. Constants and callables are opaque here; the Interpreter knows their types.
class Graph {
 public:
  /// What is no letter, digit or underscore of the name becomes an underscore.
  NodeId addPlaceholder(std::string name);
  NodeId addConstant(std::string name, std::shared_ptr<const void> value);
  NodeId addOperator(std::string target, std::vector<Argument> arguments, CallState state = {});
  NodeId addCallable(std::string target, std::vector<Argument> arguments, std::shared_ptr<const void> callable,
                     CallState state = {});
  NodeId addElement(NodeId node, int64_t index);

  /// Takes the last nodes out, down to this number; no placeholder is among them.
  void truncate(size_t nodes);

  const std::vector<Node>& nodes() const { return nodes_; }
  Node& node(NodeId id) { return nodes_.at(static_cast<size_t>(id)); }
  const Node& node(NodeId id) const { return nodes_.at(static_cast<size_t>(id)); }
  const std::vector<std::shared_ptr<const void>>& constants() const { return constants_; }
  void replaceConstant(size_t number, std::shared_ptr<const void> value) { constants_.at(number) = std::move(value); }
  const std::vector<std::shared_ptr<const void>>& callables() const { return callables_; }
  const std::vector<NodeId>& placeholders() const { return placeholders_; }
  Argument output; // structured; usually a tuple
  std::vector<TracedStorage> storages; // of a traced Graph
  std::optional<GraphBreakReport> brokenBy; // of a captured Graph that ends before its function does
  int64_t operatorCount() const; // callables included

  /// Throws std::logic_error that names the node when one refers to itself, to a later node, or to nothing, or when
  /// names repeat.
  void check() const;

 private:
  NodeId add(Node node);
  std::string freshName(const std::string& wanted);
  std::vector<Node> nodes_;
  std::vector<NodeId> placeholders_;
  std::vector<std::shared_ptr<const void>> constants_, callables_;
  std::unordered_set<std::string> names_;
};

/// `aten::add`, of a target `aten::add.Tensor`.
std::string_view withoutOverload(std::string_view target);

/// `float32`, for a number of the dispatcher's.
std::string dtypeName(DtypeConstant dtype);

/// Readable code: a line a node with `dtype[sizes]` where known, then the return.
std::string printGraph(const Graph& graph, const std::string& name = "graph");

} // namespace touchstone::ir
