#pragma once

#include "backends/GraphCompiler.h"
#include "graph/symbols/SymbolicGraph.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace touchstone::compiled_autograd {

/// The assignments that the Graphs of one backward were captured under. All of them know what was found in one.
struct FittedSizes {
  explicit FittedSizes(symbols::Fitting given) : fitting(std::move(given)) {}
  std::mutex mutex;
  symbols::Fitting fitting;
};

/// A part of a backward for symbols: compiled once, when it is asked for first.
class SymbolicSegment {
 public:
  /// `graphs`: as captured under each assignment. Throws symbols::NotSymbolic where they are more than other numbers.
  SymbolicSegment(std::vector<ir::Graph> graphs, std::shared_ptr<FittedSizes> sizes);

  ir::Graph graphAt(const symbols::Assignment& assignment) const { return graph_.at(assignment); }
  /// For these sizes. `examples`: what it gets now. `log` is told where the compiler builds sizes in, so that it compiles for each
  /// sizes. Throws what the compiler throws.
  std::shared_ptr<const backends::CompiledGraph> at(const symbols::Assignment& assignment,
                                                    const std::vector<at::Tensor>& examples,
                                                    const backends::GraphCompiler& compiler,
                                                    const std::function<void(const std::string& line)>& log);

 private:
  std::vector<at::Tensor> examplesFor(size_t sample, const std::vector<at::Tensor>& examples) const;
  void compile(const std::vector<at::Tensor>& examples, const backends::GraphCompiler& compiler,
               const std::function<void(const std::string& line)>& log);

  std::vector<ir::Graph> samples_; // until it is compiled
  const std::shared_ptr<FittedSizes> sizes_;
  const symbols::SymbolicGraph graph_;
  bool isTried_ = false;
  std::shared_ptr<const backends::SymbolicCompiledGraph> compiled_; // null: it is compiled for each sizes
};

} // namespace touchstone::compiled_autograd
