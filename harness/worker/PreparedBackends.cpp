#include "harness/worker/PreparedBackends.h"

#include "backends/Registry.h"
#include "harness/worker/FillAllocator.h"
#include "harness/worker/RedZones.h"
#include "program/language/PythonConstructs.h"
#include "program/values/RaisedException.h"

#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace touchstone::worker {

static std::vector<std::string> startTroubles;

std::vector<std::string> takeStartTroubles() {
  return std::exchange(startTroubles, {});
}

backends::Backend& preparedBackend(const std::string& name) {
  static std::map<std::string, std::unique_ptr<backends::Backend>> prepared;
  std::unique_ptr<backends::Backend>& backend = prepared[name];
  if (backend == nullptr) {
    std::unique_ptr<backends::Backend> made = backends::makeBackend(name);
    try {
      for (const std::string& failure : made->warmUp()) {
        startTroubles.push_back("`" + name + "`: " + failure);
      }
    } catch (const std::exception&) {
      throw std::runtime_error("The backend `" + name + "` fails on the small program that each worker starts with: " +
                               values::currentException().what());
    }
    checkAllZones();
    if (const std::optional<OutOfBoundsWrite> write = takeOutOfBoundsWrite()) {
      throw std::runtime_error("The backend `" + name +
                               "` spoils memory in the small program that each worker starts with. " + write->message +
                               " With --no-warm-up it is judged Case by Case.");
    }
    backend = std::move(made);
  }
  return *backend;
}

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
