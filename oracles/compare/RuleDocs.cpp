#include "oracles/compare/RuleDocs.h"

#include "oracles/compare/Rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace touchstone::compare {

namespace {

constexpr std::string_view kIntroduction =
    "# What a compiled program may do differently\n\n"
    "For whoever asks whether a difference is a bug: every way in which a compiled program may legally differ from "
    "eager, with the\n"
    "reason. Everything that is observed of a call must be equal to eager, except where one of the rules below "
    "applies. Each rule\n"
    "names what may differ, why that is allowed, and which neighbouring difference stays a bug; every summary counts "
    "the calls\n"
    "that each rule excused. This page is printed from `oracles/compare/Rules.cpp`: change the table, not the page.\n\n"
    "A difference that a rule allows leaves the call Agreed. An exception that a rule excuses makes it `Limit/RULE`. "
    "An internal\n"
    "error of the compiled side is excused only where A13 names it, or where eager's own backward raises it too "
    "(A8).\n\n";

constexpr std::array<std::pair<ir::RuleSet, std::string_view>, 8> kSets{{
    {ir::RuleSet::kNativeExact, "native, exact"},
    {ir::RuleSet::kNativeFunctional, "native, functional"},
    {ir::RuleSet::kNativeRounding, "native, rounding"},
    {ir::RuleSet::kNativeScript, "native, TorchScript"},
    {ir::RuleSet::kReference, "reference"},
    {ir::RuleSet::kAot, "aot"},
    {ir::RuleSet::kDecomposed, "decomposed"},
    {ir::RuleSet::kInductor, "inductor"},
}};

std::string cell(ir::RuleSet set, Rule rule) {
  if (!has(rulesOf(set), rule)) {
    return "–";
  }
  if (rule == Rule::kA7) {
    return mayRoundForward(set, false)  ? "all"
           : mayRoundForward(set, true) ? "gradients, all after writes"
                                        : "gradients";
  }
  if (rule == Rule::kA6 && !promisesStrides(set)) {
    return "all strides";
  }
  return "yes";
}

} // namespace

std::string_view ruleSetName(ir::RuleSet set) {
  return std::find_if(kSets.begin(), kSets.end(), [&](const auto& entry) { return entry.first == set; })->second;
}

std::string rulesDocument() {
  std::string text(kIntroduction);
  for (const RuleEntry& entry : ruleTable()) {
    text += fmt::format("## {}: {}\n\n**Allowed.** {}\n\n**Why, and what stays a bug.** {}\n\n", entry.name,
                        entry.title, entry.allowed, entry.evidence);
  }
  text += "## Which rules apply to which backend\n\n| rule |";
  for (const auto& [set, name] : kSets) {
    text += fmt::format(" {} |", name);
  }
  text += "\n|---|";
  for (size_t set = 0; set < kSets.size(); ++set) {
    text += "---|";
  }
  for (const RuleEntry& entry : ruleTable()) {
    text += fmt::format("\n| {} |", entry.name);
    for (const auto& [set, name] : kSets) {
      text += fmt::format(" {} |", cell(set, entry.rule));
    }
  }
  return text + "\n";
}

} // namespace touchstone::compare
