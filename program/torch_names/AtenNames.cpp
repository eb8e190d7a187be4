#include "program/torch_names/AtenNames.h"

#include "program/torch_names/DenyList.h"
#include "program/torch_names/HandWritten.h"
#include "program/torch_names/OperatorCall.h"
#include "program/values/RaiseError.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/jit_type.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <unordered_map>
#include <unordered_set>

namespace touchstone::torch_names {
namespace {

/// A name under torch.ops.aten: all overloads in the order in which they are tried, or the one that was named.
using Packet = std::vector<c10::OperatorHandle>;

// The overloads in Python's order, without TorchScript's own (`aten::add.int`), which a Program has no use for.
Packet overloadsOf(const std::string& name) {
  Packet overloads;
  for (const auto& op : torch::jit::getAllSortedOperatorsFor(c10::Symbol::fromQualString("aten::" + name))) {
    if (!op->isC10Op()) {
      continue;
    }
    const c10::OperatorName& full = op->schema().operator_name();
    if (auto handle = c10::Dispatcher::singleton().findSchema(full)) {
      overloads.push_back(*handle);
    }
  }
  return overloads;
}

/// Null where there is none, or where a Program may not use it: `forbidden` says why.
const Packet* findPacket(const std::string& name, const char*& forbidden) {
  static auto* const cache = new std::unordered_map<std::string, Packet>();
  if (auto found = cache->find(name); found != cache->end()) {
    return &found->second;
  }
  forbidden = denialReason(NameSpace::kAten, name);
  if (forbidden) {
    return nullptr;
  }
  Packet packet;
  const size_t dot = name.find('.');
  if (dot == std::string::npos) {
    packet = overloadsOf(name);
  } else {
    std::string overload = name.substr(dot + 1);
    if (overload == "default") {
      overload.clear();
    }
    if (auto handle = c10::Dispatcher::singleton().findSchema({"aten::" + name.substr(0, dot), overload})) {
      packet.push_back(*handle);
    }
  }
  if (packet.empty()) {
    return nullptr; // a stranger's names are not kept
  }
  return &cache->emplace(name, std::move(packet)).first->second;
}

/// `toIValue` of pybind_utils.cpp for what a Program can hold; nothing when the value does not fit the type.
std::optional<c10::IValue> fit(const values::Value& value, const c10::TypePtr& type, std::optional<int32_t> listSize,
                               bool numbersAsTensors);

std::optional<c10::IValue> fitInt(const values::Value& value) {
  if (auto* dtype = value.maybe<at::ScalarType>()) {
    return c10::IValue(*dtype);
  }
  if (auto* layout = value.maybe<at::Layout>()) {
    return c10::IValue(*layout);
  }
  if (auto* format = value.maybe<at::MemoryFormat>()) {
    return c10::IValue(*format);
  }
  if (value.is<int64_t>() || value.is<bool>()) {
    return c10::IValue(toIndex(value));
  }
  return std::nullopt;
}

// A list, or of a list of a fixed size the one value for all of its items.
std::optional<c10::IValue> fitList(const values::Value& value, const c10::TypePtr& element,
                                   std::optional<int32_t> listSize) {
  c10::TypePtr type = element; // of the items, as kernels expect them
  bool standsForAll = false;
  switch (element->kind()) {
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
      type = c10::IntType::get();
      standsForAll = value.is<int64_t>() || value.is<bool>();
      break;
    case c10::TypeKind::FloatType: standsForAll = value.is<double>(); break;
    case c10::TypeKind::BoolType: standsForAll = value.is<bool>(); break;
    case c10::TypeKind::TensorType:
    case c10::TypeKind::NumberType: break;
    case c10::TypeKind::OptionalType:
      if (element->expectRef<c10::OptionalType>().getElementType()->kind() != c10::TypeKind::TensorType) {
        return std::nullopt;
      }
      break;
    default: return std::nullopt;
  }
  const values::ValueList* items = value.items();
  if (!items && !(listSize && standsForAll)) {
    return std::nullopt;
  }
  c10::impl::GenericList list(type);
  for (size_t i = 0; i < (items ? items->size() : static_cast<size_t>(*listSize)); ++i) {
    auto fitted = fit(items ? (*items)[i] : value, element, std::nullopt, false);
    if (!fitted) {
      return std::nullopt;
    }
    list.push_back(std::move(*fitted));
  }
  return c10::IValue(std::move(list));
}

std::optional<c10::IValue> fit(const values::Value& value, const c10::TypePtr& type, std::optional<int32_t> listSize,
                               bool numbersAsTensors) {
  switch (type->kind()) {
    case c10::TypeKind::TensorType:
      if (value.isTensor()) {
        return c10::IValue(value.tensor());
      }
      if (numbersAsTensors && value.isNumber()) {
        return c10::IValue(wrapNumber(value));
      }
      return std::nullopt;
    case c10::TypeKind::FloatType:
    case c10::TypeKind::SymFloatType:
      if (value.is<double>() || value.is<int64_t>() || value.is<bool>()) {
        return c10::IValue(toScalar(value).toDouble());
      }
      return std::nullopt;
    case c10::TypeKind::ComplexType:
      return value.isNumber() ? std::optional(c10::IValue(toScalar(value).toComplexDouble())) : std::nullopt;
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
    case c10::TypeKind::ScalarTypeType:
    case c10::TypeKind::LayoutType:
    case c10::TypeKind::MemoryFormatType: return fitInt(value);
    case c10::TypeKind::BoolType:
    case c10::TypeKind::SymBoolType:
      return value.is<bool>() ? std::optional(c10::IValue(value.as<bool>())) : std::nullopt;
    case c10::TypeKind::NumberType:
      return value.isNumber() ? std::optional(c10::IValue(toScalar(value))) : std::nullopt;
    case c10::TypeKind::StringType:
      return value.is<std::string>() ? std::optional(c10::IValue(value.as<std::string>())) : std::nullopt;
    case c10::TypeKind::DeviceObjType:
      return value.is<at::Device>() || value.is<std::string>() ? std::optional(c10::IValue(toDevice(value)))
                                                               : std::nullopt;
    case c10::TypeKind::OptionalType:
      if (value.isNone()) {
        return c10::IValue();
      }
      return fit(value, type->expectRef<c10::OptionalType>().getElementType(), listSize, numbersAsTensors);
    case c10::TypeKind::ListType: return fitList(value, type->expectRef<c10::ListType>().getElementType(), listSize);
    default: return std::nullopt;
  }
}

std::string schemaText(const c10::FunctionSchema& schema) {
  std::ostringstream out;
  out << schema;
  return out.str();
}

/// The stack for one schema, or in Python's words why it does not take the arguments (`createStackForSchema`).
std::optional<std::string> fitSchema(const c10::FunctionSchema& schema, bool numbersAsTensors,
                                     const values::ValueList& positional, const KeywordList& keywords,
                                     torch::jit::Stack& stack) {
  const auto& arguments = schema.arguments();
  if (positional.size() + keywords.size() > arguments.size()) {
    return fmt::format("{}() expected at most {} argument(s) but received {} argument(s). Declaration: {}",
                       schema.name(), arguments.size(), positional.size() + keywords.size(), schemaText(schema));
  }
  size_t usedKeywords = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const c10::Argument& argument = arguments[i];
    const values::Value* value = nullptr;
    if (i < positional.size()) {
      if (argument.kwarg_only()) {
        return fmt::format("{}() takes {} positional argument(s) but {} was/were given.  Declaration: {}",
                           schema.name(), i, positional.size(), schemaText(schema));
      }
      value = &positional[i];
    } else {
      auto found = std::find_if(keywords.begin(), keywords.end(),
                                [&](const auto& keyword) { return keyword.first == argument.name(); });
      if (found != keywords.end()) {
        value = &found->second;
        ++usedKeywords;
      }
    }
    if (!value) {
      if (argument.default_value()) {
        stack.push_back(*argument.default_value());
        continue;
      }
      return fmt::format("{}() is missing value for argument '{}'. Declaration: {}", schema.name(), argument.name(),
                         schemaText(schema));
    }
    auto fitted = fit(*value, argument.real_type(), argument.N(), numbersAsTensors);
    if (!fitted) {
      return fmt::format(
          "{}() Expected a value of type '{}' for argument '{}' but instead found type '{}'.\nPosition: {}\n"
          "Declaration: {}",
          schema.name(), argument.type()->repr_str(), argument.name(), value->typeName(), i, schemaText(schema));
    }
    stack.push_back(std::move(*fitted));
  }
  if (usedKeywords != keywords.size()) {
    return fmt::format("Unknown keyword argument '{}' for operator '{}'. Schema: {}", keywords.front().first,
                       schema.name(), schemaText(schema));
  }
  return std::nullopt;
}

} // namespace

