#pragma once

#include <string>
#include <string_view>

namespace touchstone::runtime {

// In functional Graphs a call of an operator with an effect is one of an operator that is made for it, with a token more:
// see backends/fake/EffectfulOperators.h. A made name does not tell where the effect's namespace ends, so it is kept.

constexpr std::string_view kWithEffects = "with_effects::";
/// Take no token and give one; take tokens and give nothing. Of Graphs that have no tokens among arguments and results.
constexpr const char* kMakeToken = "touchstone::make_token";
constexpr const char* kSinkTokens = "touchstone::sink_tokens";

/// A name for the operator that is made of `target`, the same each time: `with_effects::aten___print` of `aten::_print`.
/// Thread-safe, as is what follows.
std::string withEffectsTarget(const std::string& target);
/// What such an operator calls: `aten::_print` of `with_effects::aten___print`; empty: it is none.
std::string effectOf(std::string_view target);

} // namespace touchstone::runtime
