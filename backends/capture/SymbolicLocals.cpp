#include "backends/capture/SymbolicLocals.h"

#include "backends/aot_autograd/TracedArguments.h"
#include "backends/arguments/TensorLike.h"
#include "backends/arguments/ViewBase.h"
#include "backends/capture/LocalSources.h"
#include "graph/runtime/Interpreter.h"
#include "program/evaluator/Hooks.h"

#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <functional>
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

/// How many of these dimensions cannot grow: they lie inside what overlaps, or inside a gap whose stride `mayBeSymbol` denies.
size_t insideGaps(const at::Tensor& tensor, const std::vector<size_t>& order,
                  const std::function<bool(size_t dimension)>& mayBeSymbol) {
  size_t inside = 0;
  int64_t extent = 1;
  for (size_t i = 0; i < order.size(); ++i) {
    const int64_t stride = tensor.strides()[order[i]], size = tensor.sizes()[order[i]];
    if (size != 1 && stride != 0) {
      const bool isKept = stride < extent || (stride > extent && !mayBeSymbol(order[i]));
      inside = extent != 1 && isKept ? i : inside;
      extent = stride * size;
    }
  }
  return inside;
}

/// Elements of memory up to the last of such a tensor.
Expression endOf(const SymbolicLocals::Tensor& tensor) {
  Expression end = tensor.offset + 1;
  for (size_t d = 0; d < tensor.sizes.size(); ++d) {
    end = end + (tensor.sizes[d] - 1) * tensor.strides[d];
  }
  return end;
}

int64_t endOf(const at::Tensor& tensor) {
  int64_t end = tensor.storage_offset() + 1;
  for (int64_t d = 0; d < tensor.dim(); ++d) {
    end += (tensor.size(d) - 1) * tensor.stride(d);
  }
  return end;
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

/// In what none that is made can be like it; empty: one can.
std::string whyNoOther(const at::Tensor& tensor) {
  if (tensor.layout() != at::kStrided || tensor.is_conj() || tensor.is_neg() || tensor.is_inference()) {
    return "is no plain tensor";
  }
  if (tensor.retains_grad() || evaluator::hasHooks(tensor)) {
    return "has hooks";
  }
  const at::Tensor* base = arguments::differentiableBase(tensor);
  if (base != nullptr && arguments::isStaleView(tensor) && (base->requires_grad() || tensor.requires_grad())) {
    return "is a view that is older than a write to its base";
  }
  return base != nullptr && torch::autograd::impl::get_view_autograd_meta(tensor)->get_backward_view().has_view_fn()
             ? "is a view that strides do not tell"
             : "";
}

bool shareMemory(const at::Tensor& one, const at::Tensor& other) {
  return one.has_storage() && other.has_storage() && one.storage().is_alias_of(other.storage());
}

} // namespace

SymbolicLocals::SymbolicLocals(std::vector<std::string> names, values::ValueList locals, const IsDynamic& isDynamic,
                               const std::vector<at::Tensor>& parameters)
    : names_(std::move(names)), locals_(std::move(locals)) {
  noteTensors(parameters);
  forEachLeaf(names_, locals_,
              [&](const std::string& source, const Value& value) { addLeaf(source, value, isDynamic); });
  addBases();
  for (const bool isView : {false, true}) { // the strides of a base may be those of its views
    for (const at::Tensor& tensor : all_) {
      if ((arguments::differentiableBase(tensor) != nullptr) == isView) {
        place(tensor, isDynamic);
      }
    }
  }
  std::set<const c10::StorageImpl*> seen;
  for (const at::Tensor& tensor : all_) {
    if (symbolic_.contains(tensor.unsafeGetTensorImpl()) &&
        seen.insert(tensor.storage().unsafeGetStorageImpl()).second) {
      std::vector<at::Tensor> sharing;
      std::ranges::copy_if(all_, std::back_inserter(sharing),
                           [&](const at::Tensor& each) { return shareMemory(each, tensor); });
      placeApart(sharing, isDynamic);
      placeInMemory(sharing, isDynamic);
    }
  }
  forEachLeaf(names_, locals_, [&](const std::string& source, const Value& value) {
    const auto found = value.isTensor() ? symbolic_.find(value.tensor().unsafeGetTensorImpl()) : symbolic_.end();
    if (found != symbolic_.end()) {
      tensors_.emplace(source, found->second);
    }
  });
}

void SymbolicLocals::noteTensors(const std::vector<at::Tensor>& parameters) {
  all_ = aot_autograd::inputTensors(locals_);
  std::set<const c10::TensorImpl*> leaves;
  forEachLeaf(names_, locals_, [&](const std::string&, const Value& value) {
    if (value.isTensor()) {
      leaves.insert(value.tensor().unsafeGetTensorImpl());
    }
  });
  std::vector<at::Tensor> inside;
  for (const Value& local : locals_) {
    values::collectTensors(local, inside);
  }
  for (const at::Tensor& each : inside) {
    if (!leaves.contains(each.unsafeGetTensorImpl())) {
      fixed_.insert(each.unsafeGetTensorImpl());
    }
  }
  for (const at::Tensor& parameter : parameters) {
    fixed_.insert(parameter.unsafeGetTensorImpl());
  }
}

