#pragma once

#include "backends/Backend.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace touchstone::backends {

/// Every built-in backend by name, in the order in which they are listed; native ones first.
const std::vector<ir::BackendInfo>& builtInBackends();

/// The entry of a name; also of `torch:package.module:attribute`. Throws std::invalid_argument that lists the valid
/// names, nearest first.
ir::BackendInfo backendInfo(const std::string& name);

/// Whether backendInfo() has an entry of this name.
bool isBackend(const std::string& name);

/// The same, and `torch:name` of a backend that a Python module registers with torch._dynamo.
ir::BackendInfo importedBackendInfo(const std::string& name);
/// From now on backendInfo() of its name gives this entry, in this process.
void declareBackend(ir::BackendInfo info);

/// Factories that this process has: the main process registers the native ones, the worker the torch family's.
using BackendFactory = std::function<std::unique_ptr<Backend>(const ir::BackendInfo&)>;
void registerFactory(ir::Family family, BackendFactory factory);
/// Makes a backend of a registered family; throws std::invalid_argument otherwise.
std::unique_ptr<Backend> makeBackend(const std::string& name);

} // namespace touchstone::backends
