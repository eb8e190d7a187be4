#pragma once

#include "backends/GraphCompiler.h"
#include "backends/aot_autograd/AotOptions.h"
#include "graph/runtime/CallMode.h"

#include <memory>

namespace touchstone::debugging {

/// AOT autograd whose forward and backward Graphs run with a mode that sees each of their calls.
backends::GraphCompiler aotEagerWithMode(std::shared_ptr<runtime::CallMode> mode,
                                         aot_autograd::AotOptions options = {});

/// `options` as `aot_eager_decomp_partition` has them: Inductor's decompositions, cut by what it computes again.
aot_autograd::AotOptions decompPartition(aot_autograd::AotOptions options = {});

/// aotEagerWithMode() with these.
backends::GraphCompiler aotEagerDecompPartitionWithMode(std::shared_ptr<runtime::CallMode> mode,
                                                        aot_autograd::AotOptions options = {});

} // namespace touchstone::debugging
