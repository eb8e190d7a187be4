#include "backends/decompositions/AdvancedIndexing.h"
#include "backends/decompositions/Families.h"
#include "backends/decompositions/Precision.h"

#include <ATen/OpMathType.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/log.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/sum.h>

#include <cmath>
#include <limits>
#include <tuple>

namespace touchstone::decompositions {
namespace {

/// Heads of keys and values repeated for as many queries as share them.
at::Tensor forEachHead(const at::Tensor& tensor, int64_t heads) {
  const at::Tensor wide = widened(tensor);
  if (tensor.size(1) == heads) {
    return wide;
  }
  const std::vector<int64_t> repeated = {tensor.size(0), tensor.size(1), heads / tensor.size(1), tensor.size(2),
                                         tensor.size(3)};
  return wide.unsqueeze(2).expand(repeated).reshape({tensor.size(0), heads, tensor.size(2), tensor.size(3)});
}

/// The second result is the logarithm of what the weights of each query are divided by.
std::tuple<at::Tensor, at::Tensor> flashAttention(const at::Tensor& query, const at::Tensor& key,
                                                  const at::Tensor& value, double dropout, bool isCausal,
                                                  const std::optional<at::Tensor>& mask, std::optional<double> scale) {
  if (dropout != 0 || query.numel() == 0 || key.numel() == 0 || key.size(1) == 0 || query.size(1) % key.size(1) != 0) {
    throw NotDecomposed("with dropout and of nothing");
  }
  const int64_t heads = query.size(1);
  const auto dtype = at::toOpMathType(query.scalar_type());
  const double factor = scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))));
  at::Tensor scores = at::mul(at::matmul(query.to(dtype), forEachHead(key, heads).transpose(-2, -1)), factor);
  const double infinity = std::numeric_limits<double>::infinity();
  if (isCausal) {
    const at::Tensor isLater = at::gt(counting(key.size(2), query), counting(query.size(2), query).unsqueeze(-1));
    scores = scores.masked_fill(isLater, -infinity);
  }
  if (isGiven(mask)) {
    scores = scores.add(mask->to(dtype));
  }
  at::Tensor largest = at::amax(scores, {-1}, true);
  const at::Tensor isMasked = largest.eq(-infinity); // a query that looks at nothing gets zeros
  largest = largest.masked_fill(isMasked, 0);
  const at::Tensor weights = at::exp(at::sub(scores, largest));
  const at::Tensor sums = at::sum(weights, {-1}, true).masked_fill(isMasked, 1);
  const at::Tensor output = at::matmul(weights, forEachHead(value, heads)).div(sums);
  return {output.to(query.scalar_type()), at::log(sums).add(largest).squeeze(-1)};
}

} // namespace

void addAttention(DecompositionTable& table) {
  table.add("aten::_scaled_dot_product_flash_attention_for_cpu", flashAttention);
}

} // namespace touchstone::decompositions
