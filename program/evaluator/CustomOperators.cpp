#include "program/evaluator/CustomOperators.h"

#include "program/evaluator/CaseOperators.h"
#include "program/evaluator/FunctionContext.h"
#include "program/evaluator/OperatorValues.h"
#include "program/evaluator/State.h"
#include "program/language/TraceableBodies.h"
#include "program/torch_names/OperatorCall.h"
#include "program/values/RaiseError.h"

#include <c10/util/ScopeExit.h>

#include <utility>

namespace touchstone::evaluator {

using values::Value;

Value CustomOperators::call(const language::CustomOperator& made, const CallArguments& given) {
  state_.limits.spendOnArguments(given.positional, given.keywords);
  operators_ = operators_ != nullptr ? operators_ : CaseOperators::of(state_.theCase);
  const c10::OperatorHandle& op = operators_->find(made.body.name);
  torch::jit::Stack stack = boxedArguments(op.schema(), given);
  if (state_.watchers.takeCallables()) {
    if (const char* what = language::whatIsNotTraced(state_.theCase, made, state_.watchers.tellsIntegers())) {
      state_.watchers.cannotCapture(what);
    }
    state_.dispatch(op, stack);
  } else {
    const DepthScope depth(state_.limits);
    const CaseOperators::CallerScope caller(state_.options);
    op.callBoxed(stack);
  }
  return torch_names::resultOf(op.schema(), stack, /*listsAsTuples=*/false);
}

Value CustomOperators::run(const language::Function& function, values::ValueList arguments, FunctionContext* context) {
  const size_t required = function.parameters.size() - function.defaults.size();
  Environment none;
  Frame frame{.environment = &none};
  for (size_t i = std::max(arguments.size(), required); i < function.parameters.size() && arguments.size() == i; ++i) {
    arguments.push_back(state_.expressions.evaluate(*function.defaults[i - required], frame));
  }
  return state_.statements.call(function, {std::move(arguments), {}}, {.context = context});
}

Value CustomOperators::backward(const language::CustomOperator& made, values::ValueList gradients,
                                FunctionContext& context) {
  if (!made.backward) {
    values::raiseError("RuntimeError",
                       "Trying to backward through {}.{}.default but no autograd formula was registered. Please use "
                       "register_autograd to add one.",
                       made.space, made.name);
  }
  const OperatorLists* lists = context.lists.get();
  const values::ValueList before = context.needsInputGrad;
  const auto restored = c10::make_scope_exit([&] { context.needsInputGrad = before; });
  context.needsInputGrad.pop_back();
  if (lists != nullptr) {
    context.needsInputGrad.pop_back();
    context.needsInputGrad = lists->nested(context.needsInputGrad, lists->arguments);
    gradients = lists->nested(gradients, lists->results);
  }
  gradients.insert(gradients.begin(), Value()); // `ctx`
  const Value returned = run(*made.backward, std::move(gradients), &context);
  values::ValueList results = returned.is<values::TuplePtr>() ? *returned.items() : values::ValueList{returned};
  if (lists != nullptr) {
    results = lists->flattened(results);
    results.emplace_back();
  }
  results.emplace_back();
  return Value::tuple(std::move(results));
}

} // namespace touchstone::evaluator
