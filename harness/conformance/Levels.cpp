#include "harness/conformance/Levels.h"

#include "harness/worker/Job.h"
#include "oracles/compare/Verdict.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace touchstone::conformance {

namespace {

using language::Outcome;
using language::Property;
using nlohmann::json;

constexpr std::array<PropertyFailure, language::kPropertyCount> kFailures = {{
    {Property::kStructure, Level::kLayout, "another structure is returned", true},
    {Property::kValues, Level::kValues, "wrong values", true},
    {Property::kDtype, Level::kLayout, "another dtype", true},
    {Property::kShape, Level::kLayout, "other sizes", true},
    {Property::kStrides, Level::kLayout, "other strides"},
    {Property::kOffset, Level::kLayout, "another storage offset"},
    {Property::kRequiresGrad, Level::kGradients, "another requires_grad"},
    {Property::kLeaf, Level::kGradients, "is_leaf, or being an inference tensor, differs"},
    {Property::kGradFn, Level::kGradients, "a grad_fn is missing or too many"},
    {Property::kIdentity, Level::kAliasing, "another tensor object than eager's is returned"},
    {Property::kPartition, Level::kAliasing, "other tensors share memory"},
    {Property::kEffect, Level::kAliasing, "a later write reaches other tensors"},
    {Property::kVersion, Level::kMutation, "version counters differ"},
    {Property::kInputValues, Level::kMutation, "what is written to an argument differs"},
    {Property::kInputMetadata, Level::kMutation, "metadata of an argument differs"},
    {Property::kStorageBytes, Level::kMutation, "bytes behind an argument differ"},
    {Property::kGradientPresence, Level::kGradients, "a gradient is missing or too many", true},
    {Property::kGradientValues, Level::kGradients, "wrong gradients", true},
    {Property::kPrecision, Level::kValues, "less precise than eager", true},
    {Property::kNonTensor, Level::kValues, "another number or text is returned", true},
    {Property::kState, Level::kValues, "modes or generators are left otherwise"},
    {Property::kRecompiles, Level::kLaterCalls, "compiled again without need"},
}};
static_assert(
    [] {
      for (size_t index = 0; index < kFailures.size(); ++index) {
        if (kFailures[index].property != static_cast<Property>(index)) {
          return false;
        }
      }
      return true;
    }(),
    "a row for each property, in their order");

/// What the Case takes, beyond values: the highest level that it could not do without.
Level levelOf(const language::Case& theCase) {
  const worker::CaseFacts facts = worker::factsOf(theCase);
  const bool hasGradients = facts.backward || theCase.mentions("requires_grad_");
  return facts.sizeAssignments > 1 ? Level::kSizes
         : facts.changedCall       ? Level::kLaterCalls
         : hasGradients            ? Level::kGradients
         : facts.aliasedInputs     ? Level::kAliasing
         : facts.mutation          ? Level::kMutation
                                   : Level::kValues;
}

bool isSwitchedOff(const json& base, const std::string& feature) {
  const auto features = base.find("features");
  return features != base.end() && features->value(feature, json(true)) == json(false);
}

} // namespace

const PropertyFailure& failureOf(Property property) {
  return kFailures[static_cast<size_t>(property)];
}

std::optional<Property> propertyOf(const worker::BackendResult& result) {
  const std::string_view kind = result.shows.empty() ? result.symptom : result.shows.front(); // `Differs/strides`
  const size_t slash = kind.find('/');
  return result.outcome != Outcome::kDiffers || slash == std::string_view::npos
             ? std::nullopt
             : language::propertyFromName(kind.substr(slash + 1, kind.find('/', slash + 1) - slash - 1));
}

bool isSeenAgain(const worker::BackendResult& result) {
  return result.message.find(compare::kLookedAtAgain) != std::string::npos;
}

std::optional<Level> levelFromName(std::string_view name) {
  const auto found = std::ranges::find_if(
      kLevels, [&](const LevelRow& row) { return row.name == name || row.name.substr(1) == name; });
  return found == kLevels.end() ? std::nullopt : std::optional(found->level);
}

const std::vector<LevelCampaign>& levelCampaigns() {
  static const std::vector<LevelCampaign> campaigns = {
      {Level::kValues, false, {"no-all", "dense", "large", "idioms"}, R"({"features": {
         "backward": false, "mutation": false, "aliased_inputs": false, "data_branches": false, "custom_operators": false}})"},
      {Level::kMutation, false, {"no-all", "dense", "idioms"}, R"({"features": {
         "backward": false, "mutation": "always", "aliased_inputs": false, "data_branches": false, "custom_operators": false}})"},
      {Level::kAliasing, false, {"no-all", "dense", "idioms"}, R"({"features": {
         "backward": false, "aliased_inputs": "always", "data_branches": false, "custom_operators": false}})"},
      {Level::kGradients,
       false,
       {"no-all", "dense", "differentiable", "training", "idioms", "pending-backwards", "accumulation",
        "second-derivatives", "writes-between"},
       R"({"features": {"backward": "always", "data_branches": false, "custom_operators": false}})"},
      {Level::kLaterCalls,
       false,
       {"no-all", "dense", "small", "feedback", "changed-modes", "compiled-twice"},
       R"({"features": {"custom_operators": false}})"},
      {Level::kLaterCalls, true, {}, "{}"},
      {Level::kSizes,
       false,
       {"no-all", "dense", "idioms", "dynamic"},
       R"({"compile": {"dynamic": true}, "features": {"backward": false, "custom_operators": false}})"},
      {Level::kErrors,
       false,
       {"no-all", "dense", "small", "wrong-arguments"},
       R"({"features": {"backward": false, "custom_operators": false}})"},
  };
  return campaigns;
}

std::optional<json> profileOf(const LevelCampaign& campaign, const json& base) {
  json profile = base;
  json asked = json::parse(campaign.profile);
  json& features = asked["features"]; // an empty object of no feature
  features = features.is_null() ? json::object() : features;
  for (auto& [name, value] : features.items()) {
    if (isSwitchedOff(base, name)) {
      if (value == json("always")) {
        return std::nullopt;
      }
      value = false;
    }
  }
  const json compile = base.value("compile", json::object());
  if (asked.contains("compile") && compile.value("dynamic", json()) == json(false)) {
    return std::nullopt;
  }
  profile.merge_patch(asked);
  if (profile["features"].is_null() || profile["features"].empty()) {
    profile.erase("features");
  }
  return profile;
}

Level levelOf(const worker::BackendResult& result, const language::Case& theCase, Level campaign) {
  if (result.outcome == Outcome::kMissingRefusal || result.eagerRaises) {
    return Level::kErrors;
  }
  const std::optional<Property> property = propertyOf(result);
  if (!property.has_value()) {
    return std::min(levelOf(theCase), campaign);
  }
  if (campaign == Level::kSizes) {
    return Level::kSizes;
  }
  const Level own = failureOf(*property).level;
  if (result.call == 0 && !isSeenAgain(result)) {
    return own;
  }
  // In a later call alone: what the first call left behind makes it. Where sizes change, these do.
  return worker::factsOf(theCase).sizeAssignments > 1 ? Level::kSizes : std::max(own, Level::kLaterCalls);
}

} // namespace touchstone::conformance
