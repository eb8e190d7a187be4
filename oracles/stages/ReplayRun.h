#pragma once

#include "graph/ir/Graph.h"
#include "program/values/ReplayCall.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::stages {

/// What a Graph gave on copies of some inputs.
struct ReplayRun {
  std::vector<at::Tensor> outputs; // undefined: None
  std::vector<at::Tensor> inputsAfter;
  std::string raised; // in place of outputs
};

/// Copies on the CPU that are laid out and share memory as these do.
std::vector<at::Tensor> copiesSharingMemory(const std::vector<at::Tensor>& tensors);

/// Runs a Graph on copies of the inputs, the CPU's default generator in this state. `perturbed`: the seed by which floating inputs
/// are perturbed by one unit in the last place. Throws c10::Error where the Graph has an operator that is not there.
ReplayRun replayStage(const ir::Graph& graph, const std::vector<at::Tensor>& inputs, const at::Tensor& generator,
                      std::optional<uint64_t> perturbed = {});

} // namespace touchstone::stages
