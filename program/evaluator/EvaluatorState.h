#pragma once

#include "program/evaluator/Evaluator.h"
#include "program/evaluator/EvaluatorLimits.h"
#include "program/torch_names/NameResolver.h"
#include "program/values/RaisedException.h"

#include <c10/core/TensorImpl.h>

#include <string>
#include <unordered_map>

namespace touchstone::evaluator {

/// The variables of one function that is running.
struct Frame {
  const language::Function* function = nullptr; // null: statements that the caller of execute() runs
  Environment* environment = nullptr;
  values::Value returned;
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
  State(const language::Case& theCase, EvaluatorOptions options);

  // Limits (EvaluatorLimits.cpp); what they raise has isLimit and says in which statement
  static constexpr int64_t kMovedPerElement = 64; // moving or passing an element costs less than making one
  void startCounting(); // of a call
  void countStatement();
  void spend(int64_t elements); // of EvaluatorLimits::kElements
  void spend(const values::Value& value); // for one more copy in a container
  void spend(const values::ValueList& items, int64_t times = 1); // for so many copies of each
  void spendOnArguments(const values::ValueList& positional,
                        const torch_names::KeywordList& keywords); // what an operator walks
  void checkText(size_t length, int64_t times = 1) const;
  void checkResult(const values::Value& value, const char* what) const;
  [[noreturn]] void raiseLimit(const char* type, const std::string& what) const;

  // Functions and statements (Evaluator.cpp, EvaluatorStatements.cpp)
  const language::Function* findFunction(const std::string& name) const;
  /// From outside any evaluation: warnings off, the default dtype as `wantDouble` says, statements counted anew.
  values::Value enter(const language::Function& function, values::ValueList arguments, bool wantDouble);
  values::Value callFunction(const language::Function& function, values::ValueList positional,
                             torch_names::KeywordList keywords);
  Flow executeBody(const std::vector<language::StatementPtr>& body, Frame& frame);
  Flow execute(const language::Statement& statement, Frame& frame);
  RangeLimits rangeLimits(const values::ValueList& limits); // the arguments of `range`
  Flow executeFor(const language::Statement& statement, Frame& frame);
  Flow executeWith(const language::Statement& statement, size_t item, Frame& frame);
  std::unique_ptr<Context> enterItem(const language::Expr& item, Frame& frame); // of a `with`
  void executeAugmented(const language::Statement& statement, Frame& frame);
  void assign(const language::Expr& target, values::Value value, Frame& frame);
  void unpack(const std::vector<language::ExprPtr>& targets, const values::Value& value, Frame& frame);
  void remove(const language::Expr& target, Frame& frame);

  // Expressions (EvaluatorExpressions.cpp)
  values::Value evaluate(const language::Expr& expr, Frame& frame, Use use = Use::kWhole);
  values::Value evaluateAny(const language::Expr& expr, Frame& frame, Use use);
  values::Value evaluateBinary(const language::Expr& expr, Frame& frame, Use use);
  values::Value evaluateIndex(const language::Expr& subscript, Frame& frame); // one index, or a tuple of several
  values::Value readName(const language::Expr& name, Frame& frame);
  [[noreturn]] void raiseUnbound(const std::string& name, const Frame& frame) const;
  const values::Value* findName(const std::string& name, const Frame& frame) const {
    return frame.environment->find(name);
  }

  // Operators on values of any kind (EvaluatorOperators.cpp)
  values::Value binary(const std::string& op, const values::Value& left, const values::Value& right);
  values::Value unary(const std::string& op, const values::Value& operand);
  values::Value augmented(const std::string& op, const values::Value& target, const values::Value& value);
  bool truth(const values::Value& value);
  bool equal(const values::Value& left,
             const values::Value& right); // as `==` inside containers: the same object, or equal
  bool contains(const values::Value& container, const values::Value& item);
  values::Value compare(const std::string& op, const values::Value& left, const values::Value& right);
  values::Value getItem(const values::Value& object, const values::Value& index);
  void setItem(const values::Value& object, const values::Value& index, const values::Value& value);
  void deleteItem(const values::Value& object, const values::Value& index);
  SliceRange rangeOf(const values::SliceObject& slice, size_t length);
  int64_t indexOf(const values::Value& value); // Python's __index__
  values::ValueList iterate(const values::Value& value, const char* notIterable = nullptr);

  // Attributes (EvaluatorAttributes.cpp)
  values::Value getAttribute(const values::Value& object, const std::string& name);
  values::Value tensorAttribute(const at::Tensor& tensor, const std::string& name);
  void setAttribute(const values::Value& object, const std::string& name, const values::Value& value);
  void deleteAttribute(const values::Value& object, const std::string& name);
  values::Value torchConstant(const std::string& name) const;
  at::ScalarType precise(at::ScalarType dtype) const; // one precision up when inDouble

  // Calls (EvaluatorCalls.cpp, EvaluatorBuiltins.cpp)
  values::Value evaluateCall(const language::Expr& call, Frame& frame);
  void evaluateArguments(const language::Expr& call, Frame& frame, values::ValueList& positional,
                         torch_names::KeywordList& keywords, Use use = Use::kWhole);
  values::Value callTorch(c10::ArrayRef<const std::string*> path, values::ValueList& positional,
                          torch_names::KeywordList& keywords);
  values::Value callValue(const values::Value& called, values::ValueList& positional,
                          torch_names::KeywordList& keywords);
  values::Value callData(const language::Expr& call, Frame& frame);
  values::Value callTensorMethod(const values::Value& object, const std::string& name, values::ValueList& positional,
                                 torch_names::KeywordList& keywords);
  values::Value callMethod(const values::Value& object, const std::string& name, values::ValueList& positional,
                           torch_names::KeywordList& keywords);
  values::Value callBuiltin(const std::string& name, values::ValueList& positional, torch_names::KeywordList& keywords);
  values::Value callContainerMethod(const values::Value& object, const std::string& name, values::ValueList& positional,
                                    torch_names::KeywordList& keywords);
  bool isCustomFunction(const std::string& name) const;
  values::Value registerHook(const language::Expr& call, const at::Tensor& tensor, Frame& frame);

