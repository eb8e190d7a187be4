#include "program/evaluator/Modules.h"
#include "program/torch_names/OperatorCall.h"

#include <ATen/ops/empty.h>
#include <c10/core/ScalarType.h>
#include <fmt/format.h>

#include <algorithm>

// Fields and methods of `torch.nn.Module`, after `torch/nn/modules/module.py`, and `torch.nn.Parameter`.

namespace touchstone::evaluator {
namespace {

using Field = values::ModuleObject::Field;
using FieldKind = values::ModuleObject::FieldKind;

// What `torch.typename` says.
std::string torchTypeName(const values::Value& value) {
  return value.isTensor() ? fmt::format("torch.{}Tensor", c10::toString(value.tensor().scalar_type()))
                          : value.typeName();
}

void eraseField(values::ModuleObject& module, const std::string& name) {
  module.fields.erase(std::remove_if(module.fields.begin(), module.fields.end(),
                                     [&](const Field& field) { return field.name == name; }),
                      module.fields.end());
}

// A field of the kind and name, replaced in its place or put last.
void putField(values::ModuleObject& module, const std::string& name, FieldKind kind, const values::Value& value) {
  Field* field = module.find(name);
  if (field && field->kind == kind) {
    field->value = value;
    return;
  }
  eraseField(module, name);
  module.fields.push_back({name, kind, value});
}

values::Value* findHyper(values::ModuleObject& module, const std::string& name) {
  for (auto& [key, value] : module.hyper) {
    if (key == name) {
      return &value;
    }
  }
  return nullptr;
}

void checkFieldName(const values::ModuleObject& module, const std::string& name, const char* what, FieldKind kind) {
  if (name.find('.') != std::string::npos) {
    raiseError("KeyError", fmt::format("'{} name can\\'t contain \".\"'", what));
  }
  if (name.empty()) {
    raiseError("KeyError", fmt::format("'{} name can\\'t be empty string \"\"'", what));
  }
  const Field* present = const_cast<values::ModuleObject&>(module).find(name);
  if (present && present->kind != kind) {
    raiseError("KeyError", fmt::format("\"attribute '{}' already exists\"", name));
  }
}

void collectParameters(const values::ModuleObject& module, values::ValueList& parameters) {
  auto isKnown = [&](const values::Value& value) {
    return std::any_of(parameters.begin(), parameters.end(),
                       [&](const values::Value& other) { return other.tensor().is_same(value.tensor()); });
  };
  for (const Field& field : module.fields) {
    if (field.kind == FieldKind::kParameter && field.value.isTensor() && !isKnown(field.value)) {
      parameters.push_back(field.value);
    }
  }
  for (const Field& field : module.fields) {
    if (field.kind == FieldKind::kModule && field.value.is<values::ModulePtr>()) {
      collectParameters(*field.value.as<values::ModulePtr>(), parameters);
    }
  }
}

void setTraining(values::ModuleObject& module, bool training) {
  module.training = training;
  for (Field& field : module.fields) {
    if (field.kind == FieldKind::kModule && field.value.is<values::ModulePtr>()) {
      setTraining(*field.value.as<values::ModulePtr>(), training);
    }
  }
}

} // namespace

bool Evaluator::State::isParameter(const at::Tensor& tensor) const {
  auto found = parameters.find(tensor.unsafeGetTensorImpl());
  return found != parameters.end() && !found->second.expired();
}

void Evaluator::State::rememberParameter(const at::Tensor& tensor) {
  // An entry keeps the address from being used again, so an expired one can go at any time.
  if (parameters.size() >= 64 && parameters.find(tensor.unsafeGetTensorImpl()) == parameters.end()) {
    std::erase_if(parameters, [](const auto& entry) { return entry.second.expired(); });
  }
  parameters.insert_or_assign(tensor.unsafeGetTensorImpl(), tensor.getIntrusivePtr());
}

void Evaluator::State::rememberParameters(const values::Value& value) {
  if (const values::ValueList* items = value.items()) {
    for (const values::Value& item : *items) {
      rememberParameters(item);
    }
  } else if (const auto* dict = value.maybe<values::DictPtr>()) {
    for (const auto& entry : (*dict)->entries) {
      rememberParameters(entry.second);
    }
  } else if (const auto* module = value.maybe<values::ModulePtr>()) {
    values::ValueList found;
    collectParameters(**module, found);
    for (const values::Value& parameter : found) {
      rememberParameter(parameter.tensor());
    }
  }
}

bool Evaluator::isParameter(const at::Tensor& tensor) const {
  return state_->isParameter(tensor);
}

void Evaluator::rememberParameter(const at::Tensor& tensor) {
  state_->rememberParameter(tensor);
}

void Evaluator::rememberParameters(const values::ValueList& values) {
  for (const values::Value& value : values) {
    state_->rememberParameters(value);
  }
}

values::Value Evaluator::State::makeParameter(const values::ValueList& positional,
                                              const torch_names::KeywordList& keywords) {
  Arguments arguments("Parameter.__new__", {"data", "requires_grad"}, positional, keywords);
  const values::Value* data = arguments.find(0);
  at::Tensor tensor;
  if (!data || data->isNone()) {
    tensor = at::empty({0});
  } else if (data->isTensor()) {
    tensor = data->tensor();
  } else {
    raiseError("AttributeError", fmt::format("'{}' object has no attribute 'detach'", data->typeName()));
  }
  at::Tensor parameter = tensor.detach();
  parameter.unsafeGetTensorImpl()->set_allow_tensor_metadata_change(true);
  parameter.set_requires_grad(arguments.flag(1, true));
  rememberParameter(parameter);
  return parameter;
}

values::Value Evaluator::State::moduleAttribute(values::ModuleObject& module, const std::string& name) {
  if (const Field* field = module.find(name)) {
    if (field->kind == FieldKind::kParameter && field->value.isTensor() && !isParameter(field->value.tensor())) {
      rememberParameter(field->value.tensor());
    }
    return field->value;
  }
  if (name == "training") {
    return boolValue(module.training);
  }
  if (const values::Value* value = findHyper(module, name)) {
    return *value;
  }
  raiseError("AttributeError", fmt::format("'{}' object has no attribute '{}'", module.typeName, name));
}

void Evaluator::State::setModuleAttribute(values::ModuleObject& module, const std::string& name,
                                          const values::Value& value) {
  if (value.isTensor() && isParameter(value.tensor())) {
    putField(module, name, FieldKind::kParameter, value);
    return;
  }
  const Field* present = module.find(name);
  if (present && present->kind == FieldKind::kParameter) {
    if (!value.isNone()) {
      raiseError("TypeError", fmt::format("cannot assign '{}' as parameter '{}' (torch.nn.Parameter or None expected)",
                                          torchTypeName(value), name));
    }
    putField(module, name, FieldKind::kParameter, value);
  } else if (value.is<values::ModulePtr>()) {
    putField(module, name, FieldKind::kModule, value);
  } else if (present && present->kind == FieldKind::kModule) {
    if (!value.isNone()) {
      raiseError("TypeError", fmt::format("cannot assign '{}' as child module '{}' (torch.nn.Module or None expected)",
                                          torchTypeName(value), name));
    }
    putField(module, name, FieldKind::kModule, value);
  } else if (present && present->kind == FieldKind::kBuffer) {
    if (!value.isNone() && !value.isTensor()) {
      raiseError("TypeError",
                 fmt::format("cannot assign '{}' as buffer '{}' (torch.nn.Buffer, torch.Tensor or None expected)",
                             torchTypeName(value), name));
    }
    putField(module, name, FieldKind::kBuffer, value);
  } else if (name == "training" && value.is<bool>()) {
    module.training = value.as<bool>();
  } else if (values::Value* hyper = findHyper(module, name)) {
    *hyper = value;
  } else {
    putField(module, name, FieldKind::kPlain, value);
  }
}

values::Value Evaluator::State::callModuleMethod(const values::ModulePtr& module, const std::string& name,
                                                 values::ValueList& positional, torch_names::KeywordList& keywords) {
  if (name == "train" || name == "eval") {
    Arguments arguments("Module." + name,
                        name == "train" ? std::vector<const char*>{"mode"} : std::vector<const char*>{}, positional,
                        keywords);
    bool training = name == "train";
    if (training && arguments.find(0)) {
      if (!arguments.at(0).is<bool>()) {
        raiseError("ValueError", "training mode is expected to be boolean");
      }
      training = arguments.at(0).as<bool>();
    }
    setTraining(*module, training);
    return values::Value(values::Value::Payload(module));
  }
  if (name == "register_buffer") {
    Arguments arguments("Module.register_buffer", {"name", "tensor", "persistent"}, positional, keywords, 2);
    const std::string& field = arguments.at(0).as<std::string>();
    checkFieldName(*module, field, "buffer", FieldKind::kBuffer);
    const values::Value& tensor = arguments.at(1);
    if (!tensor.isTensor() && !tensor.isNone()) {
      raiseError("TypeError", fmt::format("cannot assign '{}' object to buffer '{}' (torch Tensor or None required)",
                                          torchTypeName(tensor), field));
    }
    putField(*module, field, FieldKind::kBuffer, tensor);
    return {};
  }
  if (name == "register_parameter") {
    Arguments arguments("Module.register_parameter", {"name", "param"}, positional, keywords, 2);
    const std::string& field = arguments.at(0).as<std::string>();
    checkFieldName(*module, field, "parameter", FieldKind::kParameter);
    const values::Value& value = arguments.at(1);
    if (!value.isNone() && !(value.isTensor() && isParameter(value.tensor()))) {
      raiseError("TypeError",
                 fmt::format("cannot assign '{}' object to parameter '{}' (torch.nn.Parameter or None required)",
                             torchTypeName(value), field));
    }
    putField(*module, field, FieldKind::kParameter, value);
    return {};
  }
  if (name == "parameters") {
    values::ValueList list;
    collectParameters(*module, list);
    for (const values::Value& parameter : list) {
      rememberParameter(parameter.tensor());
    }
    return values::Value::list(std::move(list));
  }
  if (name == "requires_grad_" || name == "zero_grad") {
    const bool isZero = name == "zero_grad";
    Arguments arguments("Module." + name, {isZero ? "set_to_none" : "requires_grad"}, positional, keywords);
    const bool flag = arguments.flag(0, true);
    values::ValueList list;
    collectParameters(*module, list);
    if (isZero) {
      cannotCapture("`.grad` is set");
    }
    for (const values::Value& parameter : list) {
      const at::Tensor& tensor = parameter.tensor();
      if (!isZero) {
        torch_names::setRequiresGrad(tensor, flag, "only Tensors of floating point dtype can require gradients",
                                     dispatch);
      } else if (tensor.grad().defined() && flag) {
        tensor.mutable_grad().reset();
      } else if (tensor.grad().defined()) {
        tensor.grad().grad_fn() ? (void)tensor.mutable_grad().detach_()
                                : (void)tensor.mutable_grad().requires_grad_(false);
        tensor.mutable_grad().zero_();
      }
    }
    return isZero ? values::Value() : values::Value(values::Value::Payload(module));
  }
  if (name == "forward") {
    return callModule(*module, positional, keywords);
  }
  return callValue(moduleAttribute(*module, name), positional, keywords);
}

} // namespace touchstone::evaluator
