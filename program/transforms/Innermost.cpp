#include "program/transforms/Innermost.h"

#include "program/transforms/Layers.h"
#include "program/transforms/Trees.h"

#include <c10/util/Exception.h>

#include <unordered_map>

namespace touchstone::transforms {
namespace {

using at::functorch::TransformType;

at::functorch::DynamicLayer currentLayer() {
  std::optional<at::functorch::DynamicLayer> layer = at::functorch::maybeCurrentDynamicLayer();
  TORCH_INTERNAL_ASSERT(layer.has_value());
  return std::move(*layer);
}

values::Value mapTensors(const values::Value& value, const std::function<at::Tensor(const at::Tensor&)>& map) {
  return mapLeaves(
      value, [&](const values::Value& leaf) { return leaf.isTensor() ? values::Value(map(leaf.tensor())) : leaf; });
}

} // namespace

Innermost::Innermost() : layer_(currentLayer()) {}

bool Innermost::isVmap() const {
  return layer_.key() == TransformType::Vmap;
}

values::Value Innermost::lifted(const values::Value& value) const {
  return mapTensors(value, [&](const at::Tensor& tensor) {
    return layer_.key() == TransformType::Grad ? at::functorch::GradInterpreterPtr(&layer_.interpreter()).lift(tensor)
                                               : at::functorch::JvpInterpreterPtr(&layer_.interpreter()).lift(tensor);
  });
}

values::Value Innermost::unwrapped(const values::Value& value) const {
  return mapTensors(value, [&](const at::Tensor& tensor) { return unwrapForGrad(tensor, layer_.layerId()); });
}

values::Value Innermost::wrapped(const values::Value& returned, const values::ValueList& unwrapped,
                                 const values::ValueList& arguments) const {
  const values::ValueList inner = leavesOf(values::Value::tuple(unwrapped));
  const values::ValueList outer = leavesOf(values::Value::tuple(arguments));
  std::unordered_map<const at::TensorImpl*, at::Tensor> known;
  for (size_t i = 0; i < inner.size(); ++i) {
    if (inner[i].isTensor()) {
      known[inner[i].tensor().unsafeGetTensorImpl()] = outer[i].tensor();
    }
  }
  return mapTensors(returned, [&](const at::Tensor& tensor) {
    const auto argument = known.find(tensor.unsafeGetTensorImpl());
    return argument != known.end() ? argument->second : wrapForGrad(tensor, layer_.layerId());
  });
}

WithoutInnermost::WithoutInnermost(const Innermost& innermost) : layer_(at::functorch::popDynamicLayer()) {
  const at::functorch::InterpreterMeta& meta = innermost.layer_.interpreter().meta();
  const auto* grad = std::get_if<at::functorch::GradInterpreterMeta>(&meta);
  const auto* jvp = std::get_if<at::functorch::JvpInterpreterMeta>(&meta);
  if (grad != nullptr && !grad->prevGradMode_) {
    gradients_.emplace(false);
  }
  if (jvp != nullptr && !jvp->prevFwdGradMode_) {
    forwardGradients_.emplace(false);
  }
}

WithoutInnermost::~WithoutInnermost() {
  at::functorch::pushDynamicLayer(std::move(layer_));
}

} // namespace touchstone::transforms
