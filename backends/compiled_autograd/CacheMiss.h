#pragma once

#include "backends/compiled_autograd/BackwardKey.h"
#include "backends/compiled_autograd/BackwardTask.h"

#include <string>
#include <vector>

// Why nothing that is compiled fits a backward.

namespace touchstone::compiled_autograd {

/// A key that something is compiled for, with its parts.
struct KnownKey {
  std::string bytes;
  std::vector<size_t> begins; // of each node's part
  std::vector<std::string> names; // namesOfNodes()

  KnownKey(const BackwardTask& task, const BackwardKey& key);
};

/// `MulBackward0 (NodeCall 2)`, by node of the task.
std::vector<std::string> namesOfNodes(const BackwardTask& task);

/// Why a structure is not known, by the first node in which it is another than `nearest`; null: nothing is compiled.
std::string reasonOfMiss(const BackwardTask& task, const BackwardKey& key, const KnownKey* nearest);
/// The same node by node, a line each, also of those that are as in `nearest`.
std::vector<std::string> missByNode(const BackwardTask& task, const BackwardKey& key, const KnownKey& nearest);

} // namespace touchstone::compiled_autograd
