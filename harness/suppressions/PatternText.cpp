#include "harness/suppressions/Conditions.h"
#include "program/analysis/OperatorNames.h"
#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <stdexcept>

namespace touchstone::suppressions {

namespace {

using language::Expr;
using language::ExprKind;
using language::ExprPtr;
using language::StatementKind;
using language::StatementPtr;

constexpr const char* kRelations[] = {"", "alias", "derived"}; // as Relation numbers them

bool isValueName(const Expr& expr) {
  return expr.kind == ExprKind::kName && std::islower(static_cast<unsigned char>(expr.text[0])) != 0;
}

/// From the statements of a function that are operations, perhaps in regions, and what it returns: conditions.
class PatternReader {
 public:
  explicit PatternReader(const std::vector<std::string>& lines) : lines_(lines) {}

  Pattern read() {
    std::string text = "def pattern():\n";
    for (const std::string& line : lines_) {
      text += "    " + line + "\n";
    }
    parser::ParseOptions options;
    options.checkNames = false;
    try {
      addBody(lines_.empty() ? std::vector<StatementPtr>() : parser::parseFunction(text, options).body, "");
    } catch (const parser::ParseError& error) {
      refuse(error.place(), error.message() + ".");
    }
    if (pattern_.steps.empty()) {
      throw std::invalid_argument(
          "A pattern needs one operation at least, such as `y = mm(x, _)`: this one would match all.");
    }
    return std::move(pattern_);
  }

 private:
  [[noreturn]] void refuse(language::Place place, const std::string& why) const {
    const auto number = static_cast<size_t>(std::max(place.line - 2, 0)); // the first line is `def pattern():`
    throw std::invalid_argument(fmt::format("`{}`: {}", lines_[std::min(number, lines_.size() - 1)], why));
  }

  void addBody(const std::vector<StatementPtr>& body, const std::string& region) {
    for (const StatementPtr& statement : body) {
      switch (statement->kind) {
        case StatementKind::kExpression: addStep(*statement->value, {}, region); break;
        case StatementKind::kAssign: addStep(*statement->value, statement->targets, region); break;
        case StatementKind::kWith: addBody(statement->body, analysis::regionName(*statement->items.back())); break;
        case StatementKind::kReturn:
          if (statement->value != nullptr) {
            addConditions(*statement->value);
          }
          break;
        default:
          refuse(statement->place,
                 "a pattern is made of operations, such as `y = mm(x, _)`, regions, such as "
                 "`with no_grad:`, and conditions, such as `return is_returned(y)`.");
      }
    }
  }

  Place placeOf(const ExprPtr& expr, const std::string& keyword = "") {
    Place place{.keyword = keyword};
    if (isValueName(*expr)) {
      place.value = expr->text;
    } else if (expr->kind == ExprKind::kCall) {
      const auto name = std::find(std::begin(kRelations) + 1, std::end(kRelations), expr->children[0]->text);
      if (name == std::end(kRelations) || expr->children.size() != 2 || !isValueName(*expr->children[1])) {
        refuse(expr->place,
               "an operand is the name of a value, `x`, `alias(x)` or `derived(x)`, a word, such as "
               "`False`, or `_` for anything.");
      }
      place.value = expr->children[1]->text;
      place.relation = static_cast<Relation>(name - std::begin(kRelations));
    } else if (expr->kind != ExprKind::kName || expr->text != "_") {
      place.text = language::printExpression(*expr);
    }
    return place;
  }

  void addStep(const Expr& expr, const std::vector<ExprPtr>& results, const std::string& region) {
    const std::optional<analysis::WrittenOperation> written = analysis::writtenOperation(expr);
    if (!written.has_value() || findForm(written->name) != nullptr) {
      refuse(expr.place, written.has_value() ? "a condition stands behind `return`, at the end."
                                             : "this is no operation, such as `y = mm(x, _)`.");
    }
    Step step{.operators = {}, .operands = {}, .results = {}, .region = region};
    // In quotes a star is no multiplication, which is called `mul`, and a bar stands between names.
    const bool isQuoted = expr.kind == ExprKind::kCall && expr.children[0]->kind == ExprKind::kString;
    for (size_t begin = 0; begin <= written->name.size();) {
      const size_t end =
          isQuoted ? std::min(written->name.find('|', begin), written->name.size()) : written->name.size();
      const std::string name = end == begin ? written->name : written->name.substr(begin, end - begin); // `|` itself
      const bool isGlob = isQuoted && name.find('*') != std::string::npos;
      step.operators.push_back(isGlob ? name : analysis::operatorName(name));
      begin = end == begin ? std::string::npos : end + 1;
    }
    for (const analysis::WrittenOperation::Operand& each : written->operands) {
      step.operands.push_back(placeOf(each.value, each.keyword));
      named_.insert(step.operands.back().value);
    }
    for (const ExprPtr& result : results) {
      if (!isValueName(*result)) {
        refuse(result->place, "the result of an operation is the name of a value, such as `y`.");
      }
      named_.insert(step.results.emplace_back(result->text));
    }
    pattern_.steps.push_back(std::move(step));
  }

