#include "program/evaluator/CaseOperators.h"

#include "graph/ir/CaseOperators.h"
#include "program/evaluator/OperatorValues.h"
#include "program/language/CasePrinter.h"
#include "program/language/OperatorSchema.h"
#include "program/language/ReachedText.h"
#include "program/values/RaiseError.h"
#include "program/values/TensorWalk.h"

#include <ATen/MemoryOverlap.h>
#include <ATen/ops/empty_strided.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_set>

namespace touchstone::evaluator {
namespace {

using c10::OperatorHandle;
using torch::jit::Stack;

/// The last of the stack, as many as the schema has arguments.
c10::ArrayRef<c10::IValue> argumentsOf(const OperatorHandle& op, const Stack& stack) {
  return c10::ArrayRef<c10::IValue>(stack).slice(stack.size() - op.schema().arguments().size());
}

bool isWritten(const c10::Argument& argument) {
  return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

/// torch/_library/utils.py, _c_check_aliasing_constraint
void checkAliasing(const std::string& name, c10::ArrayRef<c10::IValue> arguments, const Stack& results) {
  std::unordered_set<c10::StorageImpl*> storages;
  const auto storageOf = [](const at::Tensor& tensor) {
    return tensor.defined() && tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl() : nullptr;
  };
  for (const c10::IValue& argument : arguments) {
    values::forEachTensor(argument, [&](const at::Tensor& tensor) { storages.insert(storageOf(tensor)); });
  }
  for (const c10::IValue& result : results) {
    values::forEachTensor(result, [&](const at::Tensor& tensor) {
      c10::StorageImpl* storage = storageOf(tensor);
      if (storage != nullptr && !storages.insert(storage).second) {
        values::raiseError(
            "RuntimeError",
            "{} (with implementation in <module 'torch._library.custom_ops'>): The output of this custom operator (1) "
            "must not also be an input to this custom operator and (2) may not alias any inputs to this custom operator "
            "or other returns. The most common way to trigger this error is if we have y = custom_op(x) and y and x are "
            "the same Tensor. Please instead return a clone of the offending output tensor(s) (e.g. return x.clone()) or "
            "refactor the custom operator to not return y.",
            name);
      }
    });
  }
}

void replaceArguments(const OperatorHandle& op, Stack* stack, Stack results) {
  torch::jit::drop(*stack, op.schema().arguments().size());
  std::move(results.begin(), results.end(), std::back_inserter(*stack));
}

/// What an operator of the dispatcher runs at present; backwards may ask on threads of their own.
using CurrentBodies = std::atomic<std::shared_ptr<const OperatorBodies>>;
using SharedBodies = std::shared_ptr<const CurrentBodies>;

class Body final : public c10::OperatorKernel {
 public:
  explicit Body(SharedBodies bodies) : bodies_(std::move(bodies)) {}

  void operator()(const OperatorHandle& op, c10::DispatchKeySet, Stack* stack) {
    const std::shared_ptr<const OperatorBodies> bodies = bodies_->load();
    const c10::ArrayRef<c10::IValue> arguments = argumentsOf(op, *stack);
    Evaluator evaluator(bodies->programOfCaller());
    Stack results;
    pushResults(op.schema(),
                evaluator.runOperator(bodies->function, unboxedArguments(op.schema(), arguments, true), false),
                results);
    checkAliasing(bodies->made().name, arguments, results);
    replaceArguments(op, stack, std::move(results));
  }

 private:
  SharedBodies bodies_;
};

class Fake final : public c10::OperatorKernel {
 public:
  explicit Fake(SharedBodies bodies) : bodies_(std::move(bodies)) {}

  void operator()(const OperatorHandle& op, c10::DispatchKeySet, Stack* stack) {
    const std::shared_ptr<const OperatorBodies> bodies = bodies_->load();
    const language::CustomOperator& made = bodies->made();
    const bool isTrivial = op.schema().is_mutable() && op.schema().returns().empty();
    if (!made.fake && !isTrivial) {
      values::raiseError("RuntimeError",
                         "There was no fake impl registered for <CustomOpDef({})>. This is necessary for "
                         "torch.compile/export/fx tracing to work. Please use `{}.register_fake` to add an fake impl.",
                         made.qualifiedName(), made.body.name);
    }
    Stack results;
    if (made.fake) {
      Evaluator evaluator(bodies->programOfCaller());
      pushResults(
          op.schema(),
          evaluator.runOperator(bodies->function, unboxedArguments(op.schema(), argumentsOf(op, *stack), true), true),
          results);
    }
    replaceArguments(op, stack, std::move(results));
  }

 private:
  SharedBodies bodies_;
};

class UnderAutograd final : public c10::OperatorKernel {
 public:
  explicit UnderAutograd(SharedBodies bodies) : bodies_(std::move(bodies)) {}

  void operator()(const OperatorHandle& op, c10::DispatchKeySet keys, Stack* stack) {
    callUnderAutograd(*bodies_->load(), op, keys, stack);
  }

 private:
  SharedBodies bodies_;
};

class CountsWrites final : public c10::OperatorKernel {
 public:
  void operator()(const OperatorHandle& op, c10::DispatchKeySet keys, Stack* stack) {
    const c10::ArrayRef<c10::IValue> arguments = argumentsOf(op, *stack);
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (isWritten(op.schema().arguments()[i])) {
        for (const at::Tensor& tensor : values::definedTensors(arguments[i])) {
          torch::autograd::impl::bump_version(tensor);
        }
      }
    }
    op.redispatchBoxed(keys & c10::after_ADInplaceOrView_keyset, stack);
  }
};

/// Laid out as the original, if no element of that lies on another.
at::Tensor copyOf(const at::Tensor& tensor) {
  if (!tensor.defined() || tensor.layout() != at::kStrided || at::has_internal_overlap(tensor) != at::MemOverlap::No) {
    return tensor.defined() ? tensor.clone() : tensor;
  }
  return at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options()).copy_(tensor);
}

class WithoutWrites final : public c10::OperatorKernel {
 public:
  explicit WithoutWrites(OperatorHandle writing) : writing_(std::move(writing)) {}

