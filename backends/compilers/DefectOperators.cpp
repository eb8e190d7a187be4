#include "backends/compilers/DefectOperators.h"

#include "backends/compilers/StandIn.h"
#include "graph/ir/Subgraph.h"
#include "graph/runtime/GraphCode.h"
#include "graph/runtime/Interpreter.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/enum_tag.h>
#include <ATen/ops/view_as_real.h>
#include <c10/core/ScalarType.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>

namespace touchstone::compilers {

using ir::Graph;
using ir::Node;
using ir::NodeKind;

namespace {

bool isCallOf(const Node& node, std::initializer_list<std::string_view> targets) {
  return node.kind == NodeKind::kOperator && std::find(targets.begin(), targets.end(), node.target) != targets.end();
}

bool isComplex(const Node& node) {
  return node.metadata.has_value() && c10::isComplexType(static_cast<at::ScalarType>(node.metadata->dtype.value));
}

/// The same, or constants of one value: TorchScript pools them.
bool isEqual(const Graph& graph, const ir::Argument& left, const ir::Argument& right) {
  const auto* ofLeft = std::get_if<ir::NodeReference>(&left.payload);
  const auto* ofRight = std::get_if<ir::NodeReference>(&right.payload);
  if (left == right || ofLeft == nullptr || ofRight == nullptr ||
      graph.node(ofLeft->node).kind != NodeKind::kConstant || graph.node(ofRight->node).kind != NodeKind::kConstant) {
    return left == right;
  }
  const at::Tensor& value = runtime::constantOf(graph, graph.node(ofLeft->node));
  const at::Tensor& other = runtime::constantOf(graph, graph.node(ofRight->node));
  return value.scalar_type() == other.scalar_type() && value.equal(other);
}

/// The node that an argument is.
const Node* nodeOf(const Graph& graph, const Node& node, size_t argument) {
  const auto* reference = std::get_if<ir::NodeReference>(&node.arguments.at(argument).payload);
  return reference == nullptr ? nullptr : &graph.node(reference->node);
}

/// The number that an argument is, or a constant tensor of one element holds.
std::optional<double> numberOf(const Graph& graph, const ir::Argument& argument) {
  if (const auto* integer = std::get_if<int64_t>(&argument.payload)) {
    return static_cast<double>(*integer);
  }
  if (const auto* number = std::get_if<double>(&argument.payload)) {
    return *number;
  }
  const auto* reference = std::get_if<ir::NodeReference>(&argument.payload);
  if (reference == nullptr || graph.node(reference->node).kind != NodeKind::kConstant) {
    return std::nullopt;
  }
  const at::Tensor& tensor = runtime::constantOf(graph, graph.node(reference->node));
  return tensor.numel() == 1 && !tensor.is_complex() ? std::optional(tensor.item<double>()) : std::nullopt;
}

/// The sign bits of the zeros that a constant or the numbers of an operator hold.
std::set<bool> signsOfZeros(const Graph& graph, const Node& node) {
  std::set<bool> signs;
  if (node.kind == NodeKind::kConstant) {
    const at::Tensor& constant = runtime::constantOf(graph, node);
    if (hasSignedZeros(constant)) {
      const at::Tensor parts = constant.is_complex() ? at::view_as_real(constant) : constant;
      const at::Tensor negative = parts.signbit().masked_select(parts == 0);
      for (const bool sign : {false, true}) {
        if ((negative == sign).any().item<bool>()) {
          signs.insert(sign);
        }
      }
    }
  } else if (node.kind == NodeKind::kOperator) {
    for (const ir::Argument& argument : node.arguments) {
      if (const auto* number = std::get_if<double>(&argument.payload); number != nullptr && *number == 0) {
        signs.insert(std::signbit(*number));
      }
    }
  }
  return signs;
}

using Concerns = bool (*)(const Graph&, const Node&);

/// Those that go into an operator that is concerned, and are not.
bool isBefore(const Graph& graph, const Node& node, Concerns concerns) {
  std::set<ir::NodeId> before;
  for (auto last = graph.nodes().rbegin(); last != graph.nodes().rend(); ++last) {
    const auto id = static_cast<ir::NodeId>(graph.nodes().rend() - last - 1);
    if (concerns(graph, *last) || before.contains(id)) {
      ir::forEachOperand(*last, [&](ir::NodeId operand) { before.insert(operand); });
    }
    if (&*last == &node) {
      return before.contains(id) && !concerns(graph, node);
    }
  }
  return false;
}

bool makesView(const Graph& graph, const Node& node) {
  return isAnyOperator(graph, node) && runtime::returnsView(node.target);
}

/// What a value is a view of, or what was written to and given back; of others the value itself.
const Node& baseOf(const Graph& graph, const Node& node) {
  const bool isOfItsOperand = node.kind == NodeKind::kElement || isInPlace(graph, node) || makesView(graph, node);
  const Node* operand = isOfItsOperand && !node.arguments.empty() ? nodeOf(graph, node, 0) : nullptr;
  return operand == nullptr ? node : baseOf(graph, *operand);
}

bool isWritten(const Graph& graph, const Node& value) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const Node& other) {
    return isInPlace(graph, other) && &baseOf(graph, other) == &baseOf(graph, value);
  });
}

