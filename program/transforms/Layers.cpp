#include "program/transforms/Layers.h"

#include "program/values/RaiseError.h"
#include "program/values/RaisedException.h"

#include <ATen/SavedTensorHooks.h>
#include <ATen/functorch/BatchedTensorImpl.h>
#include <ATen/functorch/TensorWrapper.h>
#include <c10/core/AutogradState.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/WrapDimMinimal.h>

namespace touchstone::transforms {

using at::functorch::TransformType;

Layer::Layer(TransformType type, std::optional<c10::SymInt> batchSize,
             std::optional<at::functorch::RandomnessType> randomness) {
  const bool isGrad = type == TransformType::Grad;
  const bool isJvp = type == TransformType::Jvp;
  const std::optional<bool> gradients = isGrad ? std::optional(at::GradMode::is_enabled()) : std::nullopt;
  const std::optional<bool> forwardGradients =
      isJvp ? std::optional(c10::AutogradState::get_tls_state().get_fw_grad_mode()) : std::nullopt;
  std::optional<bool> inference;
  if (isGrad || isJvp) {
    inference = c10::InferenceMode::is_enabled();
    withoutInference_.emplace();
  }
  level_ = at::functorch::initAndPushDynamicLayer(type, std::move(batchSize), randomness, gradients, forwardGradients,
                                                  std::nullopt, inference);
}

Layer::~Layer() {
  at::functorch::popDynamicLayerAndDeleteMetadata();
}

bool layersAreActive() {
  return !at::functorch::getDynamicLayerStack().empty();
}

WithoutInferenceMode::WithoutInferenceMode() {
  if (c10::InferenceMode::is_enabled()) {
    const bool gradients = at::GradMode::is_enabled();
    const bool forwardGradients = c10::AutogradState::get_tls_state().get_fw_grad_mode();
    off_.emplace(false);
    at::GradMode::set_enabled(gradients);
    c10::AutogradState::get_tls_state().set_fw_grad_mode(forwardGradients);
  }
}

at::Tensor wrapForGrad(const at::Tensor& tensor, int64_t level) {
  return at::functorch::makeTensorWrapper(tensor, level);
}

at::Tensor unwrapForGrad(const at::Tensor& tensor, int64_t level) {
  const auto* wrapper = at::functorch::maybeGetTensorWrapper(tensor);
  return wrapper != nullptr && wrapper->level() == level ? wrapper->value() : tensor;
}

at::Tensor addBatchDimension(const at::Tensor& tensor, int64_t dimension, int64_t level) {
  return at::functorch::addBatchDim(tensor, dimension, level);
}

namespace {

at::Tensor moved(const at::Tensor& tensor, int64_t from, int64_t to) {
  from = c10::maybe_wrap_dim(from, tensor.dim());
  to = c10::maybe_wrap_dim(to, tensor.dim());
  if (from == to) {
    return tensor;
  }
  std::vector<int64_t> order;
  for (int64_t dimension = 0; dimension < tensor.dim(); ++dimension) {
    if (dimension != from) {
      order.push_back(dimension);
    }
  }
  order.insert(order.begin() + to, from);
  return tensor.permute(order);
}

} // namespace

at::Tensor removeBatchDimension(const at::Tensor& tensor, int64_t level, int64_t batchSize, int64_t dimension) {
  const auto* batched = at::functorch::maybeGetBatchedImpl(tensor);
  if (batched != nullptr && batched->level() >= level) {
    TORCH_INTERNAL_ASSERT(batched->level() == level);
    return moved(batched->value(), batched->bdim(), dimension);
  }
  std::vector<int64_t> sizes = tensor.sizes().vec();
  sizes.insert(sizes.begin() + c10::maybe_wrap_dim(dimension, tensor.dim() + 1), batchSize);
  return tensor.expand(sizes);
}

bool isBatched(const at::Tensor& tensor) {
  return at::functorch::maybeGetBatchedImpl(tensor) != nullptr;
}

at::Tensor withoutLayers(at::Tensor tensor) {
  while (true) {
    if (const auto* wrapper = at::functorch::maybeGetTensorWrapper(tensor)) {
      tensor = wrapper->value();
    } else if (const auto* batched = at::functorch::maybeGetBatchedImpl(tensor)) {
      tensor = batched->value();
    } else {
      return tensor;
    }
  }
}

void refuseBackwardUnderLayers() {
  if (layersAreActive()) {
    values::raiseError(
        "RuntimeError",
        "backward() called inside a functorch transform. This is not supported, please use functorch.grad "
        "or functorch.vjp instead or call backward() outside of functorch transforms.");
  }
}

int& savedTensorHooksEntered() {
  thread_local int entered = 0;
  return entered;
}

WithoutSavedTensorHooks::WithoutSavedTensorHooks()
    : before_(at::SavedTensorDefaultHooks::get_disabled_error_message()) {
  constexpr const char* kMessage =
      "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with your "
      "use case.";
  if (savedTensorHooksEntered() > 0) {
    throw values::RaisedException("RuntimeError", kMessage);
  }
  at::SavedTensorDefaultHooks::disable(kMessage, /*fail_if_non_empty=*/false);
}

WithoutSavedTensorHooks::~WithoutSavedTensorHooks() {
  if (before_) {
    at::SavedTensorDefaultHooks::disable(*before_, /*fail_if_non_empty=*/false);
  } else {
    at::SavedTensorDefaultHooks::enable();
  }
}

} // namespace touchstone::transforms
