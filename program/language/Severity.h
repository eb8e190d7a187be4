#pragma once

#include "program/language/Outcome.h"
#include "program/language/Property.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace touchstone::language {

/// How bad a finding is, worst first: the order in which findings are dealt with and told. It follows from the outcome and, of a
/// difference, from the property that it is named after.
enum class Severity {
  kCrashAndMemory,
  kWrongValues,
  kWrongGradients,
  kLostWrites,
  kWrongSharing,
  kException,
  kLayout,
  kMetadata,
  kMissingRefusal,
  kNoneAndZero,
  kNoFinding,
};
constexpr int kSeverityCount = static_cast<int>(Severity::kNoFinding) + 1;

/// What there is to say of a class once; `docs/triage.md` is made from it.
struct SeverityRow {
  Severity severity;
  std::string_view name; // in lists and `--json`
  std::string_view means; // a cell of the table of docs/triage.md
};
inline constexpr std::array<SeverityRow, kSeverityCount> kSeverities = {{
    {Severity::kCrashAndMemory, "crash and memory",
     "the process dies or hangs, or memory is read or written that it should not"},
    {Severity::kWrongValues, "wrong values",
     "what a call returns, or leaves of the generators and modes, is something else"},
    {Severity::kWrongGradients, "wrong gradients", "the backward gives something else, or gives none"},
    {Severity::kLostWrites, "lost writes", "what a call writes does not arrive, or arrives elsewhere"},
    {Severity::kWrongSharing, "wrong sharing",
     "other tensors share memory than under eager, so that a later write changes other ones"},
    {Severity::kException, "exception", "it raises where eager does not, or fails with an error of its own"},
    {Severity::kLayout, "layout", "values are right and lie in memory in another way"},
    {Severity::kMetadata, "metadata", "what autograd and versions say of a tensor; compiling again without need"},
    {Severity::kMissingRefusal, "missing refusal", "it takes what eager refuses"},
    {Severity::kNoneAndZero, "None and zero", "a gradient of zeros where eager has None"},
    {Severity::kNoFinding, "no finding", "anything else"},
}};
static_assert(
    [] {
      for (size_t index = 0; index < kSeverities.size(); ++index) {
        if (kSeverities[index].severity != static_cast<Severity>(index)) {
          return false;
        }
      }
      return true;
    }(),
    "a row for each class, in their order");

constexpr std::string_view severityName(Severity severity) {
  return kSeverities[static_cast<size_t>(severity)].name;
}

/// Of a difference in this property.
Severity severityOf(Property property);
/// Of an outcome; the property is asked for where it Differs, and without one that is a wrong value.
Severity severityOf(Outcome outcome, std::optional<Property> property = std::nullopt);

} // namespace touchstone::language
