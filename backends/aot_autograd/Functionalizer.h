#pragma once

#include "backends/aot_autograd/CallDecomposition.h"
#include "backends/aot_autograd/FunctionalGraph.h"
#include "backends/aot_autograd/StorageValues.h"

#include <utility>
#include <vector>

namespace touchstone::aot_autograd {

/// Where a functional Graph has its views.
enum class ViewsStand {
  kWhereRead, // first; as long as the memory holds the same
  kWhereRecorded, // as in PyTorch's
};

/// Turns a recorded Graph, in which operators write to memory that tensors share, into one without writes: a pass over the
/// Graph, after the fact, that needs no dispatch key.
///
/// Each storage has one current value, see StorageValue; views are replayed on it when they are read, until it is flat. A written value takes eager's strides, those of dimensions of size one included: clones and outputs show them.
///
/// Copyable: what was done so far can go on in two ways. The recorded Graph may grow at its end; it must outlive this.
class Functionalizer {
 public:
  explicit Functionalizer(const ir::Graph& recorded, Decomposing decomposing = {},
                          ViewsStand views = ViewsStand::kWhereRead)
      : recorded_(&recorded), decomposing_(std::move(decomposing)), views_(views), memory_(recorded) {}

  /// Processes the recorded nodes up to `end` that were not processed yet; the nodes that it adds are marked as the
  /// backward's if `backward`. Throws ir::Unsupported where a write cannot be expressed.
  void process(ir::NodeId end, bool backward);
  /// Processes a recorded backward, which begins with the placeholders of its tangents (-1: none); gives them in the
  /// functional Graph, where they stand for what comes in, whatever the backward writes to it.
  std::vector<ir::NodeId> processBackward(const std::vector<ir::NodeId>& tangents, ir::NodeId end);
  /// A storage may hold something else by now: its value is that of a new placeholder, flat over all of it. Gives the
  /// placeholder. To be asked right before a recorded backward that writes there is processed.
  ir::NodeId takeAnew(int storage, const std::string& name);
  /// What lies in a storage, flat.
  ir::NodeId readFlat(int storage);
  /// Leaves out recorded nodes up to `end`: they belong to another continuation.
  void skip(ir::NodeId end) { next_ = end; }

  /// The node with the present value of a recorded tensor.
  ir::NodeId read(ir::NodeId recorded);

  StorageValue readStorage(int storage) { return memory_.current(storage); }
  int writes(int storage) const { return memory_.writes(storage); }
  int64_t length(int storage) const { return memory_.length(storage); }

  /// Of a forward: the placeholder of an input's memory. A token stands before it.
  ir::NodeId inputAt(size_t position) const;
  /// Of the forward, or of the backward that was processed last.
  const EffectTokens& tokens() const { return functional_.tokens; }

  ir::Graph& graph() { return functional_.graph; }
  const ir::Graph& graph() const { return functional_.graph; }

 private:
  struct Cached {
    int version = -1;
    ir::NodeId value = -1;
  };

  void processOperator(ir::NodeId recorded);
  void processWrite(ir::NodeId recorded);
  void write(ir::NodeId recorded, ir::NodeId value, const ir::TensorMetadata& written);
  bool defineDecomposed(ir::NodeId recorded, const std::vector<ir::Argument>& arguments);
  void define(ir::NodeId recorded, ir::NodeId value);
  void defineResults(ir::NodeId recorded, ir::NodeId value, int64_t before = 0);
  void processEffect(ir::NodeId recorded);
  void defineMemoryAround(ir::NodeId recorded);
  ir::NodeId replay(ir::NodeId recorded);
  ir::Argument readArgument(const ir::Argument& argument);
  std::vector<ir::Argument> readArguments(const ir::Node& node, size_t count);
  void refuseHiddenMemory(ir::NodeId view) const;
  ir::TensorMetadata flatGeometry(int number) const;
  const ir::TensorMetadata& metadata(ir::NodeId recorded) const { return *recorded_->node(recorded).metadata; }
  const ir::TracedStorage& storage(int number) const { return recorded_->storages[static_cast<size_t>(number)]; }
  Cached& cached(ir::NodeId recorded);

  const ir::Graph* recorded_;
  Decomposing decomposing_;
  ViewsStand views_;
  FunctionalGraph functional_;
  StorageValues memory_;
  ir::NodeId next_ = 0;
  std::vector<Cached> cached_; // by recorded node
};

} // namespace touchstone::aot_autograd
