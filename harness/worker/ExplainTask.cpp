#include "harness/worker/ExplainTask.h"

#include "backends/Registry.h"
#include "backends/capture/Explain.h"
#include "backends/native/NativeBackends.h"
#include "graph/ir/Stages.h"
#include "harness/worker/Job.h"
#include "harness/worker/JsonFields.h"
#include "harness/worker/PreparedBackends.h"
#include "harness/worker/Progress.h"
#include "harness/worker/ShownCall.h"
#include "harness/worker/WarningKeeper.h"
#include "oracles/observe/CallRunner.h"
#include "program/parser/CaseParser.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace touchstone::worker {

namespace {

using nlohmann::json;

/// A place that had to be captured again because a guard did not hold.
struct Recompile {
  int call = 0;
  std::string reason;
};

/// Knows in which call each recompile happened.
class CountedProgram final : public values::Callable {
 public:
  explicit CountedProgram(std::unique_ptr<values::CompiledProgram> program) : program_(std::move(program)) {}

  values::Value operator()(values::ValueList& arguments) override { return (*program_)(arguments); }
  std::optional<values::Value> callFunction(const std::string& name, values::ValueList& arguments) override {
    return program_->callFunction(name, arguments);
  }
  void mark(const at::Tensor& tensor, const values::DimensionMark& mark) override { program_->mark(tensor, mark); }
  std::shared_ptr<void> backwardScope() override { return program_->backwardScope(); }

  /// Whatever was captured anew since it was asked last happened in this call.
  void noteCall(int call) {
    const std::vector<std::string> reasons = program_->report().recompiles;
    for (size_t i = recompiles_.size(); i < reasons.size(); ++i) {
      recompiles_.push_back({call, reasons[i]});
    }
  }
  void reset() { program_->reset(); }
  std::vector<Recompile> take() { return std::move(recompiles_); }

 private:
  const std::unique_ptr<values::CompiledProgram> program_;
  std::vector<Recompile> recompiles_;
};

json stackJson(const std::vector<ir::FrameSummary>& stack, const std::vector<std::string>& source) {
  json frames = json::array();
  for (const ir::FrameSummary& frame : stack) {
    const auto line = static_cast<size_t>(frame.line);
    std::string text = line > 0 && line <= source.size() ? source[line - 1] : "";
    text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
    frames.push_back({{"line", frame.line}, {"function", frame.function}, {"text", std::move(text)}});
  }
  return frames;
}

/// Goes around the compiler of captured Graphs.
struct Explainer final : backends::PipelineObserver {
  backends::GraphCompiler aroundCompiler(const std::string& stage, backends::GraphCompiler compiler) override {
    return stage == ir::kCapturedStage ? explained.emplace(std::move(compiler)) : compiler;
  }
  void onKept(const backends::Attempts& attempts) override { explained->keep(attempts); }
  std::optional<capture::ExplainWithBackend> explained; // stays empty for a backend that shows no Graphs
};

/// What a backend that shows no Graphs says of its compiling: operations are counted, not listed, and breaks have no stacks.
ir::ExplainOutput explanationOf(const ir::CompileReport& report) {
  ir::ExplainOutput output;
  output.graphCount = report.graphs;
  output.opCount = report.operations;
  output.graphBreakCount = static_cast<int64_t>(report.breaks.size());
  for (const std::string& reason : report.breaks) {
    output.breakReasons.push_back({reason, {}});
  }
  output.outGuards = report.guards;
  output.specializations = report.specializations;
  output.compileTimes =
      fmt::format("{:.6f} s in the capture and the compile of {} frames", report.compileSeconds, report.frames);
  return output;
}

/// Makes all calls of the Case with one compiled program. What a call raises is left to whoever judges.
std::vector<Recompile> recompilesOf(const language::Case& theCase, const std::string& backend) {
  CountedProgram program(preparedBackend(backend).compile(theCase));
  observe::RunOptions options;
  options.probeEffects = false;
  int running = 0;
  options.onStep = [&](int call, const char* step) {
    program.noteCall(running);
    running = call;
    currentProgress().enter("explain", call, step);
  };
  options.reset = [&] { program.reset(); };
  observe::runCalls(theCase, program, options);
  program.noteCall(running);
  return program.take();
}

/// See ExplainResult. `source`: the lines of the case file.
std::string explanationJson(const ir::ExplainOutput& output, const std::vector<Recompile>& recompiles,
                            const std::vector<std::string>& source) {
  json reasons = json::array(), again = json::array();
  for (const ir::GraphBreakReport& report : output.breakReasons) {
    reasons.push_back({{"reason", report.reason}, {"user_stack", stackJson(report.userStack, source)}});
  }
  std::string text = output.text(source) + "Recompiles: " + std::to_string(recompiles.size()) + "\n";
  for (size_t i = 0; i < recompiles.size(); ++i) {
    again.push_back({{"call", recompiles[i].call}, {"reason", recompiles[i].reason}});
    text += "  Recompile " + std::to_string(i + 1) + ", in call " + std::to_string(recompiles[i].call) + ":\n    " +
            recompiles[i].reason + "\n";
  }
  const json object{{"graph_count", output.graphCount},
                    {"graph_break_count", output.graphBreakCount},
                    {"op_count", output.opCount},
                    {"break_reasons", std::move(reasons)},
                    {"ops_per_graph", output.opsPerGraph.value_or(std::vector<std::vector<std::string>>())},
                    {"specializations", output.specializations},
                    {"given_up", output.givenUp},
                    {"guards", output.outGuards.value_or(std::vector<std::string>())},
                    {"compile_times", output.compileTimes.value_or("")},
                    {"recompiles", std::move(again)},
                    {"text", std::move(text)}};
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace

TOUCHSTONE_JSON_FIELDS(ExplainTask, call, dynamic)
TOUCHSTONE_JSON_FIELDS(ExplainResult, explanation)

void runTask(const ExplainTask& task, const Job& job, const Profile&, JobResult& result) {
  const WarningKeeper warnings;
  const std::string& text = std::get<PrintedCase>(job.source).text;
  language::Case whole = parser::parsePrinted(text);
  setDynamic(task.dynamic, whole);
  const ir::BackendInfo info = backends::backendInfo(job.backends.front());
  const auto explainer = std::make_shared<Explainer>();
  const auto compile = [&](const language::Case& theCase) {
    if (info.family == ir::Family::kTorch) {
      return preparedBackend(info.name).compile(theCase);
    }
    return native::makeNativeBackend(info, {explainer})->compile(theCase);
  };
  const ShownCall shown = showCall(forwardUpTo(whole, task.call), {.backend = info.name, .compile = compile});
  result.backends.push_back(shown.result);
  currentProgress().enter("explain");
  ExplainResult& answer = result.answer.emplace<ExplainResult>();
  if (shown.program) {
    const ir::CompileReport report = shown.program->report();
    answer.explanation =
        explanationJson(explainer->explained ? explainer->explained->output(report) : explanationOf(report),
                        recompilesOf(whole, info.name), linesOf(text));
  }
  result.backends.back().warnings = warnings.warnings();
}

} // namespace touchstone::worker
