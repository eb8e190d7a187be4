#pragma once

#include "program/language/Ast.h"
#include "program/torch_names/NameResolver.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace touchstone::semantics {

/// What one call of a function may use, so that a case file can fill neither the memory nor the time before any tensor
/// operation does. Far beyond what a Case needs; what is raised has isLimit and says which limit it was, and in which statement.
class Limits {
 public:
  /// Elements of lists, tuples, dicts and strings that the call makes, or looks at in comparisons and in arguments of
  /// operators; those inside others count as often as they are met.
  static constexpr int64_t kElements = 2'000'000;
  static constexpr int64_t kMovedPerElement = 64; // moving or passing an element costs less than making one
  static constexpr size_t kTextLength = 10'000; // characters of one string
  static constexpr size_t kResultElements = 10'000; // in what is returned, and in the arguments when it returns
  static constexpr int kNesting = 100; // of containers in each other, where they are walked

  explicit Limits(int64_t maximumStatements) : maximumStatements_(maximumStatements) {}

  void start(); // of a call
  void countStatement(const language::Statement& statement);
  int64_t statementsRun() const { return statementsRun_; }

  void spend(int64_t elements); // of kElements
  void spend(const values::Value& value); // for one more copy in a container
  void spend(const values::ValueList& items, int64_t times = 1); // for so many copies of each
  void spendOnArguments(const values::ValueList& positional,
                        const torch_names::KeywordList& keywords); // what an operator walks
  void checkText(size_t length, int64_t times = 1) const;
  void checkResult(const values::Value& value, const char* what) const;
  [[noreturn]] void raise(const char* type, const std::string& what) const;

  const language::Statement* running = nullptr; // for messages; null before the first
  int depth = 0; // of function calls and comparisons inside others

 private:
  int64_t maximumStatements_;
  int64_t statementsRun_ = 0;
  int64_t elementsLeft_ = kElements;
};

/// Counts one more function call or comparison inside another; RecursionError where Python would raise it.
class DepthScope {
 public:
  explicit DepthScope(Limits& limits);
  ~DepthScope() { --depth_; }
  DepthScope(const DepthScope&) = delete;
  DepthScope& operator=(const DepthScope&) = delete;

 private:
  int& depth_;
};

} // namespace touchstone::semantics
