#include "program/torch_names/TensorData.h"

#include "program/torch_names/ArgumentParser.h"
#include "program/torch_names/HandWritten.h"
#include "program/torch_names/OperatorCall.h"
#include "program/values/DefaultDevice.h"
#include "program/values/RaiseError.h"

#include <ATen/Dispatch.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <complex>

namespace touchstone::torch_names {
namespace {

constexpr int kMaximumDimensions = 128;

at::ScalarType defaultDtype() {
  return c10::typeMetaToScalarType(c10::get_default_dtype());
}

at::ScalarType inferDtype(const values::Value& data) {
  if (data.is<double>()) {
    return defaultDtype();
  }
  if (data.is<int64_t>()) {
    return at::kLong;
  }
  if (data.is<bool>()) {
    return at::kBool;
  }
  if (data.is<std::complex<double>>()) {
    return c10::typeMetaToScalarType(c10::get_default_complex_dtype());
  }
  if (data.isTensor()) {
    return data.tensor().scalar_type();
  }
  if (data.is<std::string>()) {
    values::raiseError("TypeError", "new(): invalid data type 'str'");
  }
  const values::ValueList* items = data.items();
  if (!items) {
    values::raiseError("RuntimeError", "Could not infer dtype of {}", data.typeName());
  }
  if (items->empty()) {
    return defaultDtype();
  }
  at::ScalarType widest = inferDtype(items->front());
  for (const values::Value& item : *items) {
    widest = at::promoteTypes(widest, inferDtype(item));
  }
  return widest;
}

std::vector<int64_t> sizesOf(const values::Value& data) {
  std::vector<int64_t> sizes;
  const values::Value* current = &data;
  while (true) {
    if (const values::ValueList* items = current->items()) {
      sizes.push_back(static_cast<int64_t>(items->size()));
      if (sizes.size() > kMaximumDimensions) {
        values::raiseError("ValueError", "too many dimensions '{}'", current->typeName());
      }
      if (items->empty()) {
        return sizes;
      }
      current = &items->front();
    } else {
      return sizes;
    }
  }
}

// Integers are checked, floats are cut and rounded as C does it.
template <class T>
T toElement(const at::Scalar& number) {
  if constexpr (c10::is_complex<T>::value) {
    return number.to<T>();
  } else if (number.isFloatingPoint()) {
    return static_cast<T>(number.toDouble());
  } else if (number.isComplex()) {
    return number.to<T>();
  } else {
    const int64_t integer = number.toLong();
    if constexpr (std::is_integral_v<T>) {
      if (c10::overflows<T, int64_t>(integer)) {
        values::raiseError("RuntimeError", "value cannot be converted to type {}int{} without overflow",
                           std::is_signed_v<T> ? "" : "u", 8 * sizeof(T));
      }
    }
    return static_cast<T>(integer);
  }
}

template <class T>
void storeNumbers(const values::Value& data, at::IntArrayRef sizes, size_t dim, T*& next) {
  if (dim == sizes.size()) {
    if (data.items()) {
      values::raiseError("TypeError", "not a sequence of numbers: {}", data.typeName());
    }
    if (!data.isNumber() && !(data.isTensor() && data.tensor().numel() == 1)) {
      if (data.isTensor()) {
        values::raiseError("ValueError", "only one element tensors can be converted to Python scalars");
      }
      values::raiseError("TypeError", data.is<std::string>()
                                          ? "new(): invalid data type 'str'"
                                          : fmt::format("must be real number, not {}", data.typeName()));
    }
    if constexpr (std::is_same_v<T, bool>) {
      *next++ = toScalar(data).toComplexDouble() != c10::complex<double>(0, 0);
    } else {
      *next++ = toElement<T>(toScalar(data));
    }
    return;
  }
  const values::ValueList* items = data.items();
  if (!items) {
    values::raiseError("TypeError", "not a sequence");
  }
  if (static_cast<int64_t>(items->size()) != sizes[dim]) {
    values::raiseError("ValueError", "expected sequence of length {} at dim {} (got {})", sizes[dim], dim,
                       items->size());
  }
  for (const values::Value& item : *items) {
    storeNumbers(item, sizes, dim + 1, next);
  }
}

at::Tensor newTensor(const values::Value& data, at::ScalarType dtype, at::Device device, const Dispatch& dispatch) {
  static const AtenCall liftFresh("lift_fresh");
  at::AutoDispatchBelowADInplaceOrView below;
  at::Tensor tensor;
  {
    // A constant is made outside of any tracing or functionalization; `lift_fresh` brings it in.
    c10::impl::ExcludeDispatchKeyGuard constant(
        c10::DispatchKeySet({c10::DispatchKey::Fake, c10::DispatchKey::Functionalize, c10::DispatchKey::Python}));
    tensor = at::empty(sizesOf(data), at::TensorOptions().dtype(dtype).device(at::kCPU));
    if (tensor.numel() != 0) {
      AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(at::kBool, at::kHalf, at::kBFloat16, dtype, "tensor", [&] {
        auto* next = tensor.mutable_data_ptr<scalar_t>();
        storeNumbers<scalar_t>(data, tensor.sizes(), 0, next);
      });
    }
    tensor = tensor.to(device, dtype);
  }
  return liftFresh(dispatch, {tensor}).tensor();
}

template <class T>
values::Value numberOf(T element) {
  if constexpr (std::is_same_v<T, bool>) {
    return flag(element);
  } else if constexpr (std::is_integral_v<T>) {
    return number(static_cast<int64_t>(element));
  } else if constexpr (c10::is_complex<T>::value) {
    return values::Value(
        std::complex<double>(static_cast<double>(element.real()), static_cast<double>(element.imag())));
  } else {
    return number(static_cast<double>(element));
  }
}

values::Value listOf(const at::Tensor& tensor, int64_t dim, int64_t offset,
                     const std::function<values::Value(int64_t)>& element) {
  if (dim == tensor.dim()) {
    return element(offset);
  }
  values::ValueList items;
  for (int64_t i = 0; i < tensor.size(dim); ++i) {
    items.push_back(listOf(tensor, dim + 1, offset + i * tensor.stride(dim), element));
  }
  return values::Value::list(std::move(items));
}

} // namespace

at::Tensor tensorFromData(const values::Value& data, std::optional<at::ScalarType> dtype,
                          std::optional<at::Device> device, const Dispatch& dispatch) {
  return newTensor(data, dtype ? *dtype : inferDtype(data), device.value_or(values::defaultDevice()), dispatch);
}

at::Tensor copyOfData(const values::Value& data, std::optional<at::ScalarType> dtype, std::optional<at::Device> device,
                      bool requiresGrad, const Dispatch& dispatch) {
  at::Tensor result;
  if (data.isTensor()) {
    static const AtenCall detach("detach");
    static const AtenCall to("to.device");
    const at::Tensor source = detach(dispatch, {data.tensor()}).tensor();
    result = to(dispatch, {source, device.value_or(source.device()), dtype.value_or(source.scalar_type()), false, true})
                 .tensor();
  } else {
    result = tensorFromData(data, dtype, device, dispatch);
  }
  result.detach_();
  if (requiresGrad) {
    switchRequiresGrad(result, true, dispatch);
  }
  return result;
}

at::Tensor indexTensorFromData(const values::Value& data, at::Device device, const Dispatch& dispatch) {
  const at::ScalarType inferred = inferDtype(data);
  const bool isMask = inferred == at::kBool || inferred == at::kByte;
  return newTensor(data, isMask ? inferred : at::kLong, device, dispatch);
}

std::string legacyTypeName(const at::Tensor& tensor) {
  const std::string module =
      tensor.is_cpu() ? "" : c10::DeviceTypeName(tensor.device().type(), /*lower_case=*/true) + ".";
  return fmt::format("torch.{}{}Tensor", module, c10::toString(tensor.scalar_type()));
}

values::Value tensorToList(const at::Tensor& tensor) {
  at::Tensor source = tensor.resolve_conj().resolve_neg();
  if (!source.is_cpu()) {
    source = source.cpu();
  }
  values::Value result;
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(at::kBool, at::kHalf, at::kBFloat16, source.scalar_type(), "tolist", [&] {
    const auto* elements = source.const_data_ptr<scalar_t>();
    result = listOf(source, 0, 0, [&](int64_t offset) { return numberOf(elements[offset]); });
  });
  return result;
}

values::Value tensorToNumber(const at::Tensor& tensor, const Dispatch& dispatch) {
  static const AtenCall item("item");
  return item(dispatch, {tensor});
}

} // namespace touchstone::torch_names
