#include "backends/debugging/AotDebugging.h"

#include "backends/aot_autograd/AotCompiler.h"
#include "backends/debugging/BoxedNop.h"

#include <utility>

namespace touchstone::backends {

GraphCompiler aotEagerWithMode(std::shared_ptr<graph::CallMode> mode, AotOptions options) {
  options.forwardCompiler = options.backwardCompiler = boxedNopWithMode(std::move(mode));
  return aotCompiler(std::move(options));
}

GraphCompiler aotEagerCrossref(CrossrefChoice choice, AotOptions options) {
  options.forwardCompiler = options.backwardCompiler = nopFunction(choice);
  return aotCompiler(std::move(options));
}

} // namespace touchstone::backends
