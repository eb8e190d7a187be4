#include "program/evaluator/Arguments.h"

#include "program/values/RaiseError.h"

#include <algorithm>

namespace touchstone::evaluator {

Arguments::Arguments(std::string function, std::vector<const char*> names, const values::ValueList& positional,
                     const torch_names::KeywordList& keywords, size_t required)
    : function_(std::move(function)), names_(std::move(names)), values_(names_.size(), nullptr) {
  if (positional.size() > names_.size()) {
    values::raiseError("TypeError", "{}() takes {} positional argument{} but {} {} given", function_, names_.size(),
                       names_.size() == 1 ? "" : "s", positional.size(), positional.size() == 1 ? "was" : "were");
  }
  for (size_t i = 0; i < positional.size(); ++i) {
    values_[i] = &positional[i];
  }
  for (const auto& [name, value] : keywords) {
    auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) {
      values::raiseError("TypeError", "{}() got an unexpected keyword argument '{}'", function_, name);
    }
    const values::Value*& slot = values_[found - names_.begin()];
    if (slot) {
      values::raiseError("TypeError", "{}() got multiple values for argument '{}'", function_, name);
    }
    slot = &value;
  }
  for (size_t i = 0; i < required; ++i) {
    if (!values_[i]) {
      values::raiseError("TypeError", "{}() missing 1 required positional argument: '{}'", function_, names_[i]);
    }
  }
}

void Arguments::raiseNot(const char* type, size_t index) const {
  values::raiseError("TypeError", "{}(): argument '{}' must be {}, not {}", function_, names_[index], type,
                     values_[index]->typeName());
}

bool Arguments::flag(size_t index, bool otherwise) const {
  if (!isGiven(index)) {
    return otherwise;
  }
  if (const auto* number = at(index).maybe<int64_t>()) {
    return *number != 0;
  }
  const auto* flag = at(index).maybe<bool>();
  return flag ? *flag : (raiseNot("bool", index), false);
}

int64_t Arguments::integer(size_t index, int64_t otherwise) const {
  if (!isGiven(index)) {
    return otherwise;
  }
  if (const auto* flag = at(index).maybe<bool>()) {
    return *flag;
  }
  const auto* number = at(index).maybe<int64_t>();
  return number ? *number : (raiseNot("int", index), 0);
}

} // namespace touchstone::evaluator
