#include "backends/debugging/CountingCompiler.h"

namespace touchstone::backends {

CountingCompiler::CountingCompiler(GraphCompiler compiler) : compiler_(std::move(compiler)) {}

std::shared_ptr<const CompiledGraph> CountingCompiler::operator()(graph::Graph graph,
                                                                  const std::vector<at::Tensor>& examples) const {
  count_->frames += 1;
  count_->operations += graph.operatorCount();
  count_->graphs.push_back(graph);
  return compiler_(std::move(graph), examples);
}

} // namespace touchstone::backends
