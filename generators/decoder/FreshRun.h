#pragma once

#include "generators/decoder/DecoderState.h"
#include "generators/features/AutogradCycles.h"
#include "program/language/Case.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace touchstone::decoder {

/// What a finished Program did from fresh inputs: it must do now what it did while it was decoded.
struct FreshRun {
  bool succeeded = false; // or raised where a statement is kept because it raises
  evaluator::InputSet inputs; // as the call left them
  values::Value result;
  std::optional<size_t> guilty; // of one that failed: the record to leave out, where one is to blame
  std::set<std::string> overloads; // that the Program called, where uses are wanted
};

/// Calls `program` on what `base` says its inputs are. `recordOf`: of statements that were added around decoded ones.
FreshRun runFromFreshInputs(const language::Case& theCase, const language::CallSpec& base, const DecoderState& state,
                            const std::map<const language::Statement*, std::optional<size_t>>& recordOf,
                            features::AutogradCycles& cycles);

} // namespace touchstone::decoder
