#pragma once

#include "program/language/Ast.h"
#include "program/language/Outcome.h"
#include "program/language/PythonClass.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace touchstone::language {

constexpr int kCaseFormatVersion = 1;
constexpr int kMaximumCalls = 32;
/// The key of the header line that names the device on which a Case's tensors live.
constexpr const char* kDeviceHeader = "device";
/// Keys of the header lines that say which Python modules register the Case's backend, separated by commas, and in which
/// folders they are, separated by colons: the `__main__` part imports them before it compiles.
constexpr const char* kImportsHeader = "imports";
constexpr const char* kPythonPathHeader = "python-path";

/// One `# expect: BACKEND OUTCOME[/ORACLE[/call N WHERE]]` line. Several for one backend are alternatives.
struct Expectation {
  std::string backend;
  Outcome outcome = Outcome::kAgreed;
  std::optional<Property> property; // with Differs
  std::string detail; // of BackendRejected and InternalError: `compile`, `forward` or `backward`; of Limit: the rule
  std::optional<int> call;
  std::string where; // `output 0`, `arg 1`, `watched 0`, `leaf 2`; empty: any

  std::string text() const; // what stands after `# expect: `
};

/// The inverse of Expectation::text(); throws std::invalid_argument that lists what is valid.
Expectation parseExpectation(const std::string& text);

enum class GradMode { kEnable, kNoGrad, kInference };
enum class GradientVia { kBackward, kGrad };
enum class TangentLayout { kLike, kContiguous, kTransposed, kExpanded, kGapped, kNone };

/// A root of a backward pass: a position among the flattened tensor outputs, or a (mutated) argument.
struct BackwardRoot {
  bool isArgument = false;
  int index = 0;
  bool operator==(const BackwardRoot&) const = default;
};

/// An argument that is the very output of the call before; both by position.
struct FedArgument {
  int argument = 0; // among what the `inputs` function returns
  int output = 0; // among the flattened tensor outputs
  bool operator==(const FedArgument&) const = default;
};

/// One entry of CALLS; the defaults are those that the printer leaves out.
struct CallSpec {
  std::optional<std::string> inputs; // none: the previous call's very objects again
  int64_t seed = 0;
  std::string kind = "grid";
  bool reset = false;
  int64_t rngSeed = 0;
  GradMode gradMode = GradMode::kEnable;
  std::optional<std::string> autocast; // `bfloat16`, …
  std::optional<std::vector<BackwardRoot>> backward;
  GradientVia via = GradientVia::kBackward;
  std::optional<std::vector<int>> wrt; // leaf indices
  int64_t tangentSeed = 0;
  TangentLayout tangentLayout = TangentLayout::kLike;
  int backwardTimes = 1; // each time with tangents of its own
  bool createGraph = false;
  int derivatives = 1; // 2: the gradients are differentiated once more
  std::vector<int> backwardAfter; // earlier calls whose backwards run after this forward, in this order
  std::optional<std::string> between;
  bool compiledAutograd = false;
  std::vector<FedArgument> feed;
  int instance = 0; // 1: another compiled object of the same Program serves the call
  bool operator==(const CallSpec&) const = default;
};

/// COMPILE. `options` and `config` hold literal expressions by key; which of them a backend gets: program/language/CompileFlags.h.
struct CompileSpec {
  std::optional<bool> dynamic = false; // none: automatic
  bool fullgraph = false;
  std::vector<std::pair<std::string, ExprPtr>> options; // of torch.compile and of native compilers
  std::vector<std::pair<std::string, ExprPtr>> config; // flags of PyTorch's configs: `functorch.cse`
};

/// A header line that is kept and printed again: `# torch: …`, `# found-by: …`, `# note: …`, or one we do not know.
struct HeaderLine {
  std::string key;
  std::string value;
};

/// One case file: functions that make inputs, a Program, calls, expectations. A value: cheap to copy and to edit.
struct Case {
  std::vector<HeaderLine> headers; // all but `touchstone` and `expect`, in file order
  std::vector<Expectation> expectations;
  std::vector<Constant> constants; // in file order, as are the others
  std::vector<PythonClass> classes;
  std::vector<CustomFunction> customFunctions;
  std::vector<CustomOperator> customOperators;
  std::vector<Function> functions; // `program` is one of them
  std::vector<CallSpec> calls;
  CompileSpec compile;

  /// The call takes objects of the call before: all of them, or what feeds it.
  bool takesEarlierObjects(size_t call) const { return !calls.at(call).inputs || !calls.at(call).feed.empty(); }
  /// The call after whose forward this one's backward runs: itself unless a later one lists it.
  size_t backwardRunsAfter(size_t call) const;

  const Function* find(const std::string& name) const;
  const CustomFunction* findCustomFunction(std::string_view name) const;
  /// By the name of the function.
  const CustomOperator* findCustomOperator(std::string_view function) const;
  /// The operator that a callee names: by its function, or as `torch.ops.SPACE.NAME`, with `.default` or without.
  const CustomOperator* operatorCalled(const Expr& callee) const;
  /// Functions that the file's classes or operators bring along run where nobody watches.
  bool hasCustomCode() const { return !customFunctions.empty() || !customOperators.empty(); }
  const PythonClass* findClass(std::string_view name) const;
  const Constant* findConstant(std::string_view name) const;
  const Function& program() const; // throws std::out_of_range when there is none
  /// The functions, then the methods of custom functions, then the bodies of custom operators, then the
  /// methods of classes.
  std::vector<const Function*> allBodies() const;
  /// Some function asks something for the attribute or method of this name.
  bool mentions(std::string_view attribute) const;
  std::optional<std::string> header(const std::string& key) const;
  /// Each header is one line: line breaks in the value become spaces.
  void setHeader(const std::string& key, const std::string& value);
};

/// The calls at these positions, in this order, with what they say of others set right: `backward_after` lists earlier calls that are
/// kept and have a backward, each once in all; the first call is fed by none; second derivatives go with `via="grad"`.
std::vector<CallSpec> keptCalls(const std::vector<CallSpec>& calls, const std::vector<size_t>& positions);
/// The same for all of them, after a change.
std::vector<CallSpec> settledCalls(const std::vector<CallSpec>& calls);

/// True of the name of a function that makes inputs: `inputs`, `inputs_second`, …
bool isInputsName(const std::string& function);

std::string_view gradModeName(GradMode mode);
std::optional<GradMode> gradModeFromName(std::string_view name);
std::string_view tangentLayoutName(TangentLayout layout);
std::optional<TangentLayout> tangentLayoutFromName(std::string_view name);

} // namespace touchstone::language
