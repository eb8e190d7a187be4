#include "harness/worker/PreparedBackends.h"

#include "backends/Registry.h"

#include <map>
#include <memory>

namespace touchstone::harness {

backends::Backend& preparedBackend(const std::string& name) {
  static std::map<std::string, std::unique_ptr<backends::Backend>> prepared;
  std::unique_ptr<backends::Backend>& backend = prepared[name];
  if (backend == nullptr) {
    std::unique_ptr<backends::Backend> made = backends::makeBackend(name);
    made->warmUp();
    backend = std::move(made);
  }
  return *backend;
}

} // namespace touchstone::harness
