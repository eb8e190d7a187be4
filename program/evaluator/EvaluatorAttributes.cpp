#include "program/evaluator/EvaluatorState.h"
#include "program/torch_names/OperatorCall.h"

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>
#include <fmt/ranges.h>

#include <cctype>
#include <limits>
#include <unordered_map>

// `object.name`, read and written, after `torch/csrc/autograd/python_variable.cpp`.

namespace touchstone::evaluator {
namespace {

using Attribute = values::Value (*)(const at::Tensor&);

const std::unordered_map<std::string, Attribute>& plainAttributes() {
  static const std::unordered_map<std::string, Attribute> table = {
      {"shape", [](const at::Tensor& t) { return values::Value::size(t.sizes()); }},
      {"dtype", [](const at::Tensor& t) { return values::Value(values::Value::Payload(t.scalar_type())); }},
      {"device", [](const at::Tensor& t) { return values::Value(values::Value::Payload(t.device())); }},
      {"layout", [](const at::Tensor& t) { return values::Value(values::Value::Payload(t.layout())); }},
      {"requires_grad", [](const at::Tensor& t) { return boolValue(t.requires_grad()); }},
      // Python asks for the grad_fn itself, which raises for a view that may no longer be used.
      {"is_leaf", [](const at::Tensor& t) { return boolValue(!t.grad_fn()); }},
      {"retains_grad", [](const at::Tensor& t) { return boolValue(t.retains_grad()); }},
      {"ndim", [](const at::Tensor& t) { return intValue(t.dim()); }},
      {"itemsize", [](const at::Tensor& t) { return intValue(static_cast<int64_t>(t.itemsize())); }},
      {"nbytes", [](const at::Tensor& t) { return intValue(static_cast<int64_t>(t.nbytes())); }},
      {"is_cpu", [](const at::Tensor& t) { return boolValue(t.is_cpu()); }},
      {"is_cuda", [](const at::Tensor& t) { return boolValue(t.is_cuda()); }},
      {"is_sparse", [](const at::Tensor& t) { return boolValue(t.is_sparse()); }},
      {"grad", [](const at::Tensor& t) { return t.grad().defined() ? values::Value(t.grad()) : values::Value(); }},
  };
  return table;
}

// Attributes that are operators.
const std::unordered_map<std::string, const char*>& operatorAttributes() {
  static const std::unordered_map<std::string, const char*> table = {
      {"T", "numpy_T"}, {"mT", "mT"}, {"H", "matrix_H"}, {"mH", "mH"}, {"real", "real"}, {"imag", "imag"},
  };
  return table;
}

const std::unordered_map<std::string, values::Value>& constantValues() {
  auto dtype = [](at::ScalarType value) { return values::Value(values::Value::Payload(value)); };
  auto number = [](double value) { return values::Value(values::Value::Payload(value)); };
  auto layout = [](at::Layout value) { return values::Value(values::Value::Payload(value)); };
  auto format = [](at::MemoryFormat value) { return values::Value(values::Value::Payload(value)); };
  static const std::unordered_map<std::string, values::Value> table = {
      {"float32", dtype(at::kFloat)},
      {"float", dtype(at::kFloat)},
      {"float64", dtype(at::kDouble)},
      {"double", dtype(at::kDouble)},
      {"float16", dtype(at::kHalf)},
      {"half", dtype(at::kHalf)},
      {"bfloat16", dtype(at::kBFloat16)},
      {"int64", dtype(at::kLong)},
      {"long", dtype(at::kLong)},
      {"int32", dtype(at::kInt)},
      {"int", dtype(at::kInt)},
      {"int16", dtype(at::kShort)},
      {"short", dtype(at::kShort)},
      {"int8", dtype(at::kChar)},
      {"uint8", dtype(at::kByte)},
      {"uint16", dtype(at::kUInt16)},
      {"uint32", dtype(at::kUInt32)},
      {"uint64", dtype(at::kUInt64)},
      {"bool", dtype(at::kBool)},
      {"complex32", dtype(at::kComplexHalf)},
      {"chalf", dtype(at::kComplexHalf)},
      {"complex64", dtype(at::kComplexFloat)},
      {"cfloat", dtype(at::kComplexFloat)},
      {"complex128", dtype(at::kComplexDouble)},
      {"cdouble", dtype(at::kComplexDouble)},
      {"float8_e4m3fn", dtype(at::kFloat8_e4m3fn)},
      {"float8_e5m2", dtype(at::kFloat8_e5m2)},
      {"strided", layout(at::kStrided)},
      {"sparse_coo", layout(at::kSparse)},
      {"contiguous_format", format(at::MemoryFormat::Contiguous)},
      {"preserve_format", format(at::MemoryFormat::Preserve)},
      {"channels_last", format(at::MemoryFormat::ChannelsLast)},
      {"channels_last_3d", format(at::MemoryFormat::ChannelsLast3d)},
      {"inf", values::Value(std::numeric_limits<double>::infinity())},
      {"nan", values::Value(std::numeric_limits<double>::quiet_NaN())},
      {"pi", values::Value(3.141592653589793)},
      {"e", values::Value(2.718281828459045)},
      {"newaxis", values::Value()},
  };
  return table;
}

std::string lowerName(at::ScalarType dtype) {
  std::string name = c10::toString(dtype);
  for (char& letter : name) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return name;
}

std::string sizesText(at::IntArrayRef sizes) {
  return fmt::format("[{}]", fmt::join(sizes, ", "));
}

void setGrad(const at::Tensor& tensor, const values::Value& value) {
  if (value.isNone()) {
    tensor.mutable_grad().reset();
    return;
  }
  if (!value.isTensor()) {
    raiseError("TypeError",
               fmt::format("assigned grad expected to be a Tensor or None but got grad of type {}", value.typeName()));
  }
  const at::Tensor& grad = value.tensor();
  if (grad.is_same(tensor)) {
    raiseError("RuntimeError", "can't assign Variable as its own grad");
  }
  if (grad.scalar_type() != tensor.scalar_type()) {
    raiseError(
        "RuntimeError",
        fmt::format("attempting to assign a gradient with dtype '{}' to a tensor with grad_dtype '{}'. The gradient "
                    "must match the tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's "
                    "grad_dtype attribute with a specific dtype, or None to allow any dtype. Set grad_dtype with "
                    "caution. Diverging the dtypes of a tensor and its gradient may break downstream systems that "
                    "assume they match.",
                    lowerName(grad.scalar_type()), c10::toString(tensor.scalar_type())));
  }
  if (grad.device().type() != tensor.device().type()) {
    raiseError("RuntimeError",
               fmt::format(
                   "attempting to assign a gradient with device type '{}' to a tensor with device type '{}'. Please "
                   "ensure that the gradient and the tensor are on the same device",
                   c10::DeviceTypeName(grad.device().type(), true), c10::DeviceTypeName(tensor.device().type(), true)));
  }
  if (!grad.sizes().equals(tensor.sizes())) {
    raiseError(
        "RuntimeError",
        fmt::format("attempting to assign a gradient of size '{}' to a tensor of size '{}'. Please ensure that the "
                    "gradient and the tensor are the same size",
                    sizesText(grad.sizes()), sizesText(tensor.sizes())));
  }
  tensor.mutable_grad() = grad;
}

} // namespace

std::string torchDtypeName(at::ScalarType dtype) {
  return "torch." + std::string(c10::getDtypeNames(dtype).first);
}

at::ScalarType Evaluator::State::precise(at::ScalarType dtype) const {
  if (!inDouble) {
    return dtype;
  }
  switch (dtype) {
    case at::kHalf:
    case at::kBFloat16:
    case at::kFloat: return at::kDouble;
    case at::kComplexHalf:
    case at::kComplexFloat: return at::kComplexDouble;
    default: return dtype;
  }
}

values::Value Evaluator::State::torchConstant(const std::string& name) const {
  const auto& table = constantValues();
  auto found = table.find(name);
  if (found == table.end()) {
    raiseError("AttributeError", fmt::format("module 'torch' has no attribute '{}'", name));
  }
  if (inDouble) {
    if (const auto* dtype = found->second.maybe<at::ScalarType>()) {
      return values::Value(values::Value::Payload(precise(*dtype)));
    }
  }
  return found->second;
}

values::Value Evaluator::State::tensorAttribute(const at::Tensor& tensor, const std::string& name) {
  if (name == "grad") {
    cannotCapture("`.grad` is read");
  }
  const auto& plain = plainAttributes();
  if (auto found = plain.find(name); found != plain.end()) {
    return found->second(tensor);
  }
  const auto& operators = operatorAttributes();
  if (auto found = operators.find(name); found != operators.end()) {
    return torch_names::callAten(found->second, {tensor}, dispatch);
  }
  raiseError("AttributeError", fmt::format("'Tensor' object has no attribute '{}'", name));
}

values::Value Evaluator::State::getAttribute(const values::Value& object, const std::string& name) {
  if (object.isTensor()) {
    return tensorAttribute(object.tensor(), name);
  }
  if (const auto* module = object.maybe<values::ModulePtr>()) {
    return moduleAttribute(**module, name);
  }
  if (const auto* dtype = object.maybe<at::ScalarType>()) {
    if (name == "is_floating_point") {
      return boolValue(at::isFloatingType(*dtype));
    }
    if (name == "is_complex") {
      return boolValue(at::isComplexType(*dtype));
    }
    if (name == "itemsize") {
      return intValue(static_cast<int64_t>(c10::elementSize(*dtype)));
    }
  }
  if (const auto* device = object.maybe<at::Device>()) {
    if (name == "type") {
      return values::Value(values::Value::Payload(c10::DeviceTypeName(device->type(), true)));
    }
    if (name == "index") {
      return device->has_index() ? intValue(device->index()) : values::Value();
    }
  }
  if (object.isNumber() && (name == "real" || name == "imag")) {
    if (const auto* number = object.maybe<std::complex<double>>()) {
      return values::Value(values::Value::Payload(name == "real" ? number->real() : number->imag()));
    }
    return name == "real" ? object : object.is<double>() ? values::Value(values::Value::Payload(0.0)) : intValue(0);
  }
  raiseError("AttributeError", fmt::format("'{}' object has no attribute '{}'", object.typeName(), name));
}

void Evaluator::State::setAttribute(const values::Value& object, const std::string& name, const values::Value& value) {
  if (const auto* module = object.maybe<values::ModulePtr>()) {
    setModuleAttribute(**module, name, value);
    return;
  }
  if (object.isTensor() && name == "grad") {
    cannotCapture("`.grad` is set");
    setGrad(object.tensor(), value);
    return;
  }
  if (object.isTensor() && name == "requires_grad") {
    if (!value.is<bool>()) {
      raiseError("RuntimeError", "requires_grad must be a bool");
    }
    if (!object.tensor().is_leaf() && value.as<bool>()) {
      raiseError("RuntimeError", "you can only change requires_grad flags of leaf variables.");
    }
    torch_names::setRequiresGrad(object.tensor(), value.as<bool>(),
                                 "only Tensors of floating point and complex dtype can require gradients", dispatch);
    return;
  }
  if (object.isTensor()) {
    raiseLimit("AttributeError",
               fmt::format("`.{}` of a tensor is assigned to, which is not in the language: of tensors, "
                           "`.grad` and `.requires_grad` are.",
                           name));
  }
  raiseError("AttributeError", fmt::format("'{}' object has no attribute '{}'", object.typeName(), name));
}

void Evaluator::State::deleteAttribute(const values::Value& object, const std::string& name) {
  if (const auto* module = object.maybe<values::ModulePtr>()) {
    for (auto field = (*module)->fields.begin(); field != (*module)->fields.end(); ++field) {
      if (field->name == name) {
        (*module)->fields.erase(field);
        return;
      }
    }
  } else if (object.isTensor() && name == "grad") {
    cannotCapture("`.grad` is deleted");
    object.tensor().mutable_grad().reset();
    return;
  }
  raiseError("AttributeError", fmt::format("'{}' object has no attribute '{}'", object.typeName(), name));
}

} // namespace touchstone::evaluator
