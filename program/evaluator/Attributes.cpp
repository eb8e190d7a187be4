#include "program/evaluator/Attributes.h"

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
      {"dtype", [](const at::Tensor& t) { return values::Value(t.scalar_type()); }},
      {"device", [](const at::Tensor& t) { return values::Value(t.device()); }},
      {"layout", [](const at::Tensor& t) { return values::Value(t.layout()); }},
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
const std::unordered_map<std::string, torch_names::AtenCall>& operatorAttributes() {
  using torch_names::AtenCall;
  static const std::unordered_map<std::string, AtenCall> table = {
      {"T", AtenCall("numpy_T")}, {"mT", AtenCall("mT")},     {"H", AtenCall("matrix_H")},
      {"mH", AtenCall("mH")},     {"real", AtenCall("real")}, {"imag", AtenCall("imag")},
  };
  return table;
}

// Those that are no dtypes.
const std::unordered_map<std::string, values::Value>& constantValues() {
  using values::Value;
  static const std::unordered_map<std::string, Value> table = {
      {"strided", Value(at::kStrided)},
      {"contiguous_format", Value(at::MemoryFormat::Contiguous)},
      {"preserve_format", Value(at::MemoryFormat::Preserve)},
      {"channels_last", Value(at::MemoryFormat::ChannelsLast)},
      {"channels_last_3d", Value(at::MemoryFormat::ChannelsLast3d)},
      {"inf", Value(std::numeric_limits<double>::infinity())},
      {"nan", Value(std::numeric_limits<double>::quiet_NaN())},
      {"pi", Value(3.141592653589793)},
      {"e", Value(2.718281828459045)},
      {"newaxis", Value()},
  };
  return table;
}

[[noreturn]] void raiseMissing(const values::Value& object, const std::string& name) {
  values::raiseError("AttributeError", "'{}' object has no attribute '{}'", object.typeName(), name);
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
    values::raiseError("TypeError", "assigned grad expected to be a Tensor or None but got grad of type {}",
                       value.typeName());
  }
  const at::Tensor& grad = value.tensor();
  if (grad.is_same(tensor)) {
    values::raiseError("RuntimeError", "can't assign Variable as its own grad");
  }
  if (grad.scalar_type() != tensor.scalar_type()) {
    values::raiseError("RuntimeError",
                       "attempting to assign a gradient with dtype '{}' to a tensor with grad_dtype '{}'. The gradient "
                       "must match the tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's "
                       "grad_dtype attribute with a specific dtype, or None to allow any dtype. Set grad_dtype with "
                       "caution. Diverging the dtypes of a tensor and its gradient may break downstream systems that "
                       "assume they match.",
                       lowerName(grad.scalar_type()), c10::toString(tensor.scalar_type()));
  }
  if (grad.device().type() != tensor.device().type()) {
    values::raiseError(
        "RuntimeError",
        "attempting to assign a gradient with device type '{}' to a tensor with device type '{}'. Please "
        "ensure that the gradient and the tensor are on the same device",
        c10::DeviceTypeName(grad.device().type(), true), c10::DeviceTypeName(tensor.device().type(), true));
  }
  if (!grad.sizes().equals(tensor.sizes())) {
    values::raiseError("RuntimeError",
                       "attempting to assign a gradient of size '{}' to a tensor of size '{}'. Please ensure that the "
                       "gradient and the tensor are the same size",
                       sizesText(grad.sizes()), sizesText(tensor.sizes()));
  }
  tensor.mutable_grad() = grad;
}

} // namespace

std::string torchDtypeName(at::ScalarType dtype) {
  return "torch." + std::string(c10::getDtypeNames(dtype).first);
}

values::Value torchConstant(const std::string& name, const Precision& precision) {
  const auto& dtypes = c10::getStringToDtypeMap();
  if (const auto dtype = dtypes.find(name); dtype != dtypes.end()) {
    return values::Value(precision.of(dtype->second));
  }
  const auto found = constantValues().find(name);
  if (found == constantValues().end()) {
    values::raiseError("AttributeError", "module 'torch' has no attribute '{}'", name);
  }
  return found->second;
}

values::Value Attributes::ofTensor(const at::Tensor& tensor, const std::string& name) {
  if (name == "grad") {
    watchers_.cannotCapture("`.grad` is read");
  }
  const auto& plain = plainAttributes();
  if (auto found = plain.find(name); found != plain.end()) {
    return found->second(tensor);
  }
  const auto& operators = operatorAttributes();
  if (auto found = operators.find(name); found != operators.end()) {
    return found->second(dispatch_, {tensor});
  }
  values::raiseError("AttributeError", "'Tensor' object has no attribute '{}'", name);
}

values::Value Attributes::get(const values::Value& object, const std::string& name) {
  if (object.isTensor()) {
    return ofTensor(object.tensor(), name);
  }
  if (const auto* module = object.maybe<values::ModulePtr>()) {
    return modules_.attribute(**module, name);
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
      return textValue(c10::DeviceTypeName(device->type(), true));
    }
    if (name == "index") {
      return device->has_index() ? intValue(device->index()) : values::Value();
    }
  }
  if (object.isNumber() && (name == "real" || name == "imag")) {
    if (const auto* number = object.maybe<std::complex<double>>()) {
      return floatValue(name == "real" ? number->real() : number->imag());
    }
    return name == "real" ? object : object.is<double>() ? floatValue(0) : intValue(0);
  }
  raiseMissing(object, name);
}

void Attributes::set(const values::Value& object, const std::string& name, const values::Value& value) {
  if (const auto* module = object.maybe<values::ModulePtr>()) {
    modules_.setAttribute(**module, name, value);
  } else if (!object.isTensor()) {
    raiseMissing(object, name);
  } else if (name == "grad") {
    watchers_.cannotCapture("`.grad` is set");
    setGrad(object.tensor(), value);
  } else if (name == "requires_grad") {
    if (!value.is<bool>()) {
      values::raiseError("RuntimeError", "requires_grad must be a bool");
    }
    if (!object.tensor().is_leaf() && value.as<bool>()) {
      values::raiseError("RuntimeError", "you can only change requires_grad flags of leaf variables.");
    }
    torch_names::setRequiresGrad(object.tensor(), value.as<bool>(),
                                 "only Tensors of floating point and complex dtype can require gradients", dispatch_);
  } else {
    limits_.raise("AttributeError",
                  fmt::format("`.{}` of a tensor is assigned to, which is not in the language: of tensors, "
                              "`.grad` and `.requires_grad` are.",
                              name));
  }
}

void Attributes::remove(const values::Value& object, const std::string& name) {
  if (const auto* module = object.maybe<values::ModulePtr>()) {
    auto& fields = (*module)->fields;
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const auto& each) { return each.name == name; });
    if (field != fields.end()) {
      fields.erase(field);
      return;
    }
  } else if (object.isTensor() && name == "grad") {
    watchers_.cannotCapture("`.grad` is deleted");
    object.tensor().mutable_grad().reset();
    return;
  }
  raiseMissing(object, name);
}

} // namespace touchstone::evaluator
