#pragma once

#include <functional>
#include <string>
#include <vector>

namespace touchstone::debugging {

/// An option that a compiler is given; `value` as Python writes it: `True`, `3`, `'all'`.
struct CompilerOption {
  std::string name;
  std::string value;
};
using CompilerOptions = std::vector<CompilerOption>;

/// `{'mode': 'all', 'count': 3}`
std::string optionsText(const CompilerOptions& options);

/// Takes an option out of the list; empty: it is not there.
std::string takeOption(CompilerOptions& options, const std::string& name);

/// Takes one that is `True` or `False` out of the list; not there: `otherwise`. Throws std::invalid_argument for another value.
bool takeSwitch(CompilerOptions& options, const std::string& name, bool otherwise = false);

/// Reports options that a compiler does not know: `eager backend ignoring extra kwargs {'mode': 3}`. None: nothing.
void reportUnknownOptions(const std::string& compiler, const CompilerOptions& options);

/// Where warnings of compilers go: to standard error unless a sink is there.
void warnOfCompiler(const std::string& text);

/// While it lives, warnings of compilers go to `sink`, of all threads.
class CompilerWarningScope {
 public:
  using Sink = std::function<void(const std::string& text)>;
  explicit CompilerWarningScope(Sink sink);
  ~CompilerWarningScope();
  CompilerWarningScope(const CompilerWarningScope&) = delete;
  CompilerWarningScope& operator=(const CompilerWarningScope&) = delete;

 private:
  Sink outer_;
};

} // namespace touchstone::debugging
