#include "program/language/Outcome.h"

#include <algorithm>
#include <array>

namespace touchstone::language {
namespace {

struct OutcomeEntry {
  std::string_view name;
  bool finding;
};

// In the order of the enumeration.
constexpr std::array<OutcomeEntry, kOutcomeCount> kOutcomes = {{
    {"Crashed", true},         {"OutOfBounds", true},     {"TimedOut", true},
    {"OutOfMemory", true},     {"Differs", true},         {"ReadsUninitialized", true},
    {"InternalError", true},   {"BackendRejected", true}, {"MissingRefusal", true},
    {"NoneBecameZero", true}, // once a campaign; the findings store counts
    {"BackendAccepts", false}, {"Limit", false},          {"Upstream", false},
    {"Known", false},          {"Suppressed", false},     {"Unsupported", false},
    {"Unconfirmed", false},    {"EagerUnstable", false},  {"IllConditioned", false},
    {"EagerRejected", false},  {"BothRejected", false},   {"EagerCrashed", false},
    {"EagerTimedOut", false},  {"Vacuous", false},        {"Reference", false},
    {"Agreed", false},
}};

} // namespace

std::string_view outcomeName(Outcome outcome) {
  return kOutcomes.at(static_cast<size_t>(outcome)).name;
}

std::optional<Outcome> outcomeFromName(std::string_view name) {
  const auto found =
      std::find_if(kOutcomes.begin(), kOutcomes.end(), [&](const auto& each) { return each.name == name; });
  return found == kOutcomes.end() ? std::nullopt : std::optional(static_cast<Outcome>(found - kOutcomes.begin()));
}

bool isFinding(Outcome outcome) {
  return kOutcomes.at(static_cast<size_t>(outcome)).finding;
}

std::optional<Property> propertyFromName(std::string_view name) {
  const auto found =
      std::find_if(kProperties.begin(), kProperties.end(), [&](const PropertyRow& row) { return row.name == name; });
  return found == kProperties.end() ? std::nullopt : std::optional(found->property);
}

} // namespace touchstone::language
