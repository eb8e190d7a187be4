#include "program/parser/DottedPaths.h"

#include <algorithm>

namespace touchstone::parser {

std::vector<std::string> dottedPath(const language::Expr& expr) {
  std::vector<std::string> path;
  const language::Expr* at = &expr;
  for (; at->kind == language::ExprKind::kAttribute; at = at->children[0].get()) {
    path.push_back(at->text);
  }
  if (at->kind != language::ExprKind::kName) {
    return {};
  }
  path.push_back(at->text);
  std::reverse(path.begin(), path.end());
  return path;
}

std::string joined(const std::vector<std::string>& path) {
  std::string text;
  for (const std::string& part : path) {
    text += (text.empty() ? "" : ".") + part;
  }
  return text;
}

} // namespace touchstone::parser