void SymbolicLocals::addLeaf(const std::string& source, const Value& value, const IsDynamic& isDynamic) {
  if (value.isTensor()) {
    const at::Tensor& tensor = value.tensor();
    if (fixed_.contains(tensor.unsafeGetTensorImpl()) || symbolic_.contains(tensor.unsafeGetTensorImpl()) ||
        !mayVary(source, tensor, isDynamic)) {
      return;
    }
    if (const std::string why = whyStatic(tensor); !why.empty()) {
      kept_.push_back(source + ": " + why);
    } else if (!addSizes(source, tensor, isDynamic)) {
      kept_.push_back(source + ": it has gaps");
    }
  } else if (const auto* number = value.maybe<int64_t>(); number != nullptr && *number != 0 && *number != 1) {
    if (SizeSource integer{source, *number, SizeSource::Kind::kInt}; isDynamic(integer)) {
      integers_.emplace(source, static_cast<symbols::Symbol>(sources_.size()));
      sources_.push_back(std::move(integer));
    }
  }
}

std::string SymbolicLocals::whyStatic(const at::Tensor& tensor) const {
  if (const std::string why = whyNoOther(tensor); !why.empty()) {
    return "it " + why;
  }
  for (const at::Tensor& each : all_) {
    if (each.is_same(tensor) || !shareMemory(each, tensor)) {
      continue;
    }
    const std::string why = fixed_.contains(each.unsafeGetTensorImpl()) ? "keeps its sizes" : whyNoOther(each);
    if (!why.empty()) {
      return "it shares memory with what " + why;
    }
  }
  return "";
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

/// False: none is a symbol.
bool SymbolicLocals::addSizes(const std::string& source, const at::Tensor& tensor, const IsDynamic& isDynamic) {
  const std::vector<size_t> order = byStride(tensor);
  const auto strideMayVary = [&](size_t dimension) {
    return isDynamic(
        {sourceOfStride(source, dimension), tensor.stride(static_cast<int64_t>(dimension)), SizeSource::Kind::kPlace});
  };
  const auto firstFree = order.begin() + static_cast<std::ptrdiff_t>(insideGaps(tensor, order, strideMayVary));
  Tensor symbolic;
  bool isAny = false;
  for (size_t d = 0; d < order.size(); ++d) {
    const bool isFree = std::find(firstFree, order.end(), d) != order.end();
    const int64_t size = tensor.sizes()[d];
    symbolic.sizes.push_back(isFree ? sizeOf({sourceOfSize(source, d), size}, isDynamic) : Expression(size));
    isAny = isAny || !symbolic.sizes.back().constant();
  }
  if (isAny) {
    symbolic_.emplace(tensor.unsafeGetTensorImpl(), std::move(symbolic));
    sourceOf_.emplace(tensor.unsafeGetTensorImpl(), source);
  }
  return isAny;
}

/// What locals are views of has sizes of theirs, where they are the same, or as many elements in one dimension.
void SymbolicLocals::addBases() {
  const auto viewOf = [&](const at::Tensor& base) {
    return std::ranges::find_if(all_, [&](const at::Tensor& each) {
      const at::Tensor* its = arguments::differentiableBase(each);
      return its != nullptr && its->is_same(base) && symbolic_.contains(each.unsafeGetTensorImpl());
    });
  };
  for (const at::Tensor& base : all_) {
    const auto view = viewOf(base);
    if (view == all_.end() || symbolic_.contains(base.unsafeGetTensorImpl())) {
      continue;
    }
    const Tensor& of = symbolic_.at(view->unsafeGetTensorImpl());
    Tensor symbolic;
    for (const int64_t size : base.sizes()) {
      const auto known = bySize_.find(size);
      symbolic.sizes.push_back(known == bySize_.end() ? Expression(size) : Expression::ofSymbol(known->second));
    }
    if (base.dim() == 1 && base.numel() == view->numel() && of.sizes.size() > 1) {
      symbolic.sizes[0] = std::accumulate(of.sizes.begin(), of.sizes.end(), Expression(1), std::multiplies<>());
    }
    symbolic_.emplace(base.unsafeGetTensorImpl(), std::move(symbolic));
  }
}

/// A symbol, or the number that is there.
Expression SymbolicLocals::placeOf(std::string text, int64_t hint, const IsDynamic& isDynamic) {
  SizeSource source{std::move(text), hint, SizeSource::Kind::kPlace};
  if (hint < 2 || !isDynamic(source)) {
    return hint;
  }
  sources_.push_back(std::move(source));
  return Expression::ofSymbol(static_cast<symbols::Symbol>(sources_.size() - 1));
}

/// Strides and offset of a tensor that has symbols.
void SymbolicLocals::place(const at::Tensor& tensor, const IsDynamic& isDynamic) {
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
  placeStrides(tensor, known, found->second, isDynamic);
  found->second.offset = offsetOf(tensor.storage_offset(), known);
}

/// Products of sizes, where there are no gaps between dimensions; else what is known, or symbols of their own.
void SymbolicLocals::placeStrides(const at::Tensor& tensor, const std::map<int64_t, Expression>& known,
                                  Tensor& symbolic, const IsDynamic& isDynamic) {
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
      made = placeOf(sourceOfStride(source->second, d), stride, isDynamic);
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
void SymbolicLocals::placeApart(const std::vector<at::Tensor>& sharing, const IsDynamic& isDynamic) {
  std::vector<at::Tensor> roots;
  std::ranges::copy_if(sharing, std::back_inserter(roots), [&](const at::Tensor& each) {
    return arguments::differentiableBase(each) == nullptr && symbolic_.contains(each.unsafeGetTensorImpl()) &&
           each.numel() > 0;
  });
  std::ranges::stable_sort(roots, {}, [](const at::Tensor& each) { return each.storage_offset(); });
  for (size_t i = 0; i < roots.size(); ++i) {
    Tensor& symbolic = symbolic_.at(roots[i].unsafeGetTensorImpl());
    const auto source = sourceOf_.find(roots[i].unsafeGetTensorImpl());
    const bool isBehind = i == 0 || endOf(roots[i - 1]) <= roots[i].storage_offset();
    if (source == sourceOf_.end() || !isBehind) {
      continue;
    }
    symbolic.offset = placeOf(source->second + ".storage_offset()", roots[i].storage_offset(), isDynamic);
    if (i > 0 && symbolic.offset.symbol()) {
      const Tensor& before = symbolic_.at(roots[i - 1].unsafeGetTensorImpl());
      conditions_.push_back(symbols::Condition::of("<=", endOf(before), symbolic.offset));
    }
  }
}

/// A memory that is no more than a tensor without gaps has as many elements; of another that is a symbol of its own.
void SymbolicLocals::placeInMemory(const std::vector<at::Tensor>& sharing, const IsDynamic& isDynamic) {
  const auto bytes = static_cast<int64_t>(sharing[0].storage().nbytes()),
             width = static_cast<int64_t>(sharing[0].element_size());
  const auto fills = [&](const at::Tensor& each) {
    const auto found = symbolic_.find(each.unsafeGetTensorImpl());
    return found != symbolic_.end() && each.storage_offset() == 0 && each.is_non_overlapping_and_dense() &&
           each.numel() * static_cast<int64_t>(each.element_size()) == bytes;
  };
  const auto source = std::ranges::find_if(
      sharing, [&](const at::Tensor& each) { return sourceOf_.contains(each.unsafeGetTensorImpl()); });
  const bool isOfOneWidth = std::ranges::all_of(
      sharing, [&](const at::Tensor& each) { return static_cast<int64_t>(each.element_size()) == width; });
  if (std::ranges::any_of(sharing, fills) || source == sharing.end() || !isOfOneWidth || bytes % width != 0) {
    return;
  }
  const Expression elements =
      placeOf(sourceOf_.at(source->unsafeGetTensorImpl()) + ".untyped_storage().size()", bytes / width, isDynamic);
  if (!elements.symbol()) {
    return;
  }
  for (const at::Tensor& each : sharing) {
    if (const auto found = symbolic_.find(each.unsafeGetTensorImpl()); found != symbolic_.end()) {
      found->second.memory = *elements.symbol();
      limits_.push_back(symbols::Condition::of("<=", endOf(found->second), elements));
    }
  }
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

/// Those that have symbols, and what shares memory with them.
std::map<const c10::TensorImpl*, at::Tensor> SymbolicLocals::tensorsAt(const Assignment& assignment) const {
  std::vector<at::Tensor> likes;
  std::vector<ir::TensorMetadata> geometries;
  std::map<const c10::StorageImpl*, int64_t> bytes;
  for (const at::Tensor& each : all_) {
    const bool isMade = std::ranges::any_of(all_, [&](const at::Tensor& other) {
      return symbolic_.contains(other.unsafeGetTensorImpl()) && (other.is_same(each) || shareMemory(other, each));
    });
    if (!isMade) {
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

values::ValueList SymbolicLocals::at(const Assignment& assignment) const {
  const std::map<const c10::TensorImpl*, at::Tensor> made = tensorsAt(assignment);
  return withLeaves(names_, locals_, [&](const std::string& source, const Value& value) -> Value {
    if (const symbols::Symbol symbol = integer(source); symbol >= 0) {
      return Value(Value::Payload(assignment.at(static_cast<size_t>(symbol))));
    }
    const auto found = value.isTensor() ? made.find(value.tensor().unsafeGetTensorImpl()) : made.end();
    return found == made.end() ? value : Value(found->second);
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
