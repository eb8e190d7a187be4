#include "backends/arguments/TensorLike.h"
#include "backends/arguments/ViewBase.h"
#include "backends/sources/LocalSources.h"
#include "backends/sources/SymbolicLocals.h"
#include "graph/runtime/Interpreter.h"

#include <ATen/EmptyTensor.h>

#include <algorithm>
#include <iterator>

namespace touchstone::sources {

using symbols::Assignment;
using symbols::Expression;

namespace {

/// Elements of memory up to the last of such a tensor.
Expression endOf(const SymbolicLocals::Tensor& tensor) {
  Expression end = tensor.offset + 1;
  for (size_t d = 0; d < tensor.sizes.size(); ++d) {
    end = end + (tensor.sizes[d] - 1) * tensor.strides[d];
  }
  return end;
}

int64_t endOf(const at::Tensor& tensor) {
  return static_cast<int64_t>(at::detail::computeStorageNbytes(tensor.sizes(), tensor.strides(), /*itemsize=*/1,
                                                               static_cast<size_t>(tensor.storage_offset())));
}

/// So many steps along each dimension of what a view is a view of, from the outermost on.
Expression offsetOf(int64_t offset, const std::map<int64_t, Expression>& strides) {
  Expression sum = 0;
  for (auto each = strides.rbegin(); each != strides.rend(); ++each) {
    if (each->first > 0 && !each->second.constant()) {
      sum = sum + each->second * (offset / each->first);
      offset %= each->first;
    }
  }
  return sum + offset;
}

std::vector<int64_t> valuesOf(const std::vector<Expression>& expressions, const Assignment& assignment) {
  std::vector<int64_t> numbers;
  for (const Expression& expression : expressions) {
    numbers.push_back(expression.at(assignment));
  }
  return numbers;
}

} // namespace

/// A symbol, or the number that is there.
Expression SymbolicLocals::placeOf(std::string text, int64_t hint, const DynamismOf& dynamismOf) {
  SizeSource source{std::move(text), hint, SizeSource::Kind::kPlace};
  if (hint < 2 || dynamismOf(source) == Dynamism::kNumber) {
    return hint;
  }
  sources_.push_back(std::move(source));
  return Expression::ofSymbol(static_cast<symbols::Symbol>(sources_.size() - 1));
}

/// Strides and offset of a tensor that has symbols.
void SymbolicLocals::place(const at::Tensor& tensor, const DynamismOf& dynamismOf) {
  const auto found = symbolic_.find(tensor.unsafeGetTensorImpl());
  if (found == symbolic_.end()) {
    return;
  }
  std::map<int64_t, Expression> known; // strides of what it is a view of
  const at::Tensor* base = arguments::differentiableBase(tensor);
  const auto ofBase = base == nullptr ? symbolic_.end() : symbolic_.find(base->unsafeGetTensorImpl());
  for (int64_t d = 0; ofBase != symbolic_.end() && d < base->dim(); ++d) {
    known.emplace(base->stride(d), ofBase->second.strides[static_cast<size_t>(d)]);
  }
  placeStrides(tensor, known, found->second, dynamismOf);
  found->second.offset = offsetOf(tensor.storage_offset(), known);
}

/// Products of sizes, where there are no gaps between dimensions; else what is known, or symbols of their own.
void SymbolicLocals::placeStrides(const at::Tensor& tensor, const std::map<int64_t, Expression>& known,
                                  Tensor& symbolic, const DynamismOf& dynamismOf) {
  symbolic.strides.resize(symbolic.sizes.size());
  const auto source = sourceOf_.find(tensor.unsafeGetTensorImpl());
  Expression next = 1;
  int64_t nextHint = 1;
  for (const size_t d : byStride(tensor)) {
    const int64_t stride = tensor.strides()[d], size = tensor.sizes()[d];
    const bool hasGap = size != 1 && stride > nextHint;
    Expression& made = symbolic.strides[d];
    if (const auto found = known.find(stride); stride != nextHint && found != known.end()) {
      made = found->second;
    } else if (hasGap && source != sourceOf_.end()) {
      made = placeOf(sourceOfStride(source->second, d), stride, dynamismOf);
    } else {
      made = stride == nextHint ? next : Expression(stride);
    }
    if (hasGap && !(made.constant() && next.constant())) {
      conditions_.push_back(symbols::Condition::of("<", next, made));
    }
    if (size != 1 && stride != 0) {
      next = made * symbolic.sizes[d];
      nextHint = stride * size;
    }
  }
}

/// Of tensors of one memory that lie one behind the other, and are no views: offsets are symbols of their own.
void SymbolicLocals::placeApart(const std::vector<at::Tensor>& sharing, const DynamismOf& dynamismOf) {
  std::vector<at::Tensor> roots;
  std::ranges::copy_if(sharing, std::back_inserter(roots), [&](const at::Tensor& each) {
    return arguments::differentiableBase(each) == nullptr && symbolic_.contains(each.unsafeGetTensorImpl()) &&
           each.numel() > 0;
  });
  std::ranges::stable_sort(roots, {}, [](const at::Tensor& each) { return each.storage_offset(); });
  size_t last = 0; // the one that ends furthest of those before
  for (size_t i = 0; i < roots.size(); ++i) {
    last = i > 1 && endOf(roots[i - 1]) > endOf(roots[last]) ? i - 1 : last;
    Tensor& symbolic = symbolic_.at(roots[i].unsafeGetTensorImpl());
    const auto source = sourceOf_.find(roots[i].unsafeGetTensorImpl());
    const bool isBehind = i == 0 || endOf(roots[last]) <= roots[i].storage_offset();
    if (source == sourceOf_.end() || !isBehind) {
      continue;
    }
    symbolic.offset = placeOf(source->second + ".storage_offset()", roots[i].storage_offset(), dynamismOf);
    if (i > 0 && symbolic.offset.symbol()) {
      const Tensor& before = symbolic_.at(roots[last].unsafeGetTensorImpl());
      conditions_.push_back(symbols::Condition::of("<=", endOf(before), symbolic.offset));
    }
  }
}

/// A memory that is no more than a tensor without gaps has as many elements; of another that is a symbol of its own.
void SymbolicLocals::placeInMemory(const std::vector<at::Tensor>& sharing, const DynamismOf& dynamismOf) {
  const auto bytes = static_cast<int64_t>(sharing[0].storage().nbytes()),
             width = static_cast<int64_t>(sharing[0].element_size());
  const auto isAll = [&](const at::Tensor& each) {
    return each.storage_offset() == 0 && each.is_non_overlapping_and_dense() &&
           each.numel() * static_cast<int64_t>(each.element_size()) == bytes;
  };
  const auto fills = [&](const at::Tensor& each) {
    const auto found = symbolic_.find(each.unsafeGetTensorImpl());
    return isAll(each) && found != symbolic_.end() &&
           std::ranges::any_of(found->second.sizes, [](const Expression& size) { return !size.constant(); });
  };
  const auto source = std::ranges::find_if(
      sharing, [&](const at::Tensor& each) { return sourceOf_.contains(each.unsafeGetTensorImpl()); });
  const bool isOfOneWidth = std::ranges::all_of(
      sharing, [&](const at::Tensor& each) { return static_cast<int64_t>(each.element_size()) == width; });
  if (std::ranges::any_of(sharing, fills) || source == sharing.end() || !isOfOneWidth || bytes % width != 0) {
    return;
  }
  const Expression elements =
      placeOf(sourceOf_.at(source->unsafeGetTensorImpl()) + ".untyped_storage().size()", bytes / width, dynamismOf);
  if (!elements.symbol()) {
    return;
  }
  for (const at::Tensor& each : sharing) {
    if (const auto found = symbolic_.find(each.unsafeGetTensorImpl()); found != symbolic_.end()) {
      if (isAll(each) && each.dim() == 1 && !sourceOf_.contains(each.unsafeGetTensorImpl())) {
        found->second.sizes[0] = elements;
      }
      found->second.memory = *elements.symbol();
      if (each.numel() > 0) {
        limits_.push_back(symbols::Condition::of("<=", endOf(found->second), elements));
      }
    }
  }
}

/// Those that have symbols, and what shares memory with them.
std::map<const c10::TensorImpl*, at::Tensor> SymbolicLocals::tensorsAt(const Assignment& assignment) const {
  std::vector<at::Tensor> likes;
  std::vector<ir::TensorMetadata> geometries;
  std::map<const c10::StorageImpl*, int64_t> bytes;
  for (const at::Tensor& each : all_) {
    if (!each.has_storage() || !memories_.contains(each.storage().unsafeGetStorageImpl())) {
      continue;
    }
    ir::TensorMetadata& geometry = geometries.emplace_back(runtime::metadataOf(each));
    likes.push_back(each);
    if (const auto found = symbolic_.find(each.unsafeGetTensorImpl()); found != symbolic_.end()) {
      geometry.sizes = valuesOf(found->second.sizes, assignment);
      geometry.strides = valuesOf(found->second.strides, assignment);
      geometry.offset = found->second.offset.at(assignment);
      if (found->second.memory >= 0) {
        bytes[each.storage().unsafeGetStorageImpl()] =
            assignment.at(static_cast<size_t>(found->second.memory)) * static_cast<int64_t>(each.element_size());
      }
    }
  }
  const std::vector<at::Tensor> made = arguments::tensorsLike(likes, geometries, bytes);
  std::map<const c10::TensorImpl*, at::Tensor> byOriginal;
  for (size_t i = 0; i < likes.size(); ++i) {
    byOriginal.emplace(likes[i].unsafeGetTensorImpl(), made[i]);
  }
  return byOriginal;
}

} // namespace touchstone::sources
