#include "backends/fake/FunctionalBatchNorm.h"

#include <ATen/ops/cudnn_batch_norm.h>
#include <torch/library.h>

#include <optional>
#include <tuple>

namespace touchstone::backends {

namespace {

using Six = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor>;

Six cudnnBatchNorm(const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                   const at::Tensor& runningMean, const at::Tensor& runningVariance, bool training, double factor,
                   double epsilon) {
  const at::Tensor mean = runningMean.clone();
  const at::Tensor variance = runningVariance.clone();
  return std::tuple_cat(at::cudnn_batch_norm(input, weight, bias, mean, variance, training, factor, epsilon),
                        std::make_tuple(mean, variance));
}

} // namespace

void registerFunctionalBatchNorm() {
  static torch::Library* const library = [] {
    auto* made = new torch::Library(torch::Library::FRAGMENT, "touchstone", std::nullopt, __FILE__, __LINE__);
    made->def(
        "cudnn_batch_norm_functional(Tensor input, Tensor weight, Tensor? bias, Tensor running_mean, Tensor "
        "running_var, "
        "bool training, float exponential_average_factor, float epsilon) -> "
        "(Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)");
    made->impl("cudnn_batch_norm_functional",
               torch::dispatch(c10::DispatchKey::CompositeExplicitAutograd, TORCH_FN(cudnnBatchNorm)));
    return made;
  }();
  (void)library;
}

} // namespace touchstone::backends
