#pragma once

#include "program/analysis/FlatProgram.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace touchstone::analysis {

/// Walks a Case's functions and notes the operations: what flatten() is made of.
class Flattening {
 public:
  explicit Flattening(const language::Case& theCase) : case_(theCase) {}

  /// The body with these for its parameters; what it returns. In `region`, unless that is empty.
  FlatOperand callFunction(const language::Function& function, const std::vector<FlatOperand>& arguments,
                           const std::string& region = "");
  void forgetOperations() { // those so far; their values stay
    program_.operations.clear();
    madeBy_.clear();
  }
  FlatProgram finish() { return std::move(program_); }

  std::vector<FlatOperand> partsOf(const FlatOperand& operand) const; // of a tuple, list or dict; none of anything else
  std::vector<FlatOperand> leavesOf(const FlatOperand& operand) const;
  FlatOperand listOf(const std::vector<FlatOperand>& items);
  void markArgument(FlatOperand& operand); // a number becomes a value, too
  std::set<int> sourcesNow(const FlatOperand& operand) const;

 private:
  using Names = std::map<std::string, FlatOperand>;
  struct Frame {
    Names names;
    std::vector<FlatOperand> returned;
  };

  void walk(const std::vector<language::StatementPtr>& body, Frame& frame);
  void walkStatement(const language::Statement& statement, Frame& frame);
  void assign(const language::Expr& target, const FlatOperand& value, Frame& frame);
  void assignAll(const std::vector<language::ExprPtr>& targets, const FlatOperand& value, Frame& frame);
  void enterRegions(const language::Statement& statement, Frame& frame);
  FlatOperand evaluate(const language::Expr& expr, Frame& frame);
  FlatOperand evaluateCall(const language::Expr& expr, Frame& frame);
  FlatOperand evaluateName(const language::Expr& expr, const Frame& frame) const;
  FlatOperand collect(const language::Expr& expr, Frame& frame); // a tuple, list or dict
  /// Notes the operation, and gives its result.
  FlatOperand operate(const std::string& name, std::vector<FlatOperand> operands);
  FlatOperand newValue(FlatValue value, std::set<int> sources);
  FlatValue resultOf(const FlatOperation& operation) const;
  void noteWrite(const FlatOperand& target, const std::set<int>& sources);
  bool isWithoutGrad() const;

  const language::Case& case_;
  FlatProgram program_;
  std::vector<std::set<int>> sources_; // by value: what it was made of
  std::map<int, std::set<int>> written_; // by memory: what was written there
  std::map<int, size_t> madeBy_; // positions of operations, by result
  std::vector<std::string> regions_;
  std::set<const language::Function*> running_;
  int nextMemory_ = 0;
};

} // namespace touchstone::analysis
