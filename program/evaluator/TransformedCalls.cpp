#include "program/evaluator/TransformedCalls.h"

#include "graph/ir/Unsupported.h"
#include "program/evaluator/FunctionValues.h"
#include "program/evaluator/OperatorValues.h"
#include "program/evaluator/State.h"
#include "program/language/CasePrinter.h"
#include "program/language/ReachedText.h"
#include "program/language/TraceableBodies.h"
#include "program/transforms/Transforms.h"
#include "program/transforms/Trees.h"
#include "program/values/Teardown.h"

#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

namespace touchstone::evaluator {
namespace {

/// Why a call cannot be one of a Graph.
class NoCallOfAGraph : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using Keywords = values::FunctionObject::Keywords;

} // namespace

/// Copies values with the functions in them and with what these know of functions around them. Nothing in a copy belongs to an
/// evaluation but what `map` gives for the leaves: for tensors, numbers and whatever else is no container and no function.
class ValueCopies {
 public:
  using Map = std::function<values::Value(const values::Value& leaf)>;
  /// What the functions may do that are copied: anything, or what a trace stands for.
  enum class Bodies { kAny, kTraceable, kTraceableForOtherSizes };
  /// `program`: whose custom functions the functions apply.
  ValueCopies(Map map, std::shared_ptr<const OwnedProgram> program, Bodies bodies)
      : map_(std::move(map)), program_(std::move(program)), bodies_(bodies) {}

  /// What decides of what the functions do that are copied, but for the leaves.
  std::string text() const {
    std::vector<const language::Function*> functions;
    for (const auto& each : functions_) {
      functions.push_back(each.get());
    }
    return text_ + language::textReached(program_->theCase, std::move(functions));
  }

  values::Value copy(const values::Value& value) {
    if (const auto* function = value.maybe<values::FunctionPtr>()) {
      return values::Value(copy(*function));
    }
    if (value.is<values::ModulePtr>()) {
      throw NoCallOfAGraph("a function that is transformed uses a module that is no tensor among its arguments");
    }
    const transforms::Tree tree = transforms::flatten(value);
    return tree.spec.kind == transforms::TreeSpec::Kind::kLeaf ? map_(value)
                                                               : transforms::unflatten(copy(tree.leaves), tree.spec);
  }
  values::ValueList copy(const values::ValueList& several) {
    values::ValueList copies;
    for (const values::Value& each : several) {
      copies.push_back(copy(each));
    }
    return copies;
  }
  values::FunctionPtr copy(const values::FunctionPtr& function) {
    if (const auto known = known_.find(function.get()); known != known_.end()) {
      return known->second;
    }
    if (const auto* closure = dynamic_cast<const Closure*>(function.get())) {
      return copy(*closure);
    }
    if (const auto* transformed = dynamic_cast<const TransformedFunction*>(function.get())) {
      return transformed->of(copy(transformed->parts().function), std::make_shared<Evaluator::State*>(nullptr));
    }
    return applied(*function);
  }

 private:
  values::FunctionPtr copy(const Closure& closure) {
    const bool forOtherSizes = bodies_ == Bodies::kTraceableForOtherSizes;
    const auto what = bodies_ == Bodies::kAny
                          ? std::nullopt
                          : language::whatIsNotTraced(program_->theCase, *closure.parts().function, forOtherSizes);
    if (what) {
      throw NoCallOfAGraph(*what);
    }
    Closure::Parts parts = closure.parts();
    const std::shared_ptr<Environment> around = std::exchange(parts.enclosing, nullptr);
    if (around != nullptr) {
      parts.enclosing = std::make_shared<Environment>();
    }
    parts.state = std::make_shared<Evaluator::State*>(nullptr);
    parts.program = program_;
    text_ += language::printFunction(*parts.function) + std::to_string(parts.function->place.line) + "\n";
    functions_.push_back(parts.function);
    parts.defaults = copy(parts.defaults);
    const auto made = std::make_shared<Closure>(std::move(parts));
    known_.emplace(&closure, made);
    if (around != nullptr) {
      for (const std::string& name : closure.parts().scope->free) {
        if (const values::Value* value = around->find(name)) {
          made->parts().enclosing->names[name] = copy(*value);
        }
      }
    }
    return made;
  }
  values::FunctionPtr applied(const values::FunctionObject& function) const {
    constexpr std::string_view kApply = ".apply";
    const std::string name = function.name();
    const std::string owner = name.ends_with(kApply) ? name.substr(0, name.size() - kApply.size()) : "";
    if (program_->theCase.findCustomFunction(owner) == nullptr) {
      throw NoCallOfAGraph("`" + name + "`, which is no function of the file, is transformed");
    }
    return std::make_shared<transforms::MadeFunction>(
        name, [owner, program = program_](values::ValueList positional, Keywords keywords) {
          return Evaluator(program).applyCustomFunction(owner, std::move(positional), std::move(keywords));
        });
  }

  const Map map_;
  const std::shared_ptr<const OwnedProgram> program_;
  const Bodies bodies_;
  std::string text_;
  std::vector<std::shared_ptr<const language::Function>> functions_;
  std::map<const values::FunctionObject*, values::FunctionPtr> known_; // a function may know itself
};

namespace {

/// A call of a transformed function without what it was made in: its leaves are apart.
struct CallTemplate {
  values::FunctionPtr function;
  Transform transform;
  values::ValueList positional;
  Keywords keywords;
  std::shared_ptr<const OwnedProgram> program;

