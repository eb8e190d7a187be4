#pragma once

#include "harness/suppressions/Pattern.h"

#include <functional>

namespace touchstone::triage {

/// All operations of the Program, with all that can be said of them; of conditions the most useful first, and of what a value
/// hangs on the loosest first. It matches the Program.
suppressions::Pattern tightestPattern(const analysis::FlatProgram& program);

/// The pattern without its refinements as far as it `holds` without them: conditions, then regions and words, then how close
/// operands are to the values that they hang on.
using PatternTest = std::function<bool(const suppressions::Pattern& pattern)>;
suppressions::Pattern withoutRefinements(suppressions::Pattern pattern, const PatternTest& holds);

/// Without an operation, and the conditions on names that no other one says anything of.
suppressions::Pattern withoutStep(suppressions::Pattern pattern, size_t number);

/// Without names that nothing else refers to, and without the places behind the last one that says something.
suppressions::Pattern withoutIdleNames(suppressions::Pattern pattern);

} // namespace touchstone::triage
