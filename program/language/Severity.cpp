#include "program/language/Severity.h"

namespace touchstone::language {

Severity severityOf(Property property) {
  switch (property) { // without a default: the compiler asks for the class of a new property
    case Property::kStructure:
    case Property::kValues:
    case Property::kDtype:
    case Property::kShape:
    case Property::kPrecision:
    case Property::kNonTensor:
    case Property::kState: return Severity::kWrongValues;
    case Property::kGradientPresence:
    case Property::kGradientValues: return Severity::kWrongGradients;
    case Property::kInputValues:
    case Property::kStorageBytes: return Severity::kLostWrites;
    case Property::kIdentity:
    case Property::kPartition:
    case Property::kEffect: return Severity::kWrongSharing;
    case Property::kStrides:
    case Property::kOffset: return Severity::kLayout;
    case Property::kRequiresGrad:
    case Property::kLeaf:
    case Property::kGradFn:
    case Property::kVersion:
    case Property::kInputMetadata:
    case Property::kRecompiles: return Severity::kMetadata;
  }
  return Severity::kWrongValues;
}

Severity severityOf(Outcome outcome, std::optional<Property> property) {
  switch (outcome) {
    case Outcome::kCrashed:
    case Outcome::kOutOfBounds:
    case Outcome::kTimedOut:
    case Outcome::kOutOfMemory:
    case Outcome::kReadsUninitialized: return Severity::kCrashAndMemory;
    case Outcome::kDiffers: return property.has_value() ? severityOf(*property) : Severity::kWrongValues;
    case Outcome::kInternalError:
    case Outcome::kBackendRejected: return Severity::kException;
    case Outcome::kBackendAccepts:
    case Outcome::kMissingRefusal: return Severity::kMissingRefusal;
    case Outcome::kNoneBecameZero: return Severity::kNoneAndZero;
    default: return Severity::kNoFinding;
  }
}

} // namespace touchstone::language
