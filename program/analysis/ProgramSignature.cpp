#include "program/analysis/ProgramSignature.h"

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
  for (size_t i = 0; i < expr.children.size(); ++i) {
    if (expr.children[i] == nullptr) {
      continue;
    }
    const bool callee = expr.kind == ExprKind::kCall && i == 0;
    if (!callee) {
      addOperators(*expr.children[i], operators);
    } else if (expr.children[0]->kind == ExprKind::kAttribute) {
      addOperators(*expr.children[0]->children[0], operators); // the object of a method
    }
  }
  switch (expr.kind) {
    case ExprKind::kCall: operators.push_back(calleeName(*expr.children[0])); break;
    case ExprKind::kBinary:
    case ExprKind::kUnary: operators.push_back(expr.text); break;
    case ExprKind::kSubscript: operators.emplace_back("[]"); break;
    case ExprKind::kAttribute:
      if (expr.text == "shape" || expr.text == "grad" || expr.text == "requires_grad" || expr.text == "T") {
        operators.push_back("." + expr.text);
      }
      break;
    default: break;
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

// Names that share memory, by the text alone: every call but these gives a view or the thing itself.
class MemoryNames {
 public:
  void assign(const Statement& statement) {
    if (statement.kind != StatementKind::kAssign || statement.targets.size() != 1 ||
        statement.targets[0]->kind != ExprKind::kName) {
      return;
    }
    groups_[statement.targets[0]->text] = groupOf(*statement.value);
  }
  int groupOf(const Expr& expr) {
    if (expr.kind == ExprKind::kName) {
      const auto found = groups_.find(expr.text);
      return found != groups_.end() ? found->second : next_++;
    }
    if (expr.kind == ExprKind::kCall) {
      static const std::set<std::string> kFresh{"data", "clone",  "contiguous", "zeros",
                                                "ones", "tensor", "to",         "Parameter"};
      const Expr& callee = *expr.children[0];
      if (kFresh.count(calleeName(callee)) != 0) {
        return next_++;
      }
      const bool method = callee.kind == ExprKind::kAttribute &&
                          !(callee.children[0]->kind == ExprKind::kName && callee.children[0]->text == "torch");
      if (method) {
        return groupOf(*callee.children[0]);
      }
      return expr.children.size() > 1 ? groupOf(*expr.children[1]) : next_++;
    }
    if (expr.kind == ExprKind::kSubscript) {
      return groupOf(*expr.children[0]);
    }
    return next_++;
  }

 private:
  std::map<std::string, int> groups_;
  int next_ = 0;
};

std::string aliasingOf(const language::Function& inputs) {
  MemoryNames memory;
  std::map<int, int> numbers;
  std::string text;
  for (const StatementPtr& statement : inputs.body) {
    memory.assign(*statement);
    if (statement->kind != StatementKind::kReturn || statement->value == nullptr ||
        statement->value->children.empty()) {
      continue;
    }
    for (const ExprPtr& argument : statement->value->children[0]->children) {
      const int number = numbers.try_emplace(memory.groupOf(*argument), static_cast<int>(numbers.size())).first->second;
      text += (text.empty() ? "" : " ") + std::to_string(number);
    }
  }
  return text;
}

} // namespace

std::string ProgramSignature::text() const {
  return fmt::format("{}|{}|{}", fmt::join(operators, " "), aliasing, modes);
}

ProgramSignature signatureOf(const language::Case& theCase) {
  ProgramSignature signature;
  std::set<std::string> modes;
  for (const language::Function& function : theCase.functions) {
    if (language::isInputsName(function.name)) {
      if (signature.aliasing.empty()) {
        signature.aliasing = aliasingOf(function);
      }
      continue;
    }
    for (const StatementPtr& statement : function.body) {
      addOperators(*statement, signature.operators);
    }
  }
  for (const language::CallSpec& call : theCase.calls) {
    if (call.backward.has_value()) {
      modes.insert("backward");
    }
    if (call.gradMode != language::GradMode::kEnable) {
      modes.insert(std::string(language::gradModeName(call.gradMode)));
    }
    if (call.autocast.has_value()) {
      modes.insert("autocast");
    }
  }
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
