#include "harness/worker/PythonReference.h"

#include "backends/Registry.h"
#include "harness/worker/PreparedBackends.h"
#include "program/language/PythonConstructs.h"

namespace touchstone::worker {

bool hasPython() {
  return backends::hasFactory(ir::Family::kTorch);
}

compare::PythonFactory pythonReferenceOf(const language::Case& theCase) {
  if (language::needsPython(theCase).empty() || !hasPython()) {
    return nullptr;
  }
  return [](const language::Case& each) -> std::unique_ptr<values::Callable> {
    return preparedBackend(kPythonReference).compile(each);
  };
}

} // namespace touchstone::worker
