#include "harness/worker/StagesJob.h"

#include "backends/Registry.h"
#include "backends/arguments/ArgumentCopies.h"
#include "backends/capture/Explain.h"
#include "backends/debugging/NativeBackends.h"
#include "graph/ir/StageArtifacts.h"
#include "graph/program/CaseParser.h"
#include "graph/program/Evaluator.h"
#include "graph/program/GraphCode.h"
#include "graph/program/RaisedException.h"
#include "harness/worker/Explanation.h"
#include "harness/worker/PreparedBackends.h"
#include "harness/worker/Progress.h"
#include "harness/worker/WarningKeeper.h"
#include "oracles/CallRunner.h"

#include <memory>
#include <optional>
#include <sstream>

namespace touchstone::harness {

namespace {

using graph::Outcome;

/// Keeps what the stages make of each Graph of the call.
class StageKeeper final : public graph::StageHook {
 public:
  void after(const std::string& stage, graph::StageArtifacts& artifacts) override {
    const graph::Graph* graph = artifacts.graph(stage);
    made_.push_back(
        {stage, graph != nullptr ? *graph : graph::Graph(), graph == nullptr ? *artifacts.text(stage) : ""});
  }

  /// `source`: the lines of the case file.
  std::vector<ShownStage> shown(const std::vector<std::string>& source) const {
    graph::GraphTextOptions options = graph::libtorchTextOptions();
    options.source = source;
    std::vector<ShownStage> shown;
    int number = -1;
    for (const Made& made : made_) {
      const bool begins = made.stage == "captured";
      if (begins) {
        ++number;
        options.lineOfSequence = graph::linesBySequence(made.graph);
      }
      options.name = made.stage;
      options.showState = begins; // later ones run in the state of whoever calls
      shown.push_back({made.stage, number, made.text.empty() ? graph::graphCode(made.graph, options) : made.text});
    }
    return shown;
  }

 private:
  struct Made {
    std::string stage;
    graph::Graph graph;
    std::string text; // of a stage that makes no Graph
  };
  std::vector<Made> made_;
};

/// The Case's program: eager in the calls before the last, compiled in that one.
class ShownProgram final : public graph::Callable {
 public:
  /// `keeper` sees the stages; null: explanation() tells of the compile instead.
  ShownProgram(const graph::Case& theCase, const std::string& backend, std::shared_ptr<StageKeeper> keeper)
      : case_(theCase),
        info_(backends::backendInfo(backend)),
        keeper_(std::move(keeper)),
        last_(static_cast<int>(theCase.calls.size()) - 1) {}

  graph::Value operator()(graph::ValueList& arguments) override {
    if (call_ < last_) {
      return runEagerly(arguments);
    }
    end_ = Outcome::kEagerRejected;
    {
      const backends::GeneratorStateScope generator;
      runEagerly(backends::copyArguments(arguments));
    }
    currentProgress().beginBackend(info_.name);
    currentProgress().enter("compile", call_);
    end_ = Outcome::kInternalError;
    try {
      program_ = compile();
      graph::Value result = (*program_)(arguments);
      end_ = Outcome::kAgreed;
      return result;
    } catch (const graph::Unsupported&) {
      end_ = Outcome::kUnsupported;
      throw;
    }
  }

  void beginCall(int index) { call_ = index; }
  Outcome end() const { return end_; }
  /// Nothing when the call was not reached.
  std::optional<graph::ExplainOutput> explanation() const {
    if (program_ == nullptr) {
      return std::nullopt;
    }
    return explained_ ? explained_->output(program_->report()) : explanationOf(program_->report());
  }

 private:
  std::unique_ptr<graph::CompiledProgram> compile() {
    if (info_.family == graph::Family::kTorch) {
      return preparedBackend(info_.name).compile(case_);
    }
    if (keeper_ != nullptr) {
      return backends::makeNativeBackend(info_, {keeper_})->compile(case_);
    }
    backends::CaptureOptions options;
    options.aroundCompiler = [this](backends::GraphCompiler compiler) -> backends::GraphCompiler {
      explained_.emplace(std::move(compiler));
      return *explained_;
    };
    return backends::makeNativeBackend(info_, {}, std::move(options))->compile(case_);
  }

  graph::Value runEagerly(graph::ValueList arguments) const {
    return graph::Evaluator(case_).call("program", std::move(arguments));
  }

  const graph::Case& case_;
  const graph::BackendInfo info_;
  const std::shared_ptr<StageKeeper> keeper_;
  const int last_;
  std::optional<backends::ExplainWithBackend> explained_;
  std::unique_ptr<graph::CompiledProgram> program_;
  int call_ = 0;
  Outcome end_ = Outcome::kEagerRejected; // unless the program is reached
};

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// The Case up to the call; of the call itself no more than its forward.
graph::Case upTo(graph::Case theCase, int call) {
  theCase.calls.resize(static_cast<size_t>(call) + 1);
  graph::CallSpec& last = theCase.calls.back();
  last.backward.reset();
  last.between.reset();
  return theCase;
}

} // namespace

JobResult runStagesJob(const Job& job) {
  JobResult shown;
  if (job.backends.empty()) {
    return shown; // what there is to say of it was said when it died
  }
  graph::ParseOptions parsing;
  parsing.file = "<case>";
  parsing.checkMainPart = false; // the client has
  const graph::Case theCase = upTo(graph::parseCase(job.caseText, parsing), *job.stagesOfCall);
  const WarningKeeper warnings;
  const auto keeper = job.explain ? nullptr : std::make_shared<StageKeeper>();
  ShownProgram program(theCase, job.backends.front(), keeper);
  oracles::RunOptions options;
  options.probeEffects = false;
  options.onStep = [&](int call, const char* step) {
    program.beginCall(call);
    if (call < *job.stagesOfCall || std::string(step) == "inputs") {
      currentProgress().enter("eager", call, step);
    }
  };
  const oracles::CaseObservation observed = oracles::runCalls(theCase, program, options);

  BackendResult& result = shown.backends.emplace_back();
  result.backend = job.backends.front();
  result.call = *job.stagesOfCall;
  result.outcome = program.end();
  result.text = graph::outcomeName(result.outcome);
  if (const auto& raised = observed.calls.back().exception) {
    result.message = (raised->unsupported ? "" : raised->type + ": ") + raised->message;
    result.where = raised->stage;
  }
  currentProgress().enter(job.explain ? "explain" : "print");
  if (keeper != nullptr) {
    shown.stages = keeper->shown(linesOf(job.caseText));
  } else if (const auto explanation = program.explanation()) {
    shown.explanation = explanationJson(*explanation, recompilesOf(job), linesOf(job.caseText));
  }
  result.warnings = warnings.warnings();
  return shown;
}

} // namespace touchstone::harness