bool refersTo(const Graph& graph, const ir::Argument& argument, const Node& node) {
  bool found = false;
  ir::forEachReference(argument, [&](ir::NodeId id) { found = found || &graph.node(id) == &node; });
  return found;
}

/// How often the Graph reads a value; that it returns it counts, too.
int readsOf(const Graph& graph, const Node& value) {
  int reads = 0;
  const auto count = [&](ir::NodeId id) { reads += &graph.node(id) == &value ? 1 : 0; };
  for (const Node& reader : graph.nodes()) {
    for (const ir::Argument& argument : reader.arguments) {
      ir::forEachReference(argument, count);
    }
  }
  ir::forEachReference(graph.output, count);
  return reads;
}

} // namespace

bool isAnyOperator(const Graph&, const Node& node) {
  return node.kind == NodeKind::kOperator;
}

bool draws(const Graph&, const Node& node) {
  if (node.kind != NodeKind::kOperator) {
    return false;
  }
  const auto op = runtime::findOperator(node.target);
  return op.has_value() && op->hasTag(at::Tag::nondeterministic_seeded);
}

bool isMadeOfConstants(const Graph&, const Node& node) {
  bool readsNothing = node.kind == NodeKind::kConstant || node.kind == NodeKind::kOperator;
  for (const ir::Argument& argument : node.arguments) {
    ir::forEachReference(argument, [&](ir::NodeId) { readsNothing = false; });
  }
  return readsNothing;
}

bool isOfComplexTensors(const Graph& graph, const Node& node) {
  bool found = isComplex(node);
  ir::forEachOperand(node, [&](ir::NodeId operand) { found = found || isComplex(graph.node(operand)); });
  return found && node.kind == NodeKind::kOperator;
}

bool hidesViews(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::broadcast_tensors", "aten::meshgrid", "aten::meshgrid.indexing", "aten::atleast_1d",
                         "aten::atleast_2d", "aten::atleast_3d", "aten::type_as", "aten::dropout",
                         "aten::alpha_dropout", "aten::feature_dropout", "aten::feature_alpha_dropout"});
}

bool writesToList(const Graph&, const Node& node) {
  const auto op = node.kind == NodeKind::kOperator ? runtime::findOperator(node.target) : std::nullopt;
  return op.has_value() && std::any_of(op->schema().arguments().begin(), op->schema().arguments().end(),
                                       [](const c10::Argument& argument) {
                                         return argument.alias_info() != nullptr && argument.alias_info()->isWrite() &&
                                                argument.type()->kind() == c10::TypeKind::ListType;
                                       });
}

bool hasEqual(const Graph& graph, const Node& node) {
  return node.kind == NodeKind::kOperator &&
         std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const Node& other) {
           return &other != &node && other.target == node.target &&
                  std::equal(
                      other.arguments.begin(), other.arguments.end(), node.arguments.begin(), node.arguments.end(),
                      [&](const ir::Argument& left, const ir::Argument& right) { return isEqual(graph, left, right); });
         });
}

bool mixesDtypes(const Graph& graph, const Node& node) {
  std::set<int64_t> dtypes;
  const auto note = [&](const Node& each) {
    const bool isNumber =
        each.kind == NodeKind::kConstant && runtime::constantOf(graph, each).unsafeGetTensorImpl()->is_wrapped_number();
    if (!isNumber && each.metadata.has_value() &&
        c10::isFloatingType(static_cast<at::ScalarType>(each.metadata->dtype.value))) {
      dtypes.insert(each.metadata->dtype.value);
    }
  };
  note(node);
  ir::forEachOperand(node, [&](ir::NodeId operand) { note(graph.node(operand)); });
  return node.kind == NodeKind::kOperator && dtypes.size() > 1;
}

bool isBesideMixedDtypes(const Graph& graph, const Node& node) {
  return isAnyOperator(graph, node) && !mixesDtypes(graph, node);
}

bool isInPlace(const Graph&, const Node& node) {
  return node.kind == NodeKind::kOperator && node.target.substr(0, node.target.find('.')).ends_with('_');
}

