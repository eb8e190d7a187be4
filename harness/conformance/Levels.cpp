#include "harness/conformance/Levels.h"

#include "harness/worker/Job.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace touchstone::conformance {

namespace {

using language::Outcome;
using language::Property;
using nlohmann::json;

/// Where a difference of a first call belongs.
Level levelOf(Property property) {
  switch (property) {
    case Property::kValues:
    case Property::kPrecision:
    case Property::kNonTensor:
    case Property::kState: return Level::kValues;
    case Property::kStructure:
    case Property::kDtype:
    case Property::kShape:
    case Property::kStrides:
    case Property::kOffset: return Level::kLayout;
    case Property::kVersion:
    case Property::kInputValues:
    case Property::kInputMetadata:
    case Property::kStorageBytes: return Level::kMutation;
    case Property::kIdentity:
    case Property::kPartition:
    case Property::kEffect: return Level::kAliasing;
    case Property::kRequiresGrad:
    case Property::kLeaf:
    case Property::kGradFn:
    case Property::kGradientPresence:
    case Property::kGradientValues: return Level::kGradients;
    case Property::kRecompiles: return Level::kLaterCalls;
  }
  return Level::kValues;
}

/// The property of `Differs/strides`.
std::optional<Property> propertyOf(const worker::BackendResult& result) {
  const std::string kind = result.shows.empty() ? result.symptom : result.shows.front();
  const size_t slash = kind.find('/');
  return slash == std::string::npos ? std::nullopt
                                    : language::propertyFromName(std::string_view(kind).substr(
                                          slash + 1, kind.find('/', slash + 1) - slash - 1));
}

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
  // A difference in a later call alone: what the first call left behind makes it. Where sizes change, these do.
  const bool isLater = result.call > 0 || result.message.find("looked at again after call") != std::string::npos;
  const std::optional<Property> property = propertyOf(result);
  if (result.outcome != Outcome::kDiffers || !property.has_value()) {
    return std::min(levelOf(theCase), campaign);
  }
  if (campaign == Level::kSizes) {
    return Level::kSizes;
  }
  const Level own = levelOf(*property);
  return isLater && worker::factsOf(theCase).sizeAssignments > 1 ? Level::kSizes
         : isLater                                               ? std::max(own, Level::kLaterCalls)
                                                                 : own;
}

} // namespace touchstone::conformance
