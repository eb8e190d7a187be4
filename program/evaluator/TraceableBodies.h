#pragma once

#include "program/language/Case.h"

namespace touchstone::evaluator {

/// What in the methods of a custom function, or in what they call, no trace of them can stand for: it asks for more than
/// tensors and sizes tell, or it changes more than tensors. Null: nothing. Reads the text only.
/// `forOtherSizes`: the trace is to stand for tensors of other sizes, too, so that no number may decide anything.
const char* whatIsNotTraced(const language::Case& theCase, const language::CustomFunction& function,
                            bool forOtherSizes);

/// The same of a custom operator. Its body is not traced, but it runs while a trace is made, and in a Graph below autograd with other
/// memory: so it may read values, but not modes, flags of gradients or offsets, and do nothing that a second run would repeat.
const char* whatIsNotTraced(const language::Case& theCase, const language::CustomOperator& made, bool forOtherSizes);

} // namespace touchstone::evaluator