bool isInPlaceOfAten(const Graph& graph, const Node& node) {
  return isInPlace(graph, node) && node.target.starts_with("aten::");
}

bool isInTheWayOfWrites(const Graph& graph, const Node& node) {
  const bool readsList = std::any_of(node.arguments.begin(), node.arguments.end(), [](const ir::Argument& argument) {
    const auto* list = std::get_if<ir::Argument::Container>(&argument.payload);
    return list != nullptr && std::any_of(list->items.begin(), list->items.end(), [](const ir::Argument& item) {
             return std::holds_alternative<ir::NodeReference>(item.payload);
           });
  });
  return (draws(graph, node) || hasEqual(graph, node) || readsList) && isAnyOperator(graph, node) &&
         !isInPlace(graph, node);
}

bool savesWhatIsWritten(const Graph& graph, const Node& node) {
  bool found = isWritten(graph, node);
  ir::forEachOperand(node, [&](ir::NodeId operand) { found = found || isWritten(graph, graph.node(operand)); });
  return found && isAnyOperator(graph, node) && !isInPlace(graph, node);
}

bool isViewThatIsWritten(const Graph& graph, const Node& node) {
  return makesView(graph, node) && isWritten(graph, node);
}

bool isViewThatIsReturned(const Graph& graph, const Node& node) {
  return makesView(graph, node) && refersTo(graph, graph.output, node);
}

bool writesToWhatIsGiven(const Graph& graph, const Node& node) {
  return isInPlace(graph, node) && baseOf(graph, node).kind == NodeKind::kPlaceholder;
}

bool isBesideWhatIsWritten(const Graph& graph, const Node& node) {
  return isAnyOperator(graph, node) && !savesWhatIsWritten(graph, node);
}

bool readsWhatIsReadThrice(const Graph& graph, const Node& node) {
  bool found = false;
  ir::forEachOperand(node, [&](ir::NodeId operand) { found = found || readsOf(graph, graph.node(operand)) > 2; });
  return found && isAnyOperator(graph, node);
}

bool isCat(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::cat"});
}

bool isMeanOverNoDimension(const Graph&, const Node& node) {
  if (!isCallOf(node, {"aten::mean.dim"})) {
    return false;
  }
  const auto* dimensions = std::get_if<ir::Argument::Container>(&node.arguments.at(1).payload);
  return dimensions == nullptr || dimensions->items.empty();
}

bool isProduct(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::matmul", "aten::mm", "aten::bmm", "aten::mv", "aten::addmm", "aten::linear"});
}

bool isMatmul(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::matmul"});
}

bool isTransposition(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::t", "aten::transpose.int"});
}

bool isTransposedAgain(const Graph& graph, const Node& node) {
  const Node* operand = isTransposition(graph, node) ? nodeOf(graph, node, 0) : nullptr;
  return operand != nullptr && isTransposition(graph, *operand);
}

bool isProductWithTransposed(const Graph& graph, const Node& node) {
  const Node* operand = isMatmul(graph, node) ? nodeOf(graph, node, 1) : nullptr;
  return operand != nullptr && isTransposition(graph, *operand);
}

bool isDetach(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::detach"});
}

bool isReciprocal(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::reciprocal", "aten::rsqrt"});
}

bool isQuotient(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::div.Tensor"});
}

bool hasZeroOfOneSign(const Graph& graph, const Node& node) {
  const std::set<bool> signs = signsOfZeros(graph, node);
  return !signs.empty() && std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const Node& other) {
    const std::set<bool> others = signsOfZeros(graph, other);
    return &other != &node && !others.empty() && (others.size() == 2 || signs != others);
  });
}

bool hasBool(const Graph& graph, const Node& node) {
  const auto isBool = [&](const ir::Argument& argument) {
    const auto* reference = std::get_if<ir::NodeReference>(&argument.payload);
    if (reference == nullptr || graph.node(reference->node).kind == NodeKind::kPlaceholder) {
      return std::holds_alternative<bool>(argument.payload);
    }
    if (graph.node(reference->node).kind == NodeKind::kConstant) {
      const at::Tensor& constant = runtime::constantOf(graph, graph.node(reference->node));
      return constant.scalar_type() == at::kBool && constant.numel() == 1;
    }
    const std::optional<ir::TensorMetadata>& made = graph.node(reference->node).metadata;
    return made.has_value() && static_cast<at::ScalarType>(made->dtype.value) == at::kBool &&
           std::all_of(made->sizes.begin(), made->sizes.end(), [](int64_t size) { return size == 1; });
  };
  return isCallOf(node, {"aten::add.Tensor", "aten::sub.Tensor", "aten::mul.Tensor", "aten::div.Tensor",
                         "aten::add.Scalar", "aten::sub.Scalar", "aten::mul.Scalar", "aten::div.Scalar"}) &&
         std::any_of(node.arguments.begin(), node.arguments.end(), isBool);
}

