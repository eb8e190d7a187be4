#pragma once

#include "harness/worker/BackendResult.h"
#include "harness/worker/Profile.h"
#include "program/language/Case.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace touchstone::conformance {

/// What a backend can be held to, one on top of the other: what fails at a level is told there, whatever Case showed it.
enum class Level { kValues, kLayout, kMutation, kAliasing, kGradients, kLaterCalls, kSizes, kErrors };
constexpr int kLevelCount = static_cast<int>(Level::kErrors) + 1;

/// What there is to say of a level once, for pages and for the help.
struct LevelRow {
  Level level;
  std::string_view name; // `L0`
  std::string_view title;
  std::string_view asks; // a cell of the level table
};
inline constexpr std::array<LevelRow, kLevelCount> kLevels = {{
    {Level::kValues, "L0", "values", "what a first call returns, of arguments that share no memory, without gradients"},
    {Level::kLayout, "L1", "layout", "structure, dtypes, sizes, strides and offsets of what is returned"},
    {Level::kMutation, "L2", "mutation", "what Programs write to their arguments, version counters included"},
    {Level::kAliasing, "L3", "aliasing and identity",
     "which results and arguments share memory or are the same tensor"},
    {Level::kGradients, "L4", "gradients", "gradients and what autograd says of results"},
    {Level::kLaterCalls, "L5", "later calls and guards",
     "calls after the first: earlier results stay, what was compiled is used again only where it fits"},
    {Level::kSizes, "L6", "dynamic sizes", "sizes that change from call to call, compiled with symbols"},
    {Level::kErrors, "L7", "errors", "what eager refuses is refused, with eager's exception"},
}};
constexpr const LevelRow& rowOf(Level level) {
  return kLevels[static_cast<size_t>(level)];
}
/// Of `L4` or `4`.
std::optional<Level> levelFromName(std::string_view name);

/// What it means that a property differs in a first call.
struct PropertyFailure {
  language::Property property;
  Level level;
  std::string_view says; // `wrong values`
  bool isOfOperator = false; // each operator computes it for itself
};
const PropertyFailure& failureOf(language::Property property);
/// The property that a result is told by; none: it does not differ.
std::optional<language::Property> propertyOf(const worker::BackendResult& result);
/// What differs is a tensor of an earlier call.
bool isSeenAgain(const worker::BackendResult& result);

/// The campaign that looks for what a level asks. Levels L0 and L1 have one in common.
struct LevelCampaign {
  Level level; // the lowest
  bool isOfSequences = false; // for which profiles that steer how Cases are made are not available
  std::vector<std::string_view> parts; // that Cases are drawn with, see generators/catalogue/Parts.h
  std::string_view profile; // keys on top of the profile's, as JSON
};
const std::vector<LevelCampaign>& levelCampaigns();
/// The profile of the campaign: keys of `base` and those of the level; `base` wins where it takes something away. None: the base
/// takes away what the level is about.
std::optional<nlohmann::json> profileOf(const LevelCampaign& campaign, const nlohmann::json& base);

/// The level at which a Case that shows `result` fails: by the property that differs, by what the Case takes to show it, and by the
/// campaign that it came from, which it cannot be above.
Level levelOf(const worker::BackendResult& result, const language::Case& theCase, Level campaign);

} // namespace touchstone::conformance
