#pragma once

#include "generators/sequences/SequenceInputs.h"
#include "program/language/Case.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace touchstone::sequences {

/// A way in which a Program relies, or does not rely, on what it was given.
struct SequenceFragment {
  std::string_view name; // `branches on a size`
  /// Statements; $A and $B stand for two of the tensors x, y and z, $R for a new result. Other parameters by their names:
  /// n (an int), factor (a float), flag, text, nothing (None or a float), parts and others (lists), table (a dict), m (a
  /// module with a parameter, a buffer and an int).
  std::string_view text;
  bool trains = false; // x requires grad, and calls have a backward
  std::string_view unused = ""; // a parameter that the text does not name
};
std::span<const SequenceFragment> sequenceFragments();

/// Case `index` of a campaign of call sequences: a Program of one to four fragments, and two to four calls, each of which
/// changes one thing of the call before it. Header `sequence` says which. Depends on the two numbers alone.
language::Case makeSequence(uint64_t seed, uint64_t index);

/// The fragment as a Program on its own, called twice, the second time with one thing changed, of a tensor if it is a
/// tensor's: of SequenceInputs' tensor `target`. Nothing where the change does not apply or eager does not take the call.
std::optional<language::Case> changedOnce(const SequenceFragment& fragment, SequenceChange change, int target = -1);

} // namespace touchstone::sequences
