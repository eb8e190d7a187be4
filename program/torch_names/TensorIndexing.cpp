#include "program/torch_names/HandWritten.h"
#include "program/torch_names/OperatorCall.h"
#include "program/torch_names/TensorData.h"
#include "program/values/RaiseError.h"

#include <ATen/ScalarOps.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <limits>
#include <optional>

// After `torch/csrc/autograd/python_variable_indexing.cpp` and `ATen/TensorIndexing.h`: the same operators in the same
// order, each through the dispatch function.
namespace touchstone::torch_names {
namespace {

constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

using OptionalTensors = std::vector<std::optional<at::Tensor>>;

at::Tensor unsqueeze(const at::Tensor& tensor, int64_t dim, const Dispatch& dispatch) {
  static const AtenCall call("unsqueeze");
  return call(dispatch, {tensor, dim}).tensor();
}

at::Tensor applySelect(const at::Tensor& tensor, int64_t dim, int64_t index, int64_t position,
                       const Dispatch& dispatch) {
  static const AtenCall call("select.int");
  TORCH_CHECK_INDEX(!(index == 0 && dim == 0 && tensor.dim() == 0), "invalid index of a 0-dim tensor. ",
                    "Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim tensor to a number");
  const int64_t size = tensor.sizes()[dim];
  TORCH_CHECK_INDEX(size > -1 - index && size > index, "index ", index, " is out of bounds for dimension ", position,
                    " with size ", size);
  return call(dispatch, {tensor, dim, index}).tensor();
}

int64_t sliceBound(const values::Value& bound, int64_t ifNone) {
  if (bound.isNone()) {
    return ifNone;
  }
  if (bound.is<int64_t>() || bound.is<bool>() || isIndexLike(bound)) {
    return toIndex(bound);
  }
  values::raiseError("TypeError", "slice indices must be integers or None or have an __index__ method");
}

at::Tensor applySlice(const at::Tensor& tensor, int64_t dim, const values::SliceObject& slice, bool maySkip,
                      const Dispatch& dispatch) {
  static const AtenCall call("slice.Tensor");
  const int64_t step = sliceBound(slice.step, 1);
  if (step == 0) {
    values::raiseError("ValueError", "slice step cannot be zero");
  }
  // What `PySlice_Unpack` gives for bounds that are left out.
  const int64_t start = sliceBound(slice.start, step < 0 ? kEnd : 0);
  const int64_t stop = sliceBound(slice.stop, step < 0 ? std::numeric_limits<int64_t>::min() : kEnd);
  TORCH_CHECK_VALUE(step > 0, "step must be greater than zero");
  if (maySkip && tensor.dim() > 0 && start == 0 && stop >= tensor.sizes()[dim] && step == 1) {
    return tensor;
  }
  return call(dispatch, {tensor, dim, start, stop, step}).tensor();
}

bool isMask(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kByte || tensor.scalar_type() == at::kBool;
}

// A bool adds a dimension of size 1: true takes its one element, false none.
at::Tensor boolIndex(const at::Tensor& tensor, bool value, const Dispatch& dispatch) {
  static const AtenCall empty("empty.memory_format");
  static const AtenCall fill("fill_.Scalar");
  at::Tensor index =
      empty(dispatch, {std::vector<int64_t>{value ? 1 : 0}, at::kLong, tensor.layout(), tensor.device(), c10::IValue()})
          .tensor();
  if (value) {
    return fill(dispatch, {index, at::Scalar(0.)}).tensor();
  }
  return index;
}

/// Carries one subscript through its items.
class Subscript {
 public:
  Subscript(const at::Tensor& tensor, c10::ArrayRef<values::Value> items, const Dispatch& dispatch)
      : original_(tensor), result_(tensor), dispatch_(dispatch) {
    for (const values::Value& item : items) {
      if (auto* index = item.maybe<at::Tensor>()) {
        specified_ += isMask(*index) ? index->dim() : 1;
      } else if (!item.isNone() && !item.is<values::EllipsisValue>() && !item.is<bool>()) {
        ++specified_;
      }
    }
    if (specified_ > tensor.dim()) {
      values::raiseError("IndexError", "too many indices for tensor of dimension {}", tensor.dim());
    }
    for (const values::Value& item : items) {
      apply(item, &item - items.data());
    }
  }

