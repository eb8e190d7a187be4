#pragma once

#include "backends/GraphCompiler.h"
#include "backends/aot_autograd/AotOptions.h"

namespace touchstone::native {

struct AotModuleOptions {
  aot_autograd::AotOptions stages;
  /// Check each call's inputs against those that the module was compiled for, duplicates among them included, and raise
  /// (RaisedException, AssertionError) where they differ. Otherwise that is the caller's promise.
  bool debugAssert = false;
};

/// One Graph through AOT autograd, without guards and without a cache: the role of aot_module_simplified. An example that
/// occurs twice is one input of what is compiled. Throws ir::Unsupported, and what the Graph raises.
std::shared_ptr<const backends::CompiledGraph> aotModuleSimplified(ir::Graph graph,
                                                                   const std::vector<at::Tensor>& examples,
                                                                   const AotModuleOptions& options = {});

} // namespace touchstone::native
