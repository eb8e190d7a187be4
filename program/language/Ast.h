#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace touchstone::language {

/// Where a piece of a case file stands; 1-based. Line 0: made by a program, not read from a file.
struct Place {
  int line = 0;
  int column = 0;
};

enum class ExprKind {
  kName, // text: the name
  kInt, // text: decimal digits, below 2^63, no sign
  kFloat, // text: Python's shortest form (`0.25`, `1e-05`)
  kImaginary, // text: the number before the `j`
  kString, // text: the characters, unescaped
  kTrue,
  kFalse,
  kNone,
  kEllipsis,
  kAttribute, // text: the attribute; children: object
  kCall, // children: callee, positional arguments, then one for each of `keywords`
  kSubscript, // children: object, then one or more indices
  kSlice, // children: start, stop, step; each may be null
  kList,
  kTuple,
  kDict, // children: key, value, key, value; keys are kString
  kUnary, // text: `-`, `~`, `not`; children: operand
  kBinary, // text: an arithmetic, bitwise, comparison or boolean operator, `is`, `is not`, `in`, `not in`; two children
  kConditional, // children: condition, value if true, value if false
  kStarred, // children: one; text: empty, or `**` of what a call takes as named arguments
  kLambda, // keywords: parameters; text: the name after `*`, or empty; children: body, then the defaults of the last parameters
  // text: `[`, `{` (a set), `{:` (a dict) or `(`; children: the element (of a dict key and value), then for each of `keywords`
  // what it takes: `for` a target and the iterated, `if` a condition
  kComprehension,
  kFormatted, // an f-string; children: kString for what stands as it is, and the values between
};

struct Expr;
/// Expressions are immutable and shared, so a Case is cheap to copy and a pass rewrites only what it changes.
using ExprPtr = std::shared_ptr<const Expr>;

struct Expr {
  ExprKind kind;
  std::string text;
  std::vector<ExprPtr> children;
  std::vector<std::string> keywords;
  Place place;
};

enum class StatementKind {
  kExpression, // value
  kAssign, // targets (several: unpacking, one of them perhaps kStarred; a kTuple: nested, or of one), value
  kAugmentedAssign, // targets (one), text: `+=` and the like, value
  kDelete, // targets
  kReturn, // value, or null for a bare `return`
  kIf, // value: condition; body; orElse
  kWhile, // value: condition; body
  kFor, // targets, value: the iterated; body
  kWith, // items; body; targets: what one item is bound to by `as`, if anything
  kPass,
  kDef, // function
  kNonlocal, // targets: names
  kBreak,
  kContinue,
  kAssert, // value: condition; items: the message, if any
  kTry, // body; orElse: kExcept, then perhaps kElse, then perhaps kFinally, which stand nowhere else
  kExcept, // value: a class or a tuple of classes; targets: the name behind `as`, if any; body
  kElse, // body
  kFinally, // body
  kRaise, // value, or null for a bare `raise`
};

struct Statement;
using StatementPtr = std::shared_ptr<const Statement>;
struct Function;
using FunctionPtr = std::shared_ptr<const Function>;

struct Statement {
  StatementKind kind;
  std::string text;
  std::vector<ExprPtr> targets;
  ExprPtr value;
  std::vector<ExprPtr> items;
  std::vector<StatementPtr> body;
  std::vector<StatementPtr> orElse;
  Place place;
  FunctionPtr function = {};
};

/// One `def` of a case file, at its top level or inside another. `inputs*` functions have the parameters (seed, kind).
struct Function {
  std::string name;
  std::vector<std::string> parameters; // but the one after `*`
  std::vector<StatementPtr> body;
  Place place;
  std::vector<ExprPtr> defaults = {}; // of the last parameters
  std::string rest = {}; // the name of what `*` gathers; empty: nothing is gathered
  std::vector<ExprPtr> annotations = {}; // one for each parameter, null where there is none; empty: none at all
  ExprPtr returns = {}; // annotation
  std::vector<ExprPtr> decorators = {}; // outermost first
};

/// One `for` or `if` of a comprehension.
struct Clause {
  const Expr* target; // null of an `if`
  const Expr* value; // what is iterated over, or the condition
};
std::vector<Clause> clausesOf(const Expr& comprehension);
size_t elementsOf(const Expr& comprehension); // 2 of a dict
constexpr const char* kDictComprehension = "{:";