  const at::Tensor& result() const { return result_; }
  /// Tensors to index with, dimension by dimension; empty when there are none.
  OptionalTensors takeIndices() {
    while (!indices_.empty() && !indices_.back()) {
      indices_.pop_back();
    }
    return std::move(indices_);
  }
  bool hasIndices() const { return !indices_.empty(); }

 private:
  void apply(const values::Value& item, int64_t position) {
    if (auto* index = item.maybe<int64_t>()) {
      result_ = applySelect(result_, dim_, *index, position, dispatch_);
    } else if (auto* slice = item.maybe<values::SlicePtr>()) {
      result_ = applySlice(result_, dim_, **slice, /*maySkip=*/true, dispatch_);
      skip(1);
    } else if (item.is<values::EllipsisValue>()) {
      skip(original_.dim() - specified_);
    } else if (item.isNone()) {
      result_ = unsqueeze(result_, dim_, dispatch_);
      skip(1);
    } else if (auto* value = item.maybe<bool>()) {
      applyBool(*value);
    } else if (auto* tensor = item.maybe<at::Tensor>()) {
      applyTensor(*tensor, position);
    } else if (item.items() || item.is<std::string>()) {
      record(indexTensorFromData(item, original_.device(), dispatch_));
    } else {
      values::raiseError("IndexError",
                         "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables "
                         "are valid indices (got {})",
                         item.typeName());
    }
  }

  void applyBool(bool value) {
    result_ = unsqueeze(result_, dim_, dispatch_);
    record(boolIndex(result_, value, dispatch_));
  }

  void applyTensor(const at::Tensor& tensor, int64_t position) {
    if (tensor.dim() != 0 || !at::isIntegralType(tensor.scalar_type(), /*includeBool=*/true)) {
      record(tensor);
    } else if (!isMask(tensor)) {
      result_ = applySelect(result_, dim_, numberIn(tensor), position, dispatch_);
    } else {
      result_ = unsqueeze(result_, dim_, dispatch_);
      record(boolIndex(result_, numberIn(tensor) != 0, dispatch_));
    }
  }

  /// Whoever watches the operators sees that a value is read.
  int64_t numberIn(const at::Tensor& tensor) const {
    static const AtenCall call("item");
    const values::Value value = call(dispatch_, {tensor});
    return value.is<bool>() ? static_cast<int64_t>(value.as<bool>()) : value.as<int64_t>();
  }

  void skip(int64_t dims) {
    dim_ += dims;
    if (!indices_.empty()) {
      indices_.resize(indices_.size() + dims);
    }
  }

  void record(const at::Tensor& index) {
    if (indices_.empty()) {
      indices_.resize(dim_);
    }
    indices_.emplace_back(index);
    dim_ += isMask(index) ? index.dim() : 1;
  }

