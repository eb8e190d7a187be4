#include "program/evaluator/FunctionValues.h"

#include "graph/ir/Unsupported.h"
#include "program/control_flow/ControlFlow.h"
#include "program/control_flow/Operators.h"
#include "program/evaluator/CaseOperators.h"
#include "program/evaluator/Checkpoint.h"
#include "program/evaluator/EvaluationScope.h"
#include "program/evaluator/State.h"
#include "program/evaluator/TransformedCalls.h"
#include "program/transforms/Layers.h"
#include "program/transforms/Transforms.h"

#include <algorithm>
#include <functional>
#include <set>

namespace touchstone::evaluator {
namespace {

/// `NAME.apply` of a custom autograd function.
class AppliedFunction : public values::FunctionObject {
 public:
  AppliedFunction(std::string name, std::shared_ptr<const OwnedProgram> program,
                  std::shared_ptr<Evaluator::State*> state)
      : name_(std::move(name)), program_(std::move(program)), state_(std::move(state)) {}

  std::string name() const override { return name_ + ".apply"; }
  const std::string& function() const { return name_; }
  values::Value call(values::ValueList positional, Keywords keywords) const override {
    if (*state_ == nullptr) {
      return Evaluator(program_).applyCustomFunction(name_, std::move(positional), std::move(keywords));
    }
    Evaluator::State& state = **state_;
    const EvaluationScope scope(state.options, state.precision);
    return state.customFunctions.apply(*state.theCase.findCustomFunction(name_),
                                       {std::move(positional), std::move(keywords)});
  }

 private:
  const std::string name_;
  const std::shared_ptr<const OwnedProgram> program_;
  const std::shared_ptr<Evaluator::State*> state_;
};

/// The call of a module.
class ModuleFunction : public values::FunctionObject {
 public:
  ModuleFunction(values::ModulePtr module, std::shared_ptr<const OwnedProgram> program,
                 std::shared_ptr<Evaluator::State*> state)
      : module_(std::move(module)), program_(std::move(program)), state_(std::move(state)) {}

  std::string name() const override { return module_->typeName; }
  values::Value call(values::ValueList positional, Keywords keywords) const override {
    if (*state_ == nullptr) {
      return Evaluator(program_).callModule(module_, positional, keywords);
    }
    const EvaluationScope scope((*state_)->options, (*state_)->precision);
    return (*state_)->modules.call(*module_, positional, keywords);
  }

