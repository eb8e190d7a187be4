#include "program/torch_names/HandWritten.h"
#include "program/torch_names/OperatorCall.h"
#include "program/torch_names/TensorData.h"
#include "program/values/RaiseError.h"

#include <optional>

// `Tensor.to` and its short forms, after THPVariable_to and THPVariable_to_type in python_variable_methods.cpp.
namespace touchstone::torch_names {
namespace {

c10::IValue orNone(const values::Value& format) {
  return format.isNone() ? c10::IValue() : c10::IValue(format.as<at::MemoryFormat>());
}

// At least one of device and dtype is given.
values::Value converted(const at::Tensor& tensor, std::optional<at::Device> device, std::optional<at::ScalarType> dtype,
                        bool nonBlocking, bool copy, const values::Value& format, const Python& python) {
  static const AtenCall toDtype("to.dtype");
  static const AtenCall toDevice("to.dtype_layout");
  static const AtenCall toBoth("to.device");
  if (!device) {
    return toDtype(python.dispatch, {tensor, *dtype, nonBlocking, copy, orNone(format)});
  }
  if (!dtype) {
    return toDevice(python.dispatch, {tensor, tensor.scalar_type(), tensor.layout(), *device, c10::IValue(),
                                      nonBlocking, copy, orNone(format)});
  }
  return toBoth(python.dispatch, {tensor, *device, *dtype, nonBlocking, copy, orNone(format)});
}

values::Value toMethod(const HandArguments& a, const Python& python) {
  const at::Tensor& tensor = a.tensor(0);
  std::optional<at::Device> device;
  std::optional<at::ScalarType> dtype;
  size_t next = 2;
  if (a.overload == 0) {
    if (!a[1].isNone()) {
      device = toDevice(a[1]);
    }
    if (!a[2].isNone()) {
      dtype = a[2].as<at::ScalarType>();
    }
    next = 3;
  } else if (a.overload == 1) {
    dtype = a[1].as<at::ScalarType>();
  } else {
    // A number stands for the tensor that it would be.
    const at::Tensor other = a[1].isTensor() ? a.tensor(1) : wrapNumber(a[1]);
    device = other.device();
    dtype = other.scalar_type();
  }
  const bool nonBlocking = a.truth(next);
  const bool copy = a.truth(next + 1);
  const values::Value& format = a[next + 2];
  if (!device && !dtype) {
    if (!copy && format.isNone()) {
      return a[0];
    }
    device = tensor.device();
  }
  return converted(tensor, device, dtype, nonBlocking, copy, format, python);
}

template <at::ScalarType kDtype>
values::Value toFixedDtype(const HandArguments& a, const Python& python) {
  return converted(a.tensor(0), std::nullopt, kDtype, false, false, a[1], python);
}

values::Value cpuMethod(const HandArguments& a, const Python& python) {
  return converted(a.tensor(0), at::kCPU, std::nullopt, false, false, a[1], python);
}

values::Value cudaMethod(const HandArguments& a, const Python& python) {
  const at::Device device = a[1].isNone() ? at::Device(at::kCUDA) : toDevice(a[1]);
  return converted(a.tensor(0), device, std::nullopt, a.truth(2), false, a[3], python);
}

// `type()` names the tensor's type; `type(dtype)` converts. The names of legacy tensor types are not accepted.
values::Value typeMethod(const HandArguments& a, const Python& python) {
  const at::Tensor& tensor = a.tensor(0);
  if (a[1].isNone()) {
    return text(legacyTypeName(tensor));
  }
  if (!a[1].is<at::ScalarType>()) {
    values::raiseError("TypeError", "dtype must be a type, str, or dtype object");
  }
  return converted(tensor, std::nullopt, a[1].as<at::ScalarType>(), a.truth(2), false, a[3], python);
}

constexpr NameSpace kMethodSpace = NameSpace::kMethod;
#define TOUCHSTONE_DTYPE_METHOD(NAME, DTYPE) \
  { kMethodSpace, NAME, NAME "(*, MemoryFormat? memory_format=None)", toFixedDtype<at::ScalarType::DTYPE> }

const HandWritten kConversionMethods[] = {
    {kMethodSpace, "to",
     "to(Device device=None, ScalarType dtype=None, bool non_blocking=False, bool copy=False, *, MemoryFormat? "
     "memory_format=None)|to(ScalarType dtype, bool non_blocking=False, bool copy=False, *, MemoryFormat? "
     "memory_format=None)|to(Tensor tensor, bool non_blocking=False, bool copy=False, *, MemoryFormat? "
     "memory_format=None)",
     toMethod},
    TOUCHSTONE_DTYPE_METHOD("float", Float),
    TOUCHSTONE_DTYPE_METHOD("double", Double),
    TOUCHSTONE_DTYPE_METHOD("half", Half),
    TOUCHSTONE_DTYPE_METHOD("bfloat16", BFloat16),
    TOUCHSTONE_DTYPE_METHOD("cfloat", ComplexFloat),
    TOUCHSTONE_DTYPE_METHOD("cdouble", ComplexDouble),
    TOUCHSTONE_DTYPE_METHOD("chalf", ComplexHalf),
    TOUCHSTONE_DTYPE_METHOD("byte", Byte),
    TOUCHSTONE_DTYPE_METHOD("char", Char),
    TOUCHSTONE_DTYPE_METHOD("short", Short),
    TOUCHSTONE_DTYPE_METHOD("int", Int),
    TOUCHSTONE_DTYPE_METHOD("long", Long),
    TOUCHSTONE_DTYPE_METHOD("bool", Bool),
    {kMethodSpace, "cpu", "cpu(*, MemoryFormat? memory_format=None)", cpuMethod},
    {kMethodSpace, "cuda", "cuda(Device? device=None, bool non_blocking=False, *, MemoryFormat? memory_format=None)",
     cudaMethod},
    {kMethodSpace, "type", "self, dtype=None, non_blocking=False, *, memory_format=None", typeMethod},
};
#undef TOUCHSTONE_DTYPE_METHOD

} // namespace

c10::ArrayRef<HandWritten> conversionMethods() {
  return kConversionMethods;
}

} // namespace touchstone::torch_names
