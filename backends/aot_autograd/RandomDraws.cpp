#include "backends/aot_autograd/RandomDraws.h"

#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"

#include <algorithm>

namespace touchstone::aot_autograd {

using ir::Argument;
using ir::NodeId;
using ir::TensorMetadata;

namespace {

// From so many elements on, contiguous memory is filled block by block (aten/src/ATen/native/cpu/DistributionTemplates.h).
constexpr int64_t kBlock = 16;

/// What permutes dimensions that lie in the order of the memory back to where they belong.
std::vector<int64_t> inverseOf(const std::vector<size_t>& order) {
  std::vector<int64_t> back(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    back[order[i]] = static_cast<int64_t>(i);
  }
  return back;
}

/// Strides without gaps, in the order of the memory.
void closeGaps(TensorMetadata& tensor, const std::vector<size_t>& order) {
  int64_t stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    tensor.strides[order[i]] = stride;
    stride *= std::max<int64_t>(tensor.sizes[order[i]], 1);
  }
}

} // namespace

NodeId drawInMemoryOrder(FunctionalGraph& out, std::vector<Argument> arguments, const TensorMetadata& target,
                         TensorMetadata& result) {
  const std::vector<size_t> order = ir::memoryOrder(target);
  const std::vector<int64_t> forth(order.begin(), order.end());
  arguments[0] = ir::nodeArgument(out.emit("aten::permute", {arguments[0], ir::integerList(forth)}));
  const NodeId drawn = out.emit("aten::bernoulli.p", std::move(arguments));
  closeGaps(result, order);
  return out.emit("aten::permute", {ir::nodeArgument(drawn), ir::integerList(inverseOf(order))});
}

bool drawsOneByOne(const TensorMetadata& target) {
  return ir::elementCount(target) >= kBlock && !ir::isDense(target);
}

NodeId drawNormalOneByOne(FunctionalGraph& out, const std::vector<Argument>& arguments, const TensorMetadata& target,
                          TensorMetadata& result) {
  const auto draw = [&](std::vector<int64_t> sizes, std::vector<int64_t> strides, int64_t count) {
    std::vector<Argument> given = arguments;
    given[0] = ir::nodeArgument(
        out.emit("aten::empty_strided", {ir::integerList(std::move(sizes)), ir::integerList(std::move(strides)),
                                         Argument{ir::DtypeConstant{static_cast<int64_t>(target.dtype.value)}},
                                         Argument{}, Argument{ir::DeviceConstant{target.device}}, Argument{}}));
    const NodeId drawn = out.emit("aten::normal_functional", std::move(given));
    return ir::nodeArgument(out.emit("aten::as_strided", {ir::nodeArgument(drawn), ir::integerList({count}),
                                                          ir::integerList({1}), Argument{int64_t{0}}}));
  };
  const int64_t count = ir::elementCount(target), even = count - count % 2;
  Argument numbers = draw({2, even / 2}, {1, 2}, even);
  if (even < count) {
    Argument::Container both{.items = {numbers, draw({1}, {1}, 1)}};
    numbers = ir::nodeArgument(out.emit("aten::cat", {Argument{std::move(both)}, Argument{int64_t{0}}}));
  }
  const std::vector<size_t> order = ir::memoryOrder(target);
  std::vector<int64_t> sizes;
  for (size_t dimension : order) {
    sizes.push_back(target.sizes[dimension]);
  }
  closeGaps(result, order);
  const NodeId shaped = out.emit("aten::view", {numbers, ir::integerList(std::move(sizes))});
  return out.emit("aten::permute", {ir::nodeArgument(shaped), ir::integerList(inverseOf(order))});
}

} // namespace touchstone::aot_autograd
