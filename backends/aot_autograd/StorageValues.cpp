#include "backends/aot_autograd/StorageValues.h"

#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"
#include "graph/ir/Unsupported.h"

#include <c10/core/ScalarType.h>

#include <algorithm>

namespace touchstone::aot_autograd {

using ir::Argument;
using ir::NodeId;
using ir::TensorMetadata;

using ir::integerList;
using ir::nodeArgument;

namespace {

ir::DtypeConstant signedOfWide(ir::DtypeConstant dtype) {
  switch (static_cast<c10::ScalarType>(dtype.value)) {
    case c10::ScalarType::UInt16: return {static_cast<int64_t>(c10::ScalarType::Short)};
    case c10::ScalarType::UInt32: return {static_cast<int64_t>(c10::ScalarType::Int)};
    case c10::ScalarType::UInt64: return {static_cast<int64_t>(c10::ScalarType::Long)};
    default: return dtype;
  }
}

/// as_strided_scatter would go through copy_, which refuses memory that overlaps.
NodeId scatterOverlapping(FunctionalGraph& out, NodeId flat, NodeId value, const TensorMetadata& geometry,
                          int64_t length) {
  constexpr int64_t kLong = static_cast<int64_t>(c10::ScalarType::Long);
  NodeId places = out.emit("aten::arange", {Argument{length}, Argument{ir::DtypeConstant{kLong}}, Argument{},
                                            Argument{ir::DeviceConstant{geometry.device}}, Argument{}});
  places = out.emit("aten::as_strided", {nodeArgument(places), integerList(geometry.sizes),
                                         integerList(geometry.strides), Argument{geometry.offset}});
  places = out.emit("aten::reshape", {nodeArgument(places), integerList({-1})});
  NodeId values = out.emit("aten::reshape", {nodeArgument(value), integerList({-1})});
  // The wide unsigned types have no kernel that scatters: their bits are moved.
  const ir::DtypeConstant moved = signedOfWide(geometry.dtype);
  const auto as = [&](NodeId node, ir::DtypeConstant dtype) {
    return moved == geometry.dtype ? node : out.emit("aten::view.dtype", {nodeArgument(node), Argument{dtype}});
  };
  flat = as(flat, moved);
  values = as(values, moved);
  return as(out.emit("aten::scatter.src",
                     {nodeArgument(flat), Argument{int64_t{0}}, nodeArgument(places), nodeArgument(values)}),
            geometry.dtype);
}

} // namespace

StorageValue& StorageValues::current(int storage) {
  if (static_cast<size_t>(storage) >= current_.size()) {
    current_.resize(recorded_->storages.size());
  }
  return current_[static_cast<size_t>(storage)];
}

int StorageValues::writes(int number) const {
  return static_cast<size_t>(number) < current_.size() ? current_[static_cast<size_t>(number)].version : 0;
}

int64_t StorageValues::length(int number) const {
  const ir::TracedStorage& traced = storage(number);
  return traced.bytes / static_cast<int64_t>(c10::elementSize(static_cast<c10::ScalarType>(traced.dtype.value)));
}

bool StorageValues::covers(int number, const TensorMetadata& geometry) const {
  return geometry.offset == 0 && geometry.dtype == storage(number).dtype && !geometry.conjugate && !geometry.negative &&
         ir::elementCount(geometry) == length(number) && ir::isDense(geometry);
}

int64_t StorageValues::roomOf(const TensorMetadata& expected) const {
  const int64_t needed = ir::elementCount(expected);
  if (expected.storage < 0 || storage(expected.storage).dtype != expected.dtype || length(expected.storage) <= needed) {
    return needed;
  }
  const auto& nodes = recorded_->nodes();
  const bool isWritten = std::any_of(nodes.begin(), nodes.end(), [&](const ir::Node& node) {
    return std::any_of(node.writes.begin(), node.writes.end(),
                       [&](NodeId written) { return metadata(written).storage == expected.storage; });
  });
  return isWritten ? length(expected.storage) : needed;
}

NodeId StorageValues::readGeometry(FunctionalGraph& out, int number, const TensorMetadata& geometry) {
  makeFlat(out, number);
  NodeId value = current(number).node;
  if (geometry.dtype != storage(number).dtype) {
    value = out.emit("aten::view.dtype", {nodeArgument(value), Argument{geometry.dtype}});
  }
  const auto size = static_cast<int64_t>(c10::elementSize(static_cast<c10::ScalarType>(geometry.dtype.value)));
  const bool isWhole = geometry.sizes.size() == 1 && geometry.offset == 0 && geometry.strides[0] == 1 &&
                       geometry.sizes[0] == storage(number).bytes / size;
  if (!isWhole) {
    value = out.emit("aten::as_strided", {nodeArgument(value), integerList(geometry.sizes),
                                          integerList(geometry.strides), Argument{geometry.offset}});
    out.graph.node(value).metadata = geometry;
  }
  if (geometry.conjugate) {
    value = out.emit("aten::_conj", {nodeArgument(value)});
  }
  if (geometry.negative) {
    value = out.emit("aten::_neg_view", {nodeArgument(value)});
  }
  return value;
}

/// A value with the layout of `layout` as one dimension over the whole storage.
NodeId StorageValues::flatten(FunctionalGraph& out, NodeId value, int number, const TensorMetadata& layout) const {
  if (layout.sizes.size() == 1 && layout.strides[0] == 1 && covers(number, layout)) {
    return value;
  }
  if (layout.sizes.size() == 1 || !covers(number, layout)) { // gaps: read past them, in the memory of the value itself
    return out.emit("aten::as_strided",
                    {nodeArgument(value), integerList({length(number)}), integerList({1}), Argument{int64_t{0}}});
  }
  const std::vector<size_t> order = ir::memoryOrder(layout);
  std::vector<int64_t> permutation(order.begin(), order.end());
  if (!std::is_sorted(permutation.begin(), permutation.end())) {
    value = out.emit("aten::permute", {nodeArgument(value), integerList(permutation)});
  }
  return out.emit("aten::reshape", {nodeArgument(value), integerList({-1})});
}

void StorageValues::makeFlat(FunctionalGraph& out, int number) {
  StorageValue& now = current(number);
  if (now.isFlat) {
    return;
  }
  const int64_t size =
      static_cast<int64_t>(c10::elementSize(static_cast<c10::ScalarType>(storage(number).dtype.value)));
  if (storage(number).bytes % size != 0) {
    throw ir::Unsupported("a storage whose bytes are not a whole number of elements is written");
  }
  now.node = flatten(out, now.node, number, metadata(storage(number).root));
  now.isFlat = true;
}

void StorageValues::replace(int number, NodeId value, bool isFlat) {
  StorageValue& now = current(number);
  now.node = value;
  now.isFlat = isFlat;
  ++now.version;
}

NodeId StorageValues::write(FunctionalGraph& out, NodeId recorded, NodeId value, const TensorMetadata& written) {
  const TensorMetadata target = metadata(recorded);
  if (ir::elementCount(target) == 0) {
    return -1; // its memory, which other tensors may see more of, stays as it is
  }
  if (written.dtype != target.dtype) {
    value = out.emit("aten::_to_copy", {nodeArgument(value), Argument{target.dtype}, Argument{}, Argument{}, Argument{},
                                        Argument{false}, Argument{}});
  }
  if (written.sizes != target.sizes) {
    value = out.emit("aten::expand", {nodeArgument(value), integerList(target.sizes), Argument{false}});
  }
  const bool asEager = written.dtype == target.dtype && ir::sameLayout(written, target) && !target.conjugate &&
                       !target.negative && !written.conjugate && !written.negative;
  const int number = target.storage;
  if (recorded == storage(number).root && !current(number).isFlat && asEager && covers(number, target)) {
    replace(number, value, false);
  } else {
    writeFlat(out, recorded, value);
  }
  return asEager && !ir::mayOverlap(target) ? value : -1;
}

void StorageValues::writeFlat(FunctionalGraph& out, NodeId recorded, NodeId value) {
  TensorMetadata geometry = metadata(recorded);
  const int number = geometry.storage;
  if (geometry.conjugate) {
    value = out.emit("aten::conj_physical", {nodeArgument(value)});
  }
  if (geometry.negative) {
    value = out.emit("aten::neg", {nodeArgument(value)});
  }
  geometry.conjugate = geometry.negative = false;
  if (covers(number, geometry)) {
    replace(number, flatten(out, value, number, geometry), true);
    return;
  }
  makeFlat(out, number);
  // An expanded dimension is written many times over; the last write stays.
  for (size_t i = 0; i < geometry.sizes.size();) {
    if (geometry.strides[i] == 0 && geometry.sizes[i] > 1) {
      value = out.emit("aten::select.int",
                       {nodeArgument(value), Argument{static_cast<int64_t>(i)}, Argument{geometry.sizes[i] - 1}});
      geometry.sizes.erase(geometry.sizes.begin() + static_cast<std::ptrdiff_t>(i));
      geometry.strides.erase(geometry.strides.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  NodeId flat = current(number).node;
  const bool otherDtype = geometry.dtype != storage(number).dtype;
  if (otherDtype) {
    flat = out.emit("aten::view.dtype", {nodeArgument(flat), Argument{geometry.dtype}});
  }
  if (ir::mayOverlap(geometry)) {
    const auto size = static_cast<int64_t>(c10::elementSize(static_cast<c10::ScalarType>(geometry.dtype.value)));
    flat = scatterOverlapping(out, flat, value, geometry, storage(number).bytes / size);
  } else {
    flat = out.emit("aten::as_strided_scatter", {nodeArgument(flat), nodeArgument(value), integerList(geometry.sizes),
                                                 integerList(geometry.strides), Argument{geometry.offset}});
  }
  if (otherDtype) {
    flat = out.emit("aten::view.dtype", {nodeArgument(flat), Argument{storage(number).dtype}});
  }
  replace(number, flat, true);
}

} // namespace touchstone::aot_autograd