 private:
  const values::ModulePtr module_;
  const std::shared_ptr<const OwnedProgram> program_;
  const std::shared_ptr<Evaluator::State*> state_;
};

} // namespace

values::Value Closure::call(values::ValueList positional, Keywords keywords) const {
  const auto& [function, qualifiedName, defaults, enclosing, scope, program, state] = parts_;
  if (*state == nullptr) {
    return Evaluator(program).callClosure(*this, std::move(positional), std::move(keywords));
  }
  const EvaluationScope evaluation((*state)->options, (*state)->precision);
  return (*state)->statements.call(
      *function, {std::move(positional), std::move(keywords)},
      {.name = qualifiedName, .defaults = isInner() ? &defaults : nullptr, .enclosing = enclosing, .scope = scope});
}

bool Closure::isSame(const Closure& other) const {
  const language::Function &left = *parts_.function, &right = *other.parts_.function;
  const auto body = [](const language::Function& function) -> const void* {
    return function.body.empty()                ? nullptr
           : function.body.front()->value.get() ? static_cast<const void*>(function.body.front()->value.get())
                                                : function.body.front().get();
  };
  const auto isEqual = [](const values::Value& a, const values::Value& b) {
    return a.payload().index() == b.payload().index() &&
           (a.isNone() || (a.is<bool>() && a.as<bool>() == b.as<bool>()) ||
            (a.is<int64_t>() && a.as<int64_t>() == b.as<int64_t>()) ||
            (a.is<double>() && a.as<double>() == b.as<double>()));
  };
  return left.name == right.name && isInner() == other.isInner() && body(left) == body(right) &&
         std::equal(parts_.defaults.begin(), parts_.defaults.end(), other.parts_.defaults.begin(),
                    other.parts_.defaults.end(), isEqual);
}

bool isSameFunction(const values::FunctionPtr& left, const values::FunctionPtr& right) {
  if (left == right) {
    return true;
  }
  if (const auto* closure = dynamic_cast<const Closure*>(left.get())) {
    const auto* other = dynamic_cast<const Closure*>(right.get());
    return other != nullptr && closure->isSame(*other);
  }
  const auto* transformed = dynamic_cast<const TransformedFunction*>(left.get());
  const auto* other = dynamic_cast<const TransformedFunction*>(right.get());
  return transformed != nullptr && other != nullptr &&
         transformed->parts().transformName == other->parts().transformName &&
         transformed->parts().options == other->parts().options &&
         isSameFunction(transformed->parts().function, other->parts().function);
}

namespace {

using ChangeFunction = std::function<values::FunctionPtr(const values::FunctionPtr&)>;

/// The value with each function in it as `change` gives it; null: as it is. `seen`: lists and dicts that were looked into, as one
/// may hold itself.
values::Value withFunctions(const values::Value& value, const ChangeFunction& change, std::set<const void*>& seen) {
  if (const auto* function = value.maybe<values::FunctionPtr>()) {
    values::FunctionPtr changed = change(*function);
    return changed ? values::Value(std::move(changed)) : value;
  }
  if (const auto* list = value.maybe<values::ListPtr>()) {
    if (seen.insert(list->get()).second) {
      for (values::Value& item : (*list)->items) {
        item = withFunctions(item, change, seen);
      }
    }
  } else if (const auto* dict = value.maybe<values::DictPtr>()) {
    if (seen.insert(dict->get()).second) {
      for (auto& entry : (*dict)->entries) {
        entry.second = withFunctions(entry.second, change, seen);
      }
    }
  } else if (const auto* tuple = value.maybe<values::TuplePtr>()) {
    const auto isPlain = [](const values::Value& item) { return item.isTensor() || item.isNone() || item.isNumber(); };
    if (std::ranges::all_of((*tuple)->items, isPlain)) {
      return value;
    }
    values::ValueList items;
    for (const values::Value& item : (*tuple)->items) {
      items.push_back(withFunctions(item, change, seen));
    }
    auto made = std::make_shared<values::TupleObject>(values::TupleObject{std::move(items), (*tuple)->isSize});
    return values::Value(std::move(made));
  }
  return value;
}

values::Value withFunctions(const values::Value& value, const ChangeFunction& change) {
  std::set<const void*> seen;
  return withFunctions(value, change, seen);
}

/// A function with this scope was made in the environment.
void noteCaptured(Environment* environment, const Scope& scope) {
  for (Environment* each = environment; each != nullptr; each = each->enclosing.get()) {
    each->captured.insert(scope.free.begin(), scope.free.end());
  }
}

constexpr const char* kVariablesAround = "a function that knows variables of another one goes on behind a graph break";

// Of a function that was made here, or nowhere.
bool mayGoOn(const Closure& closure, const Environment* environment) {
  std::vector<at::Tensor> tensors;
  for (const values::Value& each : closure.parts().defaults) {
    values::collectTensors(each, tensors);
  }
  const Environment* enclosing = closure.parts().enclosing.get();
  return tensors.empty() && (enclosing == nullptr || enclosing == environment);
}

values::FunctionPtr loosenedFunction(const values::FunctionPtr& function, const Environment* environment) {
  if (const auto* transformed = dynamic_cast<const TransformedFunction*>(function.get())) {
    values::FunctionPtr inner = loosenedFunction(transformed->parts().function, environment);
    return inner ? transformed->of(std::move(inner), transformed->parts().state) : nullptr;
  }
  const auto* closure = dynamic_cast<const Closure*>(function.get());
  if (closure == nullptr && dynamic_cast<const AppliedFunction*>(function.get()) == nullptr) {
    throw ir::Unsupported("`" + function->name() + "` as a value goes on behind a graph break");
  }
  if (closure == nullptr) {
    return nullptr;
  }
  if (!mayGoOn(*closure, environment)) {
    throw ir::Unsupported(kVariablesAround);
  }
  Closure::Parts parts = closure->parts();
  parts.enclosing = nullptr;
  return std::make_shared<Closure>(std::move(parts));
}

} // namespace

values::Value loosened(const values::Value& value, const Environment& environment) {
  return withFunctions(value,
                       [&](const values::FunctionPtr& function) { return loosenedFunction(function, &environment); });
}

void refuseVariablesAround(const values::Value& value) {
  withFunctions(value, [](const values::FunctionPtr& function) -> values::FunctionPtr {
    loosenedFunction(function, nullptr);
    return nullptr;
  });
}

values::FunctionPtr FunctionValues::adopted(const values::FunctionPtr& function,
                                            const std::shared_ptr<Environment>& environment) {
  if (const auto* transformed = dynamic_cast<const TransformedFunction*>(function.get())) {
    values::FunctionPtr inner = adopted(transformed->parts().function, environment);
    return transformed->of(inner ? std::move(inner) : transformed->parts().function, state_.alive);
  }
  if (const auto* applied = dynamic_cast<const AppliedFunction*>(function.get())) {
    return ofCustomFunction(*state_.theCase.findCustomFunction(applied->function())).as<values::FunctionPtr>();
  }
  const auto* closure = dynamic_cast<const Closure*>(function.get());
  if (closure == nullptr) {
    return nullptr;
  }
  if (!closure->isInner()) {
    return ofFile(*closure->parts().function).as<values::FunctionPtr>();
  }
  Closure::Parts parts = closure->parts();
  parts.state = state_.alive;
  parts.program = owned();
  if (parts.enclosing == nullptr) {
    parts.enclosing = environment;
    noteCaptured(environment.get(), *parts.scope);
  }
  return std::make_shared<Closure>(std::move(parts));
}

values::Value FunctionValues::adopted(const values::Value& value, const std::shared_ptr<Environment>& environment) {
  return withFunctions(value, [&](const values::FunctionPtr& function) { return adopted(function, environment); });
}

values::Value FunctionValues::ofFile(const language::Function& function) {
  values::Value& known = ofFile_[function.name];
  if (known.isNone()) {
    known = values::Value(
        std::make_shared<Closure>(Closure::Parts{.function = std::make_shared<const language::Function>(function),
                                                 .qualifiedName = function.name,
                                                 .program = owned(),
                                                 .state = state_.alive}));
  }
  return known;
}

values::Value FunctionValues::ofCustomFunction(const language::CustomFunction& function) {
  values::Value& known = ofFile_[function.name + ".apply"];
  if (known.isNone()) {
    known = values::Value(std::make_shared<AppliedFunction>(function.name, owned(), state_.alive));
  }
  return known;
}

values::Value FunctionValues::inner(const std::shared_ptr<const language::Function>& function, Frame& frame) {
  values::ValueList defaults;
  for (const language::ExprPtr& value : function->defaults) {
    defaults.push_back(state_.expressions.evaluate(*value, frame));
  }
  std::shared_ptr<Environment> enclosing = frame.environment->weak_from_this().lock();
  if (!enclosing) { // whoever holds it keeps it as long as what was made inside
    enclosing = {std::shared_ptr<void>(), frame.environment};
  }
  auto scope = std::make_shared<const Scope>(scopeOf(*function));
  noteCaptured(frame.environment, *scope);
  const std::string& outer = frame.environment->function;
  return values::Value(std::make_shared<Closure>(
      Closure::Parts{.function = function,
                     .qualifiedName = outer.empty() ? function->name : outer + ".<locals>." + function->name,
                     .defaults = std::move(defaults),
                     .enclosing = std::move(enclosing),
                     .scope = std::move(scope),
                     .program = owned(),
                     .state = state_.alive}));
}

values::Value FunctionValues::lambda(const language::Expr& lambda, Frame& frame) {
  auto function = std::make_shared<language::Function>();
  function->name = "<lambda>";
  function->parameters = lambda.keywords;
  function->rest = lambda.text;
  function->place = lambda.place;
  language::Statement body{
      .kind = language::StatementKind::kReturn, .value = lambda.children[0], .place = lambda.place};
  function->body = {std::make_shared<const language::Statement>(std::move(body))};
  function->defaults.assign(lambda.children.begin() + 1, lambda.children.end());
  return inner(function, frame);
}

values::FunctionPtr FunctionValues::ofModule(const values::ModulePtr& module) {
  return std::make_shared<ModuleFunction>(module, owned(), state_.alive);
}

values::Value FunctionValues::checkpointed(CallArguments given) {
  const CheckpointOptions options = takeCheckpointOptions(given.keywords);
  if (given.positional.empty()) {
    values::raiseError("TypeError", "checkpoint() missing 1 required positional argument: 'function'");
  }
  const values::Value called = std::move(given.positional.front());
  given.positional.erase(given.positional.begin());
  const bool isModule = called.is<values::ModulePtr>();
  if (isModule && state_.watchers.takeCallables()) { // a Graph holds its operators
    return state_.expressions.callValue(called, std::move(given.positional), std::move(given.keywords));
  }
  if (!isModule && !called.is<values::FunctionPtr>()) {
    values::raiseError("TypeError", "'{}' object is not callable", called.typeName());
  }
  const values::FunctionPtr function =
      isModule ? ofModule(called.as<values::ModulePtr>()) : called.as<values::FunctionPtr>();
  const Transform transform = [options](const values::FunctionPtr& each) {
    return std::make_shared<transforms::MadeFunction>(
        "checkpoint", [each, options](const values::ValueList& positional, const torch_names::KeywordList& keywords) {
          return checkpoint(each, positional, keywords, options);
        });
  };
  return TransformedFunction({.transformName = "torch.utils.checkpoint.checkpoint",
                              .function = function,
                              .transform = transform,
                              .state = state_.alive})
      .call(std::move(given.positional), std::move(given.keywords));
}

values::Value FunctionValues::controlFlow(const std::string& path, const CallArguments& given) {
  const control_flow::Host host{
      .branch = [this](const values::Value& function) { return branchOf(function, state_); },
      .callNow =
          [this](const values::Value& function, values::ValueList positional) {
            return state_.expressions.callValue(function, std::move(positional), {});
          },
      .dispatch =
          [this, &path](const std::shared_ptr<const control_flow::Region>& region,
                        const control_flow::TensorList& arguments) {
            if (transforms::layersAreActive()) {
              throw ir::Unsupported("torch." + path + " in a function that is transformed");
            }
            control_flow::noteUse(arguments);
            const c10::OperatorHandle op = control_flow::operatorOf(*region);
            torch::jit::Stack stack = control_flow::stackOf(region, arguments);
            if (state_.watchers.takeCallables()) {
              state_.dispatch(op, stack);
            } else {
              const DepthScope depth(state_.limits);
              const CaseOperators::CallerScope caller(state_.options);
              op.callBoxed(stack);
            }
            return control_flow::resultsOf(stack);
          },
      .isCaptured = state_.watchers.takeCallables(),
      .cannotCapture = [this](const char* what) { state_.watchers.cannotCapture(what); },
      .operators = state_.dispatch,
      .vmapped = [this](const values::Value& function) { return state_.transforms.call("vmap", {function}, {}); }};
  return control_flow::call(path, host, given.positional, given.keywords);
}

std::shared_ptr<const OwnedProgram> FunctionValues::owned() {
  const auto isWhole = [&](const language::Case& held) {
    return held.functions.size() == state_.theCase.functions.size() &&
           held.customFunctions.size() == state_.theCase.customFunctions.size() &&
           held.customOperators.size() == state_.theCase.customOperators.size();
  };
  if (!owned_ || !isWhole(owned_->theCase)) { // a Case that is being made grows
    EvaluatorOptions options = state_.watchers.takeCallables() ? EvaluatorOptions() : state_.options;
    options.reads = nullptr; // which may be gone by then
    owned_ = std::make_shared<const OwnedProgram>(state_.theCase, std::move(options));
  }
  return owned_;
}

} // namespace touchstone::evaluator
