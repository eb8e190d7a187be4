#pragma once

#include "program/evaluator/Evaluator.h"
#include "program/evaluator/EvaluatorLimits.h"
#include "program/torch_names/NameResolver.h"
#include "program/values/RaisedException.h"

#include <c10/core/TensorImpl.h>

#include <string>
#include <unordered_map>

namespace touchstone::graph {

/// The variables of one function that is running.
struct Frame {
  const Function* function = nullptr; // null: statements that the caller of execute() runs
  Environment* environment = nullptr;
  Value returned;
};

enum class Flow { kNext, kReturn };

struct RangeLimits {
  int64_t start, step, count;
};

struct SliceRange {
  int64_t start, step, count;
};

/// A walk over the tree, with no compiled form: an operator costs a hundred times what its lookup does, and the decoder
/// runs each statement once.
struct Evaluator::State {
  State(const Case& theCase, EvaluatorOptions options);

  // Limits (EvaluatorLimits.cpp); what they raise has isLimit and says in which statement
  static constexpr int64_t kMovedPerElement = 64; // moving or passing an element costs less than making one
  void startCounting(); // of a call
  void countStatement();
  void spend(int64_t elements); // of EvaluatorLimits::kElements
  void spend(const Value& value); // for one more copy in a container
  void spend(const ValueList& items, int64_t times = 1); // for so many copies of each
  void spendOnArguments(const ValueList& positional, const KeywordList& keywords); // what an operator walks
  void checkText(size_t length, int64_t times = 1) const;
  void checkResult(const Value& value, const char* what) const;
  [[noreturn]] void raiseLimit(const char* type, const std::string& what) const;

  // Functions and statements (Evaluator.cpp, EvaluatorStatements.cpp)
  const Function* findFunction(const std::string& name) const;
  /// From outside any evaluation: warnings off, the default dtype as `wantDouble` says, statements counted anew.
  Value enter(const Function& function, ValueList arguments, bool wantDouble);
  Value callFunction(const Function& function, ValueList positional, KeywordList keywords);
  Flow executeBody(const std::vector<StatementPtr>& body, Frame& frame);
  Flow execute(const Statement& statement, Frame& frame);
  RangeLimits rangeLimits(const ValueList& limits); // the arguments of `range`
  Flow executeFor(const Statement& statement, Frame& frame);
  Flow executeWith(const Statement& statement, size_t item, Frame& frame);
  std::unique_ptr<Context> enterItem(const Expr& item, Frame& frame); // of a `with`
  void executeAugmented(const Statement& statement, Frame& frame);
  void assign(const Expr& target, Value value, Frame& frame);
  void unpack(const std::vector<ExprPtr>& targets, const Value& value, Frame& frame);
  void remove(const Expr& target, Frame& frame);

  // Expressions (EvaluatorExpressions.cpp)
  Value evaluate(const Expr& expr, Frame& frame, Use use = Use::kWhole);
  Value evaluateAny(const Expr& expr, Frame& frame, Use use);
  Value evaluateBinary(const Expr& expr, Frame& frame, Use use);
  Value evaluateIndex(const Expr& subscript, Frame& frame); // one index, or a tuple of several
  Value readName(const Expr& name, Frame& frame);
  [[noreturn]] void raiseUnbound(const std::string& name, const Frame& frame) const;
  const Value* findName(const std::string& name, const Frame& frame) const { return frame.environment->find(name); }

  // Operators on values of any kind (EvaluatorOperators.cpp)
  Value binary(const std::string& op, const Value& left, const Value& right);
  Value unary(const std::string& op, const Value& operand);
  Value augmented(const std::string& op, const Value& target, const Value& value);
  bool truth(const Value& value);
  bool equal(const Value& left, const Value& right); // as `==` inside containers: the same object, or equal
  bool contains(const Value& container, const Value& item);
  Value compare(const std::string& op, const Value& left, const Value& right);
  Value getItem(const Value& object, const Value& index);
  void setItem(const Value& object, const Value& index, const Value& value);
  void deleteItem(const Value& object, const Value& index);
  SliceRange rangeOf(const SliceObject& slice, size_t length);
  int64_t indexOf(const Value& value); // Python's __index__
  ValueList iterate(const Value& value, const char* notIterable = nullptr);

  // Attributes (EvaluatorAttributes.cpp)
  Value getAttribute(const Value& object, const std::string& name);
  Value tensorAttribute(const at::Tensor& tensor, const std::string& name);
  void setAttribute(const Value& object, const std::string& name, const Value& value);
  void deleteAttribute(const Value& object, const std::string& name);
  Value torchConstant(const std::string& name) const;
  at::ScalarType precise(at::ScalarType dtype) const; // one precision up when inDouble

  // Calls (EvaluatorCalls.cpp, EvaluatorBuiltins.cpp)
  Value evaluateCall(const Expr& call, Frame& frame);
  void evaluateArguments(const Expr& call, Frame& frame, ValueList& positional, KeywordList& keywords,
                         Use use = Use::kWhole);
  Value callTorch(c10::ArrayRef<const std::string*> path, ValueList& positional, KeywordList& keywords);
  Value callValue(const Value& called, ValueList& positional, KeywordList& keywords);
  Value callData(const Expr& call, Frame& frame);
  Value callTensorMethod(const Value& object, const std::string& name, ValueList& positional, KeywordList& keywords);
  Value callMethod(const Value& object, const std::string& name, ValueList& positional, KeywordList& keywords);
  Value callBuiltin(const std::string& name, ValueList& positional, KeywordList& keywords);
  Value callContainerMethod(const Value& object, const std::string& name, ValueList& positional, KeywordList& keywords);
  bool isCustomFunction(const std::string& name) const;
  Value registerHook(const Expr& call, const at::Tensor& tensor, Frame& frame);

