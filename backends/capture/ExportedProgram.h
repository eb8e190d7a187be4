#pragma once

#include "backends/GraphCompiler.h"
#include "backends/capture/FrameCapture.h"
#include "backends/capture/Guards.h"
#include "program/values/Callable.h"
#include "program/language/Case.h"

#include <memory>
#include <vector>

namespace touchstone::backends {

/// A whole program as one Graph, for arguments like those that it was exported for: the role of torch._dynamo.export.
/// Called, it runs the Graph, or what a compiler has made of it, and returns what the program returns; arguments that its
/// guards do not hold for raise (RaisedException).
class ExportedProgram final : public graph::Callable {
 public:
  /// Above autograd; the placeholders are the tensors that it reads, the output is a flat tuple of what it makes.
  const graph::Graph& graph() const { return graph_; }
  graph::Value operator()(graph::ValueList& arguments) override;
  /// From now on what the compiler makes of the Graph is run. `arguments`: as those of a call; they stay as they are.
  void compile(const GraphCompiler& compiler, const graph::ValueList& arguments);

 private:
  friend std::unique_ptr<ExportedProgram> exportGraph(const graph::Case&, const graph::ValueList&, Beneath);
  ExportedProgram(const graph::Case& theCase, FrameCapture captured, const graph::ValueList& arguments);
  std::vector<at::Tensor> inputsOf(const graph::ValueList& arguments) const;
  void compileFor(const GraphCompiler& compiler, const graph::ValueList& arguments,
                  const std::vector<std::pair<at::Tensor, graph::Fact>>& facts);

  std::vector<bool> isRead_;
  bool readsMemory_ = false;
  graph::Graph graph_;
  std::shared_ptr<const CompiledGraph> compiled_;
  std::unique_ptr<ValueTemplate> values_;
  Guards guards_;
  std::vector<size_t> guardNumbers_; // by placeholder
  std::vector<size_t> graphInputs_, valueInputs_; // positions among the tensors of the arguments
  std::optional<bool> gradModeAfter_;
};

/// The Case's `program` for such arguments, which stay as they are. Throws graph::Unsupported that says where and why when
/// one Graph cannot hold the whole program, and what the program raises.
std::unique_ptr<ExportedProgram> exportGraph(const graph::Case& theCase, const graph::ValueList& arguments,
                                             Beneath beneath = Beneath::kValues);

} // namespace touchstone::backends
