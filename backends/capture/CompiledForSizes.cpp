#include "backends/capture/CompiledForSizes.h"

#include <mutex>
#include <utility>

namespace touchstone::capture {

namespace {

class CompiledWhenRun final : public backends::CompiledGraph {
 public:
  CompiledWhenRun(ir::Graph graph, backends::GraphCompiler compiler,
                  std::shared_ptr<const backends::CompiledGraph> like)
      : graph_(std::move(graph)), compiler_(std::move(compiler)), like_(std::move(like)) {}

  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
    std::call_once(isMade_, [&] { compiled_ = compiler_(graph_, inputs); });
    return compiled_->run(std::move(inputs));
  }
  bool isCompiled() const override { return like_->isCompiled(); }
  std::vector<backends::Assumption> assumptions() const override { return like_->assumptions(); }

 private:
  const ir::Graph graph_;
  const backends::GraphCompiler compiler_;
  const std::shared_ptr<const backends::CompiledGraph> like_;
  mutable std::once_flag isMade_;
  mutable std::shared_ptr<const backends::CompiledGraph> compiled_;
};

class CompiledForEachSizes final : public backends::SymbolicCompiledGraph {
 public:
  CompiledForEachSizes(symbols::SymbolicGraph graph, backends::GraphCompiler compiler, FirstSizes first)
      : graph_(std::move(graph)), compiler_(std::move(compiler)), first_(std::move(first)) {}
  std::shared_ptr<const backends::CompiledGraph> at(const symbols::Assignment& assignment) const override {
    if (assignment == first_.assignment) {
      return first_.compiled;
    }
    return std::make_shared<const CompiledWhenRun>(graph_.at(assignment), compiler_, first_.compiled);
  }
  std::string text() const override { return graph_.text(); }

 private:
  const symbols::SymbolicGraph graph_;
  const backends::GraphCompiler compiler_;
  const FirstSizes first_;
};

} // namespace

std::shared_ptr<const backends::SymbolicCompiledGraph> compiledForEachSizes(symbols::SymbolicGraph graph,
                                                                            backends::GraphCompiler compiler,
                                                                            FirstSizes first) {
  return std::make_shared<const CompiledForEachSizes>(std::move(graph), std::move(compiler), std::move(first));
}

} // namespace touchstone::capture
