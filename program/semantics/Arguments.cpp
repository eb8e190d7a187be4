#include "program/semantics/Arguments.h"

#include "program/values/RaiseError.h"

#include <algorithm>

namespace touchstone::semantics {

void raiseTooMany(const std::string& function, size_t taken, size_t given) {
  values::raiseError("TypeError", "{}() takes {} positional argument{} but {} {} given", function, taken,
                     taken == 1 ? "" : "s", given, given == 1 ? "was" : "were");
}

void checkMissing(const std::string& function, const std::vector<std::string>& missing) {
  std::string names;
  for (size_t i = 0; i < missing.size(); ++i) {
    names += i == 0 ? "" : i + 1 < missing.size() ? ", " : missing.size() == 2 ? " and " : ", and ";
    names += '\'' + missing[i] + '\'';
  }
  if (!missing.empty()) {
    values::raiseError("TypeError", "{}() missing {} required positional argument{}: {}", function, missing.size(),
                       missing.size() == 1 ? "" : "s", names);
  }
}

Arguments::Arguments(std::string function, std::vector<const char*> names, const values::ValueList& positional,
                     const torch_names::KeywordList& keywords, size_t required)
    : function_(std::move(function)), names_(std::move(names)), values_(names_.size(), nullptr) {
  if (positional.size() > names_.size()) {
    raiseTooMany(function_, names_.size(), positional.size());
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
  std::vector<std::string> missing;
  for (size_t i = 0; i < required; ++i) {
    if (!values_[i]) {
      missing.emplace_back(names_[i]);
    }
  }
  checkMissing(function_, missing);
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

} // namespace touchstone::semantics
