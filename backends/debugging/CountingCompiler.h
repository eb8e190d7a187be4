#pragma once

#include "backends/GraphCompiler.h"

#include <memory>
#include <vector>

namespace touchstone::debugging {

/// What a counting compiler was given so far.
struct CompileCount {
  int64_t frames = 0; // Graphs
  int64_t operations = 0; // calls in them: operators and callables
  std::vector<ir::Graph> graphs;
};

/// A compiler that counts what it is given, then leaves it to another: to the Interpreter if nothing is said
/// (CompileCounter), or to any other (CompileCounterWithBackend). Its copies count together.
class CountingCompiler {
 public:
  explicit CountingCompiler(backends::GraphCompiler compiler = backends::compileToInterpreter);

  std::shared_ptr<const backends::CompiledGraph> operator()(ir::Graph graph,
                                                            const std::vector<at::Tensor>& examples) const;
  const CompileCount& count() const { return *count_; }
  void clear() { *count_ = {}; }

 private:
  backends::GraphCompiler compiler_;
  std::shared_ptr<CompileCount> count_ = std::make_shared<CompileCount>();
};

} // namespace touchstone::debugging