  CallTemplate copy(const ValueCopies::Map& map, ValueCopies::Bodies bodies) const {
    ValueCopies copies(map, program, bodies);
    CallTemplate made{.transform = transform, .program = program};
    made.function = copies.copy(function);
    made.positional = copies.copy(positional);
    for (const auto& [name, value] : keywords) {
      made.keywords.emplace_back(name, copies.copy(value));
    }
    return made;
  }
  values::Value run() const { return transform(function)->call(positional, keywords); }
};

bool isResult(const values::Value& leaf) {
  return leaf.isTensor() || leaf.isNone();
}

} // namespace

values::FunctionPtr TransformedFunction::of(values::FunctionPtr function,
                                            std::shared_ptr<Evaluator::State*> state) const {
  Parts parts = parts_;
  parts.function = std::move(function);
  parts.state = std::move(state);
  return std::make_shared<TransformedFunction>(std::move(parts));
}

values::Value TransformedFunction::call(values::ValueList positional, Keywords keywords) const {
  CallTemplate direct{parts_.function, parts_.transform, std::move(positional), std::move(keywords), nullptr};
  Evaluator::State* state = *parts_.state;
  if (state == nullptr || !state->watchers.takeCallables()) {
    return direct.run();
  }
  const Watchers& watchers = state->watchers;
  direct.program = state->functionValues.owned();
  using Bodies = ValueCopies::Bodies;
  values::ValueList leaves;
  const auto spec = std::make_shared<std::optional<transforms::TreeSpec>>();
  runtime::CallableCall call;
  try {
    if (parts_.isNotCaptured != nullptr) {
      throw NoCallOfAGraph(parts_.isNotCaptured);
    }
    CallTemplate made = direct.copy(
        [&](const values::Value& leaf) {
          watchers.reads(leaf);
          leaves.push_back(leaf);
          return values::Value();
        },
        watchers.tellsIntegers() ? Bodies::kTraceableForOtherSizes : Bodies::kTraceable);
    call = {.name = parts_.transformName, .arguments = leaves, .run = [made, spec](const values::ValueList& given) {
              size_t next = 0;
              const CallTemplate filled =
                  made.copy([&](const values::Value&) { return given.at(next++); }, Bodies::kAny);
              const transforms::Tree returned = transforms::flatten(filled.run());
              if (!std::ranges::all_of(returned.leaves, isResult)) {
                throw NoCallOfAGraph("a transformed function returns what is no tensor");
              }
              *spec = returned.spec;
              return values::Value::tuple(returned.leaves);
            }};
    const values::Value results = watchers.call(call);
    return transforms::unflatten(*results.items(), **spec);
  } catch (const NoCallOfAGraph& reason) {
    watchers.cannotCapture(reason.what());
    return direct.run();
  }
}

namespace {

std::string constantText(const values::Value& leaf) {
  if (const auto* number = leaf.maybe<double>()) {
    return fmt::format("{:a}", *number);
  }
  if (const auto* number = leaf.maybe<int64_t>()) {
    return std::to_string(*number);
  }
  if (const auto* flag = leaf.maybe<bool>()) {
    return *flag ? "True" : "False";
  }
  if (const auto* dtype = leaf.maybe<at::ScalarType>()) {
    return c10::toString(*dtype);
  }
  if (leaf.isNone()) {
    return "None";
  }
  throw ir::Unsupported("a function of control flow uses a value of type " + leaf.typeName() + " around it");
}

} // namespace

control_flow::Branch branchOf(const values::Value& called, Evaluator::State& state) {
  const auto* function = called.maybe<values::FunctionPtr>();
  if (function == nullptr) {
    throw ir::Unsupported("control flow over a value of type " + called.typeName());
  }
  EvaluatorOptions plain;
  plain.inDouble = state.precision.inDouble;
  const auto program = std::make_shared<const OwnedProgram>(state.theCase, std::move(plain));
  using Bodies = ValueCopies::Bodies;
  const bool isCaptured = state.watchers.takeCallables();
  control_flow::Branch branch;
  values::ValueList leaves; // None for a tensor
  try {
    ValueCopies copies(
        [&](const values::Value& leaf) {
          state.watchers.reads(leaf);
          if (leaf.isTensor()) {
            branch.lifted.push_back(leaf.tensor());
          }
          branch.text += leaf.isTensor() ? "Tensor\n" : constantText(leaf) + "\n";
          leaves.push_back(leaf.isTensor() ? values::Value(at::Tensor()) : leaf);
          return values::Value();
        },
        program,
        !isCaptured                      ? Bodies::kAny
        : state.watchers.tellsIntegers() ? Bodies::kTraceableForOtherSizes
                                         : Bodies::kTraceable);
    const values::FunctionPtr copy = copies.copy(*function);
    branch.text += copies.text() + (program->options.inDouble ? "in double" : "");
    branch.runner = [copy, leaves, program](const control_flow::OperationHook& hook) {
      EvaluatorOptions options = callerOptions() != nullptr ? *callerOptions() : program->options;
      options.onStatement = nullptr;
      options.reads = nullptr;
      if (hook) {
        options.onOperation = [hook](const c10::OperatorHandle& op, torch::jit::Stack& stack) {
          hook(op, stack);
          return false;
        };
      }
      const auto running = std::make_shared<const OwnedProgram>(program->theCase, std::move(options));
      return [copy, leaves, running](values::ValueList positional, const control_flow::TensorList& lifted) {
        size_t next = 0, nextLifted = 0;
        ValueCopies filled(
            [&](const values::Value&) {
              const values::Value& leaf = leaves.at(next++);
              return leaf.isTensor() ? values::Value(lifted.at(nextLifted++)) : leaf;
            },
            running, Bodies::kAny);
        return filled.copy(copy)->call(std::move(positional), {});
      };
    };
  } catch (const NoCallOfAGraph& reason) {
    if (isCaptured) {
      state.watchers.cannotCapture(reason.what());
    }
    throw ir::Unsupported(reason.what());
  }
  return branch;
}

} // namespace touchstone::evaluator
