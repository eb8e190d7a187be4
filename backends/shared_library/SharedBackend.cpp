#include "backends/shared_library/SharedBackend.h"

#include "backends/Registry.h"
#include "backends/debugging/AotCompilerOptions.h"
#include "backends/debugging/AotDebugging.h"
#include "backends/debugging/CompilerRegistry.h"
#include "backends/debugging/DebugInterpreter.h"
#include "backends/shared_library/SharedGraph.h"

#include <torch/version.h>

#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

namespace touchstone::shared_library {

namespace {

constexpr const char* kEntry = "touchstone_backend_v1";

const touchstone_backend* tableOf(const std::string& path) {
  if (!std::filesystem::exists(path)) {
    throw std::invalid_argument("There is no shared library `" + path + "`.");
  }
  void* library = dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw LibraryUnavailable("The shared library `" + path + "` cannot be loaded: " + dlerror() +
                             ". It has to be linked with the libtorch of this Touchstone, " TORCH_VERSION ".");
  }
  void* entry = dlsym(library, kEntry);
  if (entry == nullptr) {
    throw std::invalid_argument("The shared library `" + path + "` exports no `" + kEntry +
                                "`: it is no backend. See <touchstone/backend.h>, TOUCHSTONE_SHARED_BACKEND.");
  }
  const touchstone_backend* table = reinterpret_cast<decltype(&touchstone_backend_v1)>(entry)();
  if (table == nullptr) {
    throw LibraryUnavailable("The backend of `" + path + "` says that it cannot work on this machine.");
  }
  return table;
}

void checkVersions(const std::string& path, const touchstone_backend& table) {
  if (table.abi != TOUCHSTONE_BACKEND_ABI || table.size < sizeof(touchstone_backend)) {
    throw LibraryUnavailable("The backend of `" + path + "` was built for version " + std::to_string(table.abi) +
                             " of <touchstone/backend.h>; this Touchstone has version " +
                             std::to_string(TOUCHSTONE_BACKEND_ABI) + ". Build it with the header of this one.");
  }
  if (table.torch_version != nullptr && std::string_view(table.torch_version) != TORCH_VERSION) {
    throw LibraryUnavailable("The backend of `" + path + "` was built with libtorch " + table.torch_version +
                             "; this Touchstone has " TORCH_VERSION ", and tensors pass from one to the other.");
  }
}

bool isName(const char* name) {
  return name != nullptr && *name != 0 && std::all_of(name, name + std::string_view(name).size(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
         });
}

/// The rules and the base of a pipeline that this is one of.
ir::BackendInfo infoOf(const std::string& path, const touchstone_backend& table) {
  if (!isName(table.name)) {
    throw std::invalid_argument("The backend of `" + path + "` has the name `" + (table.name ? table.name : "") +
                                "`; a name is made of letters, digits, `_`, `-` and `.`.");
  }
  const std::string name = table.name;
  for (const ir::BackendInfo& each : backends::builtInBackends()) {
    if (each.name == name) {
      throw std::invalid_argument("The backend of `" + path + "` has the name `" + name +
                                  "`, which a built-in one has; choose another.");
    }
  }
  if (table.compile == nullptr || table.run == nullptr || table.release == nullptr) {
    throw std::invalid_argument("The backend `" + name + "` of `" + path +
                                "` lacks one of the functions `compile`, `run` and `release`.");
  }
  const bool isDecomposed = table.level == TOUCHSTONE_LEVEL_AOT_DECOMPOSED;
  const bool isAot = table.level == TOUCHSTONE_LEVEL_AOT || isDecomposed;
  if (!isAot && table.level != TOUCHSTONE_LEVEL_CAPTURED) {
    throw std::invalid_argument("The backend `" + name + "` of `" + path + "` has a level that is none of " +
                                "touchstone_level.");
  }
  ir::BackendInfo info;
  info.name = name;
  info.family = ir::Family::kNative;
  info.summary = (table.summary != nullptr ? table.summary : "a backend from a shared library");
  info.rules = table.precision == TOUCHSTONE_ROUNDS || isDecomposed ? ir::RuleSet::kNativeRounding
               : isAot                                              ? ir::RuleSet::kNativeFunctional
                                                                    : ir::RuleSet::kNativeExact;
  info.base = isDecomposed ? "aot_eager_decomp_partition" : isAot ? "aot_eager_default_partitioner" : "eager";
  return info;
}

struct LoadedBackends {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<const SharedBackend>> byPath;
  std::map<std::string, const SharedBackend*> byName;
};

LoadedBackends& loaded() {
  static LoadedBackends backends;
  return backends;
}

} // namespace

SharedBackend::SharedBackend(const std::string& path) : path_(path), table_(tableOf(path)) {
  checkVersions(path, *table_);
  info_ = infoOf(path, *table_);
}

backends::GraphCompiler SharedBackend::compiler(touchstone_role role) const {
  return [table = table_, role](ir::Graph graph, const std::vector<at::Tensor>& examples) {
    return compileShared(*table, std::move(graph), examples, role);
  };
}

aot_autograd::AotOptions SharedBackend::with(aot_autograd::AotOptions options) const {
  if (table_->level == TOUCHSTONE_LEVEL_AOT_DECOMPOSED) {
    options = debugging::decompPartition(std::move(options));
  }
  options.forwardCompiler = compiler(TOUCHSTONE_FORWARD);
  options.backwardCompiler = compiler(TOUCHSTONE_BACKWARD);
  options.inferenceCompiler = compiler(TOUCHSTONE_INFERENCE);
  return options;
}

const SharedBackend& loadSharedBackend(const std::string& path) {
  const std::lock_guard<std::mutex> lock(loaded().mutex);
  std::error_code none;
  std::unique_ptr<const SharedBackend>& entry = loaded().byPath[std::filesystem::weakly_canonical(path, none)];
  if (entry == nullptr) {
    auto made = std::make_unique<const SharedBackend>(path);
    const std::string& name = made->info().name;
    debugging::compilerRegistry().add(name,
                                      made->isAot() ? debugging::aotCompilerWithOptions(name, made->with({}))
                                                    : debugging::withDebugInterpreter(debugging::withoutOptions(
                                                          name, made->compiler(TOUCHSTONE_CAPTURED))),
                                      {"loaded"});
    backends::declareBackend(made->info());
    loaded().byName[name] = made.get();
    entry = std::move(made);
  }
  return *entry;
}

const SharedBackend* loadedBackend(const std::string& name) {
  const std::lock_guard<std::mutex> lock(loaded().mutex);
  const auto found = loaded().byName.find(name);
  return found == loaded().byName.end() ? nullptr : found->second;
}

} // namespace touchstone::shared_library