NameStatus atenNameStatus(const std::string& name) {
  const char* forbidden = nullptr;
  return findPacket(name, forbidden) ? NameStatus::kKnown : forbidden ? NameStatus::kForbidden : NameStatus::kUnknown;
}

std::vector<std::string> knownAtenNames() {
  static const auto* const known = [] {
    std::set<std::string> names;
    for (const c10::OperatorName& op : c10::Dispatcher::singleton().getAllOpNames()) {
      if (op.name.starts_with("aten::") && c10::Dispatcher::singleton().findSchema(op)) {
        const std::string name = op.name.substr(6);
        if (!denialReason(NameSpace::kAten, name)) {
          names.insert(name);
          names.insert(name + "." + (op.overload_name.empty() ? "default" : op.overload_name));
        }
      }
    }
    return new std::vector<std::string>(names.begin(), names.end());
  }();
  return *known;
}

values::Value callAtenNamed(const std::string& name, const values::ValueList& positional, const KeywordList& keywords,
                            const Dispatch& dispatch) {
  const char* forbidden = nullptr;
  const Packet* packet = findPacket(name, forbidden);
  if (forbidden) {
    values::raiseError("RuntimeError", "`torch.ops.aten.{}` may not be used in a case: {}", name, forbidden);
  }
  if (!packet) {
    values::raiseError("AttributeError", "'_OpNamespace' 'aten' object has no attribute '{}'", name);
  }
  const bool numbersAsTensors = takesNumbersAsTensors(std::string_view(name).substr(0, name.find('.')));
  std::string mismatches;
  for (const c10::OperatorHandle& overload : *packet) {
    torch::jit::Stack stack;
    auto mismatch = fitSchema(overload.schema(), numbersAsTensors, positional, keywords, stack);
    if (!mismatch) {
      dispatch(overload, stack);
      return resultOf(overload.schema(), stack, /*listsAsTuples=*/false);
    }
    if (packet->size() == 1) {
      values::raiseError("RuntimeError", *mismatch);
    }
    mismatches += "\n" + *mismatch;
  }
  values::raiseError("RuntimeError",
                     "Overloaded torch operator invoked from Python failed to match any schema:" + mismatches);
}

} // namespace touchstone::torch_names
