#pragma once

#include <string>

namespace touchstone::backends {

/// Makes the `torch:` backends available in this process: starts the embedded interpreter, imports torch (about 2 s) and
/// registers their factory. `python` is the interpreter of the environment that holds torch; empty: the environment
/// variable TOUCHSTONE_PYTHON, else the one that this program was built with.
///
/// Returns what is missing on this machine as a sentence for a person, or nothing. Call once, from the thread that will
/// run the Cases. Afterwards that thread does not hold the interpreter's lock: libtorch's autograd engine is free to run.
std::string startTorchBackends(const std::string& python = "");

/// To be called around each fork of a process that has started the torch backends, by the forking thread.
void beforeFork();
void afterForkInParent();
void afterForkInChild();

} // namespace touchstone::backends