  const at::Tensor& original_;
  at::Tensor result_;
  const Dispatch& dispatch_;
  int64_t specified_ = 0;
  int64_t dim_ = 0;
  OptionalTensors indices_;
};

c10::List<std::optional<at::Tensor>> toList(const OptionalTensors& tensors) {
  c10::List<std::optional<at::Tensor>> list;
  list.reserve(tensors.size());
  for (const auto& tensor : tensors) {
    list.push_back(tensor);
  }
  return list;
}

// A short list that holds tensors, sequences, slices, `...` or None stands for a tuple, as it did in NumPy.
bool standsForTuple(const values::Value& index) {
  if (index.is<values::TuplePtr>()) {
    return true;
  }
  const values::ValueList* items = index.items();
  if (!items || items->size() >= 32) {
    return false;
  }
  for (const values::Value& item : *items) {
    if (item.isTensor() || item.items() || item.is<values::SlicePtr>() || item.is<values::EllipsisValue>() ||
        item.isNone()) {
      return true;
    }
  }
  return false;
}

c10::ArrayRef<values::Value> subscriptItems(const values::Value& index) {
  return standsForTuple(index) ? c10::ArrayRef<values::Value>(*index.items()) : c10::ArrayRef<values::Value>(index);
}

at::Tensor alias(const at::Tensor& tensor, const Dispatch& dispatch) {
  static const AtenCall call("alias");
  return call(dispatch, {tensor}).tensor();
}

at::IntArrayRef withoutLeadingOnes(at::IntArrayRef sizes) {
  return sizes.slice(std::find_if(sizes.begin(), sizes.end(), [](int64_t size) { return size != 1; }) - sizes.begin());
}

// Leading dimensions of size 1 of the source are dropped, then it is expanded.
void copyTo(const at::Tensor& target, const at::Tensor& source, const Dispatch& dispatch) {
  static const AtenCall copy("copy_");
  static const AtenCall fill("fill_.Tensor");
  static const AtenCall view("view");
  static const AtenCall expand("expand");
  if (target.sizes() == source.sizes()) {
    copy(dispatch, {target, source});
    return;
  }
  if (source.dim() == 0 && source.is_cpu()) {
    fill(dispatch, {target, source});
    return;
  }
  const at::IntArrayRef sizes = withoutLeadingOnes(source.sizes());
  at::Tensor viewed = view(dispatch, {source, sizes.vec()}).tensor();
  if (viewed.sizes() != target.sizes()) {
    viewed = expand(dispatch, {viewed, target.sizes().vec()}).tensor();
  }
  copy(dispatch, {target, viewed});
}

at::Tensor valueToTensor(const at::Tensor& target, const values::Value& value, const Dispatch& dispatch) {
  static const AtenCall liftFresh("lift_fresh");
  if (value.isTensor()) {
    return value.tensor();
  }
  if (!value.isNumber()) {
    values::raiseError("TypeError", "can't assign a {} to a {}", value.typeName(), legacyTypeName(target));
  }
  const at::Scalar scalar = value.is<bool>() ? at::Scalar(static_cast<int64_t>(value.as<bool>())) : toScalar(value);
  at::AutoDispatchBelowADInplaceOrView below;
  at::Tensor tensor = at::detail::scalar_tensor_static(scalar, target.scalar_type(), at::kCPU);
  if (!target.is_cpu()) {
    tensor = tensor.to(target.device());
  }
  return liftFresh(dispatch, {tensor}).tensor();
}

} // namespace

values::Value tensorGetItem(const at::Tensor& tensor, const values::Value& index, const Dispatch& dispatch) {
  static const AtenCall indexCall("index.Tensor");
  if (index.isNone()) {
    return unsqueeze(tensor, 0, dispatch);
  }
  if (index.is<values::EllipsisValue>()) {
    return alias(tensor, dispatch);
  }
  if (auto* position = index.maybe<int64_t>()) {
    return applySelect(tensor, 0, *position, 0, dispatch);
  }
  if (auto* slice = index.maybe<values::SlicePtr>()) {
    return applySlice(tensor, 0, **slice, /*maySkip=*/false, dispatch);
  }
  Subscript subscript(tensor, subscriptItems(index), dispatch);
  if (!subscript.hasIndices()) {
    return subscript.result().is_same(tensor) ? alias(tensor, dispatch) : subscript.result();
  }
  return indexCall(dispatch, {subscript.result(), toList(subscript.takeIndices())});
}

void tensorSetItem(const at::Tensor& tensor, const values::Value& index, const values::Value& value,
                   const Dispatch& dispatch) {
  static const AtenCall indexPut("index_put_");
  if (tensor.is_sparse()) {
    values::raiseError("TypeError", "Cannot assign to a sparse tensor");
  }
  const at::Tensor source = valueToTensor(tensor, value, dispatch);
  if (auto* flag = index.maybe<bool>(); flag && !*flag) {
    return;
  }
  std::optional<at::Tensor> target; // of a subscript that is no tuple
  if (index.is<bool>() || index.isNone()) {
    target = unsqueeze(tensor, 0, dispatch);
  } else if (index.is<values::EllipsisValue>()) {
    target = tensor;
  } else if (auto* position = index.maybe<int64_t>()) {
    target = applySelect(tensor, 0, *position, 0, dispatch);
  } else if (auto* slice = index.maybe<values::SlicePtr>()) {
    target = applySlice(tensor, 0, **slice, /*maySkip=*/true, dispatch);
  }
  if (target) {
    copyTo(*target, source, dispatch);
    return;
  }
  Subscript subscript(tensor, subscriptItems(index), dispatch);
  if (!subscript.hasIndices()) {
    copyTo(subscript.result(), source, dispatch);
    return;
  }
  static const AtenCall view("view");
  at::Tensor put = source;
  const at::IntArrayRef trimmed = withoutLeadingOnes(source.sizes());
  if (trimmed.size() != source.sizes().size()) {
    put = view(dispatch, {source, trimmed.vec()}).tensor();
  }
  indexPut(dispatch, {subscript.result(), toList(subscript.takeIndices()), put});
}

} // namespace touchstone::torch_names
