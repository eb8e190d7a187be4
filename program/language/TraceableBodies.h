#pragma once

#include "program/language/Case.h"

#include <optional>
#include <string>

namespace touchstone::language {

/// What in the methods of a custom function, or in what they call, no trace of them can stand for: it asks for more than
/// tensors and sizes tell, or it changes more than tensors. Null: nothing. Reads the text only.
/// `forOtherSizes`: the trace is to stand for tensors of other sizes, too, so that no number may decide anything.
const char* whatIsNotTraced(const Case& theCase, const CustomFunction& function, bool forOtherSizes);

/// The same of a custom operator. Its body is not traced, but it runs while a trace is made, and in a Graph below autograd with other
/// memory: so it may read values, but not modes, flags of gradients or offsets, and do nothing that a second run would repeat.
const char* whatIsNotTraced(const Case& theCase, const CustomOperator& made, bool forOtherSizes);

/// The same of a function that a transform is to run, with what it calls: also what it changes of functions around it. As a
/// sentence.
std::optional<std::string> whatIsNotTraced(const Case& theCase, const Function& function, bool forOtherSizes);

} // namespace touchstone::language
