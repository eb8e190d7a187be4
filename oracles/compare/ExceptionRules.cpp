#include "oracles/compare/ExceptionRules.h"

#include "oracles/compare/Rules.h"

#include <algorithm>
#include <array>
#include <regex>
#include <string_view>

namespace touchstone::compare {

namespace {

constexpr std::array kDocumentedRefusals{
    "does not yet handle non-differentiable view input mutations",
    "input mutations on views with different dtypes",
    "mutation on a view chain of length [0-9]+, where view [0-9]+ was an as_strided\\(\\) call",
    "compiled with non-empty donated buffers which requires create_graph=False and retain_graph=False",
    "While executing unfold, functionalization encountered a tensor being mutated that has internal overlap",
};
constexpr const char* kNoSecondDerivatives =
    "torch\\.compile with aot_autograd does not currently support double backward";

/// Classes that only a bug of a compiler raises.
constexpr std::array<std::string_view, 2> kInternalClasses{"AssertionError", "InternalTorchDynamoError"};
/// Classes of plain Python mistakes; a Program may raise them too.
constexpr std::array<std::string_view, 3> kMistakeClasses{"KeyError", "IndexError", "AttributeError"};
constexpr std::array<std::string_view, 2> kInternalTexts{"INTERNAL ASSERT", "InternalTorchDynamoError"};

bool isOneOf(const auto& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}
bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

} // namespace

std::string normalizedClass(const std::string& type) {
  std::string name = type.substr(0, type.find_first_of("<[( :"));
  const size_t dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

bool isDocumentedRefusal(const observe::ExceptionObservation& exception, ir::RuleSet set) {
  static const std::regex secondDerivatives(kNoSecondDerivatives);
  static const std::vector<std::regex> patterns(kDocumentedRefusals.begin(), kDocumentedRefusals.end());
  const auto matches = [&](const std::regex& pattern) { return std::regex_search(exception.message, pattern); };
  return matches(secondDerivatives) || (!isNative(set) && std::any_of(patterns.begin(), patterns.end(), matches));
}

bool isChangedInPlace(const observe::ExceptionObservation& exception) {
  return holds(exception.message, "has been modified by an inplace operation") || isChangedView(exception);
}

bool isChangedView(const observe::ExceptionObservation& exception) {
  return holds(exception.message, "its base or another view of its base has been modified inplace");
}

bool isDetachedLater(const observe::ExceptionObservation& exception) {
  return holds(exception.message, "saved tensor that has been detached in-place");
}

bool isMovedLeaf(const observe::ExceptionObservation& exception) {
  return holds(exception.message, "leaf variable has been moved into the graph interior");
}

bool isMultiOutputViewError(const observe::ExceptionObservation& exception) {
  return holds(exception.message, "is the output of a function that returns multiple views");
}

bool isRefusalOfArgument(const observe::ExceptionObservation& exception) {
  // Of torch/csrc/autograd and of what autograd's kernels check before they run an operator.
  constexpr std::string_view kChecks[] = {
      "inplace",  "in-place",  "requires grad", "require grad", "requires_grad",  "grad_fn",
      "gradient", "inference", "Inference",     "backward",     "differentiable", "derivative",
      "autograd", "leaf",      "graph",         "version",      "view",           "hook"};
  return exception.phase == "forward" && !exception.isLimit &&
         std::ranges::none_of(kChecks, [&](std::string_view text) { return holds(exception.message, text); });
}

bool isInternalError(const observe::ExceptionObservation& exception, const observe::ExceptionObservation* eager) {
  for (std::string_view text : kInternalTexts) {
    if (holds(exception.message, text)) {
      return !eager || !holds(eager->message, text);
    }
  }
  const std::string type = normalizedClass(exception.type);
  if (!isOneOf(kInternalClasses, type) && !isOneOf(kMistakeClasses, type)) {
    return false;
  }
  return !eager || normalizedClass(eager->type) != type;
}

std::string phaseName(const observe::ExceptionObservation& exception) {
  if (exception.phase == "compile" || exception.phase == "backward") {
    return exception.phase;
  }
  return exception.phase == "between" ? "backward" : "forward";
}

std::string firstLine(const std::string& message) {
  constexpr size_t kLongest = 240;
  const size_t end = message.find('\n');
  std::string line = message.substr(0, end);
  if (line.size() > kLongest) {
    line = line.substr(0, kLongest) + " …";
  }
  return line;
}

std::string comparableLine(const std::string& message) {
  static const std::regex version("version [0-9]+");
  static const std::regex node(
      R"(Function [A-Za-z0-9_:]+ returned an (?=invalid)| at index [0-9]+(?= - got)|: \[[A-Za-z0-9_.]+ \[[0-9, ]*\]\]|, which is output [0-9]+ of [A-Za-z0-9_:]+,)"
      R"(|Output [0-9]+ of [A-Za-z0-9_:]+(?= is a view)| ?Hint: .*)");
  const std::string line = message.substr(0, message.find('\n'));
  return std::regex_replace(std::regex_replace(line, node, ""), version, "version N").substr(0, 200);
}

} // namespace touchstone::compare