  // For capture (Evaluator.cpp)
  Value callCallable(const CallableCall& call) const {
    return options.onCallable ? options.onCallable(call) : call.run(call.arguments);
  }
  void cannotCapture(const char* what) const {
    if (options.onUncapturable) {
      options.onUncapturable(what);
    }
  }
  void reads(const Value& value) const {
    if (options.reads != nullptr) {
      options.reads->whole(value);
    }
  }
  void readsItem(const Value& object, const Value& index) const;
  void readsAttribute(const Value& object, const std::string& name) const; // or a method
  void readsItems(const Value& object) const;
  void readsIdentity() const {
    if (options.onIdentity) {
      options.onIdentity();
    }
  }

  // Autograd (EvaluatorAutograd.cpp)
  Value autogradGrad(const ValueList& positional, const KeywordList& keywords);
  Value autogradBackward(const ValueList& positional, const KeywordList& keywords);
  Value tensorBackward(const at::Tensor& tensor, const ValueList& positional, const KeywordList& keywords);
  ValueList completeTangents(const ValueList& outputs, const ValueList& tangents);

  // torch.nn (Modules*.cpp)
  bool isParameter(const at::Tensor& tensor) const;
  void rememberParameter(const at::Tensor& tensor);
  void rememberParameters(const Value& value);
  Value makeParameter(const ValueList& positional, const KeywordList& keywords);
  Value makeModule(const std::string& typeName, const ValueList& positional, const KeywordList& keywords);
  Value moduleAttribute(ModuleObject& module, const std::string& name);
  void setModuleAttribute(ModuleObject& module, const std::string& name, const Value& value);
  Value callModuleMethod(const ModulePtr& module, const std::string& name, ValueList& positional,
                         KeywordList& keywords);
  Value callModule(const ModuleObject& module, const ValueList& positional, const KeywordList& keywords);

  const Case& theCase;
  EvaluatorOptions options;
  Dispatch dispatch;
  int64_t statementsRun = 0;
  int64_t elementsLeft = EvaluatorLimits::kElements;
  const Statement* running = nullptr;
  int depth = 0;
  std::vector<FrameSummary> raisedThrough; // innermost first
  bool inDouble = false; // options.inDouble, while a Program runs
  std::unordered_map<const c10::TensorImpl*, c10::weak_intrusive_ptr<c10::TensorImpl>> parameters;
  std::shared_ptr<struct HookRunner> hookRunner; // made by the first hook: a copy of the Case and a State for it
};

/// `torch.autograd.grad`, for whoever has no Evaluator.
Value gradientsOf(const ValueList& positional, const KeywordList& keywords);

inline Value boolValue(bool value) {
  return Value(Value::Payload(value));
}
inline Value intValue(int64_t value) {
  return Value(Value::Payload(value));
}
inline Value floatValue(double value) {
  return Value(Value::Payload(value));
}
inline Value textValue(std::string value) {
  return Value(Value::Payload(std::move(value)));
}

/// `requires_grad_()` and `.requires_grad = …`; `notDifferentiable`: the message for other dtypes.
void setRequiresGrad(const at::Tensor& tensor, bool wanted, const char* notDifferentiable, const Dispatch& dispatch);

[[noreturn]] void raiseError(const char* type, const std::string& message);

/// Reads arguments by position or keyword, with Python's errors for what is missing, twice or unknown.
class Arguments {
 public:
  Arguments(std::string function, std::vector<const char*> names, const ValueList& positional,
            const KeywordList& keywords, size_t required = 0);
  const Value* find(size_t index) const { return values_[index]; } // null when not given
  const Value& at(size_t index) const { return *values_[index]; }
  bool flag(size_t index, bool otherwise) const; // a bool
  int64_t integer(size_t index, int64_t otherwise) const;
  double number(size_t index, double otherwise) const;

 private:
  std::string function_;
  std::vector<const char*> names_;
  std::vector<const Value*> values_;
};

/// Python numbers: `bool`, `int`, `float`, `complex` (EvaluatorNumbers.cpp).
Value numberBinary(const std::string& op, const Value& left, const Value& right);
Value numberUnary(const std::string& op, const Value& operand);
/// -1, 0, 1, or 2 when unordered (NaN). Neither is complex.
int compareNumbers(const Value& left, const Value& right);
bool equalNumbers(const Value& left, const Value& right);
std::complex<double> complexOf(const Value& number);

std::string torchDtypeName(at::ScalarType dtype); // `torch.float32`
bool isBuiltinFunction(const std::string& name); // `len`, `float`, … (EvaluatorBuiltins.cpp)

[[noreturn]] void raiseUnsupported(const std::string& op, const Value& left, const Value& right);
/// Adjusts a slice to a length as Python does.
SliceRange sliceRange(const std::optional<int64_t>& start, const std::optional<int64_t>& stop,
                      const std::optional<int64_t>& step, int64_t length);

} // namespace touchstone::graph
