#pragma once

#include "graph/ir/Graph.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::ir {
class PassGate;
}
namespace touchstone::decompositions {
class DecompositionTable;
}
namespace touchstone::fake {
class Tracer;
}

namespace touchstone::aot_autograd {

/// Which calls are replaced by what computes them.
struct Decomposing {
  std::shared_ptr<const decompositions::DecompositionTable> table; // null: none
  std::shared_ptr<ir::PassGate> gate; // asked as the pass `decompositions`; null: everything applies
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
  explicit Functionalizer(const ir::Graph& recorded, Decomposing decomposing = {})
      : recorded_(&recorded), decomposing_(std::move(decomposing)) {}

  /// Processes the recorded nodes up to `end` that were not processed yet; the nodes that it adds are marked as the
  /// backward's if `backward`. Throws ir::Unsupported where a write cannot be expressed.
  void process(ir::NodeId end, bool backward);
  /// Processes a recorded backward, which begins with the placeholders of its tangents (-1: none); gives them in the
  /// functional Graph, where they stand for what comes in, whatever the backward writes to it.
  std::vector<ir::NodeId> processBackward(const std::vector<ir::NodeId>& tangents, ir::NodeId end);
  /// Leaves out recorded nodes up to `end`: they belong to another continuation.
  void skip(ir::NodeId end) { next_ = end; }

  /// The node with the present value of a recorded tensor.
  ir::NodeId read(ir::NodeId recorded);

  /// The node with the present value of a whole storage, and whether it is flat; otherwise it looks like the storage's root.
  struct StorageValue {
    ir::NodeId node;
    bool isFlat;
  };
  StorageValue readStorage(int storage);
  /// How often it was written to since it was first seen.
  int writes(int storage) const;
  /// Elements of the storage in its root's dtype.
  int64_t length(int storage) const;

  ir::Graph& graph() { return functional_; }
  const ir::Graph& graph() const { return functional_; }

 private:
  struct Current {
    ir::NodeId value = -1;
    bool isFlat = false;
    int version = 0; // counts writes
  };
  struct Cached {
    int version = -1;
    ir::NodeId value = -1;
  };

  void processOperator(ir::NodeId recorded);
  void processWrite(ir::NodeId recorded);
  void define(ir::NodeId recorded, ir::NodeId value);
  void defineResults(ir::NodeId recorded, ir::NodeId value);
  std::vector<ir::NodeId> resultsOf(ir::NodeId recorded) const;
  bool isLazyView(ir::NodeId recorded) const;
  ir::NodeId operatorBehind(ir::NodeId recorded) const;
  ir::NodeId replay(ir::NodeId recorded);
  ir::NodeId readGeometry(int storage, const ir::TensorMetadata& geometry);
  ir::Argument readArgument(const ir::Argument& argument);
  std::vector<ir::Argument> readArguments(const ir::Node& node, size_t count);

  static bool drawsOneByOne(const ir::TensorMetadata& target);
  ir::NodeId drawNormalOneByOne(const std::vector<ir::Argument>& arguments, const ir::TensorMetadata& target,
                                ir::TensorMetadata& result);
  ir::NodeId drawInMemoryOrder(std::vector<ir::Argument> arguments, const ir::TensorMetadata& target,
                               ir::TensorMetadata& result);
  void write(ir::NodeId recorded, ir::NodeId value, const ir::TensorMetadata& written);
  void writeFlat(ir::NodeId recorded, ir::NodeId value);
  ir::NodeId scatterOverlapping(ir::NodeId flat, ir::NodeId value, const ir::TensorMetadata& geometry, int64_t length);
  void replace(int storage, ir::NodeId value, bool isFlat);
  void makeFlat(int storage);
  ir::NodeId flatten(ir::NodeId value, int storage, const ir::TensorMetadata& layout);
  void refuseHiddenMemory(ir::NodeId view) const;
  bool covers(int storage, const ir::TensorMetadata& geometry) const;

  at::Tensor metaOf(ir::NodeId node);
  std::vector<at::Tensor> metaResults(ir::NodeId node);
  std::optional<std::vector<ir::NodeId>> decompose(const std::string& target,
                                                   const std::vector<ir::Argument>& arguments,
                                                   const std::vector<const ir::TensorMetadata*>& expected,
                                                   const std::string& where);
  bool defineDecomposed(ir::NodeId recorded, const std::vector<ir::Argument>& arguments);
  std::vector<ir::NodeId> traceDecomposition(fake::Tracer& tracer, const std::string& target,
                                             const std::vector<ir::Argument>& arguments,
                                             std::vector<ir::NodeId>& operands);
  std::vector<ir::NodeId> append(const ir::Graph& other, const std::vector<ir::NodeId>& operands);
  int64_t roomOf(const ir::TensorMetadata& expected) const;
  ir::NodeId laidOut(ir::NodeId value, const ir::TensorMetadata* made, const ir::TensorMetadata& expected);

  ir::NodeId emit(const std::string& target, std::vector<ir::Argument> arguments);
  const ir::TensorMetadata& metadata(ir::NodeId recorded) const { return *recorded_->node(recorded).metadata; }
  const ir::TracedStorage& storage(int number) const { return recorded_->storages[static_cast<size_t>(number)]; }
  Current& current(int storage);
  Cached& cached(ir::NodeId recorded);

  const ir::Graph* recorded_;
  Decomposing decomposing_;
  ir::Graph functional_;
  ir::NodeId next_ = 0;
  bool backward_ = false;
  int line_ = 0;
  int64_t sequence_ = -1;
  std::vector<Current> current_; // by storage
  std::vector<Cached> cached_; // by recorded node
};

} // namespace touchstone::aot_autograd
