#include "graph/program/ReadObserver.h"

#include <set>

namespace touchstone::graph {

bool asksForPlace(const std::string& name) {
  static const std::set<std::string> kNames = {
      "storage_offset", "sym_storage_offset", "is_leaf", "retains_grad", "requires_grad_"};
  return kNames.contains(name);
}

std::string itemKey(size_t index) {
  return "[" + std::to_string(index) + "]";
}

} // namespace touchstone::graph
