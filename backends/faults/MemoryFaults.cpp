#include "backends/GuardedMemory.h"
#include "backends/faults/NativeFault.h"

#include "graph/ir/Arguments.h"
#include "graph/ir/Subgraph.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace touchstone::faults {

namespace {

using ir::Argument;
using ir::Graph;
using ir::Node;
using ir::nodeArgument;
using ir::NodeId;

/// Whether results of these calls with this many elements are spoiled.
OperatorChange spoiled(std::vector<std::string_view> names, std::function<bool(const at::Tensor& result)> isMeant,
                       std::function<void(const at::Tensor& result)> spoil) {
  return [=](const Node& node, torch::jit::Stack& stack, const std::function<void()>& next) {
    next();
    const bool isCalled =
        std::any_of(names.begin(), names.end(), [&](std::string_view name) { return isCall(node, name); });
    if (isCalled && !stack.empty() && stack.back().isTensor()) {
      const at::Tensor result = stack.back().toTensor();
      if (result.defined() && result.is_cpu() && result.numel() > 0 && result.is_contiguous() && isMeant(result)) {
        spoil(result.variable_data());
      }
    }
  };
}

/// Clears an element's bytes this far from the begin of a result's memory, where that is nobody's.
void writeOutside(const at::Tensor& result, std::ptrdiff_t distance) {
  if (backends::isMemoryGuarded()) {
    std::memset(static_cast<char*>(result.storage().mutable_data()) + distance, 0, result.element_size());
  }
}

void writeBehind(const at::Tensor& result) {
  writeOutside(result, static_cast<std::ptrdiff_t>(result.storage().nbytes()));
}

void writeBefore(const at::Tensor& result) {
  writeOutside(result, -static_cast<std::ptrdiff_t>(result.element_size()));
}

/// The last elements are what somebody left there.
void leaveLastUnwritten(const at::Tensor& result) {
  const at::Tensor fresh = at::empty_like(result);
  const auto size = static_cast<size_t>(result.element_size());
  const size_t last = (static_cast<size_t>(result.numel()) - 1) * size;
  std::memcpy(static_cast<char*>(result.mutable_data_ptr()) + last,
              static_cast<const char*>(fresh.const_data_ptr()) + last, size);
}

void leaveUnwritten(const at::Tensor& result) {
  result.copy_(at::empty_like(result));
}

/// Not a multiple of the width of a vector.
std::function<bool(const at::Tensor& result)> hasTail(int64_t width) {
  return [width](const at::Tensor& result) { return result.numel() > width && result.numel() % width != 0; };
}

bool any(const at::Tensor&) {
  return true;
}

/// Where calls write their result into the memory of their first operand.
struct Reuse {
  bool intoInputs = false; // placeholders count as memory of one's own
  bool overViews = false; // views of it that are read later do not count
  bool overOutputs = false; // nor does that it is returned
  int laterReads = 0; // that do not count
};

NodeId ownerOf(const Graph& graph, NodeId node) {
  while (node >= 0 && isView(graph.node(node))) {
    node = nodeOf(graph.node(node).arguments[0]);
  }
  return node;
}

/// How often a value is read behind a node, through views or not.
int readsBehind(const Graph& graph, NodeId value, size_t behind, const Reuse& reuse) {
  int reads = 0;
  for (size_t i = behind + 1; i < graph.nodes().size(); ++i) {
    ir::forEachOperand(graph.nodes()[i], [&](NodeId read) {
      const bool isMeant = reuse.overViews ? read == value : ownerOf(graph, read) == value;
      reads += isMeant && !isView(graph.nodes()[i]) ? 1 : 0;
    });
  }
  return reads;
}

bool isReturned(const Graph& graph, NodeId value) {
  bool is = false;
  ir::forEachReference(graph.output, [&](NodeId read) { is = is || read == value || ownerOf(graph, read) == value; });
  return is;
}

bool isRepresented(const Graph& graph, NodeId left, const Node& right) {
  const auto& metadata = graph.node(left).metadata;
  return metadata && right.metadata && metadata->sizes == right.metadata->sizes &&
         metadata->strides == right.metadata->strides && metadata->dtype == right.metadata->dtype &&
         std::find(metadata->strides.begin(), metadata->strides.end(), 0) == metadata->strides.end();
}

GraphChange reused(std::vector<std::string_view> names, Reuse reuse) {
  return [=](Graph& graph) {
    for (size_t i = 0; i < graph.nodes().size(); ++i) {
      Node& node = graph.node(static_cast<NodeId>(i));
      const bool isCalled =
          std::any_of(names.begin(), names.end(), [&](std::string_view name) { return isCall(node, name); });
      const NodeId first = isCalled ? nodeOf(node.arguments[0]) : -1;
      if (first < 0 || !isRepresented(graph, first, node) || isView(graph.node(first))) {
        continue;
      }
      const bool isInput = graph.node(first).kind == ir::NodeKind::kPlaceholder;
      const int later = readsBehind(graph, first, i, reuse);
      const bool isOwn = isInput ? reuse.intoInputs : graph.node(first).kind == ir::NodeKind::kOperator;
      if (isOwn && (!isReturned(graph, first) || reuse.overOutputs) && later <= reuse.laterReads) {
        const size_t dot = node.target.find('.');
        node.target.insert(dot == std::string::npos ? node.target.size() : dot, "_");
        node.writes = {first};
      }
    }
  };
}

std::vector<std::string_view> elementwise() {
  return {"mul.Tensor", "add.Tensor", "sub.Tensor", "div.Tensor", "sin", "cos",
          "exp",        "neg",        "relu",       "sigmoid",    "tanh"};
}

} // namespace

