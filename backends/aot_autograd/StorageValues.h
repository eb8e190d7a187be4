#pragma once

#include "backends/aot_autograd/FunctionalGraph.h"

#include <vector>

namespace touchstone::aot_autograd {

/// The present value of a storage. Until it is written in part, that is a tensor as the operator made it, the storage's
/// root; from the first partial write on it is *flat*: one dimension over the whole storage, read by as_strided and written
/// by as_strided_scatter, so that every view of it, of any dtype, sees the write.
struct StorageValue {
  ir::NodeId node = -1;
  bool isFlat = false;
  int version = 0; // counts writes
};

/// What the storages of a recorded Graph hold, as nodes of the functional one that is made of it. The recorded Graph may grow
/// at its end; it must outlive this.
class StorageValues {
 public:
  explicit StorageValues(const ir::Graph& recorded) : recorded_(&recorded) {}

  StorageValue& current(int storage);
  /// How often it was written to since it was first seen.
  int writes(int storage) const;
  /// Elements of the storage in its root's dtype.
  int64_t length(int storage) const;
  /// A tensor of this geometry takes up all of it, as the root does.
  bool covers(int storage, const ir::TensorMetadata& geometry) const;
  /// Elements of the memory that a result of the recorded Graph lies in, where somebody writes to it: eager's kernel may have
  /// left more than it takes, as of losses that are reduced.
  int64_t roomOf(const ir::TensorMetadata& result) const;

  /// Its value is `value` from now on, flat: others may have written there.
  void refresh(int storage, ir::NodeId value) { replace(storage, value, true); }

  /// What lies there now; makes the storage flat.
  ir::NodeId readGeometry(FunctionalGraph& out, int storage, const ir::TensorMetadata& geometry);
  /// `written` is what the value looks like, `recorded` the tensor that gets it. Gives the node that is what this tensor
  /// reads from now on; -1: none is.
  ir::NodeId write(FunctionalGraph& out, ir::NodeId recorded, ir::NodeId value, const ir::TensorMetadata& written);

 private:
  void writeFlat(FunctionalGraph& out, ir::NodeId recorded, ir::NodeId value);
  void replace(int storage, ir::NodeId value, bool isFlat);
  void makeFlat(FunctionalGraph& out, int storage);
  ir::NodeId flatten(FunctionalGraph& out, ir::NodeId value, int storage, const ir::TensorMetadata& layout) const;
  const ir::TensorMetadata& metadata(ir::NodeId recorded) const { return *recorded_->node(recorded).metadata; }
  const ir::TracedStorage& storage(int number) const { return recorded_->storages[static_cast<size_t>(number)]; }

  const ir::Graph* recorded_;
  std::vector<StorageValue> current_;
};

} // namespace touchstone::aot_autograd
