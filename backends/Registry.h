#pragma once

#include "backends/Backend.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::backends {

/// Every built-in backend in the order in which they are listed: the native ones, where this process has them (see
/// native::registerNativeBackends()), then those of the installed PyTorch.
const std::vector<ir::BackendInfo>& builtInBackends();
/// Further backends, by names that begin alike.
struct BackendNames {
  std::vector<std::string> prefixes; // `fault:`; a name that begins so is one of these or none
  std::function<std::optional<ir::BackendInfo>(const std::string& name)> info;
  std::function<std::vector<std::string>()> all;
};
/// From now on backendInfo() knows these. To be called before a second thread begins.
void addBackendNames(BackendNames names);
/// From now on the native backends of this process. To be called before a second thread begins.
void addNativeBackends(std::vector<ir::BackendInfo> rows);

/// Neither built in nor a planted fault: a backend that the user brings.
bool isOfOnesOwn(const std::string& name);

/// The built-in entry of a name, whatever was declared since; of another name as backendInfo().
ir::BackendInfo builtInBackend(const std::string& name);

/// The entry of a name; also of `torch:package.module:attribute`. Throws std::invalid_argument that lists the valid
/// names, nearest first.
ir::BackendInfo backendInfo(const std::string& name);

/// Whether backendInfo() has an entry of this name.
bool isBackend(const std::string& name);

/// The same, and `torch:name` of a backend that a Python module registers with torch._dynamo.
ir::BackendInfo importedBackendInfo(const std::string& name);
/// From now on backendInfo() of its name gives this entry, in this process.
void declareBackend(ir::BackendInfo info);

/// The ladder up to a backend, weakest first, itself last: its base, the base of that, and so on.
std::vector<ir::BackendInfo> ladderTo(const ir::BackendInfo& info);
/// The weaker pipelines to blame for what a backend shows, weakest first: its ladder, without the stages of the pipeline that
/// it is a stage of. The last one is what it is held against. Empty: there is none.
std::vector<std::string> blamedBefore(const ir::BackendInfo& info);

/// Factories that this process has: the main process registers the native ones, the worker the torch family's.
using BackendFactory = std::function<std::unique_ptr<Backend>(const ir::BackendInfo&)>;
void registerFactory(ir::Family family, BackendFactory factory);
bool hasFactory(ir::Family family);
/// Makes a backend of a registered family; throws std::invalid_argument otherwise.
std::unique_ptr<Backend> makeBackend(const std::string& name);

} // namespace touchstone::backends
