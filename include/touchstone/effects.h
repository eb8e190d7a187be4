#pragma once

#include <string>
#include <vector>

/// Operators that do more than compute tensors: they print, raise, or write to a log. AOT autograd keeps their calls, and
/// their order, by tokens: a call is one of `with_effects::NAMESPACE__NAME`, which takes a token first and gives one first, a
/// tensor without elements, that of the next call; where that name is another's, underscores follow. Whether tokens are
/// arguments and results of the Graphs that a compiler gets is Options::unliftEffectTokens (touchstone/aot.h). Whoever calls
/// what was compiled sees nothing of them.
namespace touchstone::aot {

struct EffectfulOperator {
  std::string target; // `aten::_assert_async.msg`: namespace, name, and overload where there is one
  bool mayRaise = true; // for some values; then what comes before it in the program has happened, as in eager
};

/// Adds a row to the table, or changes one. To be called before anything is compiled that calls the operator. What an
/// operator returns must have a kernel for the meta device: it has no effect while a function is traced. Throws
/// std::invalid_argument where there is no such operator, and where its schema says that it writes to its arguments or
/// returns them. Thread-safe.
void registerEffectfulOperator(const EffectfulOperator& op);

/// The table, by target. `aten::_print` and `aten::_assert_async` are in it from the start.
std::vector<EffectfulOperator> effectfulOperators();

} // namespace touchstone::aot
