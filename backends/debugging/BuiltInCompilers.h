#pragma once

#include "backends/aot_autograd/CompiledFrame.h"
#include "backends/debugging/CompilerRegistry.h"

#include <array>
#include <string>

namespace touchstone::backends {

/// The AOT pipeline under each of its names: which result of it runs, how the joint Graph is cut, and whether operators are
/// decomposed and values computed again as Inductor would have it.
struct AotPipeline {
  const char* name;
  AotStage runs;
  AotPartition partition = AotPartition::kDefault;
  bool forInductor = false;

  /// `options` with what the pipeline says.
  AotOptions with(AotOptions options) const;
};
inline constexpr std::array kAotPipelines{
    AotPipeline{"aot_joint", AotStage::kJoint},
    AotPipeline{"aot_functional", AotStage::kFunctional},
    AotPipeline{"aot_eager_default_partitioner", AotStage::kPartitioned},
    AotPipeline{"aot_eager", AotStage::kPartitioned, AotPartition::kMinCut},
    AotPipeline{"aot_eager_decomp_partition", AotStage::kPartitioned, AotPartition::kMinCut, true},
};

/// Registers every debugging compiler under its name, with the tag `debug`; those that are wrong on purpose have the tag
/// `wrong` as well.
void addBuiltInCompilers(CompilerRegistry& registry);

/// AOT autograd under a name, with its options: `fake_tensor_crossref` (`'all'` or `True`, `'custom_ops'`), `debug_interpreter`
/// (`True`), `keep_inference_input_mutations` (`True`); where a min-cut partition is chosen also `activation_memory_budget` (0 to
/// 1, see MinCutOptions) and `compiler` (`'inductor'`, `'nvfuser'`: for whom values are computed again). Throws std::invalid_argument for other values of these, and for one
/// of the first two where `options` has compilers.
CompilerFunction aotCompilerWithOptions(std::string name, AotOptions options = {});

} // namespace touchstone::backends
