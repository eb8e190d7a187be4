#pragma once

#include "program/language/Ast.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace touchstone::analysis {

/// What one simple statement runs and writes to, read off its text; a block's header is not told of.
struct StatementFlow {
  const language::Statement* statement;
  int operations = 0;
  std::vector<std::string> mutated; // names whose memory it writes to; no name: a value of its own
  bool mutates = false;
};

/// All simple statements in the order of the text, blocks opened.
std::vector<StatementFlow> flowOf(const std::vector<language::StatementPtr>& body);

/// Whether the result of a call or an attribute of this name (`view`, `T`, `add_`) may share memory with the tensor that it is
/// of.
bool mayReturnAlias(std::string_view name);

/// The name whose memory an expression's value may share: that of a view's or an in-place call's tensor. Empty: memory of
/// its own.
std::string memoryRootOf(const language::Expr& expr);

/// Names that may share memory, in groups.
class AliasGroups {
 public:
  const std::string& groupOf(const std::string& name);
  void join(const std::string& left, const std::string& right);

 private:
  std::map<std::string, std::string> parents_;
};
AliasGroups aliasGroupsOf(const std::vector<StatementFlow>& statements);

} // namespace touchstone::analysis
