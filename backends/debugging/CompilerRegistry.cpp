#include "backends/debugging/CompilerRegistry.h"

#include "base/NearestName.h"

#include <algorithm>
#include <stdexcept>

namespace touchstone::debugging {

void CompilerRegistry::add(const std::string& name, CompilerFunction compiler, std::vector<std::string> tags) {
  if (name.empty() || !compiler) {
    throw std::invalid_argument("A compiler is registered by a name and a function; `" + name + "` lacks one of them.");
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!entries_.try_emplace(name, Entry{std::move(compiler), std::move(tags)}).second) {
    throw std::invalid_argument("There is a compiler `" + name + "` already; choose another name.");
  }
}

const CompilerRegistry::Entry& CompilerRegistry::entry(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found != entries_.end()) {
    return found->second;
  }
  std::vector<std::string> names;
  for (const auto& [known, entry] : entries_) {
    names.push_back(known);
  }
  std::string message = "There is no compiler `" + name + "`. Choose one of";
  for (const std::string& known : base::nearestFirst(name, std::move(names))) {
    message += " `" + known + "`,";
  }
  throw std::invalid_argument(message + " or give the function itself.");
}

CompilerFunction CompilerRegistry::find(const std::string& name) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return entry(name).compiler;
}

const std::vector<std::string>& CompilerRegistry::tags(const std::string& name) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return entry(name).tags; // entries stay where they are
}

std::vector<std::string> CompilerRegistry::names(const std::vector<std::string>& excludedTags) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) {
    if (std::find_first_of(entry.tags.begin(), entry.tags.end(), excludedTags.begin(), excludedTags.end()) ==
        entry.tags.end()) {
      names.push_back(name);
    }
  }
  return names;
}

CompilerRegistry& compilerRegistry() {
  static CompilerRegistry registry;
  return registry;
}

backends::GraphCompiler lookUpCompiler(const CompilerChoice& choice, CompilerOptions options) {
  const auto* name = std::get_if<std::string>(&choice);
  CompilerFunction compiler = name != nullptr ? compilerRegistry().find(*name) : std::get<CompilerFunction>(choice);
  return [compiler = std::move(compiler), options = std::move(options)](ir::Graph graph,
                                                                        const std::vector<at::Tensor>& examples) {
    return compiler(std::move(graph), examples, options);
  };
}

CompilerFunction withoutOptions(std::string name, backends::GraphCompiler compiler) {
  return [name = std::move(name), compiler = std::move(compiler)](
             ir::Graph graph, const std::vector<at::Tensor>& examples, const CompilerOptions& options) {
    reportUnknownOptions(name, options);
    return compiler(std::move(graph), examples);
  };
}

} // namespace touchstone::debugging
