#pragma once

#include "graph/runtime/CallMode.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace touchstone::stages {

/// Computes each operator call a second time by other operators and holds the two against each other: the same number of
/// tensors, dtypes, sizes, and values within the bound of rule A7, taken from runs in double precision and with operands
/// moved by one unit in the last place. Besides the call as it is: with operands in memory with gaps, and with NaN,
/// infinities and negative zeros among their values, as far as the operator takes them. Calls that write are passed on.
class DecompositionCheck final : public runtime::CallMode {
 public:
  /// `stack` holds the arguments, then the results; false: it does not compute this call.
  using Compute = std::function<bool(const std::string& target, torch::jit::Stack& stack)>;
  explicit DecompositionCheck(Compute compute) : compute_(std::move(compute)) {}

  void onOperator(const ir::Node& node, const c10::OperatorHandle& op, torch::jit::Stack& stack,
                  const std::function<void()>& next) override;

  /// What was compared of one operator.
  struct Tally {
    int64_t calls = 0, empty = 0, withGaps = 0, notFinite = 0; // compared
    int64_t rounded = 0; // of these, with another last place somewhere
    std::vector<std::string> breaches; // sentences
  };
  const std::map<std::string, Tally>& tallies() const { return tallies_; }

 private:
  bool compare(const std::string& target, const c10::OperatorHandle& op, const torch::jit::Stack& arguments,
               const char* how);
  Compute compute_;
  std::map<std::string, Tally> tallies_;
};

} // namespace touchstone::stages
