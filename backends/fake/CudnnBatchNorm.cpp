#include "backends/fake/CudnnBatchNorm.h"

#include <ATen/ops/cudnn_batch_norm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/native_batch_norm.h>
#include <torch/library.h>

#include <optional>
#include <tuple>

namespace touchstone::fake {

namespace {

using Optional = std::optional<at::Tensor>;
using Four = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>;

/// What cuDNN returns looks like ATen's own, with memory that it reserves besides.
Four batchNormOnMeta(const at::Tensor& input, const at::Tensor& weight, bool training) {
  const at::Tensor statistics = at::empty({training ? weight.numel() : 0}, weight.options());
  return {at::empty_like(input), statistics, at::empty_like(statistics),
          at::empty({0}, input.options().dtype(at::kByte))};
}

Four batchNorm(const at::Tensor& input, const at::Tensor& weight, const Optional& bias, const Optional& mean,
               const Optional& variance, bool training, double factor, double epsilon) {
  if (input.is_cuda()) {
    return at::cudnn_batch_norm(input, weight, bias, mean, variance, training, factor, epsilon);
  }
  if (input.is_meta()) {
    return batchNormOnMeta(input, weight, training);
  }
  return std::tuple_cat(at::native_batch_norm(input, weight, bias, mean, variance, training, factor, epsilon),
                        std::make_tuple(at::empty({0}, input.options().dtype(at::kByte))));
}

auto functionalBatchNorm(const at::Tensor& input, const at::Tensor& weight, const Optional& bias,
                         const at::Tensor& runningMean, const at::Tensor& runningVariance, bool training, double factor,
                         double epsilon) {
  const at::Tensor mean = runningMean.clone();
  const at::Tensor variance = runningVariance.clone();
  return std::tuple_cat(batchNorm(input, weight, bias, mean, variance, training, factor, epsilon),
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
               torch::dispatch(c10::DispatchKey::CompositeExplicitAutograd, TORCH_FN(functionalBatchNorm)));
    return made;
  }();
  (void)library;
}

bool runCudnnBatchNormOnMeta(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const std::string& name = op.operator_name().name;
  const size_t count = op.schema().arguments().size();
  if (name != "aten::cudnn_batch_norm" && name != "aten::cudnn_batch_norm_backward") {
    return false;
  }
  const torch::jit::Stack given = torch::jit::pop(*stack, count);
  const auto tensor = [&](size_t position) { return given[position].toTensor(); };
  if (name == "aten::cudnn_batch_norm_backward") { // of input, grad_output, weight, …
    torch::jit::push(*stack, at::empty_like(tensor(0)), at::empty_like(tensor(2)), at::empty_like(tensor(2)));
    return true;
  }
  const auto optional = [&](size_t position) { return given[position].toOptional<at::Tensor>(); };
  auto [output, mean, variance, reserve] = batchNorm(tensor(0), tensor(1), optional(2), optional(3), optional(4),
                                                     given[5].toBool(), given[6].toDouble(), given[7].toDouble());
  torch::jit::push(*stack, std::move(output), std::move(mean), std::move(variance), std::move(reserve));
  return true;
}

} // namespace touchstone::fake
