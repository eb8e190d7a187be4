#include "generators/features/OperatorUses.h"

#include "generators/features/CaseFeatures.h"
#include "program/values/AutogradNodes.h"

#include <algorithm>
#include <exception>
#include <unordered_set>

namespace touchstone::features {

void OperatorUses::add(std::string_view name, const language::StatementPtr& statement,
                       const std::vector<at::Tensor>& operands, const std::vector<at::Tensor>& others,
                       const std::vector<at::Tensor>& made) {
  Use use{std::string(name), catalogue::kAccepted, statement, {}};
  for (const at::Tensor& operand : operands) {
    const bool isAliased = std::any_of(others.begin(), others.end(), [&](const at::Tensor& other) {
      return !other.is_same(operand) && other.storage().is_alias_of(operand.storage());
    });
    use.what |= (operand.is_contiguous() ? 0U : catalogue::kNonContiguous) |
                (operand.numel() == 0 ? catalogue::kEmpty : 0U) | (isAliased ? catalogue::kAliased : 0U);
  }
  for (const at::Tensor& tensor : made) {
    try {
      if (values::NodePtr node = tensor.grad_fn()) {
        use.nodes.push_back(std::move(node));
      }
    } catch (const std::exception&) { // a view that eager refuses to go through after a write
    }
  }
  uses_.push_back(std::move(use));
}

std::vector<std::pair<std::string, unsigned>> OperatorUses::describe(const language::Case& theCase,
                                                                     const std::vector<at::Tensor>& roots) const {
  std::vector<torch::autograd::Node*> nodes;
  for (const at::Tensor& root : roots) {
    try {
      nodes.push_back(root.grad_fn().get());
    } catch (const std::exception&) { // a view that autograd may not differentiate any more
    }
  }
  const std::unordered_set<torch::autograd::Node*> reached = values::nodesBehind(std::move(nodes));
  const std::set<const language::Statement*> live = statementsReachingOutput(theCase);
  std::vector<std::pair<std::string, unsigned>> described;
  for (const Use& use : uses_) {
    unsigned what = use.what;
    if (use.statement != nullptr && live.contains(use.statement.get())) {
      what |= catalogue::kForward;
    }
    if (std::any_of(use.nodes.begin(), use.nodes.end(),
                    [&](const values::NodePtr& node) { return reached.contains(node.get()); })) {
      what |= catalogue::kBackward;
    }
    described.emplace_back(use.name, what);
  }
  return described;
}

} // namespace touchstone::features
