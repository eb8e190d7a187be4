#include "backends/debugging/CallLog.h"

#include "backends/debugging/BoxedNop.h"
#include "backends/debugging/CallText.h"
#include "backends/fake/Tracer.h"
#include "graph/ir/Stages.h"
#include "graph/runtime/Interpreter.h"
#include "graph/runtime/StackMode.h"
#include "program/values/RaisedException.h"

#include <c10/util/ScopeExit.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

namespace touchstone::debugging {

namespace {

std::string argumentsOf(const ir::Node& node, const torch::jit::Stack& stack) {
  const auto op = node.kind == ir::NodeKind::kOperator ? runtime::findOperator(node.target) : std::nullopt;
  return op ? argumentsText(stack, op->schema()) : valuesText(stack);
}

} // namespace

class CallLog::Recorder final : public backends::PipelineObserver,
                                public runtime::StackMode,
                                public std::enable_shared_from_this<Recorder> {
 public:
  explicit Recorder(std::vector<std::string> source) : source_(std::move(source)) {}
  bool seesStages() const override { return false; }
  backends::GraphCompiler aroundCompiler(const std::string& stage, backends::GraphCompiler compiler) override;
  void onCall(const ir::Node& node, torch::jit::Stack& stack, const std::function<void()>& next) override;

  void enter() { thread_ = std::this_thread::get_id(); }
  void leave() { thread_ = std::thread::id(); }
  std::vector<GraphRun> take() { return std::exchange(runs_, {}); }

 private:
  /// Says that it runs.
  class LoggedGraph;

  bool isHere() const { return thread_.load() == std::this_thread::get_id(); }
  size_t begin(const GraphRun& run);
  void end(size_t run);
  size_t current();
  std::string sourceOf(const ir::Node& node) const;

  const std::vector<std::string> source_;
  std::atomic<std::thread::id> thread_; // that is in a Scope
  std::atomic<int> captured_ = 0; // Graphs
  std::atomic<int> compiling_ = -1; // of these
  std::vector<GraphRun> runs_;
  std::vector<size_t> open_; // of these, from the outermost in
};

class CallLog::Recorder::LoggedGraph final : public backends::CompiledGraph {
 public:
  LoggedGraph(std::shared_ptr<Recorder> recorder, GraphRun run, std::shared_ptr<const backends::CompiledGraph> compiled)
      : recorder_(std::move(recorder)), run_(std::move(run)), compiled_(std::move(compiled)) {}
  bool isCompiled() const override { return compiled_->isCompiled(); }
  std::vector<backends::Assumption> assumptions() const override { return compiled_->assumptions(); }

  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
    if (!recorder_->isHere()) {
      return compiled_->run(std::move(inputs));
    }
    const size_t run = recorder_->begin(run_);
    const auto ended = c10::make_scope_exit([&] { recorder_->end(run); });
    return compiled_->run(std::move(inputs));
  }

 private:
  const std::shared_ptr<Recorder> recorder_;
  const GraphRun run_;
  const std::shared_ptr<const backends::CompiledGraph> compiled_;
};

backends::GraphCompiler CallLog::Recorder::aroundCompiler(const std::string& stage, backends::GraphCompiler compiler) {
  const bool isCaptured = stage == ir::kCapturedStage;
  // Compilers of forward and backward are asked for while the captured Graph is compiled.
  return [self = shared_from_this(), stage, isCaptured, number = compiling_.load(),
          compiler = compiler != nullptr ? std::move(compiler) : boxedNop()](ir::Graph graph,
                                                                             const std::vector<at::Tensor>& examples) {
    const GraphRun run{isCaptured ? self->captured_++ : number, stage, graph.operatorCount(), {}};
    const int outer = self->compiling_.exchange(isCaptured ? run.graph : self->compiling_.load());
    const auto compiled = c10::make_scope_exit([&] { self->compiling_ = outer; });
    return std::make_shared<const LoggedGraph>(self, run, compiler(std::move(graph), examples));
  };
}

size_t CallLog::Recorder::begin(const GraphRun& run) {
  runs_.push_back(run);
  open_.push_back(runs_.size() - 1);
  return open_.back();
}

/// What has done nothing but run others is left out.
void CallLog::Recorder::end(size_t run) {
  open_.pop_back();
  if (runs_[run].calls.empty() && run + 1 < runs_.size()) {
    runs_.erase(runs_.begin() + static_cast<ptrdiff_t>(run));
  }
}

/// The run that a call belongs to. One for which no compiler is asked is a backward: that of `aot_joint`, or one that compiled autograd captured.
size_t CallLog::Recorder::current() {
  if (!open_.empty()) {
    return open_.back();
  }
  if (runs_.empty() || runs_.back().graph >= 0) {
    runs_.push_back({-1, ir::kBackwardStage, 0, {}});
  }
  return runs_.size() - 1;
}

std::string CallLog::Recorder::sourceOf(const ir::Node& node) const {
  const auto line = static_cast<size_t>(node.line);
  if (line == 0 || line > source_.size()) {
    return "";
  }
  const std::string& text = source_[line - 1];
  return "  # " + text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

void CallLog::Recorder::onCall(const ir::Node& node, torch::jit::Stack& stack, const std::function<void()>& next) {
  if (fake::Tracer::isRecording()) { // no run
    return next();
  }
  const std::string head = fmt::format("{} = {}({})", node.name, node.target, argumentsOf(node, stack));
  const size_t run = current(), place = runs_[run].calls.size();
  runs_[run].calls.push_back(head);
  const auto tell = [&](const std::string& results) {
    runs_[run].calls[place] = fmt::format("{} -> {}{}", head, results, sourceOf(node));
  };
  try {
    next();
  } catch (...) {
    tell("raised " + values::currentException().type());
    throw;
  }
  tell(stack.empty() ? "nothing" : valuesText(stack));
}

CallLog::CallLog(std::vector<std::string> source) : recorder_(std::make_shared<Recorder>(std::move(source))) {}

std::shared_ptr<backends::PipelineObserver> CallLog::observer() const {
  return recorder_;
}

std::vector<GraphRun> CallLog::take() {
  return recorder_->take();
}

CallLog::Scope::Scope(CallLog& log) : recorder_(log.recorder_), entered_(*recorder_) {
  recorder_->enter();
}

CallLog::Scope::~Scope() {
  recorder_->leave();
}

} // namespace touchstone::debugging
