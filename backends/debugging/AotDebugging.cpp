#include "backends/debugging/AotDebugging.h"

#include "backends/aot_autograd/AotCompiler.h"
#include "backends/debugging/BoxedNop.h"
#include "backends/decompositions/DecompositionTable.h"

#include <utility>

namespace touchstone::backends {

GraphCompiler aotEagerWithMode(std::shared_ptr<graph::CallMode> mode, AotOptions options) {
  options.forwardCompiler = options.backwardCompiler = boxedNop(std::move(mode));
  return aotCompiler(std::move(options));
}

GraphCompiler aotEagerCrossref(CrossrefChoice choice, AotOptions options) {
  options.forwardCompiler = options.backwardCompiler = nopFunction(choice);
  return aotCompiler(std::move(options));
}

AotOptions decompPartition(AotOptions options) {
  options.runs = AotStage::kPartitioned;
  options.partition = AotPartition::kMinCut;
  options.decompositions = inductorDecompositions();
  options.minCut.list = RecomputeList::kInductor;
  return options;
}

GraphCompiler aotEagerDecompPartitionWithMode(std::shared_ptr<graph::CallMode> mode, AotOptions options) {
  return aotEagerWithMode(std::move(mode), decompPartition(std::move(options)));
}

GraphCompiler aotEagerDecompPartitionCrossref(CrossrefChoice choice, AotOptions options) {
  return aotEagerCrossref(choice, decompPartition(std::move(options)));
}

} // namespace touchstone::backends
