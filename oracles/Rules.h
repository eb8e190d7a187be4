#pragma once

#include "graph/ir/BackendInfo.h"

#include <array>
#include <bitset>
#include <string_view>
#include <vector>

namespace touchstone::oracles {

/// The named rules of the contract between eager and a compiled program. `docs/rules.md` is printed from the table.
enum class Rule { kA1, kA2, kA3, kA4, kA5, kA6, kA7, kA8, kA9, kA10, kA11, kA12, kA13, kA14, kA15, kA16, kA17 };
constexpr int kRuleCount = 17;

struct RuleEntry {
  Rule rule;
  std::string_view name; // `A6`
  std::string_view title; // `insignificant strides`
  std::string_view allowed; // what may differ
  std::string_view evidence; // why; what stays a bug
};
const std::array<RuleEntry, kRuleCount>& ruleTable();

using Rules = std::bitset<kRuleCount>;
/// The rules that apply to a backend's family, after the contract's two modes.
Rules rulesOf(graph::RuleSet set);
inline bool has(const Rules& rules, Rule rule) { return rules.test(static_cast<size_t>(rule)); }

} // namespace touchstone::oracles
