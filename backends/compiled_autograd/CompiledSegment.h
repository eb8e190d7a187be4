#pragma once

#include "backends/GraphCompiler.h"
#include "backends/compiled_autograd/BackwardTrace.h"
#include "backends/compiled_autograd/CompiledAutograd.h"
#include "backends/compiled_autograd/ScalarMove.h"
#include "backends/compiled_autograd/Segment.h"

#include <functional>
#include <string>

namespace touchstone::compiled_autograd {

/// A Graph of a backward, compiled: by `compiler`, or, if that is null, to run node by node below autograd and autocast. What runs
/// sees no tensor that requires grad: gradients are not recorded. `moves`: scalars that the compiler gets on the accelerator, and
/// what it makes of the Graph at each run.
std::shared_ptr<const backends::CompiledGraph> compileSegment(ir::Graph graph, const std::vector<at::Tensor>& examples,
                                                              const backends::GraphCompiler& compiler,
                                                              ScalarMoves moves = {});

/// What a part of a Graph runs as: compiled when it is asked for first, for the tensors of `key` and the gradients that wait.
/// `log` is told what the compiler cannot take.
std::shared_ptr<const backends::CompiledGraph> compiledOf(const Segment& segment, const BackwardKey& key,
                                                          const WaitingGradients& waiting,
                                                          const CompiledAutogradOptions& options,
                                                          const std::function<void(const std::string& line)>& log);

} // namespace touchstone::compiled_autograd
