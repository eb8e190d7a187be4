#include "generators/features/OperatorUses.h"

#include "generators/features/CaseFeatures.h"
#include "program/values/AutogradNodes.h"

#include <algorithm>
#include <exception>
#include <unordered_set>

namespace touchstone::generators {

void OperatorUses::add(std::string_view name, const graph::StatementPtr& statement,
                       const std::vector<at::Tensor>& operands, const std::vector<at::Tensor>& others,
                       const std::vector<at::Tensor>& made) {
  Use use{std::string(name), kAccepted, statement, {}};
  for (const at::Tensor& operand : operands) {
    const bool isAliased = std::any_of(others.begin(), others.end(), [&](const at::Tensor& other) {
      return !other.is_same(operand) && other.storage().is_alias_of(operand.storage());
    });
    use.what |= (operand.is_contiguous() ? 0U : kNonContiguous) | (operand.numel() == 0 ? kEmpty : 0U) |
                (isAliased ? kAliased : 0U);
  }
  for (const at::Tensor& tensor : made) {
    try {
      if (graph::NodePtr node = tensor.grad_fn()) {
        use.nodes.push_back(std::move(node));
      }
    } catch (const std::exception&) { // a view that eager refuses to go through after a write
    }
  }
  uses_.push_back(std::move(use));
}

std::vector<std::pair<std::string, unsigned>> OperatorUses::describe(const graph::Case& theCase,
                                                                     const std::vector<at::Tensor>& roots) const {
  std::vector<torch::autograd::Node*> nodes;
  for (const at::Tensor& root : roots) {
    try {
      nodes.push_back(root.grad_fn().get());
    } catch (const std::exception&) { // a view that autograd may not differentiate any more
    }
  }
  const std::unordered_set<torch::autograd::Node*> reached = graph::nodesBehind(std::move(nodes));
  const std::set<const graph::Statement*> live = statementsReachingOutput(theCase);
  std::vector<std::pair<std::string, unsigned>> described;
  for (const Use& use : uses_) {
    unsigned what = use.what;
    if (use.statement != nullptr && live.contains(use.statement.get())) {
      what |= kForward;
    }
    if (std::any_of(use.nodes.begin(), use.nodes.end(),
                    [&](const graph::NodePtr& node) { return reached.contains(node.get()); })) {
      what |= kBackward;
    }
    described.emplace_back(use.name, what);
  }
  return described;
}

} // namespace touchstone::generators
