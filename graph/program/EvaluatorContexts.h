#pragma once

#include "graph/program/Ast.h"
#include "graph/program/NameResolver.h"

#include <memory>

namespace touchstone::graph {

/// The body of a `with` statement runs while it lives.
class Context {
 public:
  virtual ~Context() = default;
};

/// `no_grad`, `enable_grad`, `set_grad_enabled`, `inference_mode` or `autocast` when `call` is a call of torch's context
/// manager of that name; else null.
const std::string* contextName(const Expr& call);

/// `inDouble`: autocast is left out, because everything runs one precision up.
std::unique_ptr<Context> enterContext(const std::string& name, const ValueList& positional, const KeywordList& keywords,
                                      bool inDouble);

} // namespace touchstone::graph
