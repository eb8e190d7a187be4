#pragma once

#include "graph/runtime/GraphCallable.h"
#include "program/language/Ast.h"
#include "program/torch_names/NameResolver.h"

#include <functional>
#include <memory>

namespace touchstone::evaluator {

/// The body of a `with` statement runs while it lives.
class Context {
 public:
  virtual ~Context() = default;
  /// Told when the body ended as it should, before the object dies.
  virtual void leave() {}
};

/// `torch.autograd.graph.saved_tensors_hooks`
constexpr const char* kSavedTensorsHooks = "saved_tensors_hooks";

/// `no_grad`, `enable_grad`, `set_grad_enabled`, `inference_mode`, `autocast` or `saved_tensors_hooks` when `call` is a call of
/// torch's context manager of that name; else null.
const std::string* contextName(const language::Expr& call);

/// `inDouble`: autocast is left out, because everything runs one precision up.
std::unique_ptr<Context> enterContext(const std::string& name, const values::ValueList& positional,
                                      const torch_names::KeywordList& keywords, bool inDouble);

/// The one argument of `set_grad_enabled`, as a call and as a context; `function`: what error texts call it.
bool wantedGradMode(const char* function, const values::ValueList& positional,
                    const torch_names::KeywordList& keywords);

/// `autocast(…)` as a call that a Graph can hold, and the end of the region that it returned.
runtime::CallableCall autocastRegion(const values::ValueList& positional, const torch_names::KeywordList& keywords);
runtime::CallableCall endOfRegion(const values::Value& region);

/// What `torch.autograd.graph.saved_tensors_hooks` gives to autograd.
struct SavedTensorsHooks {
  using Call = std::function<values::Value(values::ValueList)>;
  Call pack; // of the tensor that is saved
  Call unpack; // of what was made of it: a tensor
};

/// While it lives, what this thread saves for a backward goes through the hooks; of nested ones through the innermost.
std::unique_ptr<Context> enterSavedTensorsHooks(SavedTensorsHooks hooks);

} // namespace touchstone::evaluator
