#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/functorch/DynamicLayer.h>
#include <c10/core/InferenceMode.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

/// The layers that libtorch keeps for the transforms that are running, innermost last, and the tensors that belong to one
/// (`ATen/functorch/DynamicLayer.h`). What `torch/csrc/functorch/init.cpp` does with them, which is in no C++ library, is done here.

namespace touchstone::transforms {

/// While it lives, inference mode is off and nothing else is otherwise.
class WithoutInferenceMode {
 public:
  WithoutInferenceMode();

 private:
  std::optional<c10::InferenceMode> off_;
};

/// A layer, while it lives. Under one that differentiates, inference mode is off.
class Layer {
 public:
  static Layer grad() { return Layer(at::functorch::TransformType::Grad); }
  static Layer jvp() { return Layer(at::functorch::TransformType::Jvp); }
  static Layer vmap(int64_t batchSize, at::functorch::RandomnessType randomness) {
    return Layer(at::functorch::TransformType::Vmap, batchSize, randomness);
  }
  ~Layer();
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  int64_t level() const { return level_; }

 private:
  explicit Layer(at::functorch::TransformType type, std::optional<c10::SymInt> batchSize = std::nullopt,
                 std::optional<at::functorch::RandomnessType> randomness = std::nullopt);

  std::optional<WithoutInferenceMode> withoutInference_;
  int64_t level_ = 0;
};

bool layersAreActive();

at::Tensor wrapForGrad(const at::Tensor& tensor, int64_t level);
at::Tensor unwrapForGrad(const at::Tensor& tensor, int64_t level); // of another level: the tensor itself

at::Tensor addBatchDimension(const at::Tensor& tensor, int64_t dimension, int64_t level);
/// The tensor with its batch dimension of this level at `dimension`; one without is expanded.
at::Tensor removeBatchDimension(const at::Tensor& tensor, int64_t level, int64_t batchSize, int64_t dimension);
bool isBatched(const at::Tensor& tensor);
/// What all layers together have wrapped.
at::Tensor withoutLayers(at::Tensor tensor);

/// Raises what eager does when a function that is being transformed runs a backward.
void refuseBackwardUnderLayers();

/// How many regions with hooks of saved tensors this thread is in.
int& savedTensorHooksEntered();

/// While it lives no hooks of saved tensors can be entered: of the transforms that take gradients. Raises RuntimeError inside a region
/// with such hooks, as torch.func does.
class WithoutSavedTensorHooks {
 public:
  WithoutSavedTensorHooks();
  ~WithoutSavedTensorHooks();
  WithoutSavedTensorHooks(const WithoutSavedTensorHooks&) = delete;
  WithoutSavedTensorHooks& operator=(const WithoutSavedTensorHooks&) = delete;

 private:
  const std::optional<std::string> before_; // why there could be none before
};

} // namespace touchstone::transforms