  void operator()(const OperatorHandle& op, c10::DispatchKeySet, Stack* stack) {
    const c10::ArrayRef<c10::IValue> given = argumentsOf(op, *stack);
    Stack called;
    std::vector<at::Tensor> written;
    for (size_t i = 0; i < given.size(); ++i) {
      called.push_back(given[i]);
      if (isWritten(writing_.schema().arguments()[i])) {
        called.back() = values::mapTensors(given[i], copyOf);
        std::ranges::copy(values::definedTensors(called.back()), std::back_inserter(written));
      }
    }
    writing_.callBoxed(&called);
    c10::List<at::Tensor> all;
    for (const c10::IValue& result : called) {
      values::forEachTensor(result, [&](const at::Tensor& tensor) { all.push_back(tensor); });
    }
    for (const at::Tensor& tensor : written) {
      all.push_back(tensor);
    }
    replaceArguments(op, stack, {c10::IValue(std::move(all))});
  }

 private:
  OperatorHandle writing_;
};

template <class Kernel, class... Given>
c10::KernelFunction kernelOf(Given... given) {
  return c10::KernelFunction::makeFromBoxedFunctor(std::make_unique<Kernel>(std::move(given)...));
}

c10::FunctionSchema functionalSchema(const c10::FunctionSchema& schema) {
  std::vector<c10::Argument> arguments;
  for (const c10::Argument& each : schema.arguments()) {
    arguments.emplace_back(each.name(), each.type(), each.real_type(), each.N(), each.default_value());
  }
  return {
      schema.name() + ir::kFunctionalSuffix, "", std::move(arguments), {c10::Argument("", c10::ListType::ofTensors())}};
}

/// The text of what decides of what the operators do: of these and of what they call.
std::string textOf(const language::Case& theCase) {
  std::string text;
  std::vector<const language::Function*> bodies;
  for (const language::CustomOperator& made : theCase.customOperators) {
    text += language::printCustomOperator(made);
    std::ranges::copy(made.bodies(), std::back_inserter(bodies));
  }
  return text + language::textReached(theCase, std::move(bodies));
}

/// One operator of the dispatcher, which custom operators of one schema run on by turns.
class Slot {
 public:
  /// For operators that are called and take and give what `made` does; `mark` is in no other Slot. Raises what the dispatcher does.
  Slot(const language::CustomOperator& made, const std::string& mark)
      : op_(define(torch::jit::parseSchema(language::schemaOf(made, made.space + mark + "::" + made.name)))) {
    implement(op_, c10::DispatchKey::CompositeExplicitAutograd, kernelOf<Body>(SharedBodies(bodies_)));
    implement(op_, c10::DispatchKey::Meta, kernelOf<Fake>(SharedBodies(bodies_)));
    implement(op_, c10::DispatchKey::Autograd, kernelOf<UnderAutograd>(SharedBodies(bodies_)));
    if (op_.schema().is_mutable()) {
      implement(op_, c10::DispatchKey::ADInplaceOrView, kernelOf<CountsWrites>());
      implement(define(functionalSchema(op_.schema())), c10::DispatchKey::CompositeExplicitAutograd,
                kernelOf<WithoutWrites>(op_));
    }
  }

