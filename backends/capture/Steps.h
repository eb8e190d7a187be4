#pragma once

#include "program/language/Case.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::capture {

enum class StepKind {
  kRun, // a statement with one operation: its operands are names and constants
  kBranch, // `if NAME:`
  kFor, // starts a loop over a name's items
  kNext, // binds the next item, or goes on behind the loop
  kWhile, // starts a loop
  kRound, // one more round of it
  kJump, // goes on elsewhere: `break`, `continue`
  kEnter, // enters the region of a `with`, which has one item
  kLeave, // leaves the innermost region
  kSwitchGrad, // sets grad mode: where a function goes on in a region that it switched grad mode in
  kReturn,
};

struct Step;
using StepPtr = std::shared_ptr<const Step>;

/// One step of a function and what comes after it: a point where evaluation may stop and go on. Steps of one place are one
/// object.
struct Step {
  StepKind kind = StepKind::kRun;
  language::StatementPtr
      statement; // kRun, kReturn, kBranch; of kFor, kNext, kWhile, kRound the loop, of kEnter the `with`
  std::string items, position; // kFor, kNext: the names that hold what is iterated over, and where in it
  bool gradMode = false; // kSwitchGrad
  StepPtr next; // null: the function ends; kReturn has none
  StepPtr taken = {}; // of the kBranch of a `while`: its next round, which its body ends with
};

/// The functions of a Case as steps: each compound expression is cut into operations in the order in which Python performs
/// them, results held by names that no Program can write (`$1`), so that a Graph can break between any two of them.
class Steps {
 public:
  explicit Steps(const language::Case& theCase);

  /// The first step of a function's body; null for an empty one.
  StepPtr first(const language::Function& function);
  /// Where a branch goes on.
  StepPtr branch(const StepPtr& step, bool taken);
  /// The body of a loop, then `step` again.
  StepPtr body(const StepPtr& step);
  /// The condition of a `while`, and what it decides.
  StepPtr round(const StepPtr& step);
  /// What follows a kFor or a kWhile: its kNext or kRound, which the body ends with.
  StepPtr loop(const StepPtr& step);
  /// A step that re-enters the region of `enter`, before `next`.
  StepPtr enter(const StepPtr& enter, const StepPtr& next);
  StepPtr switchGrad(bool gradMode, const StepPtr& next);

  /// Names whose values may be read from a step on, before they are bound anew.
  const std::set<std::string>& liveNames(const StepPtr& step);
  /// Names that functions inside others read of those around them: whenever a function is called.
  const std::set<std::string>& captured() const { return captured_; }

 private:
  StepPtr ofBody(const std::vector<language::StatementPtr>& body, const StepPtr& next);
  StepPtr add(Step step);
  StepPtr addStatement(const language::StatementPtr& statement, const StepPtr& next);
  StepPtr addPart(const language::StatementPtr& part, const StepPtr& next);
  StepPtr jump(const language::StatementPtr& statement, const StepPtr& next);

  const language::Case& case_;
  using Key = std::tuple<StepKind, const void*, const Step*, const Step*, bool>;
  std::map<Key, StepPtr> steps_;
  std::map<std::pair<const void*, const Step*>, StepPtr> bodies_;
  std::map<const language::Statement*, std::vector<language::StatementPtr>> cut_, rounds_;
  std::map<const Step*, std::set<std::string>> live_;
  std::set<std::string> captured_;
  int temporaries_ = 0;
};

/// The names that a kEnter step reads: its arguments, held under names of their own, so that it may be run again.
std::vector<std::string> namesOfRegion(const Step& enter);

/// The function of the Case that the step's statement calls, and nothing else: `y = f(a, b)`; null: none.
const language::Function* calledFunction(const language::Case& theCase, const Step& step);

} // namespace touchstone::capture
