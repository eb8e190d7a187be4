#include "backends/decompositions/DecompositionTable.h"

#include <touchstone/aot.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace touchstone::aot {

using decompositions::DecompositionTable;

namespace {

std::vector<std::string> operatorsOf(const std::shared_ptr<const DecompositionTable>& table) {
  return table == nullptr ? std::vector<std::string>() : table->targets();
}

void checkThatAreThere(const std::shared_ptr<const DecompositionTable>& table,
                       const std::vector<std::string>& operators) {
  for (const std::string& name : operators) {
    if (table == nullptr || !table->contains(name)) {
      throw std::invalid_argument("`" + name + "` has no decomposition in this selection");
    }
  }
}

} // namespace

Decompositions Decompositions::all() {
  return Decompositions(decompositions::allDecompositions());
}

Decompositions Decompositions::defaults() {
  return Decompositions(decompositions::defaultDecompositions());
}

Decompositions Decompositions::coreAten() {
  return Decompositions(decompositions::coreDecompositions());
}

Decompositions Decompositions::inductor() {
  return Decompositions(decompositions::inductorDecompositions());
}

Decompositions Decompositions::named(const std::string& name) {
  struct NamedTable {
    const char* name;
    Decompositions (*make)();
  };
  constexpr std::array kTables{NamedTable{"default_decompositions", defaults}, NamedTable{"core_aten", coreAten},
                               NamedTable{"inductor", inductor}, NamedTable{"all", all},
                               NamedTable{"none", [] { return Decompositions(); }}};
  std::string names;
  for (const NamedTable& table : kTables) {
    if (name == table.name) {
      return table.make();
    }
    names += (names.empty() ? "`" : ", `") + std::string(table.name) + "`";
  }
  throw std::invalid_argument("There is no selection of decompositions `" + name + "`. Choose one of " + names + ".");
}

Decompositions Decompositions::only(const std::vector<std::string>& operators) const {
  checkThatAreThere(table_, operators);
  return operators.empty() ? Decompositions()
                           : Decompositions(std::make_shared<const DecompositionTable>(table_->only(operators)));
}

Decompositions Decompositions::without(const std::vector<std::string>& operators) const {
  checkThatAreThere(table_, operators);
  std::vector<std::string> others = operatorsOf(table_);
  std::erase_if(others, [&](const std::string& name) {
    return std::find(operators.begin(), operators.end(), name) != operators.end();
  });
  return only(others);
}

Decompositions Decompositions::with(const std::string& name, Boxed compute) const {
  auto table =
      table_ == nullptr ? std::make_shared<DecompositionTable>() : std::make_shared<DecompositionTable>(*table_);
  table->replace(name, std::move(compute));
  return Decompositions(std::move(table));
}

std::vector<std::string> Decompositions::operators() const {
  return operatorsOf(table_);
}

} // namespace touchstone::aot
