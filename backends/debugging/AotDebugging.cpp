#include "backends/debugging/AotDebugging.h"

#include "backends/aot_autograd/AotCompiler.h"
#include "backends/debugging/BoxedNop.h"
#include "backends/decompositions/DecompositionTable.h"

#include <utility>

namespace touchstone::debugging {

backends::GraphCompiler aotEagerWithMode(std::shared_ptr<runtime::CallMode> mode, aot_autograd::AotOptions options) {
  options.forwardCompiler = options.backwardCompiler = boxedNop(std::move(mode));
  return aot_autograd::aotCompiler(std::move(options));
}

aot_autograd::AotOptions decompPartition(aot_autograd::AotOptions options) {
  options.runs = aot_autograd::AotResult::kPartitioned;
  options.partition = aot_autograd::AotPartition::kMinCut;
  options.decompositions = decompositions::inductorDecompositions();
  options.unliftEffectTokens = true;
  options.minCut.list = partitioners::RecomputeList::kInductor;
  return options;
}

backends::GraphCompiler aotEagerDecompPartitionWithMode(std::shared_ptr<runtime::CallMode> mode,
                                                        aot_autograd::AotOptions options) {
  return aotEagerWithMode(std::move(mode), decompPartition(std::move(options)));
}

} // namespace touchstone::debugging
