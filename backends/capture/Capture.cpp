#include "backends/capture/Capture.h"

#include "backends/arguments/Containers.h"
#include "backends/capture/CapturedCode.h"
#include "backends/capture/ModuleSteps.h"
#include "backends/capture/StepMachine.h"
#include "backends/capture/SymbolicCapture.h"
#include "backends/sources/DynamicSizes.h"
#include "program/evaluator/ModuleHooks.h"
#include "program/values/RaisedException.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <list>
#include <map>
#include <mutex>
#include <tuple>

namespace touchstone::capture {

namespace {

using values::Value;
using values::ValueList;

using CodePtr = std::shared_ptr<const CapturedCode>;

/// Which local, and which of its tensors, modules' left out.
using ParameterNumber = std::pair<size_t, size_t>;

/// A local, or an item of one, that is a torch.nn.Parameter: Python asks it before other tensors.
struct Parameter {
  ParameterNumber number;
  at::Tensor tensor;
};

std::vector<ParameterNumber> numbersOf(const std::vector<Parameter>& parameters) {
  std::vector<ParameterNumber> numbers;
  for (const Parameter& parameter : parameters) {
    numbers.push_back(parameter.number);
  }
  return numbers;
}

bool holdsModule(const Value& value) {
  if (const ValueList* items = value.items()) {
    return std::any_of(items->begin(), items->end(), holdsModule);
  }
  if (const auto* dict = value.maybe<values::DictPtr>()) {
    return std::any_of((*dict)->entries.begin(), (*dict)->entries.end(),
                       [](const auto& entry) { return holdsModule(entry.second); });
  }
  return value.is<values::ModulePtr>();
}

/// Tensors outside of modules: what of a module is one says the module.
void collectBareTensors(const Value& value, std::vector<at::Tensor>& tensors) {
  if (value.isTensor()) {
    tensors.push_back(value.tensor());
  } else if (const ValueList* items = value.items()) {
    for (const Value& item : *items) {
      collectBareTensors(item, tensors);
    }
  } else if (const auto* dict = value.maybe<values::DictPtr>()) {
    for (const auto& entry : (*dict)->entries) {
      collectBareTensors(entry.second, tensors);
    }
  }
}

/// A place from which code is captured: a step, the names that are bound there, and which of their tensors are parameters.
struct Place {
  std::list<CodePtr> codes; // used last comes first
  int64_t captured = 0;
  sources::SizeHistory sizes; // of what was captured
};

class CapturedProgram final : public values::CompiledProgram {
 public:
  CapturedProgram(const language::Case& theCase, CaptureOptions options)
      : case_(theCase), options_(std::move(options)), steps_(theCase) {}

  Value operator()(ValueList& arguments) override {
    Call call(case_);
    ValueList taken = std::move(arguments);
    arguments.clear();
    return callFunction(case_.program(), std::move(taken), call);
  }

  Value callInstance(int instance, ValueList& arguments) override {
    if (instance == 0) {
      return (*this)(arguments);
    }
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (another_ == nullptr) {
        another_ = std::make_unique<CapturedProgram>(case_, options_);
      }
    }
    return another_->callInstance(instance - 1, arguments);
  }

  void mark(const at::Tensor& tensor, const values::DimensionMark& mark) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    marks_.mark(tensor, mark);
    if (another_ != nullptr) {
      another_->mark(tensor, mark);
    }
  }

