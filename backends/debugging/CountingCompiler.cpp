#include "backends/debugging/CountingCompiler.h"

namespace touchstone::debugging {

CountingCompiler::CountingCompiler(backends::GraphCompiler compiler) : compiler_(std::move(compiler)) {}

std::shared_ptr<const backends::CompiledGraph> CountingCompiler::operator()(
    ir::Graph graph, const std::vector<at::Tensor>& examples) const {
  count_->frames += 1;
  count_->operations += graph.operatorCount();
  count_->graphs.push_back(graph);
  return compiler_(std::move(graph), examples);
}

} // namespace touchstone::debugging
