#pragma once

#include "program/torch_names/NameResolver.h"

#include <string>
#include <vector>

namespace touchstone::semantics {

/// Reads arguments by position or keyword, with Python's errors for what is missing, twice or unknown.
class Arguments {
 public:
  Arguments(std::string function, std::vector<const char*> names, const values::ValueList& positional,
            const torch_names::KeywordList& keywords, size_t required = 0);
  const values::Value* find(size_t index) const { return values_[index]; } // null when not given
  const values::Value& at(size_t index) const { return *values_[index]; }
  bool isGiven(size_t index) const { return values_[index] != nullptr && !values_[index]->isNone(); }
  bool flag(size_t index, bool otherwise) const; // a bool
  int64_t integer(size_t index, int64_t otherwise) const;

 private:
  [[noreturn]] void raiseNot(const char* type, size_t index) const;

  std::string function_;
  std::vector<const char*> names_;
  std::vector<const values::Value*> values_;
};

/// The TypeError for a call with more positional arguments than the function takes.
[[noreturn]] void raiseTooMany(const std::string& function, size_t taken, size_t given);
/// The TypeError that names the arguments that are missing, if there are any.
void checkMissing(const std::string& function, const std::vector<std::string>& missing);

} // namespace touchstone::semantics
