#include "oracles/taint/Nondeterminism.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/List.h>
#include <ATen/ops/full.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/signbit.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace touchstone::taint {

namespace {

/// One call of an operator, its arguments by name.
class NamedArguments {
 public:
  NamedArguments(const c10::OperatorHandle& op, const std::vector<c10::IValue>& values)
      : schema_(op.schema()), values_(values) {}

  const c10::IValue* find(std::string_view name) const {
    for (size_t index = 0; index < values_.size(); ++index) {
      if (schema_.arguments()[index].name() == name) {
        return values_[index].isNone() ? nullptr : &values_[index];
      }
    }
    return nullptr;
  }
  at::Tensor tensor(std::string_view name) const {
    const c10::IValue* value = find(name);
    return value && value->isTensor() ? value->toTensor().detach() : at::Tensor();
  }
  int64_t number(std::string_view name, int64_t otherwise) const {
    const c10::IValue* value = find(name);
    return value && value->isInt() ? value->toInt() : otherwise;
  }
  bool flag(std::string_view name, bool otherwise) const {
    const c10::IValue* value = find(name);
    return value && value->isBool() ? value->toBool() : otherwise;
  }

 private:
  const c10::FunctionSchema& schema_;
  const std::vector<c10::IValue>& values_;
};

at::Tensor asMasks(const at::Tensor& unspecified, TaintMask mask = kTaintedByChoice) {
  return (unspecified.to(at::kByte) * mask).contiguous();
}

at::Tensor allOf(const at::Tensor& result) {
  return at::full(result.sizes(), kTaintedByChoice, at::kByte);
}

/// Elements that are the same number; NaNs are.
at::Tensor sameAs(const at::Tensor& left, const at::Tensor& right) {
  return left.is_floating_point() ? (left == right) | ((left != left) & (right != right)) : left == right;
}

/// Sorting and selecting leave unspecified: of indices, those of an element that has an equal in its row; of values, a zero
/// where the row has zeros of both signs; of `mode`, all where several values are the most frequent.
std::vector<at::Tensor> unspecifiedByTies(std::string_view name, const NamedArguments& arguments,
                                          const std::vector<at::Tensor>& results) {
  constexpr int64_t kMostComparisons = 1 << 24; // each element with each of its row; beyond, all counts as tied
  std::vector<at::Tensor> unspecified(results.size());
  const at::Tensor self = arguments.tensor("self"), indices = results.empty() ? at::Tensor() : results.back().detach();
  const bool hasIndices = indices.defined() && (results.size() == 2 || name == "argsort");
  if (!self.defined() || !hasIndices || self.dim() == 0 || self.numel() == 0 || arguments.flag("stable", false)) {
    return unspecified;
  }
  const int64_t dim = (arguments.number("dim", -1) + self.dim()) % self.dim();
  if (!arguments.flag("sorted", true) || self.numel() * self.size(dim) > kMostComparisons) {
    std::transform(results.begin(), results.end(), unspecified.begin(), allOf);
    return unspecified;
  }
  const bool keepsDim = indices.dim() == self.dim();
  const at::Tensor rows = self.movedim(dim, -1), picked = keepsDim ? indices.movedim(dim, -1) : indices.unsqueeze(-1);
  const auto place = [&](const at::Tensor& each) { return keepsDim ? each.movedim(-1, dim) : each.squeeze(-1); };

  const at::Tensor values = at::gather(rows, -1, picked);
  at::Tensor unspecifiedIndices = sameAs(values.unsqueeze(-1), rows.unsqueeze(-2)).sum(-1) > 1;
  const at::Tensor zeros = rows == 0, negative = at::signbit(rows);
  at::Tensor unspecifiedValues = asMasks(
      (values == 0) & (zeros & negative).any(-1, /*keepdim=*/true) & (zeros & ~negative).any(-1, /*keepdim=*/true),
      kTaintedBySign);
  if (name == "mode") {
    const at::Tensor frequency = sameAs(rows.unsqueeze(-1), rows.unsqueeze(-2)).sum(-1);
    const at::Tensor most = frequency.amax(-1, /*keepdim=*/true);
    const at::Tensor notAlone = (frequency == most).sum(-1, /*keepdim=*/true) > most;
    unspecifiedIndices = unspecifiedIndices | notAlone;
    unspecifiedValues = unspecifiedValues | asMasks(notAlone);
  }
  unspecified.back() = asMasks(place(unspecifiedIndices));
  if (results.size() == 2) {
    unspecified.front() = place(unspecifiedValues).contiguous();
  }
  return unspecified;
}

/// Places that are written more than once: the same writes, counted.
std::vector<at::Tensor> unspecifiedByRepeats(std::string_view name, const c10::OperatorHandle& op,
                                             const NamedArguments& arguments, const std::vector<at::Tensor>& results) {
  std::vector<at::Tensor> unspecified(results.size());
  const at::Tensor self = arguments.tensor("self");
  // What is added up, or one value for all places, is the same in whatever order it comes.
  const std::string& overload = op.operator_name().overload_name;
  if (!self.defined() || results.empty() || arguments.flag("accumulate", false) ||
      overload.find("value") != std::string::npos || overload.find("reduce") != std::string::npos) {
    return unspecified;
  }
  const at::Tensor index = arguments.tensor("index");
  at::Tensor source = arguments.tensor("src");
  for (const char* other : {"source", "values"}) {
    source = source.defined() ? source : arguments.tensor(other);
  }
  if (source.defined() && source.numel() <= 1) {
    return unspecified;
  }
  at::Tensor counts = at::zeros(self.sizes(), at::kLong);
  if (name.starts_with("scatter")) {
    counts.scatter_add_(arguments.number("dim", 0), index, at::ones_like(index));
  } else if (name.starts_with("index_copy")) {
    counts.index_add_(arguments.number("dim", 0), index, at::ones(source.sizes(), at::kLong));
  } else if (name.starts_with("put")) {
    counts.put_(index, at::ones_like(index, at::kLong), /*accumulate=*/true);
  } else if (const c10::IValue* indices = arguments.find("indices")) {
    c10::List<std::optional<at::Tensor>> places;
    for (const c10::IValue& each : indices->toListRef()) {
      places.push_back(each.isTensor() ? std::optional<at::Tensor>(each.toTensor()) : std::nullopt);
    }
    counts.index_put_(places, at::ones({}, at::kLong), /*accumulate=*/true);
  }
  const at::Tensor repeated = counts > 1;
  if (repeated.any().item().toBool()) {
    unspecified.front() = asMasks(repeated);
  }
  return unspecified;
}

/// The larger or smaller of a zero and a negative one is whichever the kernel for the layout takes.
std::vector<at::Tensor> unspecifiedByZeros(const NamedArguments& arguments, const std::vector<at::Tensor>& results) {
  std::vector<at::Tensor> unspecified(results.size());
  const at::Tensor self = arguments.tensor("self"), other = arguments.tensor("other");
  if (!self.defined() || !other.defined() || results.empty() || !results[0].is_floating_point()) {
    return unspecified;
  }
  const at::Tensor result = results[0].detach();
  at::Tensor zeros = result == 0;
  if (!result.is_alias_of(self) && !result.is_alias_of(other)) { // else the operands have been written over
    zeros = zeros & (self == 0) & (other == 0) & (at::signbit(self) != at::signbit(other));
  }
  if (zeros.any().item().toBool()) {
    unspecified.front() = asMasks(zeros, kTaintedBySign);
  }
  return unspecified;
}

/// What a product of matrices is added to in place, where all terms are zeros: in which order those of both signs are summed
/// up is the kernel's choice, which goes by the layout of what is written.
std::vector<at::Tensor> unspecifiedBySummedZeros(const NamedArguments& arguments,
                                                 const std::vector<at::Tensor>& results) {
  std::vector<at::Tensor> unspecified(results.size());
  at::Tensor left, right;
  for (const auto& [first, second] :
       {std::pair("mat1", "mat2"), std::pair("mat", "vec"), std::pair("batch1", "batch2")}) {
    left = left.defined() ? left : arguments.tensor(first);
    right = right.defined() ? right : arguments.tensor(second);
  }
  if (results.empty() || !left.defined() || !right.defined() || !results[0].is_floating_point()) {
    return unspecified;
  }
  at::Tensor sizes = at::matmul(left.abs(), right.abs()); // of the terms
  sizes = sizes.dim() > results[0].dim() ? sizes.sum(0) : sizes;
  const at::Tensor zeros = (results[0].detach() == 0) & (sizes == 0);
  if (zeros.any().item().toBool()) {
    unspecified.front() = asMasks(zeros, kTaintedBySign);
  }
  return unspecified;
}

/// NaNs are one to everybody else, and kernels differ in the sign of the one that they make.
std::vector<at::Tensor> unspecifiedByNans(const NamedArguments& arguments, const std::vector<at::Tensor>& results) {
  std::vector<at::Tensor> unspecified(results.size());
  const at::Tensor other = arguments.tensor("other");
  const at::Tensor signs = other.defined() || arguments.find("other") ? other : arguments.tensor("self");
  if (!signs.defined() || results.empty() || !signs.is_floating_point()) {
    return unspecified;
  }
  const at::Tensor nans = signs != signs;
  if (nans.any().item().toBool()) {
    unspecified.front() = asMasks(nans.expand(results[0].sizes()), kTaintedBySign);
  }
  return unspecified;
}

} // namespace

