#include "program/values/AutogradNodes.h"

namespace touchstone::values {

std::unordered_set<torch::autograd::Node*> nodesBehind(std::vector<torch::autograd::Node*> open) {
  std::unordered_set<torch::autograd::Node*> reached(open.begin(), open.end());
  reached.erase(nullptr);
  open.assign(reached.begin(), reached.end());
  while (!open.empty()) {
    torch::autograd::Node* node = open.back();
    open.pop_back();
    for (const torch::autograd::Edge& edge : node->next_edges()) {
      if (edge.function && reached.insert(edge.function.get()).second) {
        open.push_back(edge.function.get());
      }
    }
  }
  return reached;
}

} // namespace touchstone::values
