#include "program/transforms/FunctionalCall.h"

#include "program/torch_names/HandWritten.h"
#include "program/transforms/Trees.h"
#include "program/values/RaiseError.h"

#include <c10/util/ScopeExit.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>

namespace touchstone::transforms {
namespace {

using values::ModuleObject;
using Entries = std::vector<std::pair<std::string, values::Value>>;
using FieldKind = ModuleObject::FieldKind;

void collectFields(ModuleObject& module, const std::string& prefix,
                   std::vector<std::pair<std::string, ModuleObject::Field*>>& fields) {
  for (ModuleObject::Field& field : module.fields) {
    if (field.kind == FieldKind::kModule && field.value.is<values::ModulePtr>()) {
      collectFields(*field.value.as<values::ModulePtr>(), prefix + field.name + ".", fields);
    } else if (field.kind == FieldKind::kParameter || field.kind == FieldKind::kBuffer) {
      fields.emplace_back(prefix + field.name, &field);
    }
  }
}

Entries entriesOf(const values::Value& tensors) {
  if (const auto* dict = tensors.maybe<values::DictPtr>()) {
    return (*dict)->entries;
  }
  if (tensors.items() == nullptr) {
    values::raiseError("ValueError",
                       "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {}",
                       classText(tensors));
  }
  Entries all;
  std::vector<std::string> repeated;
  for (const values::Value& each : *tensors.items()) {
    const auto* dict = each.maybe<values::DictPtr>();
    if (dict == nullptr) {
      values::raiseError("ValueError", "Expected all elements of parameter_and_buffer_dicts to be dictionaries");
    }
    for (const auto& entry : (*dict)->entries) {
      if (std::ranges::any_of(all, [&](const auto& known) { return known.first == entry.first; })) {
        repeated.push_back("'" + entry.first + "'");
      }
      all.push_back(entry);
    }
  }
  if (!repeated.empty()) {
    values::raiseError("ValueError", "[{}] appeared in multiple dictionaries; behavior of functional call is ambiguous",
                       fmt::join(repeated, ", "));
  }
  return all;
}

/// The tensors of a module, some replaced while it lives.
class Replaced {
 public:
  Replaced(ModuleObject& module, const Entries& tensors, bool tiesWeights,
           const std::function<bool(const at::Tensor&)>& isParameter) {
    std::vector<std::pair<std::string, ModuleObject::Field*>> fields;
    collectFields(module, "", fields);
    for (const auto& [name, tensor] : tensors) {
      const auto named = std::ranges::find_if(fields, [&](const auto& field) { return field.first == name; });
      if (named == fields.end()) {
        continue;
      }
      const values::Value original = named->second->value;
      for (const auto& [other, field] : fields) {
        const bool isTied = tiesWeights && original.isTensor() && field->value.isTensor() &&
                            field->value.tensor().is_same(original.tensor());
        if (field == named->second || isTied) {
          originals_.push_back({field, *field});
          field->value = tensor;
          // What stands for a parameter need not be one.
          field->kind = tensor.isTensor() && !isParameter(tensor.tensor()) ? FieldKind::kBuffer : field->kind;
          given_.emplace_back(name, field);
        }
      }
    }
  }
  ~Replaced() {
    for (auto each = originals_.rbegin(); each != originals_.rend(); ++each) {
      *each->first = each->second;
    }
  }
  Replaced(const Replaced&) = delete;
  Replaced& operator=(const Replaced&) = delete;

  /// What the call has assigned to a field goes to the caller's dict.
  void writeBack(const values::Value& tensors) const {
    const auto* dict = tensors.maybe<values::DictPtr>();
    if (dict != nullptr) {
      for (auto& [name, value] : (*dict)->entries) {
        const auto given = std::ranges::find_if(given_, [&](const auto& each) { return each.first == name; });
        value = given != given_.end() ? given->second->value : value;
      }
    }
  }

 private:
  std::vector<std::pair<ModuleObject::Field*, ModuleObject::Field>> originals_;
  std::vector<std::pair<std::string, ModuleObject::Field*>> given_;
};

std::string quoted(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "'" : ", '") + name + "'";
  }
  return text;
}

void checkNames(ModuleObject& module, const Entries& tensors) {
  std::vector<std::pair<std::string, ModuleObject::Field*>> fields;
  collectFields(module, "", fields);
  std::set<std::string> missing, unexpected;
  for (const auto& [name, field] : fields) {
    if (field->value.isTensor()) {
      missing.insert(name);
    }
  }
  for (const auto& entry : tensors) {
    if (missing.erase(entry.first) == 0) {
      unexpected.insert(entry.first);
    }
  }
  std::string text;
  if (!unexpected.empty()) {
    text += fmt::format("\n\tUnexpected key(s): {}.", quoted(unexpected));
  }
  if (!missing.empty()) {
    text += fmt::format("\n\tMissing key(s): {}.", quoted(missing));
  }
  if (!text.empty()) {
    values::raiseError("RuntimeError", "Error(s) in reparametrizing for {}:{}", module.typeName, text);
  }
}

} // namespace

values::Value FunctionalCall::run(const Calls& calls) const {
  const Entries entries = entriesOf(tensors);
  const auto* called = module.maybe<values::ModulePtr>();
  if (called == nullptr) {
    values::raiseError("AttributeError", "'{}' object has no attribute 'named_parameters'", module.typeName());
  }
  for (const auto& [name, value] : entries) {
    if (!value.isTensor() && !value.isNone()) {
      values::raiseError("TypeError", "{} is not an instance of torch.Tensor", torch_names::shown(value));
    }
  }
  if (isStrict) {
    checkNames(**called, entries);
  }
  const values::ValueList one = positional.isNone() ? values::ValueList() : values::ValueList{positional};
  const values::ValueList& given = positional.is<values::TuplePtr>() ? *positional.items() : one;
  const auto* named = keywords.maybe<values::DictPtr>();
  const Replaced replaced(**called, entries, tiesWeights, calls.isParameter);
  const auto over = c10::make_scope_exit([&] { replaced.writeBack(tensors); });
  return calls.call(**called, given, named != nullptr ? (*named)->entries : Keywords());
}

} // namespace touchstone::transforms
