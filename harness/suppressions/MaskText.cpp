#include "harness/suppressions/Mask.h"

#include "base/NearestName.h"
#include "program/parser/LanguageNames.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>
#include <set>
#include <stdexcept>

namespace touchstone::suppressions {

namespace {

using Kind = MaskCondition::Kind;

/// How a condition is written: `{}` is a place for a value, `{name}` for the name of one, `{dtype}` and `{request}` for what
/// they say.
struct ConditionForm {
  Kind kind;
  bool isNegated;
  const char* form;
};

constexpr ConditionForm kForms[] = {
    {Kind::kIsArgument, false, "{} is an argument"},
    {Kind::kIsArgument, true, "{} is no argument"},
    {Kind::kIsReturned, false, "{} is returned"},
    {Kind::kIsReturned, true, "{} is not returned"},
    {Kind::kIsSeen, false, "{} is seen"},
    {Kind::kIsSeen, true, "{} is not seen"},
    {Kind::kIsDifferentiated, false, "{} is differentiated"},
    {Kind::kIsDifferentiated, true, "{} is not differentiated"},
    {Kind::kRequiresGrad, false, "{name} requires grad"},
    {Kind::kRequiresGrad, true, "{name} requires no grad"},
    {Kind::kHasDtype, false, "{name} has dtype {dtype}"},
    {Kind::kHasDtype, true, "{name} has not dtype {dtype}"},
    {Kind::kIsEmpty, false, "{name} is empty"},
    {Kind::kIsEmpty, true, "{name} is not empty"},
    {Kind::kIsExpanded, false, "{name} is expanded"},
    {Kind::kIsExpanded, true, "{name} is not expanded"},
    {Kind::kSharesMemory, false, "{name} shares memory with {other}"},
    {Kind::kSharesMemory, true, "{name} shares no memory with {other}"},
    {Kind::kArgumentsShareMemory, false, "arguments share memory"},
    {Kind::kArgumentsShareMemory, true, "arguments share no memory"},
    {Kind::kCallsAsk, false, "calls ask for {request}"},
    {Kind::kCallsAsk, true, "calls do not ask for {request}"},
};

std::string withPart(std::string text, const std::string& placeholder, const std::string& part) {
  const size_t at = text.find(placeholder);
  return at == std::string::npos ? text : text.replace(at, placeholder.size(), part);
}

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

bool isValueName(const std::string& text) {
  static const std::regex kName("[a-z][A-Za-z0-9_]*");
  return std::regex_match(text, kName);
}

[[noreturn]] void refuseLine(const std::string& line, const std::string& why) {
  throw std::invalid_argument(fmt::format("`{}`: {}", line, why));
}

/// `_`, `x`, `alias(x)`, `from(x)`, `training=False`.
MaskOperand readPlace(const std::string& line, std::string text) {
  MaskOperand place;
  text = trimmed(text);
  static const std::regex kKeyword("([a-z_][a-z0-9_]*)=([^=].*)");
  std::smatch parts;
  if (std::regex_match(text, parts, kKeyword)) {
    place.keyword = parts[1];
    text = trimmed(parts[2]);
  }
  static const std::regex kConnected("(alias|from)\\(([^()]*)\\)");
  if (text == "_") {
    return place;
  }
  if (std::regex_match(text, parts, kConnected)) {
    place.connection = parts[1] == "alias" ? Connection::kAlias : Connection::kFrom;
    text = trimmed(parts[2]);
    if (!isValueName(text)) {
      refuseLine(line, fmt::format("`{}` is no name of a value; write `{}(x)`.", text, std::string(parts[1])));
    }
  }
  if (text.empty()) {
    refuseLine(line, "an operand is missing; `_` stands for anything.");
  }
  place.kind = isValueName(text) ? MaskOperand::Kind::kValue : MaskOperand::Kind::kText;
  place.text = text;
  return place;
}

/// At commas that are in no brackets.
std::vector<std::string> splitOperands(const std::string& text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  for (const char character : text) {
    depth += character == '(' || character == '[' ? 1 : character == ')' || character == ']' ? -1 : 0;
    if (character == ',' && depth == 0) {
      parts.push_back(part);
      part.clear();
    } else {
      part += character;
    }
  }
  if (!trimmed(part).empty() || !parts.empty()) {
    parts.push_back(part);
  }
  return parts;
}

std::vector<std::string> splitAt(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char character : text) {
    character == separator ? parts.emplace_back() : parts.back() += character;
  }
  for (std::string& part : parts) {
    part = trimmed(part);
  }
  return parts;
}

MaskStep readStep(const std::string& line) {
  MaskStep step;
  std::string text = trimmed(line);
  static const std::regex kRegion("with ([^:]+):\\s*(.*)");
  static const std::regex kResults("([a-z][A-Za-z0-9_]*(?:\\s*,\\s*[a-z][A-Za-z0-9_]*)*) = (.*)");
  std::smatch parts;
  if (std::string rest = text; std::regex_match(rest, parts, kRegion)) {
    step.region = trimmed(parts[1]);
    text = parts[2];
  }
  if (std::string rest = text; std::regex_match(rest, parts, kResults)) {
    step.results = splitAt(parts[1], ',');
    text = parts[2];
  }
  const size_t open = text.find('(');
  if (open == 0 || open == std::string::npos || text.back() != ')') {
    std::string forms;
    for (const ConditionForm& each : kForms) {
      std::string form = each.form;
      for (const char* placeholder : {"{}", "{name}", "{other}"}) {
        form = withPart(form, placeholder, placeholder == std::string("{other}") ? "y" : "x");
      }
      forms += fmt::format("\n  {}", withPart(withPart(form, "{dtype}", "float32"), "{request}", "backward"));
    }
    refuseLine(line, "this is neither an operation, such as `y = mm(x, _)`, nor one of these conditions:" + forms);
  }
  for (const std::string& name : splitAt(trimmed(text.substr(0, open)), '|')) {
    if (name.empty()) { // of the operator `|` itself
      step.operators = {analysis::operatorName("|")};
      break;
    }
    // A star is never a multiplication, which is called `mul`.
    step.operators.push_back(name.find('*') == std::string::npos ? analysis::operatorName(name) : name);
  }
  for (const std::string& operand : splitOperands(text.substr(open + 1, text.size() - open - 2))) {
    step.operands.push_back(readPlace(line, operand));
  }
  return step;
}

void checkRequest(const std::string& line, const std::string& request) {
  const std::vector<std::string> names = analysis::callRequests();
  if (std::find(names.begin(), names.end(), request) != names.end()) {
    return;
  }
  refuseLine(line, fmt::format("calls cannot ask for `{}`; choose one of `{}`.", request,
                               fmt::join(base::nearestFirst(request, names), "`, `")));
}

std::vector<std::regex> conditionPatterns() {
  std::vector<std::regex> patterns;
  for (const ConditionForm& each : kForms) {
    std::string pattern = withPart(each.form, "{}", "(\\S.*?)");
    for (const char* name : {"{name}", "{other}"}) {
      pattern = withPart(pattern, name, "([a-z][A-Za-z0-9_]*)");
    }
    pattern = withPart(withPart(pattern, "{dtype}", "(\\S+)"), "{request}", "(.+)");
    patterns.emplace_back(pattern);
  }
  return patterns;
}

/// False: it is no condition.
bool readCondition(const std::string& line, Mask& mask) {
  // The subject of a form is what stands before its fixed text; what is said of it, behind.
  static const std::vector<std::regex> kPatterns = conditionPatterns();
  const std::string text = trimmed(line);
  for (size_t number = 0; number < kPatterns.size(); ++number) {
    const ConditionForm& each = kForms[number];
    std::smatch parts;
    if (!std::regex_match(text, parts, kPatterns[number])) {
      continue;
    }
    MaskCondition condition{each.kind, {}, "", each.isNegated};
    const bool isOfCalls = each.kind == Kind::kCallsAsk;
    if (isOfCalls) {
      condition.text = trimmed(parts[1]);
      checkRequest(line, condition.text);
    } else if (parts.size() > 1) {
      condition.subject = readPlace(line, parts[1]);
      condition.text = parts.size() > 2 ? std::string(parts[2]) : "";
      if (condition.subject.kind != MaskOperand::Kind::kValue) {
        refuseLine(line, "this needs the name of a value, such as `x` or `alias(x)`.");
      }
    }
    if (each.kind == Kind::kHasDtype && condition.text.find('*') == std::string::npos &&
        !parser::isDtypeName(condition.text)) {
      refuseLine(line, fmt::format("there is no dtype `{}`; write one as `float32` or `int*`.", condition.text));
    }
    mask.conditions.push_back(std::move(condition));
    return true;
  }
  return false;
}

std::string placeText(const MaskOperand& place) {
  std::string text = place.kind == MaskOperand::Kind::kAnything ? "_" : place.text;
  if (place.kind == MaskOperand::Kind::kValue && place.connection != Connection::kSame) {
    text = fmt::format("{}({})", place.connection == Connection::kAlias ? "alias" : "from", text);
  }
  return place.keyword.empty() ? text : place.keyword + "=" + text;
}

/// A value that only conditions name could be any: a slip, mostly.
void checkNames(const Mask& mask) {
  std::set<std::string> named;
  for (const MaskStep& step : mask.steps) {
    named.insert(step.results.begin(), step.results.end());
    for (const MaskOperand& operand : step.operands) {
      if (operand.kind == MaskOperand::Kind::kValue) {
        named.insert(operand.text);
      }
    }
  }
  const auto check = [&](const MaskCondition& condition, const std::string& name) {
    if (!named.contains(name)) {
      Mask alone;
      alone.conditions = {condition};
      refuseLine(maskLines(alone).front(), fmt::format("no step names `{}`.", name));
    }
  };
  for (const MaskCondition& condition : mask.conditions) {
    if (condition.subject.kind == MaskOperand::Kind::kValue) {
      check(condition, condition.subject.text);
    }
    if (condition.kind == Kind::kSharesMemory) {
      check(condition, condition.text);
    }
  }
}

} // namespace