Choice choiceOf(std::string_view name) {
  const Choice choice = operators::factsOf(name).choice;
  return choice == Choice::kSummedZeros && !operators::isInPlaceName(name) ? Choice::kNone : choice;
}

std::vector<at::Tensor> unspecifiedByChoice(const c10::OperatorHandle& op, const std::vector<c10::IValue>& arguments,
                                            const std::vector<at::Tensor>& results) {
  std::string_view name = op.operator_name().name;
  name.remove_prefix(name.rfind(':') == std::string_view::npos ? 0 : name.rfind(':') + 1);
  const at::AutoDispatchBelowADInplaceOrView guard;
  const NamedArguments named(op, arguments);
  std::vector<at::Tensor> unspecified(results.size());
  if (!std::ranges::all_of(results, &at::Tensor::has_storage)) { // of a transform: their values cannot be read
    return unspecified;
  }
  switch (choiceOf(name)) {
    case Choice::kNone: break;
    case Choice::kTiedIndices: unspecified = unspecifiedByTies(name, named, results); break;
    case Choice::kRepeatedWrites: unspecified = unspecifiedByRepeats(name, op, named, results); break;
    case Choice::kZeroOfEitherSign: unspecified = unspecifiedByZeros(named, results); break;
    case Choice::kSummedZeros: unspecified = unspecifiedBySummedZeros(named, results); break;
    case Choice::kSignOfNan: unspecified = unspecifiedByNans(named, results); break;
    case Choice::kOneOfSeveral: std::transform(results.begin(), results.end(), unspecified.begin(), allOf); break;
  }
  for (at::Tensor& masks : unspecified) {
    masks = masks.defined() ? masks.cpu() : masks;
  }
  return unspecified;
}

} // namespace touchstone::taint
