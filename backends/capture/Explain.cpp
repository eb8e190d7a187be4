#include "backends/capture/Explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

namespace touchstone::capture {

struct ExplainWithBackend::State {
  struct Compiled {
    ir::Graph graph;
    double seconds = 0;
  };
  backends::GraphCompiler backend;
  std::mutex mutex;
  std::vector<Compiled> compiled;
  std::vector<std::string> givenUp;
};

ExplainWithBackend::ExplainWithBackend(backends::GraphCompiler backend) : state_(std::make_shared<State>()) {
  state_->backend = std::move(backend);
}

std::shared_ptr<const backends::CompiledGraph> ExplainWithBackend::operator()(
    ir::Graph graph, const std::vector<at::Tensor>& examples) const {
  size_t number = 0;
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    number = state_->compiled.size();
    state_->compiled.push_back({graph});
  }
  const auto start = std::chrono::steady_clock::now();
  auto compiled = state_->backend(std::move(graph), examples);
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->compiled.at(number).seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return compiled;
}

void ExplainWithBackend::keep(const backends::Attempts& attempts) const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  const size_t first = state_->compiled.size() - attempts.whyNot.size();
  State::Compiled kept = std::move(state_->compiled.at(first + attempts.kept));
  state_->compiled.resize(first);
  state_->compiled.push_back(std::move(kept));
  for (size_t i = 0; i < attempts.whyNot.size(); ++i) {
    if (i != attempts.kept) {
      state_->givenUp.push_back(attempts.whyNot[i]);
    }
  }
}

ir::ExplainOutput ExplainWithBackend::output() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  ir::ExplainOutput output;
  for (const State::Compiled& each : state_->compiled) {
    ir::addGraphDetail(each.graph, output);
  }
  output.givenUp = state_->givenUp;
  return output;
}

ir::ExplainOutput ExplainWithBackend::output(const ir::CompileReport& report) const {
  ir::ExplainOutput output = this->output();
  output.breakReasons = report.breakReports;
  output.graphBreakCount = static_cast<int64_t>(report.breakReports.size());
  output.outGuards = report.guards;
  output.specializations = report.specializations;
  const std::lock_guard<std::mutex> lock(state_->mutex);
  const double seconds = std::accumulate(state_->compiled.begin(), state_->compiled.end(), 0.0,
                                         [](double sum, const State::Compiled& each) { return sum + each.seconds; });
  output.compileTimes =
      fmt::format("{:.6f} s in the capture of {} frames, {:.6f} s in the compiler of {} graphs",
                  std::max(0.0, report.compileSeconds - seconds), report.frames, seconds, output.graphCount);
  return output;
}

namespace {

struct KeptAlone final : backends::PipelineObserver {
  explicit KeptAlone(ExplainWithBackend kept) : explained(std::move(kept)) {}
  void onKept(const backends::Attempts& attempts) override { explained.keep(attempts); }
  const ExplainWithBackend explained;
};

} // namespace

ir::ExplainOutput explain(const language::Case& theCase, values::ValueList arguments, CaptureOptions options) {
  const ExplainWithBackend explained(std::move(options.compiler));
  options.compiler = explained;
  options.observers.push_back(std::make_shared<KeptAlone>(explained));
  const auto program = captureProgram(theCase, std::move(options));
  (*program)(arguments);
  return explained.output(program->report());
}

} // namespace touchstone::capture
