#include "tests/tool/Constructs.h"

#include "program/standalone/CaseFile.h"

#include <algorithm>
#include <string>

namespace touchstone::tool {

std::span<const Construct> constructs() {
  static constexpr bool kOfTorch = true;
  static constexpr Construct kTable[] = {
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
      {"cond without operands", ", lambda: helper_"},
      {"cond inside another", ": torch.cond("},
      {"while_loop", "torch.while_loop("},
      {"map", "torch._higher_order_ops.map("},
      {"scan", "torch._higher_order_ops.scan("},
      {"associative_scan", "torch._higher_order_ops.associative_scan("},
      {"scan in reverse", ", reverse=True)"},
      {"custom operator", "@torch.library.custom_op("},
      {"custom operator that writes", "mutates_args=(\""},
      {"custom operator with lists", "list[torch.Tensor]"},
      {"formula of a custom operator", "register_autograd("},
      {"checkpoint", "checkpoint.checkpoint("},
      {"hook of a tensor", ".register_hook("},
      {"hook of a module", "m.bn.register_"},
      {"dataclass", "@dataclasses.dataclass", kOfTorch},
      {"property", "@property", kOfTorch},
      {"named tuple", "(typing.NamedTuple):", kOfTorch},
      {"operator of a class", "def __add__(", kOfTorch},
      {"own module", "(torch.nn.Module):", kOfTorch},
      {"exceptions", "except ValueError:", kOfTorch},
      {"functools.partial", "functools.partial(", kOfTorch},
      {"tree_map", "tree_map(", kOfTorch},
      {"is_exporting", "torch.compiler.is_exporting()", kOfTorch},
      {"random.random", "random.random()", kOfTorch},
      {"subclass with __torch_function__", "def __torch_function__(", kOfTorch},
      {"subclass with __torch_dispatch__", "def __torch_dispatch__(", kOfTorch},
      {"jagged tensor", "nested_tensor_from_jagged(", kOfTorch},
      {"SGD", "torch.optim.SGD(", kOfTorch},
      {"AdamW", "torch.optim.AdamW(", kOfTorch},
      {"torch.Generator", "torch.Generator(", kOfTorch},
      {"checkpoint with reentrance", "use_reentrant=True", kOfTorch},
      {"torch.compiler.disable", "torch.compiler.disable", kOfTorch},
      {"torch.compiler.allow_in_graph", "torch.compiler.allow_in_graph", kOfTorch},
      {"nested torch.compile", "torch.compile(", kOfTorch},
      {"torch.func.functionalize", "torch.func.functionalize(", kOfTorch},
      {"torch.func.linearize", "torch.func.linearize(", kOfTorch},
      {"saved_tensors_hooks", "saved_tensors_hooks(", kOfTorch},
      {"flags", "config={", kOfTorch},
  };
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

std::vector<const Construct*> constructsOf(const language::Case& theCase) {
  const std::string text = standalone::printCase(theCase, language::CaseForm::kShort);
  std::vector<const Construct*> found;
  for (const Construct& each : constructs()) {
    if (each.text.empty() ? hasComprehension(theCase) : text.find(each.text) != std::string::npos) {
      found.push_back(&each);
    }
  }
  return found;
}

} // namespace touchstone::tool