  // For capture (Evaluator.cpp)
  values::Value callCallable(const runtime::CallableCall& call) const {
    return options.onCallable ? options.onCallable(call) : call.run(call.arguments);
  }
  void cannotCapture(const char* what) const {
    if (options.onUncapturable) {
      options.onUncapturable(what);
    }
  }
  void reads(const values::Value& value) const {
    if (options.reads != nullptr) {
      options.reads->whole(value);
    }
  }
  void readsItem(const values::Value& object, const values::Value& index) const;
  void readsAttribute(const values::Value& object, const std::string& name) const; // or a method
  void readsItems(const values::Value& object) const;
  void readsIdentity() const {
    if (options.onIdentity) {
      options.onIdentity();
    }
  }

  // Autograd (EvaluatorAutograd.cpp)
  values::Value autogradGrad(const values::ValueList& positional, const torch_names::KeywordList& keywords);
  values::Value autogradBackward(const values::ValueList& positional, const torch_names::KeywordList& keywords);
  values::Value tensorBackward(const at::Tensor& tensor, const values::ValueList& positional,
                               const torch_names::KeywordList& keywords);
  values::ValueList completeTangents(const values::ValueList& outputs, const values::ValueList& tangents);

  // torch.nn (Modules*.cpp)
  bool isParameter(const at::Tensor& tensor) const;
  void rememberParameter(const at::Tensor& tensor);
  void rememberParameters(const values::Value& value);
  values::Value makeParameter(const values::ValueList& positional, const torch_names::KeywordList& keywords);
  values::Value makeModule(const std::string& typeName, const values::ValueList& positional,
                           const torch_names::KeywordList& keywords);
  values::Value moduleAttribute(values::ModuleObject& module, const std::string& name);
  void setModuleAttribute(values::ModuleObject& module, const std::string& name, const values::Value& value);
  values::Value callModuleMethod(const values::ModulePtr& module, const std::string& name,
                                 values::ValueList& positional, torch_names::KeywordList& keywords);
  values::Value callModule(const values::ModuleObject& module, const values::ValueList& positional,
                           const torch_names::KeywordList& keywords);

  const language::Case& theCase;
  EvaluatorOptions options;
  torch_names::Dispatch dispatch;
  int64_t statementsRun = 0;
  int64_t elementsLeft = EvaluatorLimits::kElements;
  const language::Statement* running = nullptr;
  int depth = 0;
  std::vector<ir::FrameSummary> raisedThrough; // innermost first
  bool inDouble = false; // options.inDouble, while a Program runs
  std::unordered_map<const c10::TensorImpl*, c10::weak_intrusive_ptr<c10::TensorImpl>> parameters;
  std::shared_ptr<struct HookRunner> hookRunner; // made by the first hook: a copy of the Case and a State for it
};

/// `torch.autograd.grad`, for whoever has no Evaluator.
values::Value gradientsOf(const values::ValueList& positional, const torch_names::KeywordList& keywords);

inline values::Value boolValue(bool value) {
  return values::Value(values::Value::Payload(value));
}
inline values::Value intValue(int64_t value) {
  return values::Value(values::Value::Payload(value));
}
inline values::Value floatValue(double value) {
  return values::Value(values::Value::Payload(value));
}
inline values::Value textValue(std::string value) {
  return values::Value(values::Value::Payload(std::move(value)));
}

[[noreturn]] void raiseError(const char* type, const std::string& message);

/// Reads arguments by position or keyword, with Python's errors for what is missing, twice or unknown.
class Arguments {
 public:
  Arguments(std::string function, std::vector<const char*> names, const values::ValueList& positional,
            const torch_names::KeywordList& keywords, size_t required = 0);
  const values::Value* find(size_t index) const { return values_[index]; } // null when not given
  const values::Value& at(size_t index) const { return *values_[index]; }
  bool flag(size_t index, bool otherwise) const; // a bool
  int64_t integer(size_t index, int64_t otherwise) const;
  double number(size_t index, double otherwise) const;

 private:
  std::string function_;
  std::vector<const char*> names_;
  std::vector<const values::Value*> values_;
};

/// Python numbers: `bool`, `int`, `float`, `complex` (EvaluatorNumbers.cpp).
values::Value numberBinary(const std::string& op, const values::Value& left, const values::Value& right);
values::Value numberUnary(const std::string& op, const values::Value& operand);
/// -1, 0, 1, or 2 when unordered (NaN). Neither is complex.
int compareNumbers(const values::Value& left, const values::Value& right);
bool equalNumbers(const values::Value& left, const values::Value& right);
std::complex<double> complexOf(const values::Value& number);

std::string torchDtypeName(at::ScalarType dtype); // `torch.float32`
bool isBuiltinFunction(const std::string& name); // `len`, `float`, … (EvaluatorBuiltins.cpp)

[[noreturn]] void raiseUnsupported(const std::string& op, const values::Value& left, const values::Value& right);
/// Adjusts a slice to a length as Python does.
SliceRange sliceRange(const std::optional<int64_t>& start, const std::optional<int64_t>& stop,
                      const std::optional<int64_t>& step, int64_t length);

} // namespace touchstone::evaluator
