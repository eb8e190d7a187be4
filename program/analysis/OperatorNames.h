#pragma once

#include "program/language/Ast.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace touchstone::analysis {

/// True of `torch`, `torch.nn.functional`, …: a place where functions live, not a value.
bool isTorchPath(const language::Expr& expr);

/// The last part of what is called, without the overload: `torch.ops.aten.mm.default`, `torch.mm` and `x.mm` are `mm`.
std::string calleeName(const language::Expr& callee);

/// An operation as the text writes it: `torch.mm(x, w)` and `x.mm(w)` are `mm` of two operands, `x @ w` is `@`, `x[0]` is
/// `[]`, `x.T` is `.T`.
struct WrittenOperation {
  struct Operand {
    std::string keyword; // empty: by position
    language::ExprPtr value;
  };
  std::string name; // as it is written; see operatorName()
  std::vector<Operand> operands; // the object of a method first

  bool isInPlace() const; // `add_`, but not `requires_grad_`, …, which write no element
  /// The operand that it writes to, of one in place or with `out=`; null: none.
  const language::Expr* written() const;
};
/// Of the outermost operation of an expression; none: it is a name, a literal, a list, …
std::optional<WrittenOperation> writtenOperation(const language::Expr& expr);

/// How operations are called, whatever their spelling: `torch.ops.aten.mm.default`, `torch.mm` and `x.mm` are `mm`, `+` is
/// `add`, `+=` is `add_`, `subtract` is `sub`.
std::string operatorName(const std::string& spelled);

/// The region of a `with` by its context manager: `no_grad` of `torch.no_grad()` and `torch.set_grad_enabled(False)`.
std::string regionName(const language::Expr& manager);

/// Whether the result of an operation of this name (`view`, `.T`, `add_`) may share memory with its first operand.
bool mayReturnAlias(std::string_view name);

/// In a pattern: any operator that computes each element from those at its place.
inline constexpr std::string_view kElementwise = "elementwise";
bool isElementwise(const std::string& name);
/// Those with one operand, beside numbers: `sin`, `clamp`.
const std::vector<std::string>& elementwiseOfOne();

} // namespace touchstone::analysis
