#include "program/analysis/ProgramSignature.h"

#include "program/analysis/FlatProgram.h"
#include "program/analysis/NameFlow.h"
#include "program/analysis/OperatorNames.h"
#include "program/parser/LanguageNames.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace touchstone::analysis {

namespace {

using language::Expr;
using language::ExprKind;
using language::ExprPtr;
using language::Statement;
using language::StatementKind;
using language::StatementPtr;

void addOperators(const Expr& expr, std::vector<std::string>& operators) {
  const std::optional<WrittenOperation> operation = writtenOperation(expr);
  if (!operation.has_value()) {
    for (const ExprPtr& child : expr.children) {
      if (child != nullptr) {
        addOperators(*child, operators);
      }
    }
    return;
  }
  for (const WrittenOperation::Operand& each : operation->operands) {
    addOperators(*each.value, operators);
  }
  static const std::set<std::string> kAttributes{".shape", ".grad", ".requires_grad", ".T"};
  if (expr.kind != ExprKind::kAttribute || kAttributes.contains(operation->name)) {
    operators.push_back(expr.kind == ExprKind::kUnary ? expr.text : operation->name);
  }
}

void addOperators(const Statement& statement, std::vector<std::string>& operators) {
  for (const ExprPtr& item : statement.items) {
    addOperators(*item, operators);
  }
  if (statement.value != nullptr) {
    addOperators(*statement.value, operators);
  }
  for (const ExprPtr& target : statement.targets) {
    if (target->kind == ExprKind::kSubscript) {
      operators.emplace_back("[]=");
    } else if (target->kind == ExprKind::kAttribute) {
      operators.push_back("." + target->text + "=");
    }
  }
  if (statement.kind == StatementKind::kAugmentedAssign) {
    operators.push_back(statement.text);
  }
  for (const auto* block : {&statement.body, &statement.orElse}) {
    for (const StatementPtr& inner : *block) {
      addOperators(*inner, operators);
    }
  }
}

/// By argument the number of its memory, in the order in which memory is met.
std::string aliasingOf(const language::Function& inputs) {
  std::map<std::string, size_t> numbers;
  size_t next = 0;
  std::string text;
  for (const std::string& group : groupsOfInputs(inputs, InputTuple::kArguments)) {
    const auto found = group.empty() ? numbers.end() : numbers.try_emplace(group, next).first;
    const size_t number = found != numbers.end() ? found->second : next;
    next = std::max(next, number + 1);
    text += (text.empty() ? "" : " ") + std::to_string(number);
  }
  return text;
}

} // namespace

std::string ProgramSignature::text() const {
  return fmt::format("{}|{}|{}", fmt::join(operators, " "), aliasing, modes);
}

ProgramSignature signatureOf(const language::Case& theCase) {
  ProgramSignature signature;
  for (const language::Function* function : theCase.allBodies()) {
    if (language::isInputsName(function->name)) {
      if (signature.aliasing.empty()) {
        signature.aliasing = aliasingOf(*function);
      }
      continue;
    }
    for (const StatementPtr& statement : function->body) {
      addOperators(*statement, signature.operators);
    }
  }
  std::set<std::string> modes = requestsOf(theCase.calls);
  std::erase_if(modes, [](const std::string& each) {
    return each != "backward" && each != "no_grad" && each != "inference" && each != "autocast";
  });
  signature.modes = fmt::format("{}", fmt::join(modes, " "));
  return signature;
}

bool isContained(const ProgramSignature& part, const ProgramSignature& whole) {
  auto position = whole.operators.begin();
  for (const std::string& name : part.operators) {
    position = std::find(position, whole.operators.end(), name);
    if (position == whole.operators.end()) {
      return false;
    }
    ++position;
  }
  return true;
}

std::string shortHash(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (const char character : text) {
    hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3;
  }
  return fmt::format("{:08x}", (hash ^ (hash >> 32)) & 0xffffffff);
}

} // namespace touchstone::analysis
