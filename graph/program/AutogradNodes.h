#pragma once

#include <torch/csrc/autograd/function.h>

#include <unordered_set>
#include <vector>

namespace touchstone::graph {

/// The nodes that autograd's edges lead to from the given ones, which are among them; null ones are nothing. They live as
/// long as what holds the given ones.
std::unordered_set<torch::autograd::Node*> nodesBehind(std::vector<torch::autograd::Node*> open);

} // namespace touchstone::graph
