#pragma once

#include "program/language/Case.h"

#include <compare>
#include <cstddef>
#include <string>

namespace touchstone::reducer {

/// What Cases are compared by while reducing, term by term: each step makes it smaller. All terms are natural numbers in a
/// fixed order, so no chain of steps is endless; operators come first, so that no step makes them more.
struct CaseSize {
  size_t operators = 0; // of the ProgramSignature
  /// What is unusual where the text may be as long or longer without it: dtypes that are not float32 (int64 counts 1, bool 2,
  /// others 3), and tensors of `as_strided` that are not contiguous or do not begin at 0.
  size_t oddities = 0;
  size_t characters = 0; // of reducedText()
  size_t digits = 0; // their sum in it: `5` becoming `2` is progress
  auto operator<=>(const CaseSize&) const = default;
};
CaseSize sizeOf(const language::Case& theCase);

/// What reducing works on, as text: everything but headers, expectations, `data` and the `__main__` part. Cases are the same
/// when it is the same.
std::string reducedText(const language::Case& theCase);

/// How far a dtype is from float32, see CaseSize::oddities.
size_t dtypeOddity(const std::string& dtype);

} // namespace touchstone::reducer