  ir::CompileReport report() const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    ir::CompileReport report = report_;
    report.compiledRuns = compiledRuns_;
    if (another_ != nullptr) {
      report += another_->report();
    }
    return report;
  }

  int64_t symbols() const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return symbols_ + (another_ == nullptr ? 0 : another_->symbols());
  }

  void reset() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    places_.clear();
    if (another_ != nullptr) {
      another_->reset();
    }
  }

 private:
  /// What one call of the program has of its own.
  struct Call {
    explicit Call(const language::Case& theCase) : case_(theCase) {}
    evaluator::Evaluator& evaluator() {
      if (!evaluator_) {
        evaluator_.emplace(case_);
      }
      return *evaluator_;
    }
    /// Looks for modules first: what a Program has from one, it has from there on.
    std::vector<Parameter> parametersAmong(const ValueList& locals) {
      if (std::any_of(locals.begin(), locals.end(), holdsModule)) {
        evaluator().rememberParameters(locals);
      }
      std::vector<Parameter> parameters;
      for (size_t i = 0; evaluator_ && i < locals.size(); ++i) {
        std::vector<at::Tensor> tensors;
        collectBareTensors(locals[i], tensors);
        for (size_t j = 0; j < tensors.size(); ++j) {
          if (evaluator_->isParameter(tensors[j])) {
            parameters.push_back({{i, j}, tensors[j]});
          }
        }
      }
      return parameters;
    }
    int64_t breaks = 0;
    int depth = 0;

   private:
    const language::Case& case_;
    std::optional<evaluator::Evaluator> evaluator_;
  };

  Value callFunction(const language::Function& function, ValueList arguments, Call& call) {
    if (arguments.size() != function.parameters.size() || call.depth > kDepth) {
      return call.evaluator().call(function.name, std::move(arguments)); // which raises what Python does
    }
    ++call.depth;
    StepPtr step;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      step = steps_.first(function);
    }
    std::vector<std::string> names = function.parameters;
    ValueList locals = std::move(arguments);
    while (step != nullptr) {
      Value result;
      StepPtr next = runFrom(step, function, names, locals, call, result);
      if (next == nullptr) {
        --call.depth;
        return result;
      }
      step = next;
    }
    --call.depth;
    return {};
  }

  /// Runs captured code from a step on, and what breaks it. Gives the step to go on from, with `names` and `locals` as they
  /// are there; null when the function has ended with `result`.
  StepPtr runFrom(const StepPtr& step, const language::Function& function, std::vector<std::string>& names,
                  ValueList& locals, Call& call, Value& result) {
    std::vector<const at::Tensor*> tensors;
    bool isFirst = false;
    const std::vector<Parameter> parameters = call.parametersAmong(locals);
    symbols::Assignment sizes;
    const CodePtr code = codeFor(step, function, names, locals, parameters, tensors, sizes, isFirst);
    if (code == nullptr) {
      return runEagerly(step, function, names, locals, call, result);
    }
    evaluator::Environment environment;
    environment.function = function.name;
    ValueList values = runCode(*code, sizes, tensors, locals, environment);
    if (code->stop == nullptr) {
      result = std::move(values.at(0));
      return nullptr;
    }
    for (size_t i = 0; i < values.size(); ++i) {
      environment.names[code->names[i]] = std::move(values[i]);
    }
    return runBreak(*code, function, std::move(environment), call, isFirst, names, locals, result);
  }

  /// Runs the Graph and puts the values together. `locals` is emptied, so that inputs are freed early; what goes on as it is
  /// moves to `environment`.
  ValueList runCode(const CapturedCode& code, const symbols::Assignment& sizes,
                    const std::vector<const at::Tensor*>& tensors, ValueList& locals,
                    evaluator::Environment& environment) {
    const std::shared_ptr<const CodeForSizes> forSizes = code.symbolic == nullptr ? nullptr : code.symbolic->at(sizes);
    const backends::CompiledGraph* graph = forSizes == nullptr ? code.graph.get() : forSizes->graph.get();
    const ValueTemplate& plan = forSizes == nullptr ? *code.values : forSizes->values;
    std::vector<at::Tensor> inputs, kept(code.valueInputs.size());
    inputs.reserve(code.graphInputs.size());
    for (size_t number : code.graphInputs) {
      inputs.push_back(*tensors[number]);
    }
    for (size_t i : plan.inputs()) {
      kept[i] = *tensors[static_cast<size_t>(code.valueInputs[i])];
    }
    std::vector<Value> given;
    if (plan.readsGiven()) {
      ValueList read;
      for (size_t position : code.read) {
        read.push_back(locals[position]);
      }
      given = arguments::containersIn(read);
    }
    for (const auto& [name, position] : code.passed) {
      environment.names[name] = locals[position];
    }
    locals.clear();
    std::vector<at::Tensor> outputs;
    if (graph != nullptr) {
      compiledRuns_ += code.isCompiled ? 1 : 0;
      outputs = graph->run(std::move(inputs));
    }
    if (code.stop != nullptr) { // they may go on to other code
      markDynamic(outputs, code.dynamicDimensions);
    }
    ValueList values = plan.fill(kept, outputs, given);
    if (code.gradModeAfter) {
      at::GradMode::set_enabled(*code.gradModeAfter);
    }
    return values;
  }

  void markDynamic(const std::vector<at::Tensor>& outputs, const std::vector<std::vector<bool>>& dimensions) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (size_t i = 0; i < dimensions.size() && i < outputs.size(); ++i) {
      if (outputs[i].defined()) {
        marks_.markDynamic(outputs[i], dimensions[i]);
      }
    }
  }

  /// Runs the step that the Graph does not hold on real values.
  StepPtr runBreak(const CapturedCode& code, const language::Function& function, evaluator::Environment environment,
                   Call& call, bool isFirst, std::vector<std::string>& names, ValueList& locals, Value& result) {
    if (++call.breaks > kBreaks) {
      values::RaisedException limit("RuntimeError",
                                    "The call ran too many graphs: a loop breaks its graph again and again.");
      limit.isLimit = true;
      throw limit;
    }
    StepPtr next;
    bool gradModeInside = code.gradModeInside;
    std::vector<StepPtr> regions;
    {
      c10::AutoGradMode restored(at::GradMode::is_enabled());
      StepMachine machine(steps_, call.evaluator(), std::move(environment));
      for (const StepPtr& region : code.regions) {
        machine.run(region);
      }
      if (!code.regions.empty()) {
        at::GradMode::set_enabled(code.gradModeInside);
      }
      const language::Function* called = calledFunction(case_, *code.stop);
      if (called != nullptr && runCall(*called, code.stop, machine, call)) {
        next = code.stop->next;
      } else if (const auto module = moduleCalledAt(*code.stop, call.evaluator(), machine.environment());
                 module && call.depth < kDepth) {
        assignResult(*code.stop, callModule(*module, call), machine, call);
        next = code.stop->next;
      } else {
        next = runStep(function, machine, code.stop, call);
      }
      if (isFirst && code.reason && code.reason->raised) {
        std::rethrow_exception(code.reason->raised); // a defect: on real tensors the step does not raise
      }
      result = machine.returned();
      gradModeInside = at::GradMode::is_enabled();
      regions = machine.regions();
      for (const auto& [name, value] : machine.environment().names) {
        if (next != nullptr) {
          environment.names[name] = machine.taken(value);
        }
      }
    }
    if (regions.empty()) {
      at::GradMode::set_enabled(gradModeInside);
    }
    if (next == nullptr) {
      return nullptr;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!regions.empty()) {
      next = steps_.switchGrad(gradModeInside, next);
    }
    for (auto region = regions.rbegin(); region != regions.rend(); ++region) {
      next = steps_.enter(*region, next);
    }
    takeLocals(next, environment, names, locals);
    return next;
  }

  /// Runs one step of the function. The Evaluator does not know whose step it is: that a name without a value is a local of
  /// this function, which Python tells by the class of the error, is said here.
  StepPtr runStep(const language::Function& function, StepMachine& machine, const StepPtr& step, Call& call) {
    try {
      return runLocked(machine, step);
    } catch (const values::RaisedException& error) {
      if (error.type() == "NameError" && call.evaluator().raisedThrough().empty()) {
        for (const std::string& name : localsOf(function)) {
          if (error.message() == fmt::format("name '{}' is not defined", name)) {
            throw values::RaisedException(
                "UnboundLocalError",
                fmt::format("cannot access local variable '{}' where it is not associated with a value", name));
          }
        }
      }
      throw;
    }
  }

  static std::set<std::string> localsOf(const language::Function& function) {
    std::set<std::string> names(function.parameters.begin(), function.parameters.end());
    for (const language::StatementPtr& statement : function.body) {
      for (std::string& name : language::namesWritten(*statement)) {
        names.insert(std::move(name));
      }
    }
    return names;
  }

  /// A step of control flow makes other steps, which all threads share.
  StepPtr runLocked(StepMachine& machine, const StepPtr& step) {
    if (step->kind == StepKind::kRun || step->kind == StepKind::kReturn) {
      return machine.run(step);
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    return machine.run(step);
  }

  void takeLocals(const StepPtr& step, const evaluator::Environment& environment, std::vector<std::string>& names,
                  ValueList& locals) {
    names.clear();
    locals.clear();
    const std::set<std::string>& live = steps_.liveNames(step);
    for (const auto& [name, value] : environment.names) {
      if (live.contains(name)) {
        names.push_back(name);
        locals.push_back(value);
      }
    }
  }

  /// The arguments of a call in the order of the parameters; nothing where they are not those that the function takes.
  static std::optional<ValueList> argumentsOf(const language::Function& function, const language::Expr& expr,
                                              evaluator::Evaluator& evaluator, evaluator::Environment& environment) {
    ValueList arguments;
    const size_t positional = expr.children.size() - expr.keywords.size();
    for (size_t i = 1; i < positional; ++i) {
      const language::Expr& child = *expr.children[i];
      if (child.kind == language::ExprKind::kStarred) {
        const Value several = evaluator.evaluate(*child.children[0], environment);
        if (several.items() == nullptr) {
          return std::nullopt;
        }
        arguments.insert(arguments.end(), several.items()->begin(), several.items()->end());
      } else {
        arguments.push_back(evaluator.evaluate(child, environment));
      }
    }
    if (arguments.size() + expr.keywords.size() != function.parameters.size() || !function.rest.empty()) {
      return std::nullopt;
    }
    for (size_t i = arguments.size(); i < function.parameters.size(); ++i) {
      const auto named = std::find(expr.keywords.begin(), expr.keywords.end(), function.parameters[i]);
      if (named == expr.keywords.end()) {
        return std::nullopt;
      }
      const size_t place = positional + static_cast<size_t>(named - expr.keywords.begin());
      arguments.push_back(evaluator.evaluate(*expr.children[place], environment));
    }
    return arguments;
  }

  /// `y = f(a, b)`: the function as code of its own. False: it raises for these arguments, or is no function of the file.
  bool runCall(const language::Function& function, const StepPtr& step, StepMachine& machine, Call& call) {
    if (machine.environment().find(function.name) != nullptr) {
      return false;
    }
    std::optional<ValueList> arguments =
        argumentsOf(function, *step->statement->value, call.evaluator(), machine.environment());
    if (!arguments) {
      return false;
    }
    assignResult(*step, callFunction(function, std::move(*arguments), call), machine, call);
    return true;
  }

  /// Gives the targets of the step's statement, if it has some, what its call returned.
  static void assignResult(const Step& step, Value result, StepMachine& machine, Call& call) {
    if (step.statement->kind != language::StatementKind::kAssign) {
      return;
    }
    const std::string held = "$returned";
    language::Statement assign = *step.statement;
    assign.value = language::makeName(held);
    machine.environment().names[held] = std::move(result);
    call.evaluator().execute(assign, machine.environment());
    machine.environment().names.erase(held);
  }

  /// Its hooks and its forward, each as code of its own.
  Value callModule(const ModuleStep& step, Call& call) {
    const evaluator::HookFunctions functions{
        .now =
            [&](const std::string& name, ValueList arguments) {
              const language::Function* hook = case_.find(name);
              return hook == nullptr ? call.evaluator().call(name, std::move(arguments))
                                     : callFunction(*hook, std::move(arguments), call);
            },
        .later = [&](const std::string& name) { return call.evaluator().hookFunction(name); }};
    return evaluator::callWithHooks(step.module, step.positional, functions, [&](const ValueList& positional) {
      ValueList arguments{Value(step.module)};
      arguments.insert(arguments.end(), positional.begin(), positional.end());
      return callFunction(forwardOf(*step.module, positional), std::move(arguments), call);
    });
  }

  /// The rest of a function without capture.
  StepPtr runEagerly(StepPtr step, const language::Function& function, const std::vector<std::string>& names,
                     ValueList& locals, Call& call, Value& result) {
    evaluator::Environment environment;
    environment.function = function.name;
    for (size_t i = 0; i < names.size(); ++i) {
      environment.names.emplace(names[i], std::move(locals[i]));
    }
    locals.clear();
    StepMachine machine(steps_, call.evaluator(), std::move(environment));
    while (step != nullptr) {
      step = runStep(function, machine, step, call);
    }
    result = machine.returned();
    machine.leaveRegions();
    return nullptr;
  }

  /// The code for these locals, captured now when there is none; null: the limit is reached.
  CodePtr codeFor(const StepPtr& step, const language::Function& function, const std::vector<std::string>& names,
                  const ValueList& locals, const std::vector<Parameter>& parameters,
                  std::vector<const at::Tensor*>& tensors, symbols::Assignment& sizes, bool& isFirst) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Place& place = places_[{step.get(), names, numbersOf(parameters)}];
    for (auto code = place.codes.begin(); code != place.codes.end(); ++code) {
      if ((*code)->guards->check(locals, tensors, &sizes)) {
        place.codes.splice(place.codes.begin(), place.codes, code);
        return place.codes.front();
      }
    }
    if (place.captured >= options_.recompileLimit) {
      return nullptr;
    }
    if (!place.codes.empty()) {
      std::string failure = closestFailure(place, locals);
      if (options_.onGuardFailure) {
        options_.onGuardFailure({failure, function.name});
      }
      report_.recompiles.push_back(std::move(failure));
    }
    ++place.captured;
    if (options_.dynamic.value_or(true)) {
      place.sizes.note(names, locals);
    }
    CodePtr code = capture(step, function, names, locals, parameters, place.sizes);
    place.codes.push_front(code);
    isFirst = true;
    const bool holds = code->guards->check(locals, tensors, &sizes);
    TORCH_INTERNAL_ASSERT(holds, "guards of `", function.name,
                          "` do not hold for what it was captured for: ", code->guards->failure(locals));
    return code;
  }

  /// Why the code that comes closest may not run: of codes that fail equally early, the one that was used last.
  static std::string closestFailure(const Place& place, const ValueList& locals) {
    std::pair<size_t, std::string> closest;
    for (const CodePtr& code : place.codes) {
      std::pair<size_t, std::string> failure = code->guards->failureBehind(locals);
      if (closest.second.empty() || failure.first > closest.first) {
        closest = std::move(failure);
      }
    }
    return closest.second;
  }

  CodePtr capture(const StepPtr& step, const language::Function& function, const std::vector<std::string>& names,
                  const ValueList& locals, const std::vector<Parameter>& parameters,
                  const sources::SizeHistory& history) {
    std::vector<at::Tensor> tensors;
    for (const Parameter& parameter : parameters) {
      tensors.push_back(parameter.tensor);
    }
    const auto start = std::chrono::steady_clock::now();
    const std::map<std::string, bool> marked = marks_.among(names, locals);
    sources::DynamismOf dynamismOf;
    if (options_.dynamic.value_or(history.isAny()) || !marked.empty()) {
      dynamismOf = [&](const sources::SizeSource& source) {
        const auto mark = marked.find(source.text);
        if (mark != marked.end()) {
          return mark->second ? sources::Dynamism::kOwn : sources::Dynamism::kNumber;
        }
        return history.isDynamic(source.text)     ? sources::Dynamism::kOwn
               : options_.dynamic.value_or(false) ? sources::Dynamism::kShared
                                                  : sources::Dynamism::kNumber;
      };
    }
    const CaptureSteps steps{
        .capture =
            [&](const ValueList& each) {
              return captureFrame(case_, steps_, step, names, each, options_.backing,
                                  {.traceGradients = options_.traceGradients,
                                   .asPyTorch = options_.asPyTorch,
                                   .tellsIntegers = dynamismOf != nullptr,
                                   .function = function.name,
                                   .parameters = tensors});
            },
        .noteBreak = [&](const FrameCapture& captured) { return noteBreak(*captured.reason, function.name); },
        .compiler = options_.compiler,
        .observers = options_.observers};
    CodePtr code = makeSymbolicCode(names, locals, dynamismOf, tensors, steps, report_);
    report_.compileSeconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    symbols_ += code->guards->symbolCount();
    return code;
  }

  const ir::GraphBreakReport& noteBreak(const BreakReason& reason, const std::string& function) {
    if (options_.fullgraph) {
      throw values::RaisedException("Unsupported",
                                    fmt::format("the graph breaks at line {}: {}", reason.line, reason.text));
    }
    report_.breaks.push_back(reason.text);
    report_.breakReports.push_back({reason.text, reason.stack});
    report_.breakReports.back().userStack.at(0).function = function;
    return report_.breakReports.back();
  }

  static constexpr int64_t kBreaks = 10'000; // of one call
  static constexpr int kDepth = 100;

  const language::Case& case_;
  CaptureOptions options_;
  std::unique_ptr<CapturedProgram> another_; // instance 1
  Steps steps_;
  std::map<std::tuple<const Step*, std::vector<std::string>, std::vector<ParameterNumber>>, Place> places_;
  sources::MarkedSizes marks_;
  mutable std::mutex mutex_;
  ir::CompileReport report_;
  int64_t symbols_ = 0;
  std::atomic<int64_t> compiledRuns_ = 0;
};

} // namespace

std::unique_ptr<values::CompiledProgram> captureProgram(const language::Case& theCase, CaptureOptions options) {
  const auto entersHooks = [](const language::Expr& expr) {
    return expr.kind == language::ExprKind::kAttribute && expr.text == evaluator::kSavedTensorsHooks;
  };
  for (const language::Function* function : theCase.allBodies()) {
    if (!language::isInputsName(function->name) && language::anyExpression(function->body, entersHooks)) {
      // What a Graph saves is not what eager saves, and the hooks see all of it.
      throw ir::Unsupported("torch.autograd.graph.saved_tensors_hooks");
    }
  }
  return std::make_unique<CapturedProgram>(theCase, std::move(options));
}

} // namespace touchstone::capture
