#include "tests/tool/Constructs.h"

#include "program/standalone/CaseFile.h"

#include <algorithm>
#include <string>

namespace touchstone::tool {

namespace {

bool hasComprehension(const language::Case& theCase) {
  return std::ranges::any_of(theCase.functions, [](const language::Function& function) {
    return language::anyExpression(
        function.body, [](const language::Expr& each) { return each.kind == language::ExprKind::kComprehension; });
  });
}

bool hasDefault(const language::Case& theCase) {
  return std::ranges::any_of(theCase.functions, [](const language::Function& function) {
    return language::anyStatement(function.body, [](const language::Statement& each) {
      return each.function != nullptr && !each.function->defaults.empty();
    });
  });
}

} // namespace

std::span<const Construct> constructs() {
  static constexpr bool kOfTorch = true;
  static constexpr Construct kTable[] = {
      {"function inside another", "\n    def "},
      {"nonlocal", "nonlocal "},
      {"default argument", "", !kOfTorch, hasDefault},
      {"lambda", "lambda"},
      {"comprehension", "", !kOfTorch, hasComprehension},
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
      {"vmap of a vmap", "torch.func.vmap(torch.func.vmap("},
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
      {"checkpoint inside another", "torch.utils.checkpoint.checkpoint(lambda "},
      {"hook of a tensor", ".register_hook("},
      {"hook of a module", "m.bn.register_"},
      {"GRU", "torch.nn.GRU("},
      {"GRU in both directions", "bidirectional=True"},
      {"dataclass", "@dataclasses.dataclass", kOfTorch},
      {"property", "@property", kOfTorch},
      {"named tuple", "(typing.NamedTuple):", kOfTorch},
      {"operator of a class", "def __add__(", kOfTorch},
      {"own module", "(torch.nn.Module):", kOfTorch},
      {"tied weights", "self.second = self.first", kOfTorch},
      {"parametrization", "register_parametrization(", kOfTorch},
      {"named tuple as result", "return Outputs(", kOfTorch},
      {"is_compiling", "torch.compiler.is_compiling()", kOfTorch},
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
      {"Adam", "torch.optim.Adam(", kOfTorch},
      {"RMSprop", "torch.optim.RMSprop(", kOfTorch},
      {"Adagrad", "torch.optim.Adagrad(", kOfTorch},
      {"Adamax", "torch.optim.Adamax(", kOfTorch},
      {"NAdam", "torch.optim.NAdam(", kOfTorch},
      {"RAdam", "torch.optim.RAdam(", kOfTorch},
      {"ASGD", "torch.optim.ASGD(", kOfTorch},
      {"torch.Generator", "torch.Generator(", kOfTorch},
      {"checkpoint with reentrance", "use_reentrant=True", kOfTorch},
      {"torch.compiler.disable", "torch.compiler.disable", kOfTorch},
      {"torch.compiler.allow_in_graph", "torch.compiler.allow_in_graph", kOfTorch},
      {"nested torch.compile", "torch.compile(", kOfTorch},
      {"torch.func.functionalize", "torch.func.functionalize(", kOfTorch},
      {"torch.func.linearize", "torch.func.linearize(", kOfTorch},
      {"saved_tensors_hooks", "saved_tensors_hooks(", kOfTorch},
      {"MultiheadAttention", "torch.nn.MultiheadAttention(", kOfTorch},
      {"TransformerEncoderLayer", "torch.nn.TransformerEncoderLayer(", kOfTorch},
      {"flex_attention", "flex_attention.flex_attention(", kOfTorch},
      {"flex_attention with a block mask", "create_block_mask(", kOfTorch},
      {"flags", "config={", kOfTorch},
  };
  return kTable;
}

std::vector<const Construct*> constructsOf(const language::Case& theCase) {
  const std::string text = standalone::printCase(theCase, language::CaseForm::kShort);
  std::vector<const Construct*> found;
  for (const Construct& each : constructs()) {
    if (each.isIn != nullptr ? each.isIn(theCase) : text.find(each.text) != std::string::npos) {
      found.push_back(&each);
    }
  }
  return found;
}

} // namespace touchstone::tool
