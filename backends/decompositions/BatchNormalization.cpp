#include "backends/decompositions/Families.h"
#include "backends/decompositions/Precision.h"

#include <ATen/OpMathType.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/reciprocal.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <array>
#include <tuple>

namespace touchstone::decompositions {
namespace {

using Optional = std::optional<at::Tensor>;

/// A vector by channel as what broadcasts with `input`, in the dtype in which is computed.
at::Tensor byChannel(const at::Tensor& vector, const at::Tensor& input) {
  std::vector<int64_t> sizes(static_cast<size_t>(input.dim()), 1);
  sizes[1] = -1;
  return vector.to(at::toOpMathType(input.scalar_type())).reshape(sizes);
}

std::vector<int64_t> allButChannels(const at::Tensor& input) {
  TORCH_CHECK(input.dim() >= 2, "batches have channels: ", input.sizes());
  if (input.numel() == 0) {
    throw NotDecomposed("of batches without elements");
  }
  std::vector<int64_t> dims = {0};
  for (int64_t dim = 2; dim < input.dim(); ++dim) {
    dims.push_back(dim);
  }
  return dims;
}

/// Kernels add `epsilon` as a double.
at::Tensor inverseDeviation(const at::Tensor& variance, double epsilon, at::ScalarType dtype) {
  const at::Tensor inverse = at::reciprocal(at::sqrt(variance.to(at::kDouble).add(epsilon))).to(dtype);
  return epsilon == 0 ? at::where(variance.eq(0), at::zeros({}, inverse.options()), inverse) : inverse;
}

/// Memory that decides which of three kernels runs.
enum class Order { kContiguous, kChannelsLast, kOther };

Order orderOf(const at::Tensor& input) {
  const bool isOneElement = input.numel() == input.size(0) * input.size(1); // by channel
  if (input.is_contiguous()) {
    return isOneElement ? Order::kChannelsLast : Order::kContiguous;
  }
  return input.is_contiguous(input.suggest_memory_format()) ? Order::kChannelsLast : Order::kOther;
}

/// What training remembers of a batch.
struct BatchStatistics {
  at::Tensor mean;
  at::Tensor inverseDeviation;
  at::Tensor runningMean;
  at::Tensor runningVariance;
};

at::Tensor moved(const at::Tensor& running, const at::Tensor& now, double momentum) {
  return at::mul(now, momentum).add(at::mul(running.to(now.scalar_type()), 1 - momentum)).to(running.scalar_type());
}

BatchStatistics statisticsOf(const at::Tensor& input, const Optional& runningMean, const Optional& runningVariance,
                             double momentum, double epsilon, at::ScalarType dtype) {
  const std::vector<int64_t> dims = allButChannels(input);
  const at::ScalarType computed = at::toOpMathType(input.scalar_type());
  const double count = static_cast<double>(input.numel()) / static_cast<double>(input.size(1));
  const Order order = orderOf(input);
  const at::ScalarType added = order == Order::kChannelsLast ? computed : at::kDouble;
  const at::ScalarType addedToMean = order == Order::kContiguous ? at::kDouble : computed; // where it can overflow
  const at::Tensor mean = at::sum(input.to(computed), dims, true, addedToMean).div(count).to(computed);
  const at::Tensor centered = at::sub(input.to(order == Order::kOther ? at::kDouble : computed), mean);
  const at::Tensor squares = at::sum(at::mul(centered, centered), dims, false, added);
  const at::Tensor variance = squares.to(order == Order::kOther ? at::kDouble : computed).div(count);
  BatchStatistics result{mean.reshape({-1}).to(dtype), {}, {}, {}};
  result.inverseDeviation = inverseDeviation(variance, epsilon, computed).to(dtype);
  if (isGiven(runningMean)) {
    result.runningMean = moved(*runningMean, mean.reshape({-1}), momentum);
  }
  if (isGiven(runningVariance)) {
    result.runningVariance = moved(*runningVariance, at::mul(variance, count).div(count - 1), momentum);
  }
  return result;
}

at::Tensor normalized(const at::Tensor& input, const Optional& weight, const Optional& bias, const at::Tensor& mean,
                      const at::Tensor& inverse) {
  const at::Tensor wide = widened(input);
  if (orderOf(input) == Order::kOther || !input.is_cpu()) {
    const at::Tensor normal = at::mul(at::sub(wide, byChannel(mean, input)), byChannel(inverse, input));
    const at::Tensor scaled = isGiven(weight) ? at::mul(normal, byChannel(*weight, input)) : normal;
    return (isGiven(bias) ? scaled.add(byChannel(*bias, input)) : scaled).to(input.scalar_type());
  }
  const at::Tensor scale =
      isGiven(weight) ? at::mul(byChannel(inverse, input), byChannel(*weight, input)) : byChannel(inverse, input);
  const at::Tensor down = byChannel(mean, input).neg();
  const at::Tensor shift = isGiven(bias) ? at::addcmul(byChannel(*bias, input), down, scale) : at::mul(down, scale);
  return at::addcmul(shift, wide, scale)
      .to(input.scalar_type()); // rounded once, as where the kernel multiplies and adds
}

using Three = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

Three evaluated(const at::Tensor& input, const Optional& weight, const Optional& bias, const Optional& runningMean,
                const Optional& runningVariance, double epsilon) {
  if (!isGiven(runningMean) || !isGiven(runningVariance)) {
    throw NotDecomposed("without running statistics");
  }
  allButChannels(input);
  const at::Tensor inverse = inverseDeviation(*runningVariance, epsilon, at::toOpMathType(input.scalar_type()));
  const auto options =
      input.options().dtype(dtypeOfStatistics(input, {&weight, &bias, &runningMean, &runningVariance}));
  const at::Tensor output = normalized(input, weight, bias, *runningMean, inverse);
  if (!input.is_cpu()) { // CUDA's kernel leaves the mean as it lies; nobody reads it
    return {output, runningMean->to(inverse.scalar_type()), inverse};
  }
  return {output, at::empty({0}, options), at::empty({0}, options)};
}

Three trained(const at::Tensor& input, const Optional& weight, const Optional& bias, double epsilon) {
  const BatchStatistics batch = statisticsOf(input, {}, {}, 0, epsilon, dtypeOfStatistics(input, {&weight, &bias}));
  return {normalized(input, weight, bias, batch.mean, batch.inverseDeviation), batch.mean, batch.inverseDeviation};
}

/// Training that writes to running statistics is functionalized elsewhere.
Three batchNorm(const at::Tensor& input, const Optional& weight, const Optional& bias, const Optional& runningMean,
                const Optional& runningVariance, bool train, double, double epsilon) {
  if (!train) {
    return evaluated(input, weight, bias, runningMean, runningVariance, epsilon);
  }
  if (isGiven(runningMean) || isGiven(runningVariance)) {
    throw NotDecomposed("that writes to running statistics");
  }
  return trained(input, weight, bias, epsilon);
}

using Five = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor>;

Five functionalBatchNorm(const at::Tensor& input, const Optional& weight, const Optional& bias,
                         const at::Tensor& runningMean, const at::Tensor& runningVariance, bool train, double momentum,
                         double epsilon) {
  if (!train) {
    return std::tuple_cat(evaluated(input, weight, bias, runningMean, runningVariance, epsilon),
                          std::make_tuple(runningMean.clone(), runningVariance.clone()));
  }
  const Optional mean = runningMean;
  const Optional variance = runningVariance;
  const BatchStatistics batch = statisticsOf(input, mean, variance, momentum, epsilon,
                                             dtypeOfStatistics(input, {&weight, &bias, &mean, &variance}));
  return {normalized(input, weight, bias, batch.mean, batch.inverseDeviation), batch.mean, batch.inverseDeviation,
          batch.runningMean, batch.runningVariance};
}

at::Tensor noReserve(const at::Tensor& input) {
  return at::empty({0}, input.options().dtype(at::kByte));
}

Three batchNormBackward(const at::Tensor& grad, const at::Tensor& input, const Optional& weight,
                        const Optional& runningMean, const Optional& runningVariance, const Optional& savedMean,
                        const Optional& savedInverse, bool train, double epsilon, std::array<bool, 3> wanted) {
  const std::vector<int64_t> dims = allButChannels(input);
  const auto dtype = at::toOpMathType(input.scalar_type());
  if (!isGiven(train ? savedMean : runningMean) || !isGiven(train ? savedInverse : runningVariance)) {
    throw NotDecomposed("without statistics");
  }
  const at::Tensor mean = byChannel(train ? *savedMean : *runningMean, input);
  const at::Tensor inverse =
      byChannel(train ? *savedInverse : inverseDeviation(*runningVariance, epsilon, dtype), input);
  const at::Tensor centered = at::sub(input.to(dtype), mean);
  const at::Tensor wideGrad = grad.to(dtype);
  at::Tensor sum = at::sum(wideGrad, dims, true);
  if (input.scalar_type() == at::kBFloat16 && (orderOf(input) != orderOf(grad) || orderOf(input) == Order::kOther)) {
    sum = sum.to(at::kBFloat16).to(dtype); // the kernel rounds it
  }
  // In which the kernel adds up products, which may overflow in the other.
  const at::ScalarType added = input.is_cpu() ? at::kDouble : dtype;
  const at::Tensor product = at::sum(at::mul(wideGrad.to(added), centered), dims, true);
  const auto vector = [&](const at::Tensor& value) {
    return value.reshape({input.size(1)}).to(dtypeOfStatistics(input, {&weight, &runningMean, &savedMean}));
  };
  Three result;
  if (wanted[0]) {
    const double count = static_cast<double>(input.numel()) / static_cast<double>(input.size(1));
    const at::Tensor projected = at::mul(centered, at::mul(at::mul(product, inverse), inverse).div(count)).to(dtype);
    const at::Tensor inner = at::mul(train ? wideGrad.sub(sum.div(count)).sub(projected) : wideGrad, inverse);
    std::get<0>(result) = (isGiven(weight) ? at::mul(inner, byChannel(*weight, input)) : inner).to(input.scalar_type());
  }
  if (wanted[1]) {
    std::get<1>(result) = vector(at::mul(product, inverse));
  }
  if (wanted[2]) {
    std::get<2>(result) = vector(sum);
  }
  return result;
}

void addVariants(DecompositionTable& table) {
  table.add("aten::_native_batch_norm_legit_no_training",
            [](const at::Tensor& input, const Optional& weight, const Optional& bias, const at::Tensor& runningMean,
               const at::Tensor& runningVariance, double,
               double epsilon) { return evaluated(input, weight, bias, runningMean, runningVariance, epsilon); });
  table.add("aten::_native_batch_norm_legit.no_stats",
            [](const at::Tensor& input, const Optional& weight, const Optional& bias, bool train, double momentum,
               double epsilon) { return batchNorm(input, weight, bias, {}, {}, train, momentum, epsilon); });
  table.add("aten::_batch_norm_no_update",
            [](const at::Tensor& input, const Optional& weight, const Optional& bias, const Optional& runningMean,
               const Optional& runningVariance, double, double epsilon) {
              return std::tuple_cat(evaluated(input, weight, bias, runningMean, runningVariance, epsilon),
                                    std::make_tuple(noReserve(input)));
            });
  table.add("aten::_batch_norm_with_update_functional",
            [](const at::Tensor& input, const Optional& weight, const Optional& bias, const at::Tensor& runningMean,
               const at::Tensor& runningVariance, double momentum, double epsilon) {
              const auto [output, mean, inverse, newMean, newVariance] =
                  functionalBatchNorm(input, weight, bias, runningMean, runningVariance, true, momentum, epsilon);
              return std::make_tuple(output, mean, inverse, noReserve(input), newMean, newVariance);
            });
}

} // namespace

/// Saved statistics are rounded to their dtype before the input is normalized by them, as CPU kernels do.
void addBatchNormalization(DecompositionTable& table) {
  table.add("aten::native_batch_norm", batchNorm);
  table.add("aten::_native_batch_norm_legit_functional", functionalBatchNorm);
  table.add("aten::native_batch_norm_backward", batchNormBackward);
  table.add("aten::batch_norm_backward",
            [](const at::Tensor& grad, const at::Tensor& input, const at::Tensor& weight, const Optional& runningMean,
               const Optional& runningVariance, const Optional& savedMean, const Optional& savedInverse, bool train,
               double epsilon, std::array<bool, 3> wanted, const at::Tensor&) {
              return batchNormBackward(grad, input, weight, runningMean, runningVariance, savedMean, savedInverse,
                                       train, epsilon, wanted);
            });
  addVariants(table);
}

} // namespace touchstone::decompositions
