#pragma once

#include "backends/GraphCompiler.h"
#include "backends/aot_autograd/AotOptions.h"
#include "graph/ir/BackendInfo.h"
#include "include/touchstone/backend.h"

#include <stdexcept>
#include <string>

namespace touchstone::shared_library {

/// A shared library cannot be used on this machine: it does not load, or was built for another interface or libtorch.
class LibraryUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A backend from a shared library; see include/touchstone/backend.h. The library stays in the process.
class SharedBackend {
 public:
  /// Loads the library, which runs what it does when it is loaded. Throws std::invalid_argument for what is no such library
  /// (a missing file, a missing function, a name that is no name or a built-in backend's), and LibraryUnavailable.
  explicit SharedBackend(const std::string& path);

  const ir::BackendInfo& info() const { return info_; }
  bool isAot() const { return table_->level != TOUCHSTONE_LEVEL_CAPTURED; }
  /// Of Graphs with this role. What the library raises is a values::RaisedException; ir::Unsupported.
  backends::GraphCompiler compiler(touchstone_role role) const;
  /// Of a backend that isAot(): the pipeline with the library's compilers.
  aot_autograd::AotOptions with(aot_autograd::AotOptions options) const;

 private:
  std::string path_;
  const touchstone_backend* table_;
  ir::BackendInfo info_;
};

/// Loads it and makes its backend one of this process: backendInfo(), makeNativeBackend() and compilerRegistry() know it. The same
/// file again changes nothing; another one with its name is std::invalid_argument.
const SharedBackend& loadSharedBackend(const std::string& path);
/// Null: none of this name was loaded.
const SharedBackend* loadedBackend(const std::string& name);

} // namespace touchstone::shared_library
