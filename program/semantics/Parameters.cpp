#include "program/semantics/Parameters.h"

#include "program/semantics/Arguments.h"
#include "program/values/RaiseError.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <algorithm>

namespace touchstone::semantics {

void collectParameters(const values::ModuleObject& module, values::ValueList& parameters) {
  using Kind = values::ModuleObject::FieldKind;
  auto isKnown = [&](const values::Value& value) {
    return std::any_of(parameters.begin(), parameters.end(),
                       [&](const values::Value& other) { return other.tensor().is_same(value.tensor()); });
  };
  for (const values::ModuleObject::Field& field : module.fields) {
    if (field.kind == Kind::kParameter && field.value.isTensor() && !isKnown(field.value)) {
      parameters.push_back(field.value);
    }
  }
  for (const values::ModuleObject::Field& field : module.fields) {
    if (field.kind == Kind::kModule && field.value.is<values::ModulePtr>()) {
      collectParameters(*field.value.as<values::ModulePtr>(), parameters);
    }
  }
}

bool Parameters::contain(const at::Tensor& tensor) const {
  const auto found = known_.find(tensor.unsafeGetTensorImpl());
  return found != known_.end() && !found->second.expired();
}

void Parameters::remember(const at::Tensor& tensor) {
  // An entry keeps the address from being used again, so an expired one can go at any time.
  if (known_.size() >= 64 && known_.find(tensor.unsafeGetTensorImpl()) == known_.end()) {
    std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
  }
  known_.insert_or_assign(tensor.unsafeGetTensorImpl(), tensor.getIntrusivePtr());
}

void Parameters::rememberAll(const values::Value& value) {
  if (const values::ValueList* items = value.items()) {
    for (const values::Value& item : *items) {
      rememberAll(item);
    }
  } else if (const auto* dict = value.maybe<values::DictPtr>()) {
    for (const auto& entry : (*dict)->entries) {
      rememberAll(entry.second);
    }
  } else if (const auto* module = value.maybe<values::ModulePtr>()) {
    values::ValueList found;
    collectParameters(**module, found);
    for (const values::Value& parameter : found) {
      remember(parameter.tensor());
    }
  }
}

values::Value Parameters::make(const values::ValueList& positional, const torch_names::KeywordList& keywords) {
  Arguments arguments("Parameter.__new__", {"data", "requires_grad"}, positional, keywords);
  if (arguments.isGiven(0) && !arguments.at(0).isTensor()) {
    values::raiseError("AttributeError", "'{}' object has no attribute 'detach'", arguments.at(0).typeName());
  }
  at::Tensor parameter = arguments.isGiven(0) ? arguments.at(0).tensor().detach() : at::empty({0}).detach();
  parameter.unsafeGetTensorImpl()->set_allow_tensor_metadata_change(true);
  parameter.set_requires_grad(arguments.flag(1, true));
  remember(parameter);
  return parameter;
}

} // namespace touchstone::semantics
