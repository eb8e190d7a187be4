#pragma once

#include "graph/ir/Graph.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::graph {
class PassGate;
}

namespace touchstone::backends {

class DecompositionTable;
class Tracer;

/// Which calls are replaced by what computes them.
struct Decomposing {
  std::shared_ptr<const DecompositionTable> table; // null: none
  std::shared_ptr<graph::PassGate> gate; // asked as the pass `decompositions`; null: everything applies
  std::vector<std::string> inside; // targets that are being decomposed: they are not decomposed within themselves
};

/// Turns a recorded Graph, in which operators write to memory that tensors share, into one without writes: a pass over the
/// Graph, after the fact, that needs no dispatch key.
///
/// Each storage has one current value. Until it is written in part, that is a tensor as the operator made it, and views
/// are replayed on it when they are read. From the first partial write on it is *flat*: one dimension over the whole
/// storage, read by as_strided and written by as_strided_scatter, so that every view of it, of any dtype, sees the write.
/// A written value takes eager's strides, those of dimensions of size one included: clones and outputs show them.
///
/// Copyable: what was done so far can go on in two ways. The recorded Graph may grow at its end; it must outlive this.
class Functionalizer {
 public:
  explicit Functionalizer(const graph::Graph& recorded, Decomposing decomposing = {})
      : recorded_(&recorded), decomposing_(std::move(decomposing)) {}

  /// Processes the recorded nodes up to `end` that were not processed yet; the nodes that it adds are marked as the
  /// backward's if `backward`. Throws graph::Unsupported where a write cannot be expressed.
  void process(graph::NodeId end, bool backward);
  /// Processes a recorded backward, which begins with the placeholders of its tangents (-1: none); gives them in the
  /// functional Graph, where they stand for what comes in, whatever the backward writes to it.
  std::vector<graph::NodeId> processBackward(const std::vector<graph::NodeId>& tangents, graph::NodeId end);
  /// Leaves out recorded nodes up to `end`: they belong to another continuation.
  void skip(graph::NodeId end) { next_ = end; }

  /// The node with the present value of a recorded tensor.
  graph::NodeId read(graph::NodeId recorded);

  /// The node with the present value of a whole storage, and whether it is flat; otherwise it looks like the storage's root.
  struct StorageValue {
    graph::NodeId node;
    bool isFlat;
  };
  StorageValue readStorage(int storage);
  /// How often it was written to since it was first seen.
  int writes(int storage) const;
  /// Elements of the storage in its root's dtype.
  int64_t length(int storage) const;

  graph::Graph& graph() { return functional_; }
  const graph::Graph& graph() const { return functional_; }

 private:
  struct Current {
    graph::NodeId value = -1;
    bool isFlat = false;
    int version = 0; // counts writes
  };
  struct Cached {
    int version = -1;
    graph::NodeId value = -1;
  };

  void processOperator(graph::NodeId recorded);
  void processWrite(graph::NodeId recorded);
  void define(graph::NodeId recorded, graph::NodeId value);
  void defineResults(graph::NodeId recorded, graph::NodeId value);
  std::vector<graph::NodeId> resultsOf(graph::NodeId recorded) const;
  bool isLazyView(graph::NodeId recorded) const;
  graph::NodeId operatorBehind(graph::NodeId recorded) const;
  graph::NodeId replay(graph::NodeId recorded);
  graph::NodeId readGeometry(int storage, const graph::TensorMetadata& geometry);
  graph::Argument readArgument(const graph::Argument& argument);
  std::vector<graph::Argument> readArguments(const graph::Node& node, size_t count);

  static bool drawsOneByOne(const graph::TensorMetadata& target);
  graph::NodeId drawNormalOneByOne(const std::vector<graph::Argument>& arguments, const graph::TensorMetadata& target,
                                   graph::TensorMetadata& result);
  graph::NodeId drawInMemoryOrder(std::vector<graph::Argument> arguments, const graph::TensorMetadata& target,
                                  graph::TensorMetadata& result);
  void write(graph::NodeId recorded, graph::NodeId value, const graph::TensorMetadata& written);
  void writeFlat(graph::NodeId recorded, graph::NodeId value);
  graph::NodeId scatterOverlapping(graph::NodeId flat, graph::NodeId value, const graph::TensorMetadata& geometry,
                                   int64_t length);
  void replace(int storage, graph::NodeId value, bool isFlat);
  void makeFlat(int storage);
  graph::NodeId flatten(graph::NodeId value, int storage, const graph::TensorMetadata& layout);
  void refuseHiddenMemory(graph::NodeId view) const;
  bool covers(int storage, const graph::TensorMetadata& geometry) const;

  at::Tensor metaOf(graph::NodeId node);
  std::vector<at::Tensor> metaResults(graph::NodeId node);
  std::optional<std::vector<graph::NodeId>> decompose(const std::string& target,
                                                      const std::vector<graph::Argument>& arguments,
                                                      const std::vector<const graph::TensorMetadata*>& expected,
                                                      const std::string& where);
  bool defineDecomposed(graph::NodeId recorded, const std::vector<graph::Argument>& arguments);
  std::vector<graph::NodeId> traceDecomposition(Tracer& tracer, const std::string& target,
                                                const std::vector<graph::Argument>& arguments,
                                                std::vector<graph::NodeId>& operands);
  std::vector<graph::NodeId> append(const graph::Graph& other, const std::vector<graph::NodeId>& operands);
  int64_t roomOf(const graph::TensorMetadata& expected) const;
  graph::NodeId laidOut(graph::NodeId value, const graph::TensorMetadata* made, const graph::TensorMetadata& expected);

  graph::NodeId emit(const std::string& target, std::vector<graph::Argument> arguments);
  const graph::TensorMetadata& metadata(graph::NodeId recorded) const { return *recorded_->node(recorded).metadata; }
  const graph::TracedStorage& storage(int number) const { return recorded_->storages[static_cast<size_t>(number)]; }
  Current& current(int storage);
  Cached& cached(graph::NodeId recorded);

  const graph::Graph* recorded_;
  Decomposing decomposing_;
  graph::Graph functional_;
  graph::NodeId next_ = 0;
  bool backward_ = false;
  int line_ = 0;
  int64_t sequence_ = -1;
  std::vector<Current> current_; // by storage
  std::vector<Cached> cached_; // by recorded node
};

} // namespace touchstone::backends
