#pragma once

#include "graph/ir/GraphBreakReport.h"
#include "graph/runtime/GraphCallable.h"
#include "program/evaluator/Contexts.h"
#include "program/evaluator/Environment.h"
#include "program/evaluator/ReadObserver.h"
#include "program/language/Case.h"
#include "program/values/Callable.h"
#include "program/values/Value.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::evaluator {

/// What an `inputs*` function returned.
struct InputSet {
  values::ValueList arguments;
  values::ValueList watched; // tensors
};

/// `returned` by the `inputs*` function of that name; throws where it is anything but `(arguments…), (watched…)`.
InputSet inputSetOf(const std::string& function, const values::Value& returned);

/// Sees each operator call right before it is dispatched, with its arguments on the stack in schema order. Returns true
/// when it has run the call itself (arguments replaced by results). Used to trace, to replay random draws, to count.
using OperationHook = std::function<bool(const c10::OperatorHandle& op, torch::jit::Stack& stack)>;
/// Sees each tensor that `data(...)` made and returns the one that the function gets instead; same shape, dtype, layout.
using DataHook = std::function<at::Tensor(at::Tensor)>;
/// Sees each statement of the Program before it runs; `index` counts from the start of the call.
using StatementHook = std::function<void(const language::Statement& statement, int index)>;

struct EvaluatorOptions {
  OperationHook onOperation;
  StatementHook onStatement;
  DataHook onData; // applied to the result of each `data(...)`, before inDouble converts it
  /// Makes each call that is no operator but that a Graph can hold: custom autograd functions, hooks, gradients,
  /// autocast regions. Without it they just run.
  std::function<values::Value(const runtime::CallableCall& call)> onCallable;
  /// Told of what no Graph can hold, before it happens: a print, a backward, `.grad`, a module that is made.
  std::function<void(const std::string& what)> onUncapturable;
  /// Told before the identity of tensors or containers decides something: `is`, `in`, comparisons of containers.
  std::function<void()> onIdentity;
  /// Told of each dimension that an `inputs` function marks, in order.
  std::function<void(const at::Tensor& tensor, const values::DimensionMark& mark)> onMark;
  ReadObserver* reads = nullptr; // outlives the evaluator
  /// Told of each operation on two ints (`<`, `==`, `//`, …), and of ints that decide by themselves, which are compared with 0.
  std::function<void(const std::string& op, int64_t left, int64_t right)> onIntegers;
  int64_t maximumStatements = 100'000; // of one call, loops included; Limits.h has the other limits
  /// Runs every function one precision up: dtype constants below double become float64 (complex: complex128), except the
  /// one given to `data(...)`: it makes its values in the declared dtype and converts the result, so that the views,
  /// leaves and aliases that an `inputs` function makes of it are made on the double tensor. Argument tensors of call()
  /// are the caller's business.
  bool inDouble = false;
  /// `torch.autograd.grad` first takes the gradients of all leaves, and raises what that raises. Hooks run twice then.
  bool wholeGradients = false;
};

/// A Case with what an Evaluator of it is told to do, for what runs functions of the Case when others may be gone.
struct OwnedProgram {
  OwnedProgram(language::Case original, EvaluatorOptions wanted)
      : theCase(std::move(original)), options(std::move(wanted)) {}
  const language::Case theCase;
  const EvaluatorOptions options;
};

struct FunctionContext;
class Closure;

/// Runs the functions of a Case eagerly on libtorch with autograd on, with the meaning that Python gives them: names
/// resolve to overloads as the eager argument parser resolves them. Errors are thrown as RaisedException or c10::Error.
///
/// Keeps a reference to the Case, which must outlive it. (Hooks that a Program registers on tensors, and backwards of its
/// custom functions, may run after both are gone.) Not thread-safe.
class Evaluator {
 public:
  explicit Evaluator(const language::Case& theCase, EvaluatorOptions options = {});
  explicit Evaluator(std::shared_ptr<const OwnedProgram> program);
  ~Evaluator();

  /// Calls an `inputs*` function; throws when it returns anything but `(arguments…), (watched…)`.
  InputSet makeInputs(const std::string& function, int64_t seed, const std::string& kind);
  /// Calls any function of the file.
  values::Value call(const std::string& function, values::ValueList arguments);

  /// `NAME.apply(…)` of a custom autograd function of the file.
  values::Value applyCustomFunction(const std::string& name, values::ValueList positional,
                                    torch_names::KeywordList keywords);
  /// A function as a value.
  values::Value callClosure(const Closure& closure, values::ValueList positional, torch_names::KeywordList keywords);
  values::Value callModule(const values::ModulePtr& module, const values::ValueList& positional,
                           const torch_names::KeywordList& keywords);
  /// The body of a custom operator of the file, or its fake, by the name of the body.
  values::Value runOperator(const std::string& function, values::ValueList arguments, bool isFake);
  /// The `setup_context` of that operator.
  void setUpContext(const std::string& function, values::ValueList inputs, values::Value output,
                    FunctionContext& context);
  /// What the `backward` of that class or operator returns for these gradients.
  values::Value backward(const std::string& name, values::ValueList gradients, FunctionContext& context);

  /// A function of the file for hooks that run in backwards: it may outlive the Evaluator and the Case.
  std::function<values::Value(values::ValueList)> hookFunction(const std::string& function);

  /// Whether a tensor is a torch.nn.Parameter, which is not to be seen of it. Known are those that functions have made or read
  /// from a module, and those that were said to be one; of values, what modules in them have as such.
  bool isParameter(const at::Tensor& tensor) const;
  void rememberParameter(const at::Tensor& tensor);
  void rememberParameters(const values::ValueList& values);

  /// For the decoder: runs single statements and expressions in an environment of the caller.
  void execute(const language::Statement& statement, Environment& environment);
  values::Value evaluate(const language::Expr& expr, Environment& environment, Use use = Use::kWhole);

  /// For whoever runs control flow itself: Python's truth of a value, the items that a `for` visits, and the region of a
  /// `with` item, open until the returned object dies.
  bool truth(const values::Value& value);
  values::ValueList items(const values::Value& value);
  values::Value iterated(const language::Expr& expr, Environment& environment); // what a `for` goes over
  std::unique_ptr<Context> enter(const language::Expr& item, Environment& environment);

  /// FunctionValues::adopted(): for functions that another evaluation of the Case has made.
  values::Value adopted(const values::Value& value, const std::shared_ptr<Environment>& environment);

  /// The functions of the Case that the last exception went through, outermost first, each with the line that it was at;
  /// the caller's own statement is not among them.
  std::vector<ir::FrameSummary> raisedThrough() const;

  struct State; // State.h

 private:
  std::unique_ptr<State> state_;
};

/// The Case's `program`, run by an Evaluator: the eager side of every comparison.
std::unique_ptr<values::Callable> eagerProgram(const language::Case& theCase, EvaluatorOptions options = {});

} // namespace touchstone::evaluator
