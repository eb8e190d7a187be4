#include "program/evaluator/Modules.h"
#include "program/torch_names/OperatorCall.h"

#include <c10/core/ScalarType.h>
#include <fmt/format.h>

#include <algorithm>

// Fields and methods of `torch.nn.Module`, after `torch/nn/modules/module.py`.

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
    raiseError("KeyError", "'{} name can\\'t contain \".\"'", what);
  }
  if (name.empty()) {
    raiseError("KeyError", "'{} name can\\'t be empty string \"\"'", what);
  }
  const Field* present = const_cast<values::ModuleObject&>(module).find(name);
  if (present && present->kind != kind) {
    raiseError("KeyError", "\"attribute '{}' already exists\"", name);
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

values::Value Modules::attribute(values::ModuleObject& module, const std::string& name) {
  if (const Field* field = module.find(name)) {
    if (field->kind == FieldKind::kParameter && field->value.isTensor() && !parameters.contain(field->value.tensor())) {
      parameters.remember(field->value.tensor());
    }
    return field->value;
  }
  if (name == "training") {
    return boolValue(module.training);
  }
  if (const values::Value* value = findHyper(module, name)) {
    return *value;
  }
  raiseError("AttributeError", "'{}' object has no attribute '{}'", module.typeName, name);
}

void Modules::setAttribute(values::ModuleObject& module, const std::string& name, const values::Value& value) {
  if (value.isTensor() && parameters.contain(value.tensor())) {
    putField(module, name, FieldKind::kParameter, value);
    return;
  }
  const Field* present = module.find(name);
  if (present && present->kind == FieldKind::kParameter) {
    if (!value.isNone()) {
      raiseError("TypeError", "cannot assign '{}' as parameter '{}' (torch.nn.Parameter or None expected)",
                 torchTypeName(value), name);
    }
    putField(module, name, FieldKind::kParameter, value);
  } else if (value.is<values::ModulePtr>()) {
    putField(module, name, FieldKind::kModule, value);
  } else if (present && present->kind == FieldKind::kModule) {
    if (!value.isNone()) {
      raiseError("TypeError", "cannot assign '{}' as child module '{}' (torch.nn.Module or None expected)",
                 torchTypeName(value), name);
    }
    putField(module, name, FieldKind::kModule, value);
  } else if (present && present->kind == FieldKind::kBuffer) {
    if (!value.isNone() && !value.isTensor()) {
      raiseError("TypeError", "cannot assign '{}' as buffer '{}' (torch.nn.Buffer, torch.Tensor or None expected)",
                 torchTypeName(value), name);
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

values::Value Modules::callMethod(const values::ModulePtr& module, const std::string& name,
                                  const values::ValueList& positional, const torch_names::KeywordList& keywords) {
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
    return values::Value(module);
  }
  if (name == "register_buffer") {
    Arguments arguments("Module.register_buffer", {"name", "tensor", "persistent"}, positional, keywords, 2);
    const std::string& field = arguments.at(0).as<std::string>();
    checkFieldName(*module, field, "buffer", FieldKind::kBuffer);
    const values::Value& tensor = arguments.at(1);
    if (!tensor.isTensor() && !tensor.isNone()) {
      raiseError("TypeError", "cannot assign '{}' object to buffer '{}' (torch Tensor or None required)",
                 torchTypeName(tensor), field);
    }
    putField(*module, field, FieldKind::kBuffer, tensor);
    return {};
  }
  if (name == "register_parameter") {
    Arguments arguments("Module.register_parameter", {"name", "param"}, positional, keywords, 2);
    const std::string& field = arguments.at(0).as<std::string>();
    checkFieldName(*module, field, "parameter", FieldKind::kParameter);
    const values::Value& value = arguments.at(1);
    if (!value.isNone() && !(value.isTensor() && parameters.contain(value.tensor()))) {
      raiseError("TypeError", "cannot assign '{}' object to parameter '{}' (torch.nn.Parameter or None required)",
                 torchTypeName(value), field);
    }
    putField(*module, field, FieldKind::kParameter, value);
    return {};
  }
  if (name == "parameters") {
    values::ValueList list;
    collectParameters(*module, list);
    for (const values::Value& parameter : list) {
      parameters.remember(parameter.tensor());
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
      watchers.cannotCapture("`.grad` is set");
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
    return isZero ? values::Value() : values::Value(module);
  }
  if (name == "forward") {
    return call(*module, positional, keywords);
  }
  return callValue(attribute(*module, name), positional, keywords);
}

values::Value Modules::callValue(const values::Value& called, const values::ValueList& positional,
                                 const torch_names::KeywordList& keywords) {
  if (const auto* module = called.maybe<values::ModulePtr>()) {
    if (!(*module)->hasHooks()) {
      return call(**module, positional, keywords);
    }
    using Kind = values::ModuleHook::Kind;
    if (!(*module)->hooksOf(Kind::kBackwardPre).empty() || !(*module)->hooksOf(Kind::kBackward).empty()) {
      watchers.cannotCapture("a module has a hook on its backward");
    }
    return callWithHooks(*module, positional, hookFunctions,
                         [&](const values::ValueList& given) { return call(**module, given, keywords); });
  }
  raiseError("TypeError", "'{}' object is not callable", called.typeName());
}

} // namespace touchstone::evaluator