/// Names that are bound in the function itself: parameters and what statements write, but what `nonlocal` says.
std::vector<std::string> boundNames(const Function& function);

/// A class of a case file that derives from torch.autograd.Function. Its static methods are `forward`, `backward` and perhaps
/// `setup_context`; their first parameter is `ctx`, but for the `forward` beside a `setup_context`.
struct CustomFunction {
  std::string name;
  std::vector<Function> methods; // in file order
  bool isOnceDifferentiable = false; // its `backward` has that decorator
  Place place;

  const Function* find(std::string_view method) const;
};

/// A function of a case file under `@torch.library.custom_op("SPACE::NAME", mutates_args=…)`, and what is registered for it.
struct CustomOperator {
  std::string space, name; // `mine`, `reverse_into`
  std::vector<std::string> mutated; // parameters that it writes to
  Function body; // by whose name the file calls it, annotated throughout
  std::optional<Function> fake; // what `register_fake` is given
  std::optional<Function> setupContext, backward; // what `register_autograd` is given; no setup without a backward
  Place place;

  std::string qualifiedName() const { return space + "::" + name; }
  std::vector<const Function*> bodies() const; // in the order of the above
  std::vector<Function*> bodies();
};

/// The parameter through which the methods of a custom function know each other.
constexpr const char* kContextParameter = "ctx";

/// Builders. They make the canonical form that the printer prints and the parser gives back.
ExprPtr makeName(std::string name);
ExprPtr makeInt(int64_t value); // negative: kUnary of a kInt; the least: `-9223372036854775807 - 1`
ExprPtr makeFloat(double value); // negative: kUnary; infinities and NaN: `float("inf")`
ExprPtr makeBool(bool value);
ExprPtr makeNone();
ExprPtr makeString(std::string text);
ExprPtr makeAttribute(ExprPtr object, std::string attribute);
ExprPtr makeDotted(const std::string& path); // `torch.ops.aten.sin.default`
ExprPtr makeCall(ExprPtr callee, std::vector<ExprPtr> positional,
                 std::vector<std::pair<std::string, ExprPtr>> keywords = {});
ExprPtr makeMethodCall(ExprPtr object, std::string method, std::vector<ExprPtr> positional,
                       std::vector<std::pair<std::string, ExprPtr>> keywords = {});
ExprPtr makeSubscript(ExprPtr object, std::vector<ExprPtr> indices);
ExprPtr makeSlice(ExprPtr start, ExprPtr stop, ExprPtr step);
ExprPtr makeTuple(std::vector<ExprPtr> items);
ExprPtr makeList(std::vector<ExprPtr> items);
ExprPtr makeUnary(std::string op, ExprPtr operand);
ExprPtr makeBinary(std::string op, ExprPtr left, ExprPtr right);

StatementPtr makeAssign(std::vector<ExprPtr> targets, ExprPtr value);
StatementPtr makeExpressionStatement(ExprPtr value);
StatementPtr makeReturn(ExprPtr value);

/// True when both trees print the same text; places are ignored.
bool sameExpr(const Expr& left, const Expr& right);

/// What Python's repr() prints for a float: shortest digits, `1e-05`, `1e+16`, `2.0`, `inf`, `nan`.
std::string pythonFloatText(double value);

/// Whether it holds for some expression in the statements, those inside others included.
bool anyExpression(const std::vector<StatementPtr>& statements, const std::function<bool(const Expr&)>& holds);

/// The same for statements.
bool anyStatement(const std::vector<StatementPtr>& statements, const std::function<bool(const Statement&)>& holds);

/// Names read (and, for statements, written) anywhere inside, in order of first appearance. `torch` and the names of
/// functions are among the names read; what functions, lambdas and comprehensions inside bind for themselves is not.
/// `del x` and `x += 1` both read and write `x`; `x[0] = 1` reads `x`.
std::vector<std::string> namesRead(const Expr& expr);
std::vector<std::string> namesRead(const Statement& statement);
std::vector<std::string> namesWritten(const Statement& statement);
/// The names that namesRead() gives, each as often as it is read.
using NameVisitor = std::function<void(const std::string& name)>;
void forEachNameRead(const Statement& statement, const NameVisitor& visit);

} // namespace touchstone::language
