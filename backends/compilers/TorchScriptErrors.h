#pragma once

#include <functional>

namespace touchstone::compilers {

/// Runs TorchScript's interpreter. What an operator raises inside arrives as one RuntimeError that begins with where in the
/// TorchScript code it happened; thrown instead is a values::RaisedException with the operator's message alone. Other
/// exceptions pass.
void withErrorsOfOperators(const std::function<void()>& run);

} // namespace touchstone::compilers
