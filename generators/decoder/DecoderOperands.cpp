#include "generators/decoder/CallTrial.h"
#include "generators/decoder/DecoderState.h"
#include "program/values/AutogradNodes.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/view_as_real.h>
#include <c10/core/ScalarType.h>
#include <torch/csrc/autograd/edge.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <cmath>

namespace touchstone::decoder {

namespace {

bool isIntegral(const at::Tensor& tensor) {
  return at::isIntegralType(tensor.scalar_type(), /*includeBool=*/true);
}
bool isBool(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kBool;
}

/// Elements of the broadcast of two sizes; -1: they do not broadcast.
int64_t broadcastElements(at::IntArrayRef left, at::IntArrayRef right) {
  const size_t rank = std::max(left.size(), right.size());
  int64_t elements = 1;
  for (size_t back = 1; back <= rank; ++back) {
    const int64_t a = back <= left.size() ? left[left.size() - back] : 1;
    const int64_t b = back <= right.size() ? right[right.size() - back] : 1;
    if (a != b && a != 1 && b != 1) {
      return -1;
    }
    elements *= a == 1 ? b : a;
  }
  return elements;
}

bool broadcastsInto(at::IntArrayRef source, at::IntArrayRef target) {
  if (source.size() > target.size()) {
    return false;
  }
  for (size_t back = 1; back <= source.size(); ++back) {
    const int64_t size = source[source.size() - back];
    if (size != 1 && size != target[target.size() - back]) {
      return false;
    }
  }
  return true;
}

/// Whether eager lets this tensor be written to: autograd's rules for leaves, views of leaves, pieces, and views made
/// under no_grad; and no two elements at one address (the contract excuses what becomes of those).
bool isWritable(const Variable& variable, const at::Tensor& tensor, bool gradEnabled) {
  if (!elementsAreDistinct(tensor) || tensor.is_inference() || tensor.is_conj() || tensor.is_neg()) {
    return false;
  }
  if (!gradEnabled) {
    return true;
  }
  if (tensor.requires_grad() && (tensor.is_leaf() || variable.piece || variable.madeWithoutGrad)) {
    return false;
  }
  if (tensor.is_view()) {
    const at::TensorBase& base = static_cast<const at::TensorBase&>(tensor)._base();
    return !(base.requires_grad() && (base.is_leaf() || variable.piece || variable.madeWithoutGrad));
  }
  return true;
}

bool changesGeometryFreely(const Variable& variable, const at::Tensor& tensor, bool gradEnabled) {
  return isWritable(variable, tensor, gradEnabled) && tensor.dim() <= 3;
}

/// Whether what such dtypes give together can be written into the first of them.
bool convertsInto(at::ScalarType source, at::ScalarType target) {
  if (at::isBarebonesUnsignedType(source) || at::isBarebonesUnsignedType(target)) { // are not promoted
    return source == target;
  }
  return at::canCast(at::promoteTypes(target, source), target);
}

bool sameSizesButOne(at::IntArrayRef left, at::IntArrayRef right, int64_t dimension) {
  if (left.size() != right.size()) {
    return false;
  }
  for (size_t index = 0; index < left.size(); ++index) {
    if (static_cast<int64_t>(index) != dimension && left[index] != right[index]) {
      return false;
    }
  }
  return true;
}

bool fitsAlone(catalogue::OperandConstraint fit, const Variable& variable, const at::Tensor& tensor,
               const ConstraintContext& context) {
  switch (fit) {
    case catalogue::OperandConstraint::kAny: return true;
    case catalogue::OperandConstraint::kNumeric: return !isBool(tensor);
    case catalogue::OperandConstraint::kReal: return !isBool(tensor) && !tensor.is_complex();
    case catalogue::OperandConstraint::kFloat: return tensor.is_floating_point();
    case catalogue::OperandConstraint::kInexact: return tensor.is_floating_point() || tensor.is_complex();
    case catalogue::OperandConstraint::kInteger:
      return tensor.scalar_type() == at::kLong || tensor.scalar_type() == at::kInt;
    case catalogue::OperandConstraint::kIntegral: return isIntegral(tensor);
    case catalogue::OperandConstraint::kComplex: return tensor.is_complex();
    case catalogue::OperandConstraint::kDifferentiable:
      return context.gradEnabled && tensor.requires_grad() && !isWrittenView(tensor);
    case catalogue::OperandConstraint::kIndex: return tensor.scalar_type() == at::kLong && tensor.dim() == 1;
    case catalogue::OperandConstraint::kTarget: return isWritable(variable, tensor, context.gradEnabled);
    case catalogue::OperandConstraint::kNumericTarget:
      return !isBool(tensor) && !tensor.is_complex() && isWritable(variable, tensor, context.gradEnabled);
    case catalogue::OperandConstraint::kFloatTarget:
      return tensor.is_floating_point() && isWritable(variable, tensor, context.gradEnabled);
    case catalogue::OperandConstraint::kIntegralTarget:
      return isIntegral(tensor) && isWritable(variable, tensor, context.gradEnabled);
    case catalogue::OperandConstraint::kIntegerTarget:
      return fitsAlone(catalogue::OperandConstraint::kInteger, variable, tensor, context) &&
             isWritable(variable, tensor, context.gradEnabled);
    case catalogue::OperandConstraint::kSquareTarget:
      return tensor.is_floating_point() && tensor.dim() == 2 && tensor.size(0) == tensor.size(1) &&
             isWritable(variable, tensor, context.gradEnabled);
    case catalogue::OperandConstraint::kGeometryTarget:
      return changesGeometryFreely(variable, tensor, context.gradEnabled);
    case catalogue::OperandConstraint::kStorageTarget:
      return changesGeometryFreely(variable, tensor, context.gradEnabled) && !tensor.is_view() &&
             !tensor.requires_grad();
    case catalogue::OperandConstraint::kMatrix: return tensor.is_floating_point() && tensor.dim() == 2;
    case catalogue::OperandConstraint::kBatch: return tensor.is_floating_point() && tensor.dim() == 3;
    default: return false;
  }
}

/// Whether the gradient of `result` reaches `source`, another tensor, as it is now.
bool dependsOn(const at::Tensor& result, const at::Tensor& source) {
  if (!source.requires_grad() || !result.requires_grad() || isWrittenView(source) || isWrittenView(result) ||
      source.is_same(result)) {
    return false;
  }
  const torch::autograd::Edge wanted = torch::autograd::impl::gradient_edge(source);
  const torch::autograd::Edge from = torch::autograd::impl::gradient_edge(result);
  if (!wanted.is_valid()) {
    return false; // of inference mode
  }
  const auto nodes = values::nodesBehind({from.function.get()});
  return std::any_of(nodes.begin(), nodes.end(), [&](const torch::autograd::Node* node) {
    const torch::autograd::edge_list& edges = node->next_edges();
    return std::find(edges.begin(), edges.end(), wanted) != edges.end();
  });
}

/// The dtype of an operand whose sizes broadcast with the first one's.
bool broadcastsAs(catalogue::OperandConstraint fit, const at::Tensor& tensor, const at::Tensor& first) {
  switch (fit) {
    case catalogue::OperandConstraint::kBroadcast: return !isBool(tensor) && tensor.is_complex() == first.is_complex();
    case catalogue::OperandConstraint::kBroadcastReal: return !isBool(tensor) && !tensor.is_complex();
    case catalogue::OperandConstraint::kBroadcastInteger:
      return tensor.scalar_type() == at::kLong || tensor.scalar_type() == at::kInt;
    case catalogue::OperandConstraint::kBroadcastIntegral: return isIntegral(tensor);
    default: return true;
  }
}

bool fitsBeside(catalogue::OperandConstraint fit, const Variable& variable, const ConstraintContext& context) {
  const at::Tensor& tensor = variable.value.tensor();
  const at::Tensor& first = context.first;
  const int64_t most = context.attributes.options.maximumElements;
  switch (fit) {
    case catalogue::OperandConstraint::kBroadcast:
    case catalogue::OperandConstraint::kBroadcastAny:
    case catalogue::OperandConstraint::kBroadcastReal:
    case catalogue::OperandConstraint::kBroadcastInteger:
    case catalogue::OperandConstraint::kBroadcastIntegral: {
      if (!broadcastsAs(fit, tensor, first)) {
        return false;
      }
      const int64_t elements = broadcastElements(first.sizes(), tensor.sizes());
      return elements >= 0 && elements <= most;
    }
    case catalogue::OperandConstraint::
        kInto: // not what is written while it is read again and again: no two kernels agree on that
      return tensor.is_complex() == first.is_complex() && broadcastsInto(tensor.sizes(), first.sizes()) &&
             (tensor.sizes() == first.sizes() || !tensor.storage().is_alias_of(first.storage())) &&
             convertsInto(tensor.scalar_type(), first.scalar_type());
    case catalogue::OperandConstraint::kScalarInto:
      return tensor.dim() == 0 && convertsInto(tensor.scalar_type(), first.scalar_type());
    case catalogue::OperandConstraint::kMask: return isBool(tensor) && broadcastsInto(tensor.sizes(), first.sizes());
    case catalogue::OperandConstraint::kApart:
      return tensor.sizes() == first.sizes() && tensor.scalar_type() == first.scalar_type() &&
             !tensor.storage().is_alias_of(first.storage());
    case catalogue::OperandConstraint::kSameElements: return tensor.numel() == first.numel();
    case catalogue::OperandConstraint::kSameDtype: return tensor.scalar_type() == first.scalar_type();
    case catalogue::OperandConstraint::kSourceOf: return variable.isInput && dependsOn(first, tensor);
    case catalogue::OperandConstraint::kSameKind:
      return tensor.sizes() == first.sizes() && tensor.scalar_type() == first.scalar_type();
    case catalogue::OperandConstraint::kJoinable:
      return first.dim() > 0 && tensor.scalar_type() == first.scalar_type() &&
             sameSizesButOne(first.sizes(), tensor.sizes(), drawnDimension(context.attributes)) &&
             first.numel() + tensor.numel() <= most;
    case catalogue::OperandConstraint::kRows:
      return tensor.scalar_type() == first.scalar_type() && tensor.dim() == 2 && tensor.size(0) == first.size(1);
    case catalogue::OperandConstraint::kBatchRows:
      return tensor.scalar_type() == first.scalar_type() && tensor.dim() == 3 && tensor.size(0) == first.size(0) &&
             tensor.size(1) == first.size(2);
    case catalogue::OperandConstraint::kBias:
      return tensor.scalar_type() == first.scalar_type() &&
             broadcastsInto(tensor.sizes(), {first.size(0), context.second.size(1)});
    case catalogue::OperandConstraint::kColumn:
      return tensor.scalar_type() == first.scalar_type() && tensor.dim() == 1 && first.dim() > 0 &&
             tensor.size(0) == first.size(-1);
    case catalogue::OperandConstraint::kSource:
      return first.dim() > 0 && tensor.scalar_type() == first.scalar_type() &&
             sameSizesButOne(first.sizes(), tensor.sizes(), drawnDimension(context.attributes)) &&
             tensor.size(drawnDimension(context.attributes)) == drawnIndexCount(context.attributes);
    default: return false;
  }
}

template <class Element>
bool rangeIsBounded(const Element* data, at::IntArrayRef sizes, at::IntArrayRef strides, size_t dimension,
                    double bound) {
  if (dimension == sizes.size()) {
    return std::abs(static_cast<double>(*data)) <= bound; // false for NaN
  }
  for (int64_t index = 0; index < sizes[dimension]; ++index) {
    if (!rangeIsBounded(data + index * strides[dimension], sizes, strides, dimension + 1, bound)) {
      return false;
    }
  }
  return true;
}

} // namespace

Variable variableOf(const std::string& name, const values::Value& value, bool isInput) {
  Variable variable;
  variable.name = name;
  variable.value = value;
  variable.isInput = isInput;
  if (value.isTensor() && value.tensor().is_view()) {
    const auto* view = torch::autograd::impl::get_view_autograd_meta(value.tensor());
    variable.piece = view && view->has_bw_view() && view->get_creation_meta() != torch::autograd::CreationMeta::DEFAULT;
  }
  return variable;
}

bool fits(catalogue::OperandConstraint fit, const Variable& variable, const ConstraintContext& context) {
  const values::Value& value = variable.value;
  if (fit == catalogue::OperandConstraint::kNumber) {
    return value.is<int64_t>() && value.as<int64_t>() >= 0 && value.as<int64_t>() <= 8;
  }
  if (fit == catalogue::OperandConstraint::kScalar) {
    constexpr int64_t kMost = 64;
    return value.is<double>() || (value.is<int64_t>() && std::abs(value.as<int64_t>()) <= kMost);
  }
  if (fit == catalogue::OperandConstraint::kSizes) {
    const auto* tuple = value.maybe<values::TuplePtr>();
    if (!tuple || !(*tuple)->isSize) {
      return false;
    }
    int64_t elements = 1;
    for (const values::Value& size : (*tuple)->items) {
      elements *= size.as<int64_t>();
    }
    return context.first.defined() ? elements == context.first.numel()
                                   : elements <= context.attributes.options.maximumElements;
  }
  if (!value.isTensor()) {
    return false;
  }
  const at::Tensor& tensor = value.tensor();
  return fit < catalogue::OperandConstraint::kBroadcast ? fitsAlone(fit, variable, tensor, context)
                                                        : context.first.defined() && fitsBeside(fit, variable, context);
}

bool elementsAreDistinct(const at::Tensor& tensor) {
  std::vector<std::pair<int64_t, int64_t>> dimensions; // stride, size
  for (int64_t index = 0; index < tensor.dim(); ++index) {
    if (tensor.size(index) == 0) {
      return true;
    }
    if (tensor.size(index) > 1) {
      dimensions.emplace_back(tensor.stride(index), tensor.size(index));
    }
  }
  std::sort(dimensions.begin(), dimensions.end());
  int64_t covered = 0;
  for (const auto& [stride, size] : dimensions) {
    if (stride <= covered) {
      return false;
    }
    covered += stride * (size - 1);
  }
  return true;
}

bool valuesAreBounded(const at::Tensor& tensor, double bound) {
  if (tensor.scalar_type() == at::kFloat) {
    return rangeIsBounded(tensor.const_data_ptr<float>(), tensor.sizes(), tensor.strides(), 0, bound);
  }
  if (tensor.scalar_type() == at::kDouble) {
    return rangeIsBounded(tensor.const_data_ptr<double>(), tensor.sizes(), tensor.strides(), 0, bound);
  }
  if (!tensor.is_floating_point() && !tensor.is_complex()) {
    return true;
  }
  at::NoGradGuard noGrad;
  if (tensor.is_complex()) {
    return valuesAreBounded(at::view_as_real(tensor.detach().resolve_conj()), bound);
  }
  return valuesAreBounded(tensor.detach().to(at::kFloat), bound);
}

} // namespace touchstone::decoder
