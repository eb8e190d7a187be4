#pragma once

#include "backends/aot_autograd/CompiledFrame.h"
#include "backends/compilers/TorchScriptCompilers.h"
#include "backends/debugging/CompilerRegistry.h"

#include <array>
#include <string>

namespace touchstone::debugging {

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
  aot_autograd::AotStage runs;
  aot_autograd::AotPartition partition = aot_autograd::AotPartition::kDefault;
  AotFlavor flavor = AotFlavor::kPlain;
  compilers::TorchScriptOptions (*script)() = nullptr; // null: the Graphs run node by node

  /// `options` with what the pipeline says.
  aot_autograd::AotOptions with(aot_autograd::AotOptions options) const;
};
inline constexpr std::array kAotPipelines{
    AotPipeline{"aot_joint", aot_autograd::AotStage::kJoint},
    AotPipeline{"aot_functional", aot_autograd::AotStage::kFunctional},
    AotPipeline{"aot_eager_default_partitioner", aot_autograd::AotStage::kPartitioned},
    AotPipeline{"aot_eager", aot_autograd::AotStage::kPartitioned, aot_autograd::AotPartition::kMinCut},
    AotPipeline{"aot_eager_decomp_partition", aot_autograd::AotStage::kPartitioned, aot_autograd::AotPartition::kMinCut,
                AotFlavor::kInductor},
    AotPipeline{"debug_nop", aot_autograd::AotStage::kPartitioned, aot_autograd::AotPartition::kDefault,
                AotFlavor::kDebugInterpreter},
    AotPipeline{"aot_ts", aot_autograd::AotStage::kPartitioned, aot_autograd::AotPartition::kDefault, AotFlavor::kPlain,
                compilers::tsCompile},
    AotPipeline{"nnc_jit", aot_autograd::AotStage::kPartitioned, aot_autograd::AotPartition::kDefault,
                AotFlavor::kPlain, compilers::simpleTsCompile},
    AotPipeline{"memory_efficient_fusion", aot_autograd::AotStage::kPartitioned, aot_autograd::AotPartition::kMinCut,
                AotFlavor::kMemoryEfficientFusion, compilers::tsCompile},
};

/// Registers every debugging compiler under its name, with the tag `debug`; those that are wrong on purpose have the tag
/// `wrong` as well.
void addBuiltInCompilers(CompilerRegistry& registry);

/// AOT autograd under a name, with its options: `fake_tensor_crossref` (`'all'` or `True`, `'custom_ops'`), `debug_interpreter`
/// (`True`), `keep_inference_input_mutations` (`True`); where a min-cut partition is chosen also `activation_memory_budget` (0 to
/// 1, see MinCutOptions) and `compiler` (`'inductor'`, `'nvfuser'`: for whom values are computed again). Throws std::invalid_argument for other values of these, and for the
/// first where `options` has compilers.
CompilerFunction aotCompilerWithOptions(std::string name, aot_autograd::AotOptions options = {});

} // namespace touchstone::debugging
