#include "generators/OperatorUses.h"

#include "generators/CaseFeatures.h"

#include <algorithm>
#include <exception>

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
      if (NodePtr node = tensor.grad_fn()) {
        use.nodes.push_back(std::move(node));
      }
    } catch (const std::exception&) { // a view that eager refuses to go through after a write
    }
  }
  uses_.push_back(std::move(use));
}

std::vector<std::pair<std::string, unsigned>> OperatorUses::describe(const graph::Function& program,
                                                                     const std::vector<at::Tensor>& roots) const {
  std::vector<const torch::autograd::Node*> open;
  std::set<const torch::autograd::Node*> reached;
  const auto visit = [&](const torch::autograd::Node* node) {
    if (node != nullptr && reached.insert(node).second) {
      open.push_back(node);
    }
  };
  for (const at::Tensor& root : roots) {
    try {
      visit(root.grad_fn().get());
    } catch (const std::exception&) {
    }
  }
  while (!open.empty()) {
    const torch::autograd::Node* node = open.back();
    open.pop_back();
    for (const torch::autograd::Edge& edge : node->next_edges()) {
      visit(edge.function.get());
    }
  }
  const std::set<const graph::Statement*> live = statementsReachingOutput(program);
  std::vector<std::pair<std::string, unsigned>> described;
  for (const Use& use : uses_) {
    unsigned what = use.what;
    if (use.statement != nullptr && live.contains(use.statement.get())) {
      what |= kForward;
    }
    if (std::any_of(use.nodes.begin(), use.nodes.end(),
                    [&](const NodePtr& node) { return reached.contains(node.get()); })) {
      what |= kBackward;
    }
    described.emplace_back(use.name, what);
  }
  return described;
}

} // namespace touchstone::generators