  bool runs(const std::string& text) const { return text_ != nullptr && *text_ == text; }

  void take(OperatorBodies bodies, std::shared_ptr<const std::string> text) {
    bodies_->store(std::make_shared<const OperatorBodies>(std::move(bodies)));
    text_ = std::move(text);
  }

  const OperatorHandle& op() const { return op_; }

 private:
  OperatorHandle define(c10::FunctionSchema schema) {
    // A body may do anything, so TorchScript is to leave no call out; an operator that says what it writes to cannot ask for that.
    schema.setAliasAnalysis(schema.is_mutable() ? c10::AliasAnalysisKind::FROM_SCHEMA
                                                : c10::AliasAnalysisKind::CONSERVATIVE);
    c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
    const c10::OperatorName name = schema.operator_name();
    registered_.push_back(dispatcher.registerDef(std::move(schema), "a custom operator of a Case"));
    return dispatcher.findSchemaOrThrow(name.name.c_str(), name.overload_name.c_str());
  }

  void implement(const OperatorHandle& op, c10::DispatchKey key, c10::KernelFunction kernel) {
    registered_.push_back(c10::Dispatcher::singleton().registerImpl(
        op.operator_name(), key, std::move(kernel), std::nullopt, nullptr, "a custom operator of a Case"));
  }

  std::shared_ptr<CurrentBodies> bodies_ = std::make_shared<CurrentBodies>();
  std::vector<c10::RegistrationHandleRAII> registered_;
  OperatorHandle op_;
  std::shared_ptr<const std::string> text_;
};

/// So many Cases have operators of one schema at a time.
constexpr size_t kSlots = 64;

} // namespace

const EvaluatorOptions*& callerOptions() {
  thread_local const EvaluatorOptions* options = nullptr;
  return options;
}

CaseOperators::CallerScope::CallerScope(const EvaluatorOptions& caller) : outer_(callerOptions()) {
  callerOptions() = &caller;
}

CaseOperators::CallerScope::~CallerScope() {
  callerOptions() = outer_;
}

std::string OperatorBodies::nodeName() const {
  const language::CustomOperator& op = made();
  return "GeneratedBackwardFor_" + op.space + "_" + op.name + "_default";
}

std::shared_ptr<const OwnedProgram> OperatorBodies::programOfCaller() const {
  const EvaluatorOptions* caller = callerOptions();
  if (caller == nullptr) {
    return program;
  }
  EvaluatorOptions options = *caller;
  options.onStatement = nullptr;
  options.reads = nullptr;
  return std::make_shared<const OwnedProgram>(program->theCase, std::move(options));
}

std::shared_ptr<const CaseOperators> CaseOperators::of(const language::Case& theCase) {
  static std::mutex mutex;
  static auto* const slots = new std::map<std::string, std::list<Slot>>; // by schema, the one used last first
  static size_t registered = 0;
  const auto text = std::make_shared<const std::string>(textOf(theCase));
  std::shared_ptr<const OwnedProgram> program;
  auto operators = std::make_shared<CaseOperators>();
  const std::lock_guard lock(mutex);
  for (const language::CustomOperator& made : theCase.customOperators) {
    std::list<Slot>& ofSchema = (*slots)[language::schemaOf(made, made.qualifiedName())];
    auto slot = std::ranges::find_if(ofSchema, [&](const Slot& each) { return each.runs(*text); });
    if (slot == ofSchema.end()) {
      slot = ofSchema.size() < kSlots ? ofSchema.emplace(slot, made, fmt::format("{}{}", ir::kCaseMark, registered++))
                                      : std::prev(slot);
      program = program != nullptr ? program : std::make_shared<const OwnedProgram>(theCase, EvaluatorOptions());
      slot->take({program, made.body.name}, text);
    }
    ofSchema.splice(ofSchema.begin(), ofSchema, slot);
    operators->handles_.emplace(made.body.name, slot->op());
  }
  return operators;
}

} // namespace touchstone::evaluator
