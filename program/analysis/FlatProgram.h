#pragma once

#include "program/language/Case.h"

#include <set>
#include <string>
#include <vector>

namespace touchstone::analysis {

/// Something that operations take and give: a tensor, a number, a list. All that is said of it is read off the text.
struct FlatValue {
  std::string name; // that the text gives it first; empty: none
  int memory = 0; // values of the same number share memory
  bool isArgument = false;
  std::vector<int> parts; // of a tuple, list or dict: its values
  std::string dtype; // `float32`; empty: not known
  bool requiresGrad = false, isEmpty = false, isExpanded = false;
};

/// What stands in one place: a value, or a text such as `1` or `torch.float32`.
struct FlatOperand {
  std::string keyword; // empty: by position
  int value = -1; // position among FlatProgram::values; -1: a text
  std::string text;
  std::set<int> sources; // values that it has been computed from by then, itself included
};

/// One operation. What its result shares memory with is told by FlatValue::memory; one in place gives its first operand.
struct FlatOperation {
  std::string name; // as operatorName() spells it
  std::vector<FlatOperand> operands; // the object of a method first
  std::vector<int> results; // one, or the names that it was unpacked into behind it
  std::vector<std::string> regions; // `no_grad` of the `with` around it, `hook`, `between`; outer ones first
};

/// A Case's Program as one list of operations, in the order of the text: functions that are called stand in the place of the
/// call, blocks are opened, both branches of an `if` one behind the other, loops once.
struct FlatProgram {
  std::vector<FlatValue> values;
  std::vector<FlatOperation> operations;
  std::vector<FlatOperand> outputs; // what is inside tuples, lists and dicts one by one
  std::vector<FlatOperand> arguments; // as they are afterwards
  std::vector<FlatOperand> roots; // of the calls' backwards
  std::set<std::string> asks; // what the calls ask for: requestsOf()

  bool isSame(int left, int right) const; // the same value, or a part of `left`
  bool sharesMemory(int left, int right) const; // parts included
  bool argumentsShareMemory() const;
};

/// The arguments are those of the first call's `inputs` function.
FlatProgram flatten(const language::Case& theCase);

/// One operation a line, for a person who writes a pattern: `y = dropout(x, training=False)`.
std::string flatText(const FlatProgram& program);

/// What the calls ask for: some of callRequests().
std::set<std::string> requestsOf(const std::vector<language::CallSpec>& calls);
/// All that calls may ask for: `backward`, `no_grad`, `other inputs`, …
const std::vector<std::string>& callRequests();

} // namespace touchstone::analysis
