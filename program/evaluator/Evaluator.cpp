#include "program/evaluator/Evaluator.h"

#include "program/evaluator/EvaluationScope.h"
#include "program/evaluator/State.h"

namespace touchstone::evaluator {
namespace {

torch_names::Dispatch dispatchFor(const EvaluatorOptions& options) {
  if (!options.onOperation) {
    return [](const c10::OperatorHandle& op, torch::jit::Stack& stack) { op.callBoxed(stack); };
  }
  return [&options](const c10::OperatorHandle& op, torch::jit::Stack& stack) {
    // Flags of autograd become operators for captures; to whoever watches a run they are none.
    const std::string_view name = op.operator_name().name;
    const bool isFlag = name == "aten::requires_grad_" || name == "aten::retain_grad";
    if ((isFlag && !options.onCallable) || !options.onOperation(op, stack)) {
      op.callBoxed(stack);
    }
  };
}

class EagerProgram : public values::Callable {
 public:
  EagerProgram(const language::Case& theCase, EvaluatorOptions options)
      : name_(theCase.program().name), evaluator_(theCase, std::move(options)) {}

  values::Value operator()(values::ValueList& arguments) override {
    values::ValueList taken = std::move(arguments);
    arguments.clear();
    return evaluator_.call(name_, std::move(taken));
  }

