#include "program/evaluator/Modules.h"

#include "program/semantics/Slices.h"
#include "program/values/DefaultDevice.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <cmath>
#include <unordered_map>

// Building and calling the modules of the tables.

namespace touchstone::evaluator {

using namespace semantics;
namespace {

const values::Value* builtWith(const values::ModuleObject& module, const std::string& name) {
  for (const auto& [key, value] : module.hyper) {
    if (key == name) {
      return &value;
    }
  }
  return nullptr;
}

} // namespace

const ModuleType* findModuleType(const std::string& name) {
  static const auto* const index = [] {
    auto* result = new std::unordered_map<std::string, const ModuleType*>();
    for (c10::ArrayRef<ModuleType> table : {layerModules(), normalizationModules(), recurrentModules()}) {
      for (const ModuleType& type : table) {
        result->emplace(type.name, &type);
      }
    }
    return result;
  }();
  auto found = index->find(name);
  return found == index->end() ? nullptr : found->second;
}

const values::Value& ModuleBuilder::hyper(const std::string& name) const {
  return *builtWith(module_, name);
}

int64_t ModuleBuilder::integer(const std::string& name) const {
  return indexOf(hyper(name), modules_.dispatch);
}

void ModuleBuilder::setHyper(const std::string& name, values::Value value) {
  for (auto& [key, present] : module_.hyper) {
    if (key == name) {
      present = std::move(value);
    }
  }
}

std::vector<int64_t> ModuleBuilder::sizes(const std::string& name) const {
  const values::Value& value = hyper(name);
  std::vector<int64_t> result;
  if (const values::ValueList* items = value.items()) {
    for (const values::Value& item : *items) {
      result.push_back(indexOf(item, modules_.dispatch));
    }
  } else {
    result.push_back(indexOf(value, modules_.dispatch));
  }
  return result;
}

std::vector<int64_t> ModuleBuilder::sizes(const std::string& name, size_t dimensions) const {
  std::vector<int64_t> result = sizes(name);
  return hyper(name).items() ? result : std::vector<int64_t>(dimensions, result[0]);
}

at::TensorOptions ModuleBuilder::tensorOptions() const {
  at::TensorOptions options(values::defaultDevice());
  if (const auto* dtype = hyper("dtype").maybe<at::ScalarType>()) {
    options = options.dtype(*dtype);
  }
  if (const auto* device = hyper("device").maybe<at::Device>()) {
    options = options.device(*device);
  } else if (const auto* text = hyper("device").maybe<std::string>()) {
    options = options.device(at::Device(*text));
  }
  return options;
}

at::Tensor ModuleBuilder::addParameter(const std::string& name, at::IntArrayRef sizes, bool wanted) {
  at::Tensor parameter;
  if (wanted) {
    parameter = at::empty(sizes, tensorOptions()).detach();
    parameter.set_requires_grad(true);
    modules_.parameters.remember(parameter);
  }
  module_.fields.push_back(
      {name, values::ModuleObject::FieldKind::kParameter, wanted ? values::Value(parameter) : values::Value()});
  return parameter;
}

void ModuleBuilder::addBuffer(const std::string& name, at::Tensor tensor) {
  module_.fields.push_back(
      {name, values::ModuleObject::FieldKind::kBuffer, tensor.defined() ? values::Value(tensor) : values::Value()});
}

void ModuleBuilder::initializeLinear(const at::Tensor& weight, const at::Tensor& bias) const {
  const at::NoGradGuard noGrad;
  int64_t fanIn = weight.size(1);
  for (int64_t dimension = 2; dimension < weight.dim(); ++dimension) {
    fanIn *= weight.size(dimension);
  }
  if (weight.numel() > 0) {
    // As Python computes it step by step: the bits of the bound decide the bits of the weights.
    volatile double slope = std::sqrt(5.0);
    const double gain = std::sqrt(2.0 / (1 + std::pow(slope, 2.0)));
    const double bound = std::sqrt(3.0) * (gain / std::sqrt(static_cast<double>(fanIn)));
    weight.uniform_(-bound, bound);
  }
  if (bias.defined()) {
    const double bound = fanIn > 0 ? 1 / std::sqrt(static_cast<double>(fanIn)) : 0;
    bias.uniform_(-bound, bound);
  }
}

values::Value Modules::make(const std::string& typeName, const values::ValueList& positional,
                            const torch_names::KeywordList& keywords) {
  auto module = std::make_shared<values::ModuleObject>();
  module->typeName = typeName;
  if (typeName == "Module") {
    Arguments("Module.__init__", {}, positional, keywords);
    return values::Value(values::Value::Payload(std::move(module)));
  }
  const ModuleType* type = findModuleType(typeName);
  if (!type) {
    raiseError("AttributeError", fmt::format("module 'torch.nn' has no attribute '{}' that a case may use", typeName));
  }
  const torch_names::ParameterList parameters(type->parameters);
  values::ValueList given = parameters.bind(typeName + ".__init__", positional, keywords);
  for (size_t i = 0; i < parameters.size(); ++i) {
    module->hyper.emplace_back(parameters.name(i), std::move(given[i]));
  }
  if (type->build) {
    ModuleBuilder builder(*this, *module);
    type->build(builder);
  }
  return values::Value(values::Value::Payload(std::move(module)));
}

values::Value Modules::call(const values::ModuleObject& module, const values::ValueList& positional,
                            const torch_names::KeywordList& keywords) {
  const ModuleType* type = findModuleType(module.typeName);
  if (!type) {
    raiseError("NotImplementedError",
               fmt::format("Module [{}] is missing the required \"forward\" function", module.typeName));
  }
  Arguments arguments(module.typeName + ".forward", type->inputs, positional, keywords, 1);
  const ModuleCall call{{dispatch}, *this, module, arguments};
  if (!type->forward.call) {
    return type->forward.function(call);
  }
  values::ValueList values;
  for (const torch_names::WrittenCall::Argument& argument : type->forward.call->arguments()) {
    values.push_back(call.named(argument.text));
  }
  return (*type->forward.call)(std::move(values), dispatch);
}

const at::Tensor& ModuleCall::inputTensor() const {
  const values::Value& value = arguments.at(0);
  if (!value.isTensor()) {
    raiseError("AttributeError", fmt::format("'{}' object has no attribute 'dim'", value.typeName()));
  }
  return value.tensor();
}

values::Value ModuleCall::named(const std::string& name) const {
  if (name == "input") {
    return input();
  }
  for (const values::ModuleObject::Field& one : module.fields) {
    if (one.name == name) {
      return one.value;
    }
  }
  const values::Value* built = builtWith(module, name);
  return name == "training" ? boolValue(module.training) : built ? *built : values::Value();
}

values::Value ModuleCall::field(const std::string& name) const {
  for (const values::ModuleObject::Field& field : module.fields) {
    if (field.name == name) {
      return field.value;
    }
  }
  return {};
}

const values::Value& ModuleCall::hyper(const std::string& name) const {
  return *builtWith(module, name);
}

int64_t ModuleCall::integer(const std::string& name) const {
  return indexOf(hyper(name), modules.dispatch);
}

} // namespace touchstone::evaluator
