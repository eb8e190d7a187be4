#include "backends/capture/SymbolicLocals.h"

#include "backends/arguments/TensorLike.h"
#include "backends/arguments/ViewBase.h"
#include "backends/capture/LocalSources.h"
#include "program/evaluator/Hooks.h"

#include <algorithm>
#include <numeric>

namespace touchstone::capture {

using symbols::Assignment;
using symbols::Expression;
using values::Value;

namespace {

/// Strides as products of sizes, as they are where memory has no gaps between dimensions; nothing of a dimension that lies
/// behind a gap: what is inside must not grow.
std::vector<std::optional<Expression>> stridesOf(const at::Tensor& tensor, const std::vector<Expression>& sizes) {
  const auto rank = static_cast<size_t>(tensor.dim());
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::reverse(order.begin(), order.end());
  std::stable_sort(order.begin(), order.end(), [&](size_t left, size_t right) {
    return tensor.stride(static_cast<int64_t>(left)) < tensor.stride(static_cast<int64_t>(right));
  });
  std::vector<std::optional<Expression>> strides(rank);
  Expression next = 1;
  int64_t nextHint = 1;
  for (const size_t d : order) {
    const int64_t stride = tensor.stride(static_cast<int64_t>(d)), size = tensor.size(static_cast<int64_t>(d));
    if (stride == nextHint) {
      strides[d] = next;
    } else if (size == 1 || stride == 0 || next.constant()) {
      strides[d] = Expression(stride);
    }
    if (size != 1 && stride != 0 && strides[d]) {
      next = *strides[d] * sizes[d];
      nextHint = stride * size;
    } else if (size != 1 && stride != 0) {
      next = Expression(stride) * sizes[d];
      nextHint = stride * size;
    }
  }
  return strides;
}

std::vector<int64_t> valuesOf(const std::vector<Expression>& expressions, const Assignment& assignment) {
  std::vector<int64_t> numbers;
  for (const Expression& expression : expressions) {
    numbers.push_back(expression.at(assignment));
  }
  return numbers;
}

} // namespace

std::string SymbolicLocals::whyStatic(const at::Tensor& tensor, const std::vector<at::Tensor>& all) {
  if (tensor.layout() != at::kStrided || tensor.is_conj() || tensor.is_neg() || tensor.is_inference()) {
    return "it is no plain tensor";
  }
  if (arguments::differentiableBase(tensor) != nullptr) {
    return "it is a view";
  }
  if (tensor.retains_grad() || evaluator::hasHooks(tensor)) {
    return "it has hooks";
  }
  if (tensor.requires_grad() && !tensor.is_leaf() && !tensor.is_non_overlapping_and_dense()) {
    return "it is computed and has gaps";
  }
  const auto sharing = std::count_if(all.begin(), all.end(), [&](const at::Tensor& each) {
    return !each.is_same(tensor) && each.has_storage() && each.storage().is_alias_of(tensor.storage());
  });
  return sharing > 0 ? "it shares memory" : "";
}

SymbolicLocals::SymbolicLocals(std::vector<std::string> names, values::ValueList locals, const IsDynamic& isDynamic,
                               const std::vector<at::Tensor>& parameters)
    : names_(std::move(names)), locals_(std::move(locals)) {
  std::vector<at::Tensor> all;
  for (const Value& value : locals_) {
    values::collectTensors(value, all);
  }
  const auto isParameter = [&](const at::Tensor& tensor) {
    return std::any_of(parameters.begin(), parameters.end(),
                       [&](const at::Tensor& each) { return each.is_same(tensor); });
  };
  forEachLeaf(names_, locals_, [&](const std::string& source, const Value& value) {
    if (value.isTensor()) {
      if (value.tensor().dim() == 0 || isParameter(value.tensor())) {
        return;
      }
      const std::string why = whyStatic(value.tensor(), all);
      if (why.empty()) {
        addTensor(source, value.tensor(), isDynamic);
      } else {
        kept_.emplace_back(source, why);
      }
    } else if (const auto* number = value.maybe<int64_t>(); number != nullptr && isDynamic(source, *number)) {
      if (*number != 0 && *number != 1) {
        integers_.emplace(source, static_cast<symbols::Symbol>(sources_.size()));
        sources_.push_back({source, *number, false});
      }
    }
  });
}

Expression SymbolicLocals::sizeOf(const std::string& source, int64_t size, const IsDynamic& isDynamic) {
  if (size < 2 || !isDynamic(source, size)) {
    return size;
  }
  const auto [known, fresh] = bySize_.try_emplace(size, static_cast<symbols::Symbol>(sources_.size()));
  if (fresh) {
    sources_.push_back({source, size, true});
  }
  return Expression::ofSymbol(known->second);
}

void SymbolicLocals::addTensor(const std::string& source, const at::Tensor& tensor, const IsDynamic& isDynamic) {
  const auto rank = static_cast<size_t>(tensor.dim());
  std::vector<bool> mayVary(rank, true);
  const std::vector<int64_t> sizes = tensor.sizes().vec();
  // What lies inside a gap stays: it is found with marks that are no symbols of the program.
  for (size_t d = 0; d < rank; ++d) {
    int64_t inside = 1;
    for (size_t other = 0; other < rank; ++other) {
      if (other != d && sizes[other] != 1 && tensor.stride(static_cast<int64_t>(other)) != 0 &&
          tensor.stride(static_cast<int64_t>(other)) <= tensor.stride(static_cast<int64_t>(d))) {
        inside = std::max(inside, tensor.stride(static_cast<int64_t>(other)) * sizes[other]);
      }
    }
    if (sizes[d] == 1 || inside == 1 || tensor.stride(static_cast<int64_t>(d)) == inside) {
      continue;
    }
    for (size_t other = 0; other < rank; ++other) {
      if (other != d && tensor.stride(static_cast<int64_t>(other)) <= tensor.stride(static_cast<int64_t>(d))) {
        mayVary[other] = false;
      }
    }
  }
  Tensor symbolic;
  bool isAny = false;
  for (size_t d = 0; d < rank; ++d) {
    symbolic.sizes.push_back(mayVary[d] ? sizeOf(sourceOfSize(source, d), sizes[d], isDynamic) : Expression(sizes[d]));
    isAny = isAny || !symbolic.sizes.back().constant();
  }
  if (!isAny) {
    return;
  }
  const std::vector<std::optional<Expression>> strides = stridesOf(tensor, symbolic.sizes);
  for (size_t d = 0; d < rank; ++d) {
    symbolic.strides.push_back(strides[d].value_or(Expression(tensor.stride(static_cast<int64_t>(d)))));
  }
  tensors_.emplace(source, std::move(symbolic));
}

Assignment SymbolicLocals::hints() const {
  Assignment hints;
  for (const Source& source : sources_) {
    hints.push_back(source.hint);
  }
  return hints;
}

size_t SymbolicLocals::largestRank() const {
  size_t rank = 0;
  for (const auto& [source, tensor] : tensors_) {
    rank = std::max(rank, tensor.sizes.size());
  }
  return rank;
}

const SymbolicLocals::Tensor* SymbolicLocals::tensor(const std::string& source) const {
  const auto found = tensors_.find(source);
  return found == tensors_.end() ? nullptr : &found->second;
}

symbols::Symbol SymbolicLocals::integer(const std::string& source) const {
  const auto found = integers_.find(source);
  return found == integers_.end() ? -1 : found->second;
}

values::ValueList SymbolicLocals::at(const Assignment& assignment) const {
  std::map<const c10::TensorImpl*, at::Tensor> made; // one tensor twice is so again
  return withLeaves(names_, locals_, [&](const std::string& source, const Value& value) -> Value {
    if (const symbols::Symbol symbol = integer(source); symbol >= 0) {
      return Value(Value::Payload(assignment.at(static_cast<size_t>(symbol))));
    }
    const Tensor* symbolic = value.isTensor() ? tensor(source) : nullptr;
    if (symbolic == nullptr) {
      return value;
    }
    at::Tensor& copy = made[value.tensor().unsafeGetTensorImpl()];
    if (!copy.defined()) {
      copy = arguments::tensorLike(value.tensor(), valuesOf(symbolic->sizes, assignment),
                                   valuesOf(symbolic->strides, assignment));
    }
    return copy;
  });
}

} // namespace touchstone::capture
