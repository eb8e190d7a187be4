#include "backends/Backend.h"

namespace touchstone::backends {

std::unique_ptr<values::CompiledProgram> Backend::compileKeepingStages(const language::Case&, StagesKept) {
  throw ir::Unsupported("`" + info().name + "` cannot show its stages");
}

std::unique_ptr<values::CompiledProgram> Backend::compileTellingServed(const language::Case&, Serving) {
  throw ir::Unsupported("`" + info().name + "` cannot tell what serves a call");
}

} // namespace touchstone::backends
