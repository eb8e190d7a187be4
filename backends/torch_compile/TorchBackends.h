#pragma once

#include <map>
#include <string>
#include <vector>

namespace touchstone::torch_compile {

/// What a process needs for backends that are not PyTorch's own.
struct TorchImports {
  std::vector<std::string> path; // folders, before those that Python has
  std::vector<std::string> modules; // imported in this order
  bool warmUp = true; // false: `cold` compiles nothing before the first Case
  std::string cold; // a backend's name; empty: all do
  std::string
      proof; // how `proved`, a backend's name, is asked for what it executes: see `bridge/delegation.py`; empty: not
  std::string proved;
};

/// Makes the `torch:` backends available in this process: starts the embedded interpreter, imports torch (about 2 s) and
/// registers their factory. `python` is the interpreter of the environment that holds torch; empty: the environment
/// variable TOUCHSTONE_PYTHON, else the one that this program was built with.
///
/// Returns what is missing on this machine as a sentence for a person, or nothing. Call once, from the thread that will
/// run the Cases. Afterwards that thread does not hold the interpreter's lock: libtorch's autograd engine is free to run.
std::string startTorchBackends(const std::string& python = "", const TorchImports& imports = {});

/// The part of it that all have in common, with what compilers import: for a process that forks others, which then call
/// takeEnvironment() and startTorchBackends(). Returns what is missing.
std::string startAhead();
/// Why a worker with that environment may have to import other modules than startAhead() has; empty: it need not.
std::string refusalAhead(const std::map<std::string, std::string>& environment);
/// Python's copy of the environment becomes that of whoever the process was forked for.
void takeEnvironment(const std::map<std::string, std::string>& environment);

/// To be called around each fork of a process that has started the torch backends, by the forking thread.
void beforeFork();
void afterForkInParent();
void afterForkInChild();

} // namespace touchstone::torch_compile
