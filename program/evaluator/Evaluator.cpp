#include "program/evaluator/Evaluator.h"

#include "program/evaluator/EvaluatorLimits.h"
#include "program/evaluator/EvaluatorState.h"

#include <c10/core/DefaultDtype.h>
#include <c10/core/ScalarTypeToTypeMeta.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <algorithm>

namespace touchstone::evaluator {
namespace {

class SilentWarnings : public c10::WarningHandler {
 public:
  void process(const c10::Warning&) override {}
};

// What holds while functions of a file run: no warnings on the terminal, and one precision up as the default.
class EvaluationScope {
 public:
  EvaluationScope(bool& inDouble, bool wanted) : flag_(inDouble), before_(inDouble), guard_(&silent()) {
    flag_ = wanted;
    if (wanted) {
      defaultDtype_ = c10::get_default_dtype();
      c10::set_default_dtype(c10::scalarTypeToTypeMeta(at::kDouble));
    }
  }
  ~EvaluationScope() {
    flag_ = before_;
    if (defaultDtype_) {
      c10::set_default_dtype(*defaultDtype_);
    }
  }
  EvaluationScope(const EvaluationScope&) = delete;
  EvaluationScope& operator=(const EvaluationScope&) = delete;

 private:
  static SilentWarnings& silent() {
    static SilentWarnings handler;
    return handler;
  }
  bool& flag_;
  bool before_;
  std::optional<caffe2::TypeMeta> defaultDtype_;
  c10::WarningUtils::WarningHandlerGuard guard_;
};

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

std::string quotedList(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    text += i == 0 ? "" : i + 1 < names.size() ? ", " : names.size() == 2 ? " and " : ", and ";
    text += '\'' + names[i] + '\'';
  }
  return text;
}

} // namespace

void raiseError(const char* type, const std::string& message) {
  throw values::RaisedException(type, message);
}

const values::Value* Environment::find(const std::string& name) const {
  auto found = names.find(name);
  return found == names.end() ? nullptr : &found->second;
}

Evaluator::State::State(const language::Case& theCase, EvaluatorOptions options)
    : theCase(theCase), options(std::move(options)) {
  if (this->options.onOperation) {
    dispatch = [this](const c10::OperatorHandle& op, torch::jit::Stack& stack) {
      // Flags of autograd become operators for captures; to whoever watches a run they are none.
      const std::string_view name = op.operator_name().name;
      const bool isFlag = name == "aten::requires_grad_" || name == "aten::retain_grad";
      if ((isFlag && !this->options.onCallable) || !this->options.onOperation(op, stack)) {
        op.callBoxed(stack);
      }
    };
  } else {
    dispatch = [](const c10::OperatorHandle& op, torch::jit::Stack& stack) { op.callBoxed(stack); };
  }
}

const language::Function* Evaluator::State::findFunction(const std::string& name) const {
  return theCase.find(name);
}

bool Evaluator::State::isCustomFunction(const std::string& name) const {
  return std::find(theCase.customFunctions.begin(), theCase.customFunctions.end(), name) !=
         theCase.customFunctions.end();
}

values::Value Evaluator::State::callFunction(const language::Function& function, values::ValueList positional,
                                             torch_names::KeywordList keywords) {
  const size_t wanted = function.parameters.size();
  if (positional.size() > wanted) {
    raiseError("TypeError",
               fmt::format("{}() takes {} positional argument{} but {} {} given", function.name, wanted,
                           wanted == 1 ? "" : "s", positional.size(), positional.size() == 1 ? "was" : "were"));
  }
  DepthScope scope(depth);
  Environment environment;
  for (size_t i = 0; i < positional.size(); ++i) {
    environment.names.emplace(function.parameters[i], std::move(positional[i]));
  }
  for (auto& [name, value] : keywords) {
    if (std::find(function.parameters.begin(), function.parameters.end(), name) == function.parameters.end()) {
      raiseError("TypeError", fmt::format("{}() got an unexpected keyword argument '{}'", function.name, name));
    }
    if (!environment.names.emplace(name, std::move(value)).second) {
      raiseError("TypeError", fmt::format("{}() got multiple values for argument '{}'", function.name, name));
    }
  }
  std::vector<std::string> missing;
  for (const std::string& parameter : function.parameters) {
    if (!environment.find(parameter)) {
      missing.push_back(parameter);
    }
  }
  if (!missing.empty()) {
    raiseError("TypeError", fmt::format("{}() missing {} required positional argument{}: {}", function.name,
                                        missing.size(), missing.size() == 1 ? "" : "s", quotedList(missing)));
  }
  Frame frame{&function, &environment, {}};
  const language::Statement* caller = running;
  try {
    executeBody(function.body, frame);
  } catch (...) {
    raisedThrough.push_back({.line = running != nullptr ? running->place.line : 0, .function = function.name});
    running = caller;
    throw;
  }
  if (caller != nullptr) { // of the outermost call, the last statement stays the place of what is said of its result
    running = caller;
  }
  return std::move(frame.returned);
}

