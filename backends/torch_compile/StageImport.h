#pragma once

#include "graph/ir/StageArtifacts.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace touchstone::torch_compile {

/// Makes Graphs of what `bridge/stages.py` has kept of real compiles: one entry a Graph that AOTAutograd compiled, with the
/// stages `joint`, `forward` and `backward` (`forward` alone where no gradient was traced). Arguments are put in schema order
/// and defaults filled in, so that the Interpreter runs them as they are. Nodes are told to be of the backward as PyTorch's
/// partitioners tell them, and StageArtifacts::partition has the saved values, without costs. `constants`: tensors that the
/// text refers to. A Graph that cannot be taken over is in StageArtifacts::refused with the reason. Throws std::runtime_error
/// when the text is not what the bridge writes.
std::vector<ir::StageArtifacts> importStages(const std::string& json, const std::vector<at::Tensor>& constants);

} // namespace touchstone::torch_compile
