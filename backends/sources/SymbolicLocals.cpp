#include "backends/sources/SymbolicLocals.h"

#include "backends/aot_autograd/TracedArguments.h"
#include "backends/arguments/ViewBase.h"
#include "backends/sources/LocalSources.h"
#include "program/evaluator/Hooks.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>

namespace touchstone::sources {

using symbols::Assignment;
using symbols::Expression;
using values::Value;

namespace {

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

/// In what none that is made can be like it; empty: one can.
std::string whyNoOther(const at::Tensor& tensor) {
  if (tensor.layout() != at::kStrided || tensor.is_conj() || tensor.is_neg() || tensor.is_inference()) {
    return "is no plain tensor";
  }
  if (tensor.retains_grad() || evaluator::hasHooks(tensor)) {
    return "has hooks";
  }
  return arguments::hasOthersLikeIt(tensor)           ? ""
         : arguments::viewFunction(tensor) != nullptr ? "is a view that strides do not tell"
                                                      : "is a view that is older than a write to its base";
}

} // namespace

/// Dimensions from the innermost one on.
std::vector<size_t> SymbolicLocals::byStride(const at::Tensor& tensor) {
  std::vector<size_t> order(static_cast<size_t>(tensor.dim()));
  std::iota(order.rbegin(), order.rend(), 0);
  const at::IntArrayRef strides = tensor.strides();
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t left, size_t right) { return strides[left] < strides[right]; });
  return order;
}

bool SymbolicLocals::shareMemory(const at::Tensor& one, const at::Tensor& other) {
  return one.has_storage() && other.has_storage() && one.is_alias_of(other);
}

