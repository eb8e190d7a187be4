#include "harness/worker/PreparedBackends.h"

#include "backends/Registry.h"
#include "graph/program/RaisedException.h"

#include <map>
#include <memory>
#include <stdexcept>

namespace touchstone::harness {

backends::Backend& preparedBackend(const std::string& name) {
  static std::map<std::string, std::unique_ptr<backends::Backend>> prepared;
  std::unique_ptr<backends::Backend>& backend = prepared[name];
  if (backend == nullptr) {
    std::unique_ptr<backends::Backend> made = backends::makeBackend(name);
    try {
      made->warmUp();
    } catch (const std::exception&) {
      throw std::runtime_error("The backend `" + name + "` fails on the small program that each worker starts with: " +
                               graph::currentException().what());
    }
    backend = std::move(made);
  }
  return *backend;
}

} // namespace touchstone::harness
