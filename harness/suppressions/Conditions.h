#pragma once

#include "harness/suppressions/Pattern.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace touchstone::suppressions {

/// Whether the name is the glob, or what it stands for: `*` is any letters.
bool isGlobOf(const std::string& glob, const std::string& name);

/// What the names of a pattern stand for while it is held against a Program.
struct Binding {
  const analysis::FlatProgram& program;
  std::map<std::string, int> values; // by name

  /// What stands there hangs on the value in this way.
  bool hangsOn(Relation relation, const analysis::FlatOperand& operand, int value) const;
  /// Of a condition all of whose names stand for something.
  bool holds(const Condition& condition) const;
};

struct ConditionForm {
  std::string_view name;
  std::vector<std::string> operands; // an example of each: `alias(x)`, `x` itself, or a text, `'float*'`
  bool (*holds)(const Binding& binding, const std::vector<Place>& operands);
  /// What is wrong with the operands, which are of these kinds; empty: nothing.
  std::string (*trouble)(const std::vector<Place>& operands) = nullptr;
};

/// All conditions that there are.
const std::vector<ConditionForm>& conditionForms();
const ConditionForm* findForm(std::string_view name); // null: there is none

} // namespace touchstone::suppressions
