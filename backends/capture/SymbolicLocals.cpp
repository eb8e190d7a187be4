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

/// Dimensions from the innermost one on.
std::vector<size_t> byStride(const at::Tensor& tensor) {
  std::vector<size_t> order(static_cast<size_t>(tensor.dim()));
  std::iota(order.rbegin(), order.rend(), 0);
  const at::IntArrayRef strides = tensor.strides();
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t left, size_t right) { return strides[left] < strides[right]; });
  return order;
}

/// How many of these dimensions lie inside a gap, or inside what overlaps: they cannot grow there.
size_t insideGaps(const at::Tensor& tensor, const std::vector<size_t>& order) {
  size_t inside = 0;
  int64_t extent = 1;
  for (size_t i = 0; i < order.size(); ++i) {
    const int64_t stride = tensor.strides()[order[i]], size = tensor.sizes()[order[i]];
    if (size != 1 && stride != 0) {
      inside = extent != 1 && stride != extent ? i : inside;
      extent = stride * size;
    }
  }
  return inside;
}

/// Strides as products of sizes, where there are no gaps between dimensions.
std::vector<Expression> stridesOf(const at::Tensor& tensor, const std::vector<size_t>& order,
                                  const std::vector<Expression>& sizes) {
  std::vector<Expression> strides(order.size());
  Expression next = 1;
  int64_t nextHint = 1;
  for (const size_t d : order) {
    const int64_t stride = tensor.strides()[d], size = tensor.sizes()[d];
    strides[d] = stride == nextHint ? next : Expression(stride);
    if (size != 1 && stride != 0) {
      next = strides[d] * sizes[d];
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
      if (isParameter(value.tensor()) || !mayVary(source, value.tensor(), isDynamic)) {
        return;
      }
      if (const std::string why = whyStatic(value.tensor(), all); !why.empty()) {
        kept_.push_back(source + ": " + why);
        return;
      }
      addTensor(source, value.tensor(), isDynamic);
    } else if (const auto* number = value.maybe<int64_t>(); number != nullptr && *number != 0 && *number != 1) {
      if (SizeSource integer{source, *number, false}; isDynamic(integer)) {
        integers_.emplace(source, static_cast<symbols::Symbol>(sources_.size()));
        sources_.push_back(std::move(integer));
      }
    }
  });
}

/// Some size is to be a symbol.
bool SymbolicLocals::mayVary(const std::string& source, const at::Tensor& tensor, const IsDynamic& isDynamic) {
  for (int64_t d = 0; d < tensor.dim(); ++d) {
    if (tensor.size(d) >= 2 && isDynamic({sourceOfSize(source, static_cast<size_t>(d)), tensor.size(d)})) {
      return true;
    }
  }
  return false;
}

Expression SymbolicLocals::sizeOf(SizeSource source, const IsDynamic& isDynamic) {
  if (source.hint < 2 || !isDynamic(source)) {
    return source.hint;
  }
  const auto [known, fresh] = bySize_.try_emplace(source.hint, static_cast<symbols::Symbol>(sources_.size()));
  if (fresh) {
    sources_.push_back(std::move(source));
  }
  return Expression::ofSymbol(known->second);
}

void SymbolicLocals::addTensor(const std::string& source, const at::Tensor& tensor, const IsDynamic& isDynamic) {
  const std::vector<size_t> order = byStride(tensor);
  const auto firstFree = order.begin() + static_cast<std::ptrdiff_t>(insideGaps(tensor, order));
  Tensor symbolic;
  bool isAny = false;
  for (size_t d = 0; d < order.size(); ++d) {
    const bool isFree = std::find(firstFree, order.end(), d) != order.end();
    const int64_t size = tensor.sizes()[d];
    symbolic.sizes.push_back(isFree ? sizeOf({sourceOfSize(source, d), size}, isDynamic) : Expression(size));
    isAny = isAny || !symbolic.sizes.back().constant();
  }
  if (!isAny) {
    kept_.push_back(source + ": it has gaps");
    return;
  }
  symbolic.strides = stridesOf(tensor, order, symbolic.sizes);
  tensors_.emplace(source, std::move(symbolic));
}

Assignment SymbolicLocals::hints() const {
  Assignment hints;
  for (const SizeSource& source : sources_) {
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

std::vector<std::pair<SizeSource, std::string>> blamedOf(
    const std::vector<SizeSource>& sources, const std::string& reason,
    const std::function<bool(const SizeSource& source, std::string& why)>& isPossibleAlone) {
  std::vector<std::pair<SizeSource, std::string>> blamed, all;
  for (const SizeSource& source : sources) {
    std::string why;
    if (sources.size() > 1 && !isPossibleAlone(source, why)) {
      blamed.emplace_back(source, why);
    }
    all.emplace_back(source, reason);
  }
  return blamed.empty() ? all : blamed;
}

} // namespace touchstone::capture
