#pragma once

#include "backends/GraphCompiler.h"
#include "graph/ir/SplitGraph.h"

#include <functional>
#include <memory>
#include <vector>

namespace touchstone::backends {

/// A Graph split into parts that are run in turn, each by what a compiler made of it.
class SplitModule final : public CompiledGraph {
 public:
  /// Compiles each part for what the parts before it have made of `examples`, which are copied first. Throws
  /// std::invalid_argument as splitGraph() does, graph::Unsupported when a part hands on what is no tensor, and what the
  /// compiler throws.
  SplitModule(graph::Graph graph, const std::function<int(const graph::Node& node)>& partitionOf,
              const GraphCompiler& compiler, const std::vector<at::Tensor>& examples);

  /// The same with a compiler that needs no examples: nothing runs.
  SplitModule(graph::Graph graph, const std::function<int(const graph::Node& node)>& partitionOf,
              const std::function<std::shared_ptr<const CompiledGraph>(graph::Graph part)>& compiler);

  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override;
  /// Everything: what a part takes for granted of its inputs is not known of the whole Graph's.
  std::vector<Reliance> reliance() const override;
  const std::vector<graph::GraphPart>& parts() const { return parts_; }

 private:
  SplitModule(graph::Graph graph, const std::function<int(const graph::Node& node)>& partitionOf);
  [[noreturn]] void throwNoTensor(graph::NodeId node) const;
  std::vector<at::Tensor> argumentsOf(const graph::GraphPart& part, const std::vector<at::Tensor>& values) const;
  void keep(const graph::GraphPart& part, std::vector<at::Tensor> results, std::vector<at::Tensor>& values) const;
  std::vector<at::Tensor> start(std::vector<at::Tensor> inputs) const;

  graph::Graph whole_;
  std::vector<graph::GraphPart> parts_;
  std::vector<std::shared_ptr<const CompiledGraph>> compiled_;
};

} // namespace touchstone::backends
