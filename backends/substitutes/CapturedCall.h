#pragma once

#include "graph/ir/GraphSignature.h"
#include "graph/runtime/Interpreter.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/edge.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace touchstone::substitutes {

/// A captured Graph, on arguments in the memory that an AOT pipeline's Graphs are given for them.
class CapturedCall {
 public:
  /// Throws NoSubstitute for arguments that are lazy views, and for those that the signature tells too little of.
  CapturedCall(const ir::Graph& captured, ir::CallState state, const ir::GraphSignature& signature);

  const ir::GraphSignature& signature() const { return signature_; }
  size_t memories() const { return signature_.takes.size(); }
  /// One of the inputs in it is written to.
  bool isWritten(int storage) const;
  /// Arguments that require grad have a node of their own, and are no leaves, which could not be written to; `edges`, by input:
  /// it. One that is a view is made of its base where their memory is written to, and else apart from it: so autograd has it.
  /// `given`: a tensor in each memory, by placeholder. By input, hidden bases included.
  std::vector<at::Tensor> arguments(const std::vector<at::Tensor>& given, torch::autograd::edge_list& edges) const;
  /// With autocast as the caller has it. Results that are no None, as the signature counts them.
  std::vector<at::Tensor> run(const std::vector<at::Tensor>& arguments) const;

 private:
  void argument(size_t input, const std::vector<at::Tensor>& given, torch::autograd::edge_list& edges,
                std::vector<at::Tensor>& made) const;

  const ir::GraphSignature signature_;
  const size_t count_; // of arguments; hidden bases are behind them
  const ir::CallState state_; // of whoever calls
  const runtime::Interpreter interpreter_;
};

} // namespace touchstone::substitutes
