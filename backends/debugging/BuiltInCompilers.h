#pragma once

#include "backends/aot_autograd/CompiledFrame.h"
#include "backends/compilers/TorchScriptCompilers.h"
#include "backends/debugging/CompilerRegistry.h"

#include <array>
#include <string>

namespace touchstone::backends {

/// What is replaced by simpler operators, and what is computed again rather than saved.
enum class AotFlavor {
  kPlain, // nothing is replaced
  kInductor, // as Inductor has it
  kMemoryEfficientFusion, // torch/_functorch/compilers.py, default_decompositions
  kDebugInterpreter, // nothing is replaced; each value is held against what was traced: torch/_functorch/compilers.py, debug_nop
};

/// The AOT pipeline under each of its names: which result of it runs, how the joint Graph is cut, what is decomposed, and what
/// compiles the forward and backward Graphs.
struct AotPipeline {
  const char* name;
  AotStage runs;
  AotPartition partition = AotPartition::kDefault;
  AotFlavor flavor = AotFlavor::kPlain;
  TorchScriptOptions (*script)() = nullptr; // null: the Graphs run node by node

  /// `options` with what the pipeline says.
  AotOptions with(AotOptions options) const;
};
inline constexpr std::array kAotPipelines{
    AotPipeline{"aot_joint", AotStage::kJoint},
    AotPipeline{"aot_functional", AotStage::kFunctional},
    AotPipeline{"aot_eager_default_partitioner", AotStage::kPartitioned},
    AotPipeline{"aot_eager", AotStage::kPartitioned, AotPartition::kMinCut},
    AotPipeline{"aot_eager_decomp_partition", AotStage::kPartitioned, AotPartition::kMinCut, AotFlavor::kInductor},
    AotPipeline{"debug_nop", AotStage::kPartitioned, AotPartition::kDefault, AotFlavor::kDebugInterpreter},
    AotPipeline{"aot_ts", AotStage::kPartitioned, AotPartition::kDefault, AotFlavor::kPlain, tsCompile},
    AotPipeline{"nnc_jit", AotStage::kPartitioned, AotPartition::kDefault, AotFlavor::kPlain, simpleTsCompile},
    AotPipeline{"memory_efficient_fusion", AotStage::kPartitioned, AotPartition::kMinCut,
                AotFlavor::kMemoryEfficientFusion, tsCompile},
};

/// Registers every debugging compiler under its name, with the tag `debug`; those that are wrong on purpose have the tag
/// `wrong` as well.
void addBuiltInCompilers(CompilerRegistry& registry);

/// AOT autograd under a name, with its options: `fake_tensor_crossref` (`'all'` or `True`, `'custom_ops'`), `debug_interpreter`
/// (`True`), `keep_inference_input_mutations` (`True`); where a min-cut partition is chosen also `activation_memory_budget` (0 to
/// 1, see MinCutOptions) and `compiler` (`'inductor'`, `'nvfuser'`: for whom values are computed again). Throws std::invalid_argument for other values of these, and for the
/// first where `options` has compilers.
CompilerFunction aotCompilerWithOptions(std::string name, AotOptions options = {});

} // namespace touchstone::backends
