#pragma once

#include "graph/ir/StageArtifacts.h"
#include "oracles/stages/ReplayRung.h"
#include "program/values/ReplayCall.h"

#include <vector>

namespace touchstone::stages {

struct ReplayJudgeOptions {
  /// Compiled code has to give the bits and strides of its Graph, and results that share memory as its do; else values within the bound of rule A7, from runs of the
  /// Graph in which the inputs are perturbed by one unit in the last place.
  bool exact = true;
};

/// Runs the Graphs of one compile once more by themselves, on what the compiled code was run on, and says of each step of
/// AOTAutograd, in the order in which it works, whether its result holds:
///
/// - `tracing`: the joint Graph, or the forward Graph of a compile without gradients, gives the results of the graph that
///   Dynamo captured, and writes the same to its arguments, and autograd's gradients of that one for the same tangents; within
///   the bound of rule A7. Graphs that draw random numbers or take fresh memory are not compared, nor gradients where a tangent
///   is not that of a plain result, or an argument that requires one is written to;
/// - `partition`: forward and backward Graph give what the joint Graph gives, and what the forward saved is the same when
///   the backward gets it;
/// - `forward`, `backward`: what was compiled gives what the Graph gives, in outputs and in what it writes to its inputs.
///
/// Not seen is what the runtime does around the Graphs: the writes to the caller's tensors, views made anew, tangents.
/// The default generator's state stays as it is. Runs on what `calls` hold; these stay as they are.
std::vector<ReplayRung> judgeReplays(const std::vector<ir::StageArtifacts>& frames,
                                     const std::vector<values::ReplayCall>& calls,
                                     const ReplayJudgeOptions& options = {});

} // namespace touchstone::stages
