#pragma once

#include "backends/GraphCompiler.h"
#include "backends/aot_autograd/CompiledFrame.h"
#include "backends/debugging/FakeCrossref.h"
#include "graph/runtime/CallMode.h"

#include <memory>

namespace touchstone::backends {

/// AOT autograd whose forward and backward Graphs run with a mode that sees each of their calls.
GraphCompiler aotEagerWithMode(std::shared_ptr<graph::CallMode> mode, AotOptions options = {});

/// AOT autograd whose forward and backward Graphs are compared with fake tensors while they run; as a rule only operators
/// that are not built in, whose kernels for fake tensors are wrong more often.
GraphCompiler aotEagerCrossref(CrossrefChoice choice = CrossrefChoice::kCustomOperators, AotOptions options = {});

/// `options` as `aot_eager_decomp_partition` has them: Inductor's decompositions, cut by what it computes again.
AotOptions decompPartition(AotOptions options = {});

/// The same two with these.
GraphCompiler aotEagerDecompPartitionWithMode(std::shared_ptr<graph::CallMode> mode, AotOptions options = {});
GraphCompiler aotEagerDecompPartitionCrossref(CrossrefChoice choice = CrossrefChoice::kCustomOperators,
                                              AotOptions options = {});

} // namespace touchstone::backends
