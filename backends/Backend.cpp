#include "backends/Backend.h"

namespace touchstone::backends {

std::unique_ptr<values::CompiledProgram> Backend::compileKeepingStages(const language::Case&, StagesKept) {
  throw ir::Unsupported("`" + info().name + "` cannot show its stages");
}

} // namespace touchstone::backends