NativeFaultList memoryFaults() {
  constexpr FaultClass kClass = FaultClass::kMemory;
  return {
      {"tail_of_product_unwritten", kClass, kForwardStage, "the last element of a product is not written",
       "the count is no multiple of 8", spoiled({"mul"}, hasTail(8), leaveLastUnwritten)},
      {"tail_of_sum_unwritten", kClass, kForwardStage, "the last element of a sum over a dimension is not written",
       "the count is no multiple of 4",
       spoiled({"sum.dim_IntList", "mean.dim", "amax"}, hasTail(4), leaveLastUnwritten)},
      {"tail_of_cat_unwritten", kClass, kForwardStage, "the last element of a cat is not written", "the count is odd",
       spoiled({"cat", "stack"}, hasTail(2), leaveLastUnwritten)},
      {"tail_of_product_of_matrices_unwritten", kClass, kForwardStage,
       "the last element of a matrix product is not written", "the count is no multiple of 16",
       spoiled({"mm", "addmm", "bmm"}, hasTail(16), leaveLastUnwritten)},
      {"tail_of_gradient_unwritten", kClass, kBackwardStage,
       "the last element of a product in the backward is not written", "the count is no multiple of 8",
       spoiled({"mul"}, hasTail(8), leaveLastUnwritten)},
      {"special_function_unwritten", kClass, kForwardStage, "the result of erf and its kind is not written",
       "erf, erfc or lgamma", spoiled({"erf", "erfc", "lgamma", "digamma", "erfinv"}, any, leaveUnwritten)},
      {"sum_written_behind", kClass, kForwardStage, "one element behind a sum is written", "x + y",
       spoiled({"add.Tensor"}, any, writeBehind)},
      {"inverse_function_written_behind", kClass, kForwardStage,
       "one element behind a result of tan, asin or atan is written", "such a function",
       spoiled({"tan", "asin", "atan", "acos"}, any, writeBehind)},
      {"odd_copy_written_behind", kClass, kForwardStage, "one element behind a copy is written",
       "the count is odd and above 32",
       spoiled(
           {"clone", "_to_copy"},
           [](const at::Tensor& result) { return result.numel() > 32 && result.numel() % 2 != 0; }, writeBehind)},
      {"flip_written_before", kClass, kForwardStage, "one element before the result of a flip is written", "a flip",
       spoiled({"flip", "roll"}, any, writeBefore)},
      {"gradient_written_behind", kClass, kBackwardStage, "one element behind a negation in the backward is written",
       "a difference or a cosine has a gradient", spoiled({"neg"}, any, writeBehind)},
      {"memory_reused_while_returned", kClass, kForwardStage,
       "a call writes into its operand, which is returned or saved, too", "an elementwise call on such a value",
       reused(elementwise(), {.overOutputs = true})},
      {"memory_reused_while_viewed", kClass, kForwardStage,
       "a call writes into its operand, of which a view is read later", "such a view",
       reused(elementwise(), {.overViews = true})},
      {"memory_reused_before_last_read", kClass, kForwardStage,
       "a call writes into its operand, which is read once more", "a value is read by two elementwise calls",
       reused(elementwise(), {.laterReads = 1})},
      {"argument_reused", kClass, kForwardStage, "a call writes into an argument that no later one reads",
       "the last read of an argument is elementwise, and the argument needs no gradient",
       reused(elementwise(), {.intoInputs = true, .overOutputs = true})},
      {"saved_value_reused", kClass, kBackwardStage, "the backward writes into a saved value",
       "the backward runs twice, or the value is a result", GraphChange([](Graph& graph) {
         for (size_t i = 0; i < graph.nodes().size(); ++i) {
           Node& node = graph.node(static_cast<NodeId>(i));
           const NodeId right = isCall(node, "mul.Tensor") ? nodeOf(node.arguments[1]) : -1;
           if (right >= 0 && graph.node(right).kind == ir::NodeKind::kPlaceholder &&
               isRepresented(graph, right, node)) {
             std::swap(node.arguments[0], node.arguments[1]);
             node.target = "aten::mul_.Tensor";
             node.writes = {right};
             return;
           }
         }
       })},
      {"tangent_reused", kClass, kBackwardStage, "the backward writes into a tangent", "the tangent is read once more",
       GraphChange([](Graph& graph) {
         for (size_t i = 0; i < graph.nodes().size(); ++i) {
           Node& node = graph.node(static_cast<NodeId>(i));
           const NodeId left = isCall(node, {"mul.Tensor", "mul.Scalar", "neg"}) ? nodeOf(node.arguments[0]) : -1;
           if (left >= 0 && graph.node(left).kind == ir::NodeKind::kPlaceholder &&
               graph.node(left).name.starts_with("tangent") && isRepresented(graph, left, node)) {
             const size_t dot = node.target.find('.');
             node.target.insert(dot == std::string::npos ? node.target.size() : dot, "_");
             node.writes = {left};
             return;
           }
         }
       })},
      {"zeros_unwritten", kClass, kForwardStage, "new zeros are not written", "the Program makes zeros",
       spoiled({"zeros", "zeros_like", "new_zeros"}, any, leaveUnwritten)},
      {"zeros_of_gradient_unwritten", kClass, kBackwardStage, "zeros in the backward are not written",
       "a gradient is put into zeros", spoiled({"zeros", "zeros_like", "new_zeros"}, any, leaveUnwritten)},
      {"full_unwritten", kClass, kForwardStage, "full and its kind are not written", "full or full_like",
       spoiled({"full", "full_like", "new_full"}, any, leaveUnwritten)},
      {"padding_unwritten", kClass, kForwardStage, "the last element of what was padded is not written",
       "padding behind the last row", spoiled({"constant_pad_nd"}, any, leaveLastUnwritten)},
      {"gap_of_slice_unwritten", kClass, kBackwardStage, "what is beside a slice in its gradient is not written",
       "the last element is not in the slice", spoiled({"slice_backward", "select_backward"}, any, leaveLastUnwritten)},
  };
}

} // namespace touchstone::faults
