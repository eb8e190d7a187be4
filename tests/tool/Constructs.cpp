#include "tests/tool/Constructs.h"

#include "program/language/PythonConstructs.h"
#include "program/standalone/CaseFile.h"

#include <algorithm>
#include <array>

namespace touchstone::tool {

std::span<const Construct> constructs() {
  static constexpr std::array<Construct, 33> kTable{{
      {"function inside another", "\n    def "},
      {"nonlocal", "nonlocal "},
      {"lambda", "lambda"},
      {"comprehension", ""},
      {"function that takes a function", "def call_with(f"},
      {"*rest", ", *rest):"},
      {"own autograd function", "(torch.autograd.Function):"},
      {"setup_context", "def setup_context("},
      {"mark_dirty", "mark_dirty("},
      {"mark_non_differentiable", "mark_non_differentiable("},
      {"needs_input_grad", "needs_input_grad"},
      {"once_differentiable", "once_differentiable"},
      {"set_materialize_grads", "set_materialize_grads("},
      {"torch.func.grad", "torch.func.grad("},
      {"torch.func.vjp", "torch.func.vjp("},
      {"torch.func.jvp", "torch.func.jvp("},
      {"torch.func.grad_and_value", "torch.func.grad_and_value("},
      {"torch.func.jacrev", "torch.func.jacrev("},
      {"torch.func.jacfwd", "torch.func.jacfwd("},
      {"torch.func.hessian", "torch.func.hessian("},
      {"torch.func.vmap", "torch.func.vmap("},
      {"torch.func.functional_call", "torch.func.functional_call("},
      {"cond", "torch.cond("},
      {"scan", "scan("},
      {"custom operator", "@torch.library.custom_op("},
      {"custom operator that writes", "mutates_args=(\""},
      {"custom operator with lists", "list[torch.Tensor]"},
      {"formula of a custom operator", "register_autograd("},
      {"checkpoint", "checkpoint.checkpoint("},
      {"hook of a tensor", ".register_hook("},
      {"hook of a module", "m.bn.register_"},
      {"saved_tensors_hooks", "saved_tensors_hooks("},
      {"flags", "config={"},
  }};
  return kTable;
}

namespace {

bool hasComprehension(const language::Case& theCase) {
  return std::ranges::any_of(theCase.functions, [](const language::Function& function) {
    return language::anyExpression(
        function.body, [](const language::Expr& each) { return each.kind == language::ExprKind::kComprehension; });
  });
}

} // namespace

std::set<std::string> constructsOf(const language::Case& theCase) {
  const std::string text = standalone::printCase(theCase, language::CaseForm::kShort);
  std::set<std::string> found;
  for (const Construct& each : constructs()) {
    if (each.text.empty() ? hasComprehension(theCase) : text.find(each.text) != std::string::npos) {
      found.insert(each.name);
    }
  }
  for (const std::string& python : language::needsPython(theCase)) {
    found.insert("needs Python: " + python);
  }
  return found;
}

} // namespace touchstone::tool
