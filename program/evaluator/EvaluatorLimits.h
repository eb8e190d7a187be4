#pragma once

#include "program/values/Value.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace touchstone::evaluator {

/// What one call of a function may use, so that a case file can fill neither the memory nor the time before any tensor
/// operation does. Far beyond what a Case needs; the messages say which limit it was and where.
struct EvaluatorLimits {
  /// Elements of lists, tuples, dicts and strings that the call makes, or looks at in comparisons and in arguments of
  /// operators; those inside others count as often as they are met.
  static constexpr int64_t kElements = 2'000'000;
  static constexpr size_t kTextLength = 10'000; // characters of one string
  static constexpr size_t kResultElements = 10'000; // in what is returned, and in the arguments when it returns
  static constexpr int kNesting = 100; // of containers in each other, where they are walked
};

/// Counts one more function call or comparison inside another; RecursionError where Python would raise it.
class DepthScope {
 public:
  explicit DepthScope(int& depth);
  ~DepthScope() { --depth_; }
  DepthScope(const DepthScope&) = delete;
  DepthScope& operator=(const DepthScope&) = delete;

 private:
  int& depth_;
};

} // namespace touchstone::evaluator
