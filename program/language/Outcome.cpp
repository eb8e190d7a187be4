#include "program/language/Outcome.h"

#include <array>

namespace touchstone::language {
namespace {

struct OutcomeEntry {
  std::string_view name;
  bool finding;
};

// In the order of the enumeration.
constexpr std::array<OutcomeEntry, kOutcomeCount> kOutcomes = {{
    {"Crashed", true},         {"OutOfBounds", true},
    {"TimedOut", true},        {"OutOfMemory", true},
    {"Differs", true},         {"ReadsUninitialized", true},
    {"InternalError", true},   {"BackendRejected", true},
    {"NoneBecameZero", true}, // once a campaign; the findings store counts
    {"BackendAccepts", false}, {"Limit", false},
    {"Upstream", false},       {"Known", false},
    {"Suppressed", false},     {"Unsupported", false},
    {"Unconfirmed", false},    {"EagerUnstable", false},
    {"IllConditioned", false}, {"EagerRejected", false},
    {"BothRejected", false},   {"EagerCrashed", false},
    {"EagerTimedOut", false},  {"Vacuous", false},
    {"Agreed", false},
}};

constexpr std::array<std::string_view, kPropertyCount> kProperties = {
    "structure",     "values",       "dtype",          "shape",         "strides",           "offset",
    "requires_grad", "leaf",         "grad_fn",        "identity",      "partition",         "effect",
    "version",       "input_values", "input_metadata", "storage_bytes", "gradient_presence", "gradient_values",
    "non_tensor",    "state",        "recompiles",
};

} // namespace

std::string_view outcomeName(Outcome outcome) {
  return kOutcomes.at(static_cast<size_t>(outcome)).name;
}

std::optional<Outcome> outcomeFromName(std::string_view name) {
  for (size_t index = 0; index < kOutcomes.size(); ++index) {
    if (kOutcomes[index].name == name) {
      return static_cast<Outcome>(index);
    }
  }
  return std::nullopt;
}

bool isFinding(Outcome outcome) {
  return kOutcomes.at(static_cast<size_t>(outcome)).finding;
}

std::string_view propertyName(Property property) {
  return kProperties.at(static_cast<size_t>(property));
}

std::optional<Property> propertyFromName(std::string_view name) {
  for (size_t index = 0; index < kProperties.size(); ++index) {
    if (kProperties[index] == name) {
      return static_cast<Property>(index);
    }
  }
  return std::nullopt;
}

} // namespace touchstone::language
