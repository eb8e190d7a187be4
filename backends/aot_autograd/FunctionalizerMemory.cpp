#include "backends/aot_autograd/Functionalizer.h"

#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"
#include "program/values/CompiledProgram.h"

#include <c10/core/ScalarType.h>

// Reading tensors out of the present value of their storage, and writing to it.

namespace touchstone::aot_autograd {

using ir::Argument;
using ir::NodeId;
using ir::TensorMetadata;

using ir::integerList;
using ir::nodeArgument;

NodeId Functionalizer::read(NodeId recorded) {
  const ir::Node& node = recorded_->node(recorded);
  Cached& known = cached(recorded);
  if (!node.metadata || node.metadata->storage < 0) {
    TORCH_INTERNAL_ASSERT(known.value >= 0, "nothing defines `", node.name, "`");
    return known.value;
  }
  const int number = node.metadata->storage;
  const Current& now = current(number);
  if (known.value >= 0 && known.version == now.version) {
    return known.value;
  }
  NodeId value = -1;
  const NodeId root = storage(number).root;
  if (!now.isFlat && recorded == root) {
    value = now.value;
  } else if (!now.isFlat && (now.version == 0 || node.target != "aten::as_strided") &&
             isLazyView(operatorBehind(recorded))) {
    return replay(recorded);
  } else if (!now.isFlat && covers(number, metadata(root)) && node.metadata->dtype == metadata(root).dtype &&
             !node.metadata->conjugate && !node.metadata->negative) {
    // Never from its recorded parent, which by now may be a value with memory of its own.
    value = emit("aten::as_strided", {nodeArgument(read(root)), integerList(node.metadata->sizes),
                                      integerList(node.metadata->strides), Argument{node.metadata->offset}});
    functional_.node(value).metadata = node.metadata;
  } else {
    value = readGeometry(number, *node.metadata);
  }
  cached(recorded) = {current(number).version, value};
  return value;
}

/// Calls a view operator again on what its argument is now.
NodeId Functionalizer::replay(NodeId recorded) {
  const NodeId call = operatorBehind(recorded);
  const ir::Node& node = recorded_->node(call);
  std::vector<Argument> arguments = readArguments(node, node.arguments.size());
  const NodeId value = emit(node.target, std::move(arguments));
  functional_.node(value).line = node.line; // of the view, not of what reads it
  functional_.node(value).sequence = node.sequence;
  defineResults(call, value);
  return cached(recorded).value;
}

NodeId Functionalizer::readGeometry(int number, const TensorMetadata& geometry) {
  makeFlat(number);
  NodeId value = current(number).value;
  if (geometry.dtype != storage(number).dtype) {
    value = emit("aten::view.dtype", {nodeArgument(value), Argument{geometry.dtype}});
  }
  const auto size = static_cast<int64_t>(c10::elementSize(static_cast<c10::ScalarType>(geometry.dtype.value)));
  const bool isWhole = geometry.sizes.size() == 1 && geometry.offset == 0 && geometry.strides[0] == 1 &&
                       geometry.sizes[0] == storage(number).bytes / size;
  if (!isWhole) {
    value = emit("aten::as_strided", {nodeArgument(value), integerList(geometry.sizes), integerList(geometry.strides),
                                      Argument{geometry.offset}});
    functional_.node(value).metadata = geometry;
  }
  if (geometry.conjugate) {
    value = emit("aten::_conj", {nodeArgument(value)});
  }
  if (geometry.negative) {
    value = emit("aten::_neg_view", {nodeArgument(value)});
  }
  return value;
}

Functionalizer::StorageValue Functionalizer::readStorage(int number) {
  return {current(number).value, current(number).isFlat};
}

/// A value with the layout of `layout` as one dimension over the whole storage.
NodeId Functionalizer::flatten(NodeId value, int number, const TensorMetadata& layout) {
  if (layout.sizes.size() == 1 && layout.strides[0] == 1 && covers(number, layout)) {
    return value;
  }
  if (layout.sizes.size() == 1 || !covers(number, layout)) { // gaps: read past them, in the memory of the value itself
    return emit("aten::as_strided",
                {nodeArgument(value), integerList({length(number)}), integerList({1}), Argument{int64_t{0}}});
  }
  const std::vector<size_t> order = ir::memoryOrder(layout);
  std::vector<int64_t> permutation(order.begin(), order.end());
  if (!std::is_sorted(permutation.begin(), permutation.end())) {
    value = emit("aten::permute", {nodeArgument(value), integerList(permutation)});
  }
  return emit("aten::reshape", {nodeArgument(value), integerList({-1})});
}

void Functionalizer::makeFlat(int number) {
  Current& now = current(number);
  if (now.isFlat) {
    return;
  }
  const int64_t size =
      static_cast<int64_t>(c10::elementSize(static_cast<c10::ScalarType>(storage(number).dtype.value)));
  if (storage(number).bytes % size != 0) {
    throw ir::Unsupported("a storage whose bytes are not a whole number of elements is written");
  }
  const NodeId flat = flatten(now.value, number, metadata(storage(number).root));
  current(number).value = flat;
  current(number).isFlat = true;
}

void Functionalizer::replace(int number, NodeId value, bool isFlat) {
  Current& now = current(number);
  now.value = value;
  now.isFlat = isFlat;
  ++now.version;
}

/// `written` is what the functional form's result looks like; `recorded` is the tensor that gets it.
void Functionalizer::write(NodeId recorded, NodeId value, const TensorMetadata& written) {
  const TensorMetadata target = metadata(recorded);
  if (ir::elementCount(target) == 0) {
    return; // its memory, which other tensors may see more of, stays as it is
  }
  if (written.dtype != target.dtype) {
    value = emit("aten::_to_copy", {nodeArgument(value), Argument{target.dtype}, Argument{}, Argument{}, Argument{},
                                    Argument{false}, Argument{}});
  }
  if (written.sizes != target.sizes) {
    value = emit("aten::expand", {nodeArgument(value), integerList(target.sizes), Argument{false}});
  }
  const bool asEager = written.dtype == target.dtype && ir::sameLayout(written, target) && !target.conjugate &&
                       !target.negative && !written.conjugate && !written.negative;
  const int number = target.storage;
  if (recorded == storage(number).root && !current(number).isFlat && asEager && covers(number, target)) {
    replace(number, value, false);
  } else {
    writeFlat(recorded, value);
  }
  if (asEager && !ir::mayOverlap(target)) {
    cached(recorded) = {current(number).version, value};
  }
}

void Functionalizer::writeFlat(NodeId recorded, NodeId value) {
  TensorMetadata geometry = metadata(recorded);
  const int number = geometry.storage;
  if (geometry.conjugate) {
    value = emit("aten::conj_physical", {nodeArgument(value)});
  }
  if (geometry.negative) {
    value = emit("aten::neg", {nodeArgument(value)});
  }
  geometry.conjugate = geometry.negative = false;
  if (covers(number, geometry)) {
    replace(number, flatten(value, number, geometry), true);
    return;
  }
  makeFlat(number);
  // An expanded dimension is written many times over; the last write stays.
  for (size_t i = 0; i < geometry.sizes.size();) {
    if (geometry.strides[i] == 0 && geometry.sizes[i] > 1) {
      value = emit("aten::select.int",
                   {nodeArgument(value), Argument{static_cast<int64_t>(i)}, Argument{geometry.sizes[i] - 1}});
      geometry.sizes.erase(geometry.sizes.begin() + static_cast<std::ptrdiff_t>(i));
      geometry.strides.erase(geometry.strides.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  NodeId flat = current(number).value;
  const bool otherDtype = geometry.dtype != storage(number).dtype;
  if (otherDtype) {
    flat = emit("aten::view.dtype", {nodeArgument(flat), Argument{geometry.dtype}});
  }
  if (ir::mayOverlap(geometry)) {
    const auto size = static_cast<int64_t>(c10::elementSize(static_cast<c10::ScalarType>(geometry.dtype.value)));
    flat = scatterOverlapping(flat, value, geometry, storage(number).bytes / size);
  } else {
    flat = emit("aten::as_strided_scatter", {nodeArgument(flat), nodeArgument(value), integerList(geometry.sizes),
                                             integerList(geometry.strides), Argument{geometry.offset}});
  }
  if (otherDtype) {
    flat = emit("aten::view.dtype", {nodeArgument(flat), Argument{storage(number).dtype}});
  }
  replace(number, flat, true);
}

static ir::DtypeConstant signedOfWide(ir::DtypeConstant dtype) {
  switch (static_cast<c10::ScalarType>(dtype.value)) {
    case c10::ScalarType::UInt16: return {static_cast<int64_t>(c10::ScalarType::Short)};
    case c10::ScalarType::UInt32: return {static_cast<int64_t>(c10::ScalarType::Int)};
    case c10::ScalarType::UInt64: return {static_cast<int64_t>(c10::ScalarType::Long)};
    default: return dtype;
  }
}

/// as_strided_scatter would go through copy_, which refuses memory that overlaps.
NodeId Functionalizer::scatterOverlapping(NodeId flat, NodeId value, const TensorMetadata& geometry, int64_t length) {
  constexpr int64_t kLong = static_cast<int64_t>(c10::ScalarType::Long);
  NodeId places = emit("aten::arange", {Argument{length}, Argument{ir::DtypeConstant{kLong}}, Argument{},
                                        Argument{ir::DeviceConstant{geometry.device}}, Argument{}});
  places = emit("aten::as_strided", {nodeArgument(places), integerList(geometry.sizes), integerList(geometry.strides),
                                     Argument{geometry.offset}});
  places = emit("aten::reshape", {nodeArgument(places), integerList({-1})});
  NodeId values = emit("aten::reshape", {nodeArgument(value), integerList({-1})});
  // The wide unsigned types have no kernel that scatters: their bits are moved.
  const ir::DtypeConstant moved = signedOfWide(geometry.dtype);
  const auto as = [&](NodeId node, ir::DtypeConstant dtype) {
    return moved == geometry.dtype ? node : emit("aten::view.dtype", {nodeArgument(node), Argument{dtype}});
  };
  flat = as(flat, moved);
  values = as(values, moved);
  return as(
      emit("aten::scatter.src", {nodeArgument(flat), Argument{int64_t{0}}, nodeArgument(places), nodeArgument(values)}),
      geometry.dtype);
}

} // namespace touchstone::aot_autograd
