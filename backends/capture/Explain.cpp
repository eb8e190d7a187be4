#include "backends/capture/Explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>

namespace touchstone::capture {

struct ExplainWithBackend::State {
  backends::GraphCompiler backend;
  std::mutex mutex;
  ir::ExplainOutput output;
  double compileSeconds = 0;
};

ExplainWithBackend::ExplainWithBackend(backends::GraphCompiler backend) : state_(std::make_shared<State>()) {
  state_->backend = std::move(backend);
}

std::shared_ptr<const backends::CompiledGraph> ExplainWithBackend::operator()(
    ir::Graph graph, const std::vector<at::Tensor>& examples) const {
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    ir::addGraphDetail(graph, state_->output);
  }
  const auto start = std::chrono::steady_clock::now();
  auto compiled = state_->backend(std::move(graph), examples);
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->compileSeconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return compiled;
}

ir::ExplainOutput ExplainWithBackend::output() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->output;
}

ir::ExplainOutput ExplainWithBackend::output(const ir::CompileReport& report) const {
  ir::ExplainOutput output = this->output();
  output.breakReasons = report.breakReports;
  output.graphBreakCount = static_cast<int64_t>(report.breakReports.size());
  output.outGuards = report.guards;
  output.specializations = report.specializations;
  const std::lock_guard<std::mutex> lock(state_->mutex);
  output.compileTimes = fmt::format("{:.6f} s in the capture of {} frames, {:.6f} s in the compiler of {} graphs",
                                    std::max(0.0, report.compileSeconds - state_->compileSeconds), report.frames,
                                    state_->compileSeconds, output.graphCount);
  return output;
}

ir::ExplainOutput explain(const language::Case& theCase, values::ValueList arguments, CaptureOptions options) {
  const ExplainWithBackend explained(std::move(options.compiler));
  options.compiler = explained;
  const auto program = captureProgram(theCase, std::move(options));
  (*program)(arguments);
  return explained.output(program->report());
}

} // namespace touchstone::capture
