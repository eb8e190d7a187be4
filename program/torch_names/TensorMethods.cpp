#include "program/torch_names/HandWritten.h"
#include "program/torch_names/OperatorCall.h"
#include "program/torch_names/TensorData.h"
#include "program/values/RaiseError.h"

#include <ATen/FuncTorchTLS.h>

// Methods of tensors that are not in the generated table, after `tools/autograd/templates/python_variable_methods.cpp`
// and `torch/_tensor.py`. `a[0]` is the tensor.
namespace touchstone::torch_names {
namespace {

/// A method, or a function of torch, of which what it says of the tensor is the result.
template <auto kAsk>
values::Value asked(const HandArguments& a, const Python&) {
  return values::Value(kAsk(a.tensor(0)));
}

values::Value sizeMethod(const HandArguments& a, const Python&) {
  return a.overload == 0 ? number(a.tensor(0).size(a.integer(1))) : values::Value::size(a.tensor(0).sizes());
}

values::Value strideMethod(const HandArguments& a, const Python&) {
  if (a.overload == 0) {
    return number(a.tensor(0).stride(a.integer(1)));
  }
  values::ValueList strides;
  for (int64_t stride : a.tensor(0).strides()) {
    strides.push_back(number(stride));
  }
  return values::Value::tuple(std::move(strides));
}

// Only a complex tensor is touched at all.
values::Value conjMethod(const HandArguments& a, const Python& python) {
  static const AtenCall conj("_conj");
  return a.tensor(0).is_complex() ? conj(python.dispatch, {a.tensor(0)}) : a[0];
}

values::Value isContiguousMethod(const HandArguments& a, const Python&) {
  return flag(a[1].isNone() ? a.tensor(0).is_contiguous() : a.tensor(0).is_contiguous(a[1].as<at::MemoryFormat>()));
}

// Eager returns the tensor itself, without a call, when it is contiguous already.
values::Value contiguousMethod(const HandArguments& a, const Python& python) {
  static const AtenCall contiguous("contiguous");
  const at::MemoryFormat format = a[1].isNone() ? at::MemoryFormat::Contiguous : a[1].as<at::MemoryFormat>();
  if (a.tensor(0).is_contiguous(format)) {
    return a[0];
  }
  return contiguous(python.dispatch, {a.tensor(0), format});
}

values::Value copyMethod(const HandArguments& a, const Python& python) {
  static const AtenCall copy("copy_");
  const at::Tensor source = a[1].isTensor() ? a.tensor(1) : wrapNumber(a[1]);
  return copy(python.dispatch, {a.tensor(0), source, a.truth(2)});
}

values::Value requiresGradMethod(const HandArguments& a, const Python& python) {
  if (const auto& transforms = at::functorch::functorchTLSAccessor()) {
    transforms->checkSupportsInplaceRequiresGrad();
  }
  setRequiresGrad(a.tensor(0), a[1].isNone() || a.truth(1),
                  "only Tensors of floating point dtype can require gradients", python.dispatch);
  return a[0];
}

values::Value retainGradMethod(const HandArguments& a, const Python& python) {
  if (const auto& transforms = at::functorch::functorchTLSAccessor()) {
    transforms->checkSupportsRetainGrad();
  }
  static const AtenCall retainGrad("retain_grad");
  retainGrad(python.dispatch, {a.tensor(0)});
  return values::Value();
}

values::Value nonzeroMethod(const HandArguments& a, const Python& python) {
  static const AtenCall nonzero("nonzero");
  static const AtenCall nonzeroTuple("nonzero_numpy");
  if (a.truth(1)) {
    return values::Value::tuple(*nonzeroTuple(python.dispatch, {a.tensor(0)}).items());
  }
  return nonzero(python.dispatch, {a.tensor(0)});
}

values::Value newTensorMethod(const HandArguments& a, const Python& python) {
  const at::Tensor& like = a.tensor(0);
  return copyOfData(a[1], a[2].isNone() ? like.scalar_type() : a[2].as<at::ScalarType>(),
                    a[3].isNone() ? like.device() : toDevice(a[3]), a.truth(4), python.dispatch);
}

// torch/_tensor.py, split.
values::Value splitMethod(const HandArguments& a, const Python& python) {
  values::Value size = a[1];
  if (size.isTensor() && size.tensor().numel() == 1) {
    size = number(size.tensor().item().toLong());
  }
  if (size.is<int64_t>() || size.is<bool>()) {
    return python.variable("split", {a[0], number(toIndex(size)), a[2]});
  }
  return python.variable("split_with_sizes", {a[0], size, a[2]});
}

// torch/_tensor.py, unflatten.
values::Value unflattenMethod(const HandArguments& a, const Python& python) {
  if (!a.truth(2)) {
    values::raiseError("RuntimeError", "unflatten: sizes must be non-empty");
  }
  return python.table(TableSpace::kMethod, "unflatten", {a[0], a[1], a[2]});
}

values::Value luMethod(const HandArguments& a, const Python& python) {
  values::Value all = python.variable("_lu_with_info", {a[0], a[1]}, {{"check_errors", flag(!a.truth(2))}});
  if (a.truth(2)) {
    return all;
  }
  const values::ValueList& items = *all.items();
  return values::Value::tuple({items[0], items[1]});
}

constexpr NameSpace kMethod = NameSpace::kMethod;

const HandWritten kTensorMethods[] = {
    {kMethod, "size", "size(int64_t dim)|size()", sizeMethod},
    {kMethod, "stride", "stride(int64_t dim)|stride()", strideMethod},
    {kMethod, "dim", "dim()", asked<[](const at::Tensor& t) { return t.dim(); }>},
    {kMethod, "ndimension", "ndimension()", asked<[](const at::Tensor& t) { return t.dim(); }>},
    {kMethod, "numel", "numel()", asked<[](const at::Tensor& t) { return t.numel(); }>},
    {kMethod, "nelement", "nelement()", asked<[](const at::Tensor& t) { return t.numel(); }>},
    {kMethod, "element_size", "element_size()", asked<[](const at::Tensor& t) { return t.element_size(); }>},
    {kMethod, "storage_offset", "storage_offset()", asked<[](const at::Tensor& t) { return t.storage_offset(); }>},
    {kMethod, "get_device", "get_device()", asked<[](const at::Tensor& t) { return t.get_device(); }>},
    {kMethod, "is_floating_point", "is_floating_point()",
     asked<[](const at::Tensor& t) { return at::isFloatingType(t.scalar_type()); }>},
    {kMethod, "is_signed", "is_signed()", asked<[](const at::Tensor& t) { return at::isSignedType(t.scalar_type()); }>},
    {kMethod, "conj", "conj()", conjMethod},
    {NameSpace::kTorch, "numel", "numel(Tensor input)", asked<[](const at::Tensor& t) { return t.numel(); }>},
    {NameSpace::kTorch, "get_device", "get_device(Tensor input)",
     asked<[](const at::Tensor& t) { return t.get_device(); }>},
    {NameSpace::kTorch, "is_floating_point", "is_floating_point(Tensor input)",
     asked<[](const at::Tensor& t) { return at::isFloatingType(t.scalar_type()); }>},
    {NameSpace::kTorch, "is_signed", "is_signed(Tensor input)",
     asked<[](const at::Tensor& t) { return at::isSignedType(t.scalar_type()); }>},
    {NameSpace::kTorch, "conj", "conj(Tensor input)", conjMethod},
    {kMethod, "is_contiguous", "is_contiguous(*, MemoryFormat memory_format=None)", isContiguousMethod},
    {kMethod, "contiguous", "contiguous(*, MemoryFormat memory_format=None)", contiguousMethod},
    {kMethod, "item", "item()",
     [](const HandArguments& a, const Python& python) { return tensorToNumber(a.tensor(0), python.dispatch); }},
    {kMethod, "tolist", "tolist()", asked<[](const at::Tensor& t) { return tensorToList(t); }>},
    {kMethod, "copy_", "copy_(Tensor other, bool non_blocking=False)", copyMethod},
    {kMethod, "requires_grad_", "requires_grad_(bool requires_grad=True)", requiresGradMethod},
    {kMethod, "retain_grad", "retain_grad()", retainGradMethod},
    {kMethod, "nonzero", "nonzero(*, bool as_tuple=False)", nonzeroMethod},
    {kMethod, "new_tensor", "self, data, *, dtype=None, device=None, requires_grad=False", newTensorMethod},
    {kMethod, "split", "self, split_size, dim=0", splitMethod},
    {kMethod, "unflatten", "self, dim, sizes", unflattenMethod},
    {kMethod, "norm", "self, p='fro', dim=None, keepdim=False, dtype=None",
     "torch.norm(self, p, dim, keepdim, dtype=dtype)"},
    {kMethod, "unique", "self, sorted=True, return_inverse=False, return_counts=False, dim=None",
     [](const HandArguments& a, const Python& python) { return python.torch("unique", a.values); }},
    {kMethod, "unique_consecutive", "self, return_inverse=False, return_counts=False, dim=None",
     [](const HandArguments& a, const Python& python) { return python.torch("unique_consecutive", a.values); }},
    {kMethod, "stft",
     "self, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode='reflect', normalized=False, "
     "onesided=None, return_complex=None, align_to_window=None",
     [](const HandArguments& a, const Python& python) { return python.torch("stft", a.values); }},
    {kMethod, "lu", "self, pivot=True, get_infos=False", luMethod},
};

} // namespace

c10::ArrayRef<HandWritten> tensorMethods() {
  return kTensorMethods;
}

} // namespace touchstone::torch_names
