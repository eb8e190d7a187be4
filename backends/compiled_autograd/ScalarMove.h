#pragma once

#include "graph/ir/Graph.h"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace touchstone::compiled_autograd {

/// A placeholder whose 0-dim CPU tensor is given to compiled code on the accelerator.
struct ScalarMove {
  size_t input = 0; // among the placeholders
  at::ScalarType dtype = at::kFloat; // there
  bool operator==(const ScalarMove&) const = default;
};

struct ScalarMoves {
  std::optional<c10::Device> accelerator; // none: nothing is moved
  std::vector<ScalarMove> scalars;
};

/// Which scalars of a Graph of a backward may be on the accelerator as well, for compilers that want all inputs there (the role
/// of `move_graph_nodes_to_cuda` in torch/_dynamo/compiled_autograd.py, which does so for CUDA graphs).
///
/// The accelerator is the one device of the Graph that is not the CPU; where there are several, or none, nothing is moved. A
/// placeholder is moved that
/// - is a tensor on the CPU without dimensions, which the Graph neither writes to nor returns;
/// - is read by additions, subtractions and products alone, whose results are on the accelerator, so that no result
///   changes its device. Their kernels give the same bits for a scalar that they get as a parameter and for one in memory; those of
///   divisions and powers do not (a parameter is inverted once), and what an operator of a library does nobody knows;
/// - has the dtype of what it is combined with, or is cast to it where that is float32 or float64: kernels of smaller dtypes
///   compute with more digits of a parameter than of a tensor. Complex ones stay: a product takes a parameter first, which
///   decides what of it is rounded.
/// Constants stay where they are: they never change.
ScalarMoves scalarsToMove(const ir::Graph& graph);

/// Says so in the metadata of the placeholders.
void noteMoves(const ScalarMoves& moves, ir::Graph& graph);

/// Does it to what the Graph is run with, by placeholder.
void moveScalars(const ScalarMoves& moves, std::vector<at::Tensor>& inputs);

} // namespace touchstone::compiled_autograd