values::Value Evaluator::State::enter(const language::Function& function, values::ValueList arguments,
                                      bool wantDouble) {
  EvaluationScope scope(inDouble, wantDouble);
  startCounting();
  const values::ValueList given = arguments; // lists and dicts among them may have grown
  values::Value returned = callFunction(function, std::move(arguments), {});
  checkResult(returned, "The call returns");
  for (const values::Value& argument : given) {
    checkResult(argument, "The call leaves in an argument");
  }
  return returned;
}

Evaluator::Evaluator(const language::Case& theCase, EvaluatorOptions options)
    : state_(std::make_unique<State>(theCase, std::move(options))) {}

Evaluator::~Evaluator() = default;

InputSet Evaluator::makeInputs(const std::string& function, int64_t seed, const std::string& kind) {
  const language::Function* found = state_->findFunction(function);
  if (!found) {
    raiseError("NameError", fmt::format("The case has no function `{}` to make inputs with.", function));
  }
  values::Value returned = state_->enter(*found, {intValue(seed), textValue(kind)}, state_->options.inDouble);
  const auto* pair = returned.maybe<values::TuplePtr>();
  if (!pair || (*pair)->items.size() != 2 || !(*pair)->items[0].is<values::TuplePtr>() ||
      !(*pair)->items[1].is<values::TuplePtr>()) {
    raiseError("TypeError", fmt::format("`{}` must return two tuples, `(arguments…), (watched…)`, not {}.", function,
                                        returned.typeName()));
  }
  InputSet inputs{*(*pair)->items[0].items(), *(*pair)->items[1].items()};
  for (const values::Value& watched : inputs.watched) {
    if (!watched.isTensor()) {
      raiseError("TypeError",
                 fmt::format("`{}` must return tensors as watched values, not {}.", function, watched.typeName()));
    }
  }
  return inputs;
}

values::Value Evaluator::call(const std::string& function, values::ValueList arguments) {
  const language::Function* found = state_->findFunction(function);
  if (!found) {
    raiseError("NameError", fmt::format("The case has no function `{}`.", function));
  }
  rememberParameters(arguments);
  return state_->enter(*found, std::move(arguments), state_->options.inDouble);
}

std::vector<ir::FrameSummary> Evaluator::raisedThrough() const {
  return {state_->raisedThrough.rbegin(), state_->raisedThrough.rend()};
}

void Evaluator::execute(const language::Statement& statement, Environment& environment) {
  EvaluationScope scope(state_->inDouble, state_->options.inDouble);
  state_->startCounting();
  Frame frame{nullptr, &environment, {}};
  state_->execute(statement, frame);
}

values::Value Evaluator::evaluate(const language::Expr& expr, Environment& environment, Use use) {
  EvaluationScope scope(state_->inDouble, state_->options.inDouble);
  state_->startCounting();
  Frame frame{nullptr, &environment, {}};
  return state_->evaluate(expr, frame, use);
}

bool Evaluator::truth(const values::Value& value) {
  EvaluationScope scope(state_->inDouble, state_->options.inDouble);
  return state_->truth(value);
}

values::ValueList Evaluator::items(const values::Value& value) {
  EvaluationScope scope(state_->inDouble, state_->options.inDouble);
  state_->startCounting();
  return state_->iterate(value);
}

values::Value Evaluator::iterated(const language::Expr& expr, Environment& environment) {
  values::Value value = evaluate(expr, environment, Use::kOpened);
  state_->readsItems(value);
  return value;
}

std::unique_ptr<Context> Evaluator::enter(const language::Expr& item, Environment& environment) {
  EvaluationScope scope(state_->inDouble, state_->options.inDouble);
  state_->startCounting();
  Frame frame{nullptr, &environment, {}};
  return state_->enterItem(item, frame);
}

std::unique_ptr<values::Callable> eagerProgram(const language::Case& theCase, EvaluatorOptions options) {
  return std::make_unique<EagerProgram>(theCase, std::move(options));
}

} // namespace touchstone::evaluator
