#pragma once

#include "program/language/Ast.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace touchstone::analysis {

/// What one simple statement runs and writes to, read off its text; a block's header is not told of.
struct StatementFlow {
  const language::Statement* statement;
  int operations = 0;
  std::vector<std::string> mutated; // names whose memory it writes to; no name: a value of its own
  bool mutates() const { return !mutated.empty(); }
};

/// All simple statements in the order of the text, blocks opened.
std::vector<StatementFlow> flowOf(const std::vector<language::StatementPtr>& body);

/// The name whose memory an expression's value may share: that of a view's or an in-place call's tensor. Empty: memory of
/// its own.
std::string memoryRootOf(const language::Expr& expr);

/// Names that may share memory, in groups.
class AliasGroups {
 public:
  AliasGroups() = default;
  explicit AliasGroups(const std::vector<StatementFlow>& flows); // by the text of these
  explicit AliasGroups(const std::vector<language::StatementPtr>& body) : AliasGroups(flowOf(body)) {}

  const std::string& groupOf(const std::string& name);
  void join(const std::string& left, const std::string& right);

 private:
  std::map<std::string, std::string> parents_;
};

/// The groups of the arguments, or of the watched tensors, that an `inputs` function returns; empty: memory of its own.
enum class InputTuple { kArguments, kWatched };
std::vector<std::string> groupsOfInputs(const language::Function& inputs, InputTuple which);

/// What a backward slice begins with, besides what is returned.
struct LiveNames {
  std::set<std::string> written; // names of which every write to their memory counts, such as arguments
  AliasGroups groups; // names that share memory
  bool otherEffects = true; // a call on its own that writes to no tensor counts, such as a graph break
};

/// The simple statements that something live depends on: the return, the writes that LiveNames tells of, and what writes what
/// these read, through views, too. Reads the text only, so it may tell too many or too few.
/// `flows`: those of the body.
std::set<const language::Statement*> liveStatements(const std::vector<language::StatementPtr>& body,
                                                    const std::vector<StatementFlow>& flows, LiveNames live);

/// The function with the live statements alone.
language::Function sliceBackward(const language::Function& function, LiveNames live);

} // namespace touchstone::analysis
