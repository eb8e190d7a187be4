#pragma once

#include <torch/csrc/autograd/function.h>

#include <memory>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

namespace touchstone::values {

/// How autograd holds a node: PyTorch up to 2.11 has a `std::shared_ptr` here, 2.13 a `c10::intrusive_ptr`.
using NodePtr = decltype(torch::autograd::Edge::function);

/// A node of type N, held as autograd of the installed PyTorch holds its own.
template <class N, class... Arguments>
auto makeNode(Arguments&&... arguments) {
  if constexpr (std::is_same_v<NodePtr, std::shared_ptr<torch::autograd::Node>>) {
    return std::make_shared<N>(std::forward<Arguments>(arguments)...);
  } else {
    return c10::make_intrusive<N>(std::forward<Arguments>(arguments)...);
  }
}

/// The nodes that autograd's edges lead to from the given ones, which are among them; null ones are nothing. They live as
/// long as what holds the given ones.
std::unordered_set<torch::autograd::Node*> nodesBehind(std::vector<torch::autograd::Node*> open);

} // namespace touchstone::values
