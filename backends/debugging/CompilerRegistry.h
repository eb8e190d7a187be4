#pragma once

#include "backends/GraphCompiler.h"
#include "backends/debugging/CompilerOptions.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

namespace touchstone::debugging {

/// A GraphCompiler that takes options. It reports those that it does not know, see reportUnknownOptions().
using CompilerFunction = std::function<std::shared_ptr<const backends::CompiledGraph>(
    ir::Graph graph, const std::vector<at::Tensor>& examples, const CompilerOptions& options)>;

/// What a user names a compiler by: a name, or the compiler itself.
using CompilerChoice = std::variant<std::string, CompilerFunction>;

/// Compilers of captured Graphs by name: the role of torch._dynamo.backends.registry. Thread-safe.
class CompilerRegistry {
 public:
  /// Throws std::invalid_argument when the name is taken or empty, or there is no function.
  void add(const std::string& name, CompilerFunction compiler, std::vector<std::string> tags = {});
  /// Throws std::invalid_argument that lists the names, nearest first.
  CompilerFunction find(const std::string& name) const;
  const std::vector<std::string>& tags(const std::string& name) const;
  /// The names in alphabetical order, without those that have one of the tags.
  std::vector<std::string> names(const std::vector<std::string>& excludedTags = {"debug", "experimental"}) const;

 private:
  struct Entry {
    CompilerFunction compiler;
    std::vector<std::string> tags;
  };
  const Entry& entry(const std::string& name) const; // locked

  mutable std::mutex mutex_;
  std::map<std::string, Entry> entries_;
};

/// The compilers of this process; native::registerNativeBackends() puts in those that are built in.
CompilerRegistry& compilerRegistry();

/// The compiler that a user means, given `options` with each Graph. Throws std::invalid_argument for an unknown name.
backends::GraphCompiler lookUpCompiler(const CompilerChoice& choice, CompilerOptions options = {});

/// A compiler that knows no options, under a name by which it says so.
CompilerFunction withoutOptions(std::string name, backends::GraphCompiler compiler);

} // namespace touchstone::debugging
