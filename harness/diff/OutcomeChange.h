#pragma once

#include "harness/worker/Job.h"

#include <string>
#include <string_view>

namespace touchstone::diff {

/// What a change from the left side's outcome to the right's means for whoever wants to go from left to right.
enum class ChangeKind {
  kNone,
  kWorse, // a finding appears, or what was judged no longer is
  kBetter, // the other way round
  kOther, // a finding becomes another, or the Case itself is another matter: eager rejects it on one side
};
std::string_view changeKindName(ChangeKind kind); // `worse`

/// An outcome in full, as it is compared: `Agreed`, `Differs/values/call 0 output 0`, `BackendRejected/compile/TypeError`. What
/// a weaker backend shows, too (Upstream), or a known defect (Known), is what it would be without that: one side may be the
/// other's base, and whom to blame is no change of what the program does.
std::string outcomeTextOf(const worker::BackendResult& result);
/// Without places, by which changes are counted and clustered: `Differs/values`.
std::string outcomeClassOf(const worker::BackendResult& result);
/// Shows a finding, of the backend itself or of its base: another installation may have broken either.
bool showsFinding(const worker::BackendResult& result);

/// Compares outcomeTextOf() both.
ChangeKind changeBetween(const worker::BackendResult& left, const worker::BackendResult& right);

} // namespace touchstone::diff