  void addConditions(const Expr& expr) {
    if (expr.kind == ExprKind::kTuple) {
      for (const ExprPtr& each : expr.children) {
        addConditions(*each);
      }
      return;
    }
    const bool isNegated = expr.kind == ExprKind::kUnary && expr.text == "not";
    const Expr& call = isNegated ? *expr.children[0] : expr;
    const ConditionForm* form = call.kind == ExprKind::kCall ? findForm(call.children[0]->text) : nullptr;
    if (form == nullptr || call.children.size() != form->operands.size() + 1) {
      std::string forms;
      for (const ConditionForm& each : conditionForms()) {
        forms += fmt::format("\n  {}({})", each.name, fmt::join(each.operands, ", "));
      }
      refuse(expr.place, "conditions are these, with or without `not`, and commas between them:" + forms);
    }
    Condition condition{.name = std::string(form->name), .isNegated = isNegated};
    for (size_t i = 0; i < form->operands.size(); ++i) {
      const ExprPtr& operand = call.children[i + 1];
      const Place place = condition.operands.emplace_back(placeOf(operand));
      const std::string& example = form->operands[i];
      const bool isText = operand->kind == ExprKind::kString, isPlain = example.size() == 1;
      if ((example[0] == '\'') != isText || place.value.empty() != isText ||
          (isPlain && place.relation != Relation::kSame)) {
        refuse(operand->place, fmt::format("here stands something like `{}`.", example));
      }
      if (!isText && !named_.contains(place.value)) { // could be any: a slip, mostly
        refuse(operand->place, fmt::format("no operation above names `{}`.", place.value));
      }
    }
    if (const std::string trouble = form->trouble != nullptr ? form->trouble(condition.operands) : "";
        !trouble.empty()) {
      refuse(expr.place, trouble);
    }
    pattern_.conditions.push_back(std::move(condition));
  }

  const std::vector<std::string>& lines_;
  Pattern pattern_;
  std::set<std::string> named_; // by steps
};

std::string placeText(const Place& place) {
  const std::string value = place.relation == Relation::kSame
                                ? place.value
                                : fmt::format("{}({})", kRelations[static_cast<int>(place.relation)], place.value);
  std::string text = place.isAnything() ? "_" : place.value.empty() ? place.text : value;
  if (text.front() == '"' && text.find('\'') == std::string::npos) {
    text.front() = text.back() = '\''; // these need no escape in JSON
  }
  return place.keyword.empty() ? text : place.keyword + "=" + text;
}

/// In quotes where it is no name of the language.
std::string nameText(const std::string& name) {
  static const std::set<std::string> kKeywords{"and", "assert", "except", "for", "if",
                                               "in",  "is",     "not",    "or",  "while"};
  const bool isName = !kKeywords.contains(name) && std::all_of(name.begin(), name.end(), [](unsigned char each) {
    return std::isalnum(each) != 0 || each == '_';
  });
  return isName ? name : "'" + name + "'";
}

std::string callText(const std::string& name, const std::vector<Place>& operands) {
  std::vector<std::string> texts;
  std::transform(operands.begin(), operands.end(), std::back_inserter(texts), placeText);
  return fmt::format("{}({})", nameText(name), fmt::join(texts, ", "));
}

} // namespace

Pattern readPattern(const std::vector<std::string>& lines) {
  return PatternReader(lines).read();
}

std::vector<std::string> patternLines(const Pattern& pattern) {
  std::vector<std::string> lines, conditions;
  std::string region;
  for (const Step& step : pattern.steps) {
    if (!step.region.empty() && step.region != region) {
      lines.push_back(fmt::format("with {}:", nameText(step.region)));
    }
    region = step.region;
    lines.push_back(fmt::format("{}{}{}{}", region.empty() ? "" : "    ", fmt::join(step.results, ", "),
                                step.results.empty() ? "" : " = ",
                                callText(fmt::format("{}", fmt::join(step.operators, "|")), step.operands)));
  }
  for (const Condition& each : pattern.conditions) {
    conditions.push_back((each.isNegated ? "not " : "") + callText(each.name, each.operands));
  }
  if (!conditions.empty()) {
    lines.push_back(fmt::format("return {}", fmt::join(conditions, ", ")));
  }
  return lines;
}

} // namespace touchstone::suppressions
