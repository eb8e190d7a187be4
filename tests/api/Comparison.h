#pragma once

#include <touchstone/aot.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace touchstone::aot {

/// What the Graphs that a compiler was given look like.
struct SeenGraphs {
  std::vector<ir::Graph> graphs;
  std::vector<Tensors> examples;

  size_t count(const std::string& target) const {
    size_t found = 0;
    for (const ir::Graph& graph : graphs) {
      for (const ir::Node& node : graph.nodes()) {
        found += node.target == target ? 1 : 0;
      }
    }
    return found;
  }
};

/// A compiler that keeps what it is given, and runs it node by node.
inline Compiler keeping(const std::shared_ptr<SeenGraphs>& seen) {
  return [seen](const ir::Graph& graph, const Tensors& examples) {
    seen->graphs.push_back(graph);
    seen->examples.push_back(examples);
    return interpret(graph);
  };
}

/// The whole text of what a call throws; empty when it returns.
template <class Error>
std::string thrownBy(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Undefined tensors are equal to each other.
inline void expectSame(const Tensors& expected, const Tensors& actual) {
  ASSERT_EQ(expected.size(), actual.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(expected[i].defined(), actual[i].defined()) << i;
    EXPECT_TRUE(!expected[i].defined() || at::equal(expected[i], actual[i])) << i << ":\n"
                                                                             << expected[i] << "\n"
                                                                             << actual[i];
  }
}

/// The gradients of a sum of squares of the outputs that require grad, one for each input.
inline Tensors gradientsOf(const Tensors& outputs, const Tensors& inputs) {
  at::Tensor loss;
  for (const at::Tensor& output : outputs) {
    if (output.defined() && output.requires_grad()) {
      const at::Tensor sum = (output * output).sum();
      loss = loss.defined() ? loss + sum : sum;
    }
  }
  return torch::autograd::grad({loss}, inputs, {}, std::nullopt, false, /*allow_unused=*/true);
}

} // namespace touchstone::aot
