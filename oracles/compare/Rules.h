#pragma once

#include "graph/ir/BackendInfo.h"

#include <array>
#include <bitset>
#include <optional>
#include <string_view>

namespace touchstone::compare {

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
Rules rulesOf(ir::RuleSet set);
/// `A6` → Rule::kA6, for flags and profiles.
std::optional<Rule> ruleFromName(std::string_view name);

/// True for backends that decompose, script or fuse, and for those that functionalize where the call `writes` to memory:
/// A7 then covers the forward too, else gradients alone.
bool mayRoundForward(ir::RuleSet set, bool writes);
/// Native pipelines.
bool isNative(ir::RuleSet set);
/// Backends that may decompose an operator (A7).
bool mayDecompose(ir::RuleSet set);
/// True for backends whose backward formulas multiply by 0 and 1 where eager selects, so that a zero in a gradient may have
/// either sign (A7).
bool multipliesByMasks(ir::RuleSet set);
/// True for backends whose backward gets zeros for the outputs that have no gradient, as a torch.autograd.Function does by default:
/// a negative zero that they are added to becomes a positive one (A7).
bool materializesZeros(ir::RuleSet set);
/// False for backends that promise no strides (second half of A6).
bool promisesStrides(ir::RuleSet set);
/// Operators whose results nobody reads are not run, and what they would refuse is not refused.
bool dropsUnreadOperators(ir::RuleSet set);
/// True for backends that owe eager's exception class and the first line of its message (A11).
bool comparesMessages(ir::RuleSet set);

inline bool has(const Rules& rules, Rule rule) {
  return rules.test(static_cast<size_t>(rule));
}

} // namespace touchstone::compare