 private:
  std::string name_;
  Evaluator evaluator_;
};

} // namespace

Evaluator::State::State(const language::Case& theCase, EvaluatorOptions options,
                        std::shared_ptr<const OwnedProgram> owned)
    : theCase(theCase),
      options(std::move(options)),
      dispatch(dispatchFor(this->options)),
      functionValues(*this, std::move(owned)) {
  modules.hookFunctions.now = [this](const std::string& function, values::ValueList arguments) {
    return statements.call(hooks.function(function), {std::move(arguments), {}});
  };
  modules.hookFunctions.later = [this](const std::string& function) { return hooks.callable(function); };
}

Evaluator::State::~State() {
  *alive = nullptr;
}

Evaluator::Evaluator(const language::Case& theCase, EvaluatorOptions options)
    : state_(std::make_unique<State>(theCase, std::move(options))) {}

Evaluator::Evaluator(std::shared_ptr<const OwnedProgram> program)
    : state_(std::make_unique<State>(program->theCase, program->options, program)) {}

Evaluator::~Evaluator() = default;

InputSet Evaluator::makeInputs(const std::string& function, int64_t seed, const std::string& kind) {
  const language::Function* found = state_->theCase.find(function);
  if (!found) {
    values::raiseError("NameError", "The case has no function `{}` to make inputs with.", function);
  }
  EvaluationScope scope(state_->options, state_->precision);
  values::Value returned = state_->statements.run(*found, {intValue(seed), textValue(kind)});
  const auto* pair = returned.maybe<values::TuplePtr>();
  if (!pair || (*pair)->items.size() != 2 || !(*pair)->items[0].is<values::TuplePtr>() ||
      !(*pair)->items[1].is<values::TuplePtr>()) {
    values::raiseError("TypeError", "`{}` must return two tuples, `(arguments…), (watched…)`, not {}.", function,
                       returned.typeName());
  }
  InputSet inputs{*(*pair)->items[0].items(), *(*pair)->items[1].items()};
  for (const values::Value& watched : inputs.watched) {
    if (!watched.isTensor()) {
      values::raiseError("TypeError", "`{}` must return tensors as watched values, not {}.", function,
                         watched.typeName());
    }
  }
  return inputs;
}

values::Value Evaluator::call(const std::string& function, values::ValueList arguments) {
  const language::Function* found = state_->theCase.find(function);
  if (!found) {
    values::raiseError("NameError", "The case has no function `{}`.", function);
  }
  rememberParameters(arguments);
  EvaluationScope scope(state_->options, state_->precision);
  return state_->statements.run(*found, std::move(arguments));
}

namespace {

const language::CustomFunction& customFunctionOf(const language::Case& theCase, const std::string& name) {
  const language::CustomFunction* found = theCase.findCustomFunction(name);
  if (!found) {
    values::raiseError("NameError", "The case has no custom function `{}`.", name);
  }
  return *found;
}

} // namespace

values::Value Evaluator::applyCustomFunction(const std::string& name, values::ValueList positional,
                                             torch_names::KeywordList keywords) {
  EvaluationScope scope(state_->options, state_->precision);
  state_->statements.start();
  return state_->customFunctions.run(customFunctionOf(state_->theCase, name),
                                     {std::move(positional), std::move(keywords)});
}

values::Value Evaluator::backward(const std::string& name, values::ValueList gradients, FunctionContext& context) {
  EvaluationScope scope(state_->options, state_->precision);
  state_->statements.start();
  return state_->customFunctions.backward(customFunctionOf(state_->theCase, name), std::move(gradients), context);
}

std::function<values::Value(values::ValueList)> Evaluator::hookFunction(const std::string& function) {
  return state_->hooks.callable(function);
}

std::vector<ir::FrameSummary> Evaluator::raisedThrough() const {
  return {state_->statements.raisedThrough().rbegin(), state_->statements.raisedThrough().rend()};
}

bool Evaluator::isParameter(const at::Tensor& tensor) const {
  return state_->parameters.contain(tensor);
}

void Evaluator::rememberParameter(const at::Tensor& tensor) {
  state_->parameters.remember(tensor);
}

void Evaluator::rememberParameters(const values::ValueList& values) {
  for (const values::Value& value : values) {
    state_->parameters.rememberAll(value);
  }
}

void Evaluator::execute(const language::Statement& statement, Environment& environment) {
  EvaluationScope scope(state_->options, state_->precision);
  state_->statements.start();
  Frame frame{nullptr, &environment, {}};
  state_->statements.execute(statement, frame);
}

values::Value Evaluator::evaluate(const language::Expr& expr, Environment& environment, Use use) {
  EvaluationScope scope(state_->options, state_->precision);
  state_->statements.start();
  Frame frame{nullptr, &environment, {}};
  return state_->expressions.evaluate(expr, frame, use);
}

values::Value Evaluator::callClosure(const Closure& closure, values::ValueList positional,
                                     torch_names::KeywordList keywords) {
  EvaluationScope evaluation(state_->options, state_->precision);
  state_->statements.start();
  const Closure::Parts& parts = closure.parts();
  return state_->statements.call(*parts.function, {std::move(positional), std::move(keywords)},
                                 {.name = parts.qualifiedName,
                                  .defaults = closure.isInner() ? &parts.defaults : nullptr,
                                  .enclosing = parts.enclosing,
                                  .scope = parts.scope});
}

values::Value Evaluator::adopted(const values::Value& value, const std::shared_ptr<Environment>& environment) {
  return state_->functionValues.adopted(value, environment);
}

bool Evaluator::truth(const values::Value& value) {
  EvaluationScope scope(state_->options, state_->precision);
  return state_->operators.truth(value);
}

values::ValueList Evaluator::items(const values::Value& value) {
  EvaluationScope scope(state_->options, state_->precision);
  state_->statements.start();
  return state_->containers.iterate(value);
}

values::Value Evaluator::iterated(const language::Expr& expr, Environment& environment) {
  values::Value value = evaluate(expr, environment, Use::kOpened);
  state_->watchers.readsItems(value);
  return value;
}

std::unique_ptr<Context> Evaluator::enter(const language::Expr& item, Environment& environment) {
  EvaluationScope scope(state_->options, state_->precision);
  state_->statements.start();
  Frame frame{nullptr, &environment, {}};
  return state_->statements.enterItem(item, frame);
}

std::unique_ptr<values::Callable> eagerProgram(const language::Case& theCase, EvaluatorOptions options) {
  return std::make_unique<EagerProgram>(theCase, std::move(options));
}

} // namespace touchstone::evaluator
