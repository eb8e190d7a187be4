#pragma once

#include "generators/catalogue/Operators.h"
#include "program/language/Case.h"
#include "program/values/AutogradNodes.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/function.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::features {

/// Notes what a Program's statements use of the catalogue while they are decoded, and says in the end which of it an output
/// and a backward depend on.
class OperatorUses {
 public:
  /// A try that came to nothing.
  void add(std::string_view name, unsigned what) { uses_.push_back({std::string(name), what, nullptr, {}}); }
  /// An accepted statement: its operands, and the tensors that it made or wrote to.
  void add(std::string_view name, const language::StatementPtr& statement, const std::vector<at::Tensor>& operands,
           const std::vector<at::Tensor>& others, const std::vector<at::Tensor>& made);
  void addOverload(const std::string& name) { overloads_.insert(name); }

  /// Each try with all that became of it. `roots`: the outputs, where the Case has a backward.
  std::vector<std::pair<std::string, unsigned>> describe(const language::Case& theCase,
                                                         const std::vector<at::Tensor>& roots) const;
  std::vector<std::string> overloads() const { return {overloads_.begin(), overloads_.end()}; }

 private:
  struct Use {
    std::string name;
    unsigned what;
    language::StatementPtr statement;
    std::vector<values::NodePtr> nodes; // that it made
  };

  std::vector<Use> uses_;
  std::set<std::string> overloads_;
};

} // namespace touchstone::features