SymbolicLocals::SymbolicLocals(std::vector<std::string> names, values::ValueList locals, const DynamismOf& dynamismOf,
                               const std::vector<at::Tensor>& parameters)
    : names_(std::move(names)), locals_(std::move(locals)) {
  noteTensors(parameters);
  forEachLeaf(names_, locals_,
              [&](const std::string& source, const Value& value) { addLeaf(source, value, dynamismOf); });
  addBases(dynamismOf);
  for (const bool isView : {false, true}) { // the strides of a base may be those of its views
    for (const at::Tensor& tensor : all_) {
      if ((arguments::differentiableBase(tensor) != nullptr) == isView) {
        place(tensor, dynamismOf);
      }
    }
  }
  for (const at::Tensor& tensor : all_) {
    if (symbolic_.contains(tensor.unsafeGetTensorImpl()) &&
        memories_.insert(tensor.storage().unsafeGetStorageImpl()).second) {
      std::vector<at::Tensor> sharing;
      std::ranges::copy_if(all_, std::back_inserter(sharing),
                           [&](const at::Tensor& each) { return shareMemory(each, tensor); });
      placeApart(sharing, dynamismOf);
      placeInMemory(sharing, dynamismOf);
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
    given_.insert(each.unsafeGetTensorImpl());
    if (!leaves.contains(each.unsafeGetTensorImpl())) {
      fixed_.insert(each.unsafeGetTensorImpl());
    }
  }
  for (const at::Tensor& parameter : parameters) {
    fixed_.insert(parameter.unsafeGetTensorImpl());
  }
}

void SymbolicLocals::addLeaf(const std::string& source, const Value& value, const DynamismOf& dynamismOf) {
  if (value.isTensor()) {
    const at::Tensor& tensor = value.tensor();
    const bool isFirstPlace = placed_.insert(tensor.unsafeGetTensorImpl()).second; // what has changed there decides
    if (!isFirstPlace || fixed_.contains(tensor.unsafeGetTensorImpl()) || !mayVary(source, tensor, dynamismOf)) {
      return;
    }
    if (const std::string why = whyStatic(tensor); !why.empty()) {
      kept_.push_back(source + ": " + why);
    } else if (!addSizes(source, tensor, dynamismOf)) {
      kept_.push_back(source + ": it has gaps, or overlaps itself");
    }
  } else if (const auto* number = value.maybe<int64_t>(); number != nullptr && *number != 0 && *number != 1) {
    if (SizeSource integer{source, *number, SizeSource::Kind::kInt}; dynamismOf(integer) != Dynamism::kNumber) {
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
bool SymbolicLocals::mayVary(const std::string& source, const at::Tensor& tensor, const DynamismOf& dynamismOf) const {
  for (size_t d = 0; d < tensor.sizes().size(); ++d) {
    if (tensor.sizes()[d] >= 2 && dynamismOf(sizeSource(source, tensor, d)) != Dynamism::kNumber) {
      return true;
    }
  }
  return false;
}

SizeSource SymbolicLocals::sizeSource(const std::string& source, const at::Tensor& tensor, size_t dimension) const {
  const bool isApart = std::ranges::none_of(
      all_, [&](const at::Tensor& each) { return !each.is_same(tensor) && shareMemory(each, tensor); });
  return {.text = sourceOfSize(source, dimension), .hint = tensor.sizes()[dimension], .isApart = isApart};
}

Expression SymbolicLocals::sizeOf(SizeSource source, const DynamismOf& dynamismOf) {
  const Dynamism dynamism = source.hint < 2 ? Dynamism::kNumber : dynamismOf(source);
  if (dynamism == Dynamism::kNumber) {
    return source.hint;
  }
  const auto next = static_cast<symbols::Symbol>(sources_.size());
  source.isOwn = dynamism == Dynamism::kOwn;
  const symbols::Symbol symbol = source.isOwn ? next : bySize_.try_emplace(source.hint, next).first->second;
  if (symbol == next) {
    sources_.push_back(std::move(source));
  }
  return Expression::ofSymbol(symbol);
}

/// False: none is a symbol.
bool SymbolicLocals::addSizes(const std::string& source, const at::Tensor& tensor, const DynamismOf& dynamismOf) {
  const std::vector<size_t> order = byStride(tensor);
  const auto strideMayVary = [&](size_t dimension) {
    const SizeSource stride{sourceOfStride(source, dimension), tensor.strides()[dimension], SizeSource::Kind::kPlace};
    return dynamismOf(stride) != Dynamism::kNumber;
  };
  const auto firstFree = order.begin() + static_cast<std::ptrdiff_t>(insideGaps(tensor, order, strideMayVary));
  Tensor symbolic;
  bool isAny = false;
  for (size_t d = 0; d < order.size(); ++d) {
    const bool isFree = std::find(firstFree, order.end(), d) != order.end();
    const int64_t size = tensor.sizes()[d];
    symbolic.sizes.push_back(isFree ? sizeOf(sizeSource(source, tensor, d), dynamismOf) : Expression(size));
    isAny = isAny || !symbolic.sizes.back().constant();
  }
  if (isAny) {
    symbolic_.emplace(tensor.unsafeGetTensorImpl(), std::move(symbolic));
    sourceOf_.emplace(tensor.unsafeGetTensorImpl(), source);
  }
  return isAny;
}

/// What locals are views of, and is no local, has symbols of the same dimensions of a view, or as many elements in one dimension.
void SymbolicLocals::addBases(const DynamismOf& dynamismOf) {
  const auto viewOf = [&](const at::Tensor& base) {
    return std::ranges::find_if(all_, [&](const at::Tensor& each) {
      const at::Tensor* its = arguments::differentiableBase(each);
      return its != nullptr && its->is_same(base) && symbolic_.contains(each.unsafeGetTensorImpl());
    });
  };
  for (const at::Tensor& base : all_) {
    const auto view = viewOf(base);
    if (view == all_.end() || given_.contains(base.unsafeGetTensorImpl())) {
      continue;
    }
    const Tensor& of = symbolic_.at(view->unsafeGetTensorImpl());
    const std::string source = sourceOf_.at(view->unsafeGetTensorImpl()) + "._base";
    Tensor symbolic;
    for (int64_t d = 0; d < base.dim(); ++d) {
      const int64_t size = base.size(d);
      const auto known = bySize_.find(size);
      const bool isAlike = known != bySize_.end() &&
                           dynamismOf({sourceOfSize(source, static_cast<size_t>(d)), size}) != Dynamism::kNumber;
      Expression& made = symbolic.sizes.emplace_back(isAlike ? Expression::ofSymbol(known->second) : Expression(size));
      for (int64_t inside = 0; inside < view->dim(); ++inside) {
        if (view->size(inside) == size && view->stride(inside) == base.stride(d)) {
          made = of.sizes[static_cast<size_t>(inside)];
        }
      }
    }
    if (base.dim() == 1 && base.numel() == view->numel() && of.sizes.size() > 1) {
      symbolic.sizes[0] = std::accumulate(of.sizes.begin(), of.sizes.end(), Expression(1), std::multiplies<>());
    }
    symbolic_.emplace(base.unsafeGetTensorImpl(), std::move(symbolic));
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

} // namespace touchstone::sources
