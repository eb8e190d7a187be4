#pragma once

#include "graph/ir/Graph.h"
#include "graph/program/Value.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <memory>
#include <vector>

namespace touchstone::graph {

/// Runs a Graph node by node through the boxed calling convention of the dispatcher, with autograd on, each node in the
/// grad and autocast state in which it was recorded. Operators are looked up and constant arguments boxed once, when
/// the Interpreter is made; throws c10::Error when an operator does not exist.
class Interpreter {
 public:
  explicit Interpreter(Graph graph);
  ~Interpreter();

  /// `inputs` in the order of the placeholders. Returns the Graph's output with its structure; a returned placeholder
  /// is the caller's very object. Releases what is no longer needed as it goes.
  Value run(const std::vector<at::Tensor>& inputs);
  const Graph& graph() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A tensor as a constant of a Graph.
std::shared_ptr<const void> tensorConstant(at::Tensor tensor);

/// Metadata of a real tensor.
TensorMetadata metadataOf(const at::Tensor& tensor);

} // namespace touchstone::graph
