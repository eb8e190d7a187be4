#pragma once

#include "generators/catalogue/Parts.h"
#include "harness/worker/Profile.h"
#include "harness/worker/Task.h"
#include "program/language/Case.h"

#include <variant>

namespace touchstone::worker {

/// A Case that is there.
struct PrintedCase {
  static constexpr const char* kName = "printed";
  std::string text; // a case file
  bool operator==(const PrintedCase&) const = default;
};

/// Case `index` of campaign `seed`.
struct GeneratedCase {
  static constexpr const char* kName = "generated";
  uint64_t seed = 0;
  uint64_t index = 0;
  bool sequences = false; // the campaign is one of call sequences
  int sameCalls = 2; // see generators/decoder/Decoder.h
  std::vector<std::string>
      starts; // printed case files: it is derived from these, see generators/mutation/CaseMutation.h
  std::vector<std::string> parts; // that it is drawn with, see generators/catalogue/Parts.h
  bool operator==(const GeneratedCase&) const = default;
};

/// The smallest Case of an operator of the catalogue.
struct Probe {
  std::string operatorName, dtype; // `sin`, `float32`
  bool backward = false;
  bool operator==(const Probe&) const = default;
};
/// The Case of a probe; several share one, see generators/probes/ProbeGroup.h.
struct ProbedCase {
  static constexpr const char* kName = "probes";
  std::vector<Probe> probes;
  bool operator==(const ProbedCase&) const = default;
};

/// Where a job's Case comes from.
using CaseSource = std::variant<PrintedCase, GeneratedCase, ProbedCase>;
TOUCHSTONE_TRAVELS(CaseSource);

/// How making the Case went.
struct CaseMaking {
  int tried = 0, rejected = 0, precluded = 0; // statements, while generating
  std::vector<std::string> acceptedOperators;
  std::string derivation; // of a Case that came from GeneratedCase::starts: `mutated`; empty: it was generated
  std::vector<std::string> exclusions; // entries of the profile without which the Case or its outcome would be another
  bool notApplicable = false; // of a probe: eager has no such Case, of several for none
  std::vector<size_t> withoutCase, apart; // of several probes, by position: those that the Case does not hold, as eager
      // has none for them, or as they need one of their own
  double seconds = 0;
  bool operator==(const CaseMaking&) const = default;
};
TOUCHSTONE_TRAVELS(CaseMaking);

/// What the statements that were tried use of the catalogue.
struct CatalogueUses {
  std::vector<std::pair<std::string, unsigned>> operators; // each try, bits of OperatorUse
  std::vector<std::string> overloads; // of ATen that the Program calls, each once
  bool operator==(const CatalogueUses&) const = default;
};

/// What Cases are drawn with: where a profile has sizes become symbols, these change; what the names say comes after. Throws as
/// catalogue::partsOf() does.
catalogue::Parts partsFor(std::vector<std::string> names, const Profile& profile);

/// Reads or generates the Case, as the profile wants it; nothing where `making` says notApplicable. To be called in a child.
/// `uses`: filled where it is given, for a Case that is generated.
std::optional<language::Case> makeCase(const CaseSource& source, const Profile& profile, CaseMaking& making,
                                       CatalogueUses* uses = nullptr);

} // namespace touchstone::worker
