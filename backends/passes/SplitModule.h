#pragma once

#include "backends/GraphCompiler.h"
#include "graph/ir/SplitGraph.h"

#include <functional>
#include <memory>
#include <vector>

namespace touchstone::passes {

/// A Graph split into parts that are run in turn, each by what a compiler made of it.
class SplitModule final : public backends::CompiledGraph {
 public:
  /// Compiles each part for what the parts before it have made of `examples`, which are copied first. Throws
  /// std::invalid_argument as splitGraph() does, ir::Unsupported when a part hands on what is no tensor, and what the
  /// compiler throws.
  SplitModule(ir::Graph graph, const std::function<int(const ir::Node& node)>& partitionOf,
              const backends::GraphCompiler& compiler, const std::vector<at::Tensor>& examples);

  /// The same with a compiler that needs no examples: nothing runs.
  SplitModule(ir::Graph graph, const std::function<int(const ir::Node& node)>& partitionOf,
              const std::function<std::shared_ptr<const backends::CompiledGraph>(ir::Graph part)>& compiler);

  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override;
  /// Everything: what a part takes for granted of its inputs is not known of the whole Graph's.
  std::vector<backends::Assumption> assumptions() const override;
  const std::vector<ir::GraphPart>& parts() const { return parts_; }

 private:
  SplitModule(ir::Graph graph, const std::function<int(const ir::Node& node)>& partitionOf);
  [[noreturn]] void throwNoTensor(ir::NodeId node) const;
  std::vector<at::Tensor> argumentsOf(const ir::GraphPart& part, const std::vector<at::Tensor>& values) const;
  void keep(const ir::GraphPart& part, std::vector<at::Tensor> results, std::vector<at::Tensor>& values) const;
  std::vector<at::Tensor> start(std::vector<at::Tensor> inputs) const;

  ir::Graph whole_;
  std::vector<ir::GraphPart> parts_;
  std::vector<std::shared_ptr<const backends::CompiledGraph>> compiled_;
};

} // namespace touchstone::passes
