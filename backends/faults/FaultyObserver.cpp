#include "backends/faults/FaultyObserver.h"

#include "graph/ir/Arguments.h"
#include "graph/ir/Stages.h"
#include "graph/runtime/CallMode.h"

#include <mutex>
#include <string>
#include <utility>

namespace touchstone::faults {

namespace {

using backends::CompiledGraph;
using backends::GraphCompiler;

/// Whether a stage of a pipeline is one of those that are meant by the stage of a row.
bool isMeant(const std::string& meant, const std::string& stage) {
  const bool isBackward = ir::isStage(stage, ir::kBackwardStage);
  if (meant == ir::kFunctionalStage || meant == ir::kJointStage) {
    return isBackward || stage == ir::kForwardStage; // where what the backward has recorded may be computed, too
  }
  return meant == ir::kMergedStage || meant == ir::kBackwardStage ? isBackward : meant == stage;
}

/// Changes Graphs: the captured one as it reaches the compiler, others as the pipeline passes them.
class ChangedGraphs final : public backends::PipelineObserver {
 public:
  ChangedGraphs(std::string stage, GraphChange change) : stage_(std::move(stage)), change_(std::move(change)) {}
  bool seesStages() const override { return stage_ != ir::kCapturedStage; }
  void afterStage(const std::string& stage, ir::StageArtifacts& artifacts) override {
    ir::Graph* graph = artifacts.graph(stage);
    if (stage_ != ir::kCapturedStage && graph != nullptr && isMeant(stage_, stage)) {
      change_(*graph);
    }
  }
  GraphCompiler aroundCompiler(const std::string& stage, GraphCompiler compiler) override {
    if (stage_ != ir::kCapturedStage || stage != ir::kCapturedStage) {
      return compiler;
    }
    return
        [change = change_, compiler = std::move(compiler)](ir::Graph graph, const std::vector<at::Tensor>& examples) {
          change(graph);
          return compiler(std::move(graph), examples);
        };
  }

 private:
  std::string stage_;
  GraphChange change_;
};

/// Changes what the forward Graph returns for the backward.
class ChangedSaved final : public backends::PipelineObserver {
 public:
  explicit ChangedSaved(SavedChange change) : change_(std::move(change)) {}
  void afterStage(const std::string& stage, ir::StageArtifacts& artifacts) override {
    ir::Graph* graph = artifacts.graph(stage);
    if (stage == ir::kForwardStage && graph != nullptr) {
      change_({*graph, ir::outputNodes(*graph).size() - artifacts.partition.saved.size()});
    }
  }

 private:
  SavedChange change_;
};

class CalledGraph final : public CompiledGraph {
 public:
  CalledGraph(std::shared_ptr<const CompiledGraph> compiled, CallChange change)
      : compiled_(std::move(compiled)), change_(std::move(change)) {}
  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
    const std::lock_guard<std::recursive_mutex> lock(mutex_); // recursive: a call may call it again
    std::vector<at::Tensor> outputs = change_(*compiled_, std::move(inputs), history_);
    ++history_.calls;
    return outputs;
  }
  bool isCompiled() const override { return compiled_->isCompiled(); }
  std::vector<backends::Assumption> assumptions() const override { return compiled_->assumptions(); }

 private:
  std::shared_ptr<const CompiledGraph> compiled_;
  CallChange change_;
  mutable std::recursive_mutex mutex_; // of history_
  mutable CallHistory history_;
};

/// Changes the compiler of captured Graphs.
class ChangedCompiler final : public backends::PipelineObserver {
 public:
  explicit ChangedCompiler(CompilerChange change) : change_(std::move(change)) {}
  bool seesStages() const override { return false; }
  GraphCompiler aroundCompiler(const std::string& stage, GraphCompiler compiler) override {
    return stage == ir::kCapturedStage ? change_(std::move(compiler)) : compiler;
  }

 private:
  CompilerChange change_;
};

CompilerChange aroundCalls(CallChange change) {
  return [change = std::move(change)](GraphCompiler compiler) -> GraphCompiler {
    return [change, compiler = std::move(compiler)](ir::Graph graph, const std::vector<at::Tensor>& examples) {
      return std::make_shared<const CalledGraph>(compiler(std::move(graph), examples), change);
    };
  };
}

class ChangedOperators final : public runtime::CallMode {
 public:
  explicit ChangedOperators(OperatorChange change) : change_(std::move(change)) {}
  void onOperator(const ir::Node& node, const c10::OperatorHandle&, torch::jit::Stack& stack,
                  const std::function<void()>& next) override {
    change_(node, stack, next);
  }

 private:
  OperatorChange change_;
};

/// Runs the Graphs of a stage node by node, and changes what operators do.
class ChangedRun final : public backends::PipelineObserver {
 public:
  ChangedRun(std::string stage, OperatorChange change)
      : stage_(std::move(stage)), mode_(std::make_shared<ChangedOperators>(std::move(change))) {}
  bool seesStages() const override { return false; }
  GraphCompiler aroundCompiler(const std::string& stage, GraphCompiler compiler) override {
    if (!isMeant(stage_, stage)) {
      return compiler;
    }
    return [mode = mode_](ir::Graph graph, const std::vector<at::Tensor>&) {
      return backends::interpreted(std::move(graph), runtime::NodeState::kCallers, mode);
    };
  }

 private:
  std::string stage_;
  std::shared_ptr<runtime::CallMode> mode_;
};

class ChangedPlan final : public backends::PipelineObserver {
 public:
  explicit ChangedPlan(PlanChange change) : change_(std::move(change)) {}
  bool seesStages() const override { return false; }
  void onPlan(aot_autograd::ViewAndMutationMetadata& plan) override { change_(plan); }

 private:
  PlanChange change_;
};

/// Of joint Graphs: what the backward has recorded, alone.
NodeRewrite ofStage(const std::string& stage, NodeRewrite rewrite) {
  if (stage != ir::kJointStage) {
    return rewrite;
  }
  return [rewrite = std::move(rewrite)](ir::Graph& graph, const ir::Node& node) {
    return node.backward ? rewrite(graph, node) : std::nullopt;
  };
}

struct MakeObserver {
  const std::string stage;
  using Made = std::shared_ptr<backends::PipelineObserver>;

  Made operator()(const NodeRewrite& rewrite) const {
    return std::make_shared<ChangedGraphs>(
        stage, [rewrite = ofStage(stage, rewrite)](ir::Graph& graph) { rewriteNodes(graph, rewrite); });
  }
  Made operator()(const GraphChange& change) const { return std::make_shared<ChangedGraphs>(stage, change); }
  Made operator()(const SavedChange& change) const { return std::make_shared<ChangedSaved>(change); }
  Made operator()(const CallChange& change) const { return std::make_shared<ChangedCompiler>(aroundCalls(change)); }
  Made operator()(const CompilerChange& change) const { return std::make_shared<ChangedCompiler>(change); }
  Made operator()(const PlanChange& change) const { return std::make_shared<ChangedPlan>(change); }
  Made operator()(const OperatorChange& change) const { return std::make_shared<ChangedRun>(stage, change); }
};

} // namespace

std::shared_ptr<backends::PipelineObserver> observerOf(const NativeFault& fault) {
  return std::visit(MakeObserver{fault.stage}, fault.change);
}

} // namespace touchstone::faults