Mask readMask(const std::vector<std::string>& lines) {
  Mask mask;
  for (const std::string& line : lines) {
    if (!readCondition(line, mask)) {
      mask.steps.push_back(readStep(line));
    }
  }
  if (mask.steps.empty()) {
    throw std::invalid_argument(
        "A mask needs one operation at least, such as `y = mm(x, _)`: this one would match all.");
  }
  checkNames(mask);
  return mask;
}

std::vector<std::string> maskLines(const Mask& mask) {
  std::vector<std::string> lines;
  for (const MaskStep& step : mask.steps) {
    std::vector<std::string> operands;
    for (const MaskOperand& operand : step.operands) {
      operands.push_back(placeText(operand));
    }
    lines.push_back(fmt::format("{}{}{}{}{}({})", step.region.empty() ? "" : "with " + step.region + ": ",
                                fmt::join(step.results, ", "), step.results.empty() ? "" : " = ",
                                fmt::join(step.operators, "|"), "", fmt::join(operands, ", ")));
  }
  for (const MaskCondition& condition : mask.conditions) {
    const auto form = std::find_if(std::begin(kForms), std::end(kForms), [&](const ConditionForm& each) {
      return each.kind == condition.kind && each.isNegated == condition.isNegated;
    });
    std::string line = form->form;
    for (const char* placeholder : {"{}", "{name}"}) {
      line = withPart(line, placeholder, placeText(condition.subject));
    }
    for (const char* placeholder : {"{other}", "{dtype}", "{request}"}) {
      line = withPart(line, placeholder, condition.text);
    }
    lines.push_back(line);
  }
  return lines;
}

} // namespace touchstone::suppressions