bool isSoftplus(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::softplus"});
}

bool hasNeutralOperand(const Graph& graph, const Node& node) {
  const bool isSum = isCallOf(node, {"aten::add.Scalar", "aten::sub.Scalar", "aten::add.Tensor", "aten::sub.Tensor"});
  const bool isProduct =
      isCallOf(node, {"aten::mul.Scalar", "aten::div.Scalar", "aten::mul.Tensor", "aten::div.Tensor"});
  return (isSum && numberOf(graph, node.arguments.at(1)) == 0) ||
         (isProduct && numberOf(graph, node.arguments.at(1)) == 1);
}

bool isAddmm(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::addmm"});
}

bool isHardtanh(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::hardtanh"});
}

bool isThreshold(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::threshold"});
}

bool isClampByTensor(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::clamp.Tensor"});
}

bool isLarger(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::max.other", "aten::min.other"});
}

bool isHardsigmoid(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::hardsigmoid"});
}

bool isBeforeClampByTensor(const Graph& graph, const Node& node) {
  return isBefore(graph, node, isClampByTensor);
}

bool isBesideComplexTensors(const Graph& graph, const Node& node) {
  return isAnyOperator(graph, node) && !isOfComplexTensors(graph, node);
}

bool isBesideClampByTensor(const Graph& graph, const Node& node) {
  return isAnyOperator(graph, node) && !isClampByTensor(graph, node);
}

bool isBatchNorm(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::batch_norm"});
}

bool writesStatistics(const Graph& graph, const Node& node) {
  return isBatchNorm(graph, node) && nodeOf(graph, node, 3) != nullptr &&
         std::get_if<bool>(&node.arguments.at(5).payload) != nullptr && std::get<bool>(node.arguments.at(5).payload);
}

bool isBeforeBatchNorm(const Graph& graph, const Node& node) {
  return isBefore(graph, node, isBatchNorm);
}

bool isBesideBatchNorm(const Graph& graph, const Node& node) {
  return isAnyOperator(graph, node) && !isBatchNorm(graph, node);
}

bool isPower(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::pow.Tensor_Scalar", "aten::pow.Tensor_Tensor"});
}

bool isResultThatIsRead(const Graph& graph, const Node& node) {
  if (node.kind != NodeKind::kOperator && node.kind != NodeKind::kElement) {
    return false;
  }
  const auto reads = [&](const ir::Argument& argument) { return refersTo(graph, argument, node); };
  return reads(graph.output) && std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const Node& other) {
           return std::any_of(other.arguments.begin(), other.arguments.end(), reads);
         });
}

bool isMasked(const Graph&, const Node& node) {
  return isCallOf(
      node, {"aten::clamp", "aten::clamp.Tensor", "aten::relu", "aten::relu6", "aten::hardtanh", "aten::threshold",
             "aten::hardshrink", "aten::hardswish", "aten::max.other", "aten::min.other", "aten::where.self"});
}

bool isUnderAutocast(const Graph&, const Node& node) {
  return node.kind == NodeKind::kOperator && !node.state.autocast.empty();
}

bool isStandardDeviation(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::std", "aten::std.dim", "aten::std.correction", "aten::var", "aten::var.dim",
                         "aten::var.correction"});
}

bool isLinearByVector(const Graph& graph, const Node& node) {
  const Node* weight = isCallOf(node, {"aten::linear"}) ? nodeOf(graph, node, 1) : nullptr;
  return weight != nullptr && (!weight->metadata.has_value() || weight->metadata->sizes.size() == 1);
}

bool isLinearOfNothing(const Graph& graph, const Node& node) {
  const Node* weight = isCallOf(node, {"aten::linear"}) ? nodeOf(graph, node, 1) : nullptr;
  return weight != nullptr &&
         (!weight->metadata.has_value() || std::any_of(weight->metadata->sizes.begin(), weight->metadata->sizes.end(),
                                                       [](const auto& size) { return size == 0; }));
}

bool isPoolingWithIndices(const Graph&, const Node& node) {
  return isCallOf(node, {"aten::max_pool2d_with_indices"});
}

bool isBesideLinearByVector(const Graph& graph, const Node& node) {
  return isAnyOperator(graph, node) && !isLinearByVector(graph, node);
}

} // namespace touchstone::compilers
