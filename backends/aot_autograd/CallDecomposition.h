#pragma once

#include "backends/aot_autograd/StorageValues.h"
#include "backends/decompositions/DecompositionTable.h"
#include "graph/ir/PassGate.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::aot_autograd {

/// Which calls are replaced by what computes them.
struct Decomposing {
  std::shared_ptr<const decompositions::DecompositionTable> table; // null: none
  std::shared_ptr<ir::PassGate> gate; // asked as the pass `decompositions`; null: everything applies
  std::vector<std::string> inside; // targets that are being decomposed: they are not decomposed within themselves
};

/// A call of a functional Graph that is about to be added.
struct DecomposedCall {
  const std::string& target;
  const std::vector<ir::Argument>& arguments; // of the functional Graph
  std::vector<const ir::TensorMetadata*> expected; // its results, flat; null: undefined
  const std::string& where; // for the gate
};

/// A call that has a decomposition becomes what that computes: it is traced on fake tensors, functionalized in turn, and what
/// comes of it is added in the call's place, laid out as eager's kernel does. Gives the results; none: the call stays.
std::optional<std::vector<ir::NodeId>> decompose(FunctionalGraph& out, const Decomposing& decomposing,
                                                 const StorageValues& memory, const DecomposedCall& call);

} // namespace touchstone::aot_autograd
