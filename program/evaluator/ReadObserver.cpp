#include "program/evaluator/ReadObserver.h"

#include <map>

namespace touchstone::evaluator {

std::optional<Fact> factAskedBy(const std::string& name) {
  static const std::map<std::string, Fact> kFacts = {
      {"storage_offset", Fact::kOffset},
      {"sym_storage_offset", Fact::kOffset},
      {"is_set_to", Fact::kSharing},
      // Their results lie in memory of their own as far from its beginning as what they are made from.
      {"select_scatter", Fact::kOffset},
      {"slice_scatter", Fact::kOffset},
      {"diagonal_scatter", Fact::kOffset},
      {"as_strided_scatter", Fact::kOffset},
      {"is_leaf", Fact::kLeaf},
      {"retains_grad", Fact::kLeaf},
      {"requires_grad_", Fact::kLeaf}};
  const auto found = kFacts.find(name);
  return found != kFacts.end() ? std::optional(found->second) : std::nullopt;
}

std::string itemKey(size_t index) {
  return "[" + std::to_string(index) + "]";
}

} // namespace touchstone::evaluator
