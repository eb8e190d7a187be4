#pragma once

#include "backends/GraphCompiler.h"
#include "backends/capture/FrameCapture.h"
#include "backends/capture/Guards.h"
#include "program/language/Case.h"
#include "program/values/Callable.h"

#include <memory>
#include <vector>

namespace touchstone::capture {

/// A whole program as one Graph, for arguments like those that it was exported for: the role of torch._dynamo.export.
/// Called, it runs the Graph, or what a compiler has made of it, and returns what the program returns; arguments that its
/// guards do not hold for raise (RaisedException).
class ExportedProgram final : public values::Callable {
 public:
  /// Above autograd; the placeholders are the tensors that it reads, the output is a flat tuple of what it makes.
  const ir::Graph& graph() const { return graph_; }
  values::Value operator()(values::ValueList& arguments) override;
  /// From now on what the compiler makes of the Graph is run. `arguments`: as those of a call; they stay as they are.
  void compile(const backends::GraphCompiler& compiler, const values::ValueList& arguments);

 private:
  friend std::unique_ptr<ExportedProgram> exportGraph(const language::Case&, const values::ValueList&, fake::Backing);
  ExportedProgram(const language::Case& theCase, FrameCapture captured, const values::ValueList& arguments);
  std::vector<at::Tensor> inputsOf(const values::ValueList& arguments) const;
  void compileFor(const backends::GraphCompiler& compiler, const values::ValueList& arguments,
                  const std::vector<std::pair<at::Tensor, evaluator::Fact>>& facts);

  std::vector<bool> isRead_;
  bool readsMemory_ = false;
  ir::Graph graph_;
  std::shared_ptr<const backends::CompiledGraph> compiled_;
  std::unique_ptr<ValueTemplate> values_;
  Guards guards_;
  std::vector<size_t> guardNumbers_; // by placeholder
  std::vector<size_t> graphInputs_, valueInputs_; // positions among the tensors of the arguments
  std::optional<bool> gradModeAfter_;
};

/// The Case's `program` for such arguments, which stay as they are. Throws ir::Unsupported that says where and why when
/// one Graph cannot hold the whole program, and what the program raises.
std::unique_ptr<ExportedProgram> exportGraph(const language::Case& theCase, const values::ValueList& arguments,
                                             fake::Backing backing = fake::Backing::kValues);

} // namespace touchstone::capture
