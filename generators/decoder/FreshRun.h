#pragma once

#include "generators/features/AutogradCycles.h"
#include "generators/decoder/DecoderState.h"
#include "program/language/Case.h"

#include <map>
#include <optional>

namespace touchstone::generators {

/// What a finished Program did from fresh inputs: it must do now what it did while it was decoded.
struct FreshRun {
  bool succeeded = false; // or raised where a statement is kept because it raises
  graph::InputSet inputs; // as the call left them
  graph::Value result;
  std::optional<size_t> guilty; // of one that failed: the record to leave out, where one is to blame
};

/// Calls `program` on what `base` says its inputs are. `recordOf`: of statements that were added around decoded ones. Notes
/// the overloads that are called where `state` wants uses.
FreshRun runFromFreshInputs(const graph::Case& theCase, const graph::CallSpec& base, const DecoderState& state,
                            const std::map<const graph::Statement*, size_t>& recordOf, AutogradCycles& cycles);

} // namespace touchstone::generators
