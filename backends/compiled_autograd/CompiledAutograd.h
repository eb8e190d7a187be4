#pragma once

#include "backends/GraphCompiler.h"
#include "graph/ir/CapturedBackward.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::compiled_autograd {

class BackwardCache;

/// Counts since the beginning, or the last reset.
struct CompiledAutogradCounts {
  int64_t backwards = 0; // that ran in a scope of this
  int64_t captures = 0; // of these, those in which something was traced
  int64_t graphs = 0; // traced and compiled
  int64_t operations = 0; // operators in them
  int64_t compiledRuns = 0; // of Graphs with operators
  int64_t eagerNodes = 0; // that ran as the engine runs them: a Graph ends there
  std::vector<std::string> misses; // why something was traced, by capture
};

struct CompiledAutogradOptions {
  backends::GraphCompiler compiler; // of each Graph; null: node by node, below autograd
  /// How many sets of sizes, strides and scalars one structure is compiled for; from then on others run eagerly.
  size_t recompileLimit = 64;
  /// The compiler gets scalars on the accelerator where that gives the same bits (ScalarMove.h): for one that wants all inputs
  /// there. It costs a copy a run, and kernels take a scalar on the CPU as a parameter.
  bool movesScalars = false;
  /// A size that has changed is a symbol from then on, so that further ones are captured no more.
  bool makesSymbols = true;
  std::function<void(const std::string& line)> log; // why the cache missed, what was traced; null: nobody listens
};

/// Compiled autograd: whole backwards, captured from libtorch's engine, compiled, and kept by structure. Threads may share one,
/// each with a graph of autograd's of its own.
///
/// Nodes that can be traced become operators of a Graph; gradients of `.grad`s that are there are added in place in it. A
/// Program's code is a call in the Graph, at its place in the engine's order, on the tensors that it gets in eager: hooks on
/// gradients, hooks of nodes and after accumulation, custom functions that are not traceable, nodes that cannot say what they
/// have saved. The compiler gets the parts between such calls. So order and arguments of hooks are the engine's, and what a hook
/// changes is seen: where it is not what was traced, the rest is captured with it.
class CompiledAutograd {
 public:
  explicit CompiledAutograd(CompiledAutogradOptions options = {});
  ~CompiledAutograd();
  CompiledAutograd(const CompiledAutograd&) = delete;
  CompiledAutograd& operator=(const CompiledAutograd&) = delete;

  CompiledAutogradCounts counts() const;
  /// What is compiled, in the order in which it was captured.
  std::vector<ir::CapturedBackward> captured() const;
  /// Drops everything compiled, and the counts. Throws c10::Error inside a backward of this on any thread.
  void reset();

  class Impl;
  Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<Impl> impl_;
};

/// While it lives, backwards that begin on this thread go through `compiled`; scopes nest, and the outer one counts again
/// afterwards, also when something throws. Threads that the engine would use for devices are off.
class CompiledAutogradScope {
 public:
  explicit CompiledAutogradScope(std::shared_ptr<CompiledAutograd> compiled);
  ~CompiledAutogradScope();
  CompiledAutogradScope(const CompiledAutogradScope&) = delete;
  CompiledAutogradScope& operator=(const CompiledAutogradScope&) = delete;

 private:
  std::shared_ptr<CompiledAutograd> outer_;
  bool outerMultithreading_;
};

/// While it lives, backwards that begin on this thread run as without any scope.
class NoCompiledAutogradScope {
 public:
  NoCompiledAutogradScope();
  ~NoCompiledAutogradScope();
  NoCompiledAutogradScope(const NoCompiledAutogradScope&) = delete;
  NoCompiledAutogradScope& operator=(const NoCompiledAutogradScope&) = delete;

 private:
  std::shared_ptr<CompiledAutograd> outer_;
};

/// What backwards that begin on this thread go through; null: libtorch's engine.
std::shared_ptr<CompiledAutograd> currentCompiledAutograd();

/// A compiled Graph of a backward runs on this thread.
bool isInCompiledAutogradRegion();

/// The engine's hook is set in this process: some thread has a scope.
bool isCompiledAutogradInstalled();

} // namespace touchstone::compiled_autograd
