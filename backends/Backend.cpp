#include "backends/Backend.h"

namespace touchstone::backends {

std::unique_ptr<graph::CompiledProgram> Backend::compileKeepingStages(const graph::Case&, StagesKept) {
  throw graph::Unsupported("`" + info().name + "` cannot show its stages");
}

} // namespace touchstone::backends
