#include "harness/suppressions/Conditions.h"

#include "base/NearestName.h"
#include "program/parser/LanguageNames.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>

namespace touchstone::suppressions {

namespace {

using Operands = std::vector<Place>;

int numberOf(const Binding& binding, const Place& place) {
  return binding.values.at(place.value);
}

const analysis::FlatValue& valueOf(const Binding& binding, const Operands& operands) {
  return binding.program.values[static_cast<size_t>(numberOf(binding, operands[0]))];
}

/// `float*` of `"float*"`
std::string textOf(const Place& place) {
  return place.text.substr(1, place.text.size() - 2);
}

/// One of these hangs on the value in the operand's way.
bool isAmong(const Binding& binding, const Operands& operands, const std::vector<analysis::FlatOperand>& among) {
  return std::any_of(among.begin(), among.end(), [&](const analysis::FlatOperand& each) {
    return binding.hangsOn(operands[0].relation, each, numberOf(binding, operands[0]));
  });
}

std::string troubleWithDtype(const Operands& operands) {
  const std::string dtype = textOf(operands[1]);
  const bool isThere = dtype.find('*') != std::string::npos || parser::isDtypeName(dtype);
  return isThere ? "" : fmt::format("there is no dtype `{}`; write one as 'float32' or 'int*'.", dtype);
}

std::string troubleWithRequest(const Operands& operands) {
  const std::string request = textOf(operands[0]);
  const std::vector<std::string>& all = analysis::callRequests();
  return std::find(all.begin(), all.end(), request) != all.end()
             ? ""
             : fmt::format("calls cannot ask for `{}`; choose one of `{}`.", request,
                           fmt::join(base::nearestFirst(request, all), "`, `"));
}

} // namespace

bool isGlobOf(const std::string& glob, const std::string& name) {
  // The brackets of `[]` are meant as they are.
  return glob == name || (glob.find('*') != std::string::npos && fnmatch(glob.c_str(), name.c_str(), 0) == 0);
}

bool Binding::hangsOn(Relation relation, const analysis::FlatOperand& operand, int value) const {
  return operand.value >= 0 && (program.isSame(operand.value, value) ||
                                (relation != Relation::kSame && program.sharesMemory(operand.value, value)) ||
                                (relation == Relation::kDerived && operand.sources.contains(value)));
}

bool Binding::holds(const Condition& condition) const {
  return findForm(condition.name)->holds(*this, condition.operands) != condition.isNegated;
}

const std::vector<ConditionForm>& conditionForms() {
  using B = const Binding&;
  using O = const Operands&;
  static const std::vector<ConditionForm> kForms{
      {"is_argument", {"alias(x)"}, [](B b, O o) { return isAmong(b, o, b.program.arguments); }},
      {"is_returned", {"alias(x)"}, [](B b, O o) { return isAmong(b, o, b.program.outputs); }},
      {"is_seen",
       {"alias(x)"},
       [](B b, O o) { return isAmong(b, o, b.program.outputs) || isAmong(b, o, b.program.arguments); }},
      {"is_differentiated", {"alias(x)"}, [](B b, O o) { return isAmong(b, o, b.program.roots); }},
      {"requires_grad", {"x"}, [](B b, O o) { return valueOf(b, o).requiresGrad; }},
      {"is_empty", {"x"}, [](B b, O o) { return valueOf(b, o).isEmpty; }},
      {"is_expanded", {"x"}, [](B b, O o) { return valueOf(b, o).isExpanded; }},
      {"has_dtype",
       {"x", "'float*'"},
       [](B b, O o) { return isGlobOf(textOf(o[1]), valueOf(b, o).dtype); },
       troubleWithDtype},
      {"share_memory",
       {"x", "y"},
       [](B b, O o) { return b.program.sharesMemory(numberOf(b, o[0]), numberOf(b, o[1])); }},
      {"arguments_share_memory", {}, [](B b, O) { return b.program.argumentsShareMemory(); }},
      {"calls_ask_for",
       {"'backward'"},
       [](B b, O o) { return b.program.asks.contains(textOf(o[0])); },
       troubleWithRequest},
  };
  return kForms;
}

const ConditionForm* findForm(std::string_view name) {
  const std::vector<ConditionForm>& forms = conditionForms();
  const auto found = std::find_if(forms.begin(), forms.end(), [&](const auto& each) { return each.name == name; });
  return found != forms.end() ? &*found : nullptr;
}

} // namespace touchstone::suppressions
