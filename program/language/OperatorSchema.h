#pragma once

#include "program/language/Ast.h"

#include <string>
#include <vector>

namespace touchstone::language {

/// The schema that `torch.library.infer_schema` makes of an operator's annotations and defaults (torch/_library/infer_schema.py),
/// under this name: `mine::scale(Tensor x, float k=2.0) -> Tensor`. The annotations are among those below.
std::string schemaOf(const CustomOperator& made, const std::string& qualifiedName);

/// `Tensor?` of `torch.Tensor | None`; empty: no parameter may have this annotation.
std::string schemaTypeOf(const Expr& annotation);
/// `(Tensor, Tensor)` of `tuple[torch.Tensor, torch.Tensor]`; empty: nothing may return this.
std::string schemaReturnOf(const Expr& annotation);
/// What schemaTypeOf() takes.
std::vector<std::string> parameterAnnotations();

} // namespace touchstone::language
