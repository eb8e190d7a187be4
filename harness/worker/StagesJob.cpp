#include "harness/worker/StagesJob.h"

#include "backends/Registry.h"
#include "backends/arguments/ArgumentCopies.h"
#include "backends/capture/Explain.h"
#include "backends/native/DeviceTrace.h"
#include "backends/native/NativeBackends.h"
#include "backends/graph_files/GraphDumper.h"
#include "graph/ir/GraphDrawing.h"
#include "graph/ir/StageArtifacts.h"
#include "program/parser/CaseParser.h"
#include "program/evaluator/Evaluator.h"
#include "program/values/GeneratorState.h"
#include "graph/runtime/GraphCode.h"
#include "program/values/RaisedException.h"
#include "graph/runtime/RunnableCode.h"
#include "harness/worker/Explanation.h"
#include "harness/worker/PreparedBackends.h"
#include "harness/worker/Progress.h"
#include "harness/worker/WarningKeeper.h"
#include "oracles/observe/CallRunner.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

namespace touchstone::harness {

namespace {

using graph::Outcome;

/// Keeps what the stages make of each Graph of the call.
class StageKeeper final : public graph::StageHook {
 public:
  void after(const std::string& stage, graph::StageArtifacts& artifacts) override {
    const graph::Graph* graph = artifacts.graph(stage);
    number_ += stage == "captured" ? 1 : 0;
    made_.push_back({stage,
                     number_,
                     graph != nullptr ? *graph : graph::Graph(),
                     graph == nullptr ? *artifacts.text(stage) : "",
                     {}});
    if (stage == "forward") {
      saved_[number_] = {artifacts.partition.saved.begin(), artifacts.partition.saved.end()};
    }
  }

  /// `source`: the lines of the case file.
  std::vector<ShownStage> shown(const std::vector<std::string>& source, bool isRunnable) const {
    graph::GraphTextOptions options = graph::libtorchTextOptions();
    options.source = source;
    std::vector<ShownStage> shown;
    for (const Made& made : made_) {
      const bool begins = made.stage == "captured";
      if (begins) {
        options.lineOfSequence = graph::linesBySequence(made.graph);
      }
      options.name = made.stage;
      options.origins = made.origins;
      if (made.stage == kCapturedBackward) { // its nodes are numbered by its own order
        options.lineOfSequence.clear();
      }
      options.showState = begins; // later ones run in the state of whoever calls
      const auto printed = [&] {
        return isRunnable ? graph::runnableCode(made.graph, options) : graph::graphCode(made.graph, options);
      };
      shown.push_back({made.stage, made.number, made.text.empty() ? printed() : made.text});
    }
    return shown;
  }

  void addBackwards(const std::vector<graph::CapturedBackward>& backwards) {
    for (size_t i = 0; i < backwards.size(); ++i) {
      made_.push_back({kCapturedBackward, static_cast<int>(i), backwards[i].graph, "", backwards[i].origins});
    }
  }

  /// All Graphs of a stage as one picture; empty: there are none.
  std::string drawing(const std::string& stage, const std::vector<std::string>& source) const {
    std::vector<graph::DrawnGraph> drawn;
    graph::GraphTextOptions text = graph::libtorchTextOptions();
    text.source = source;
    for (const Made& made : made_) {
      if (made.stage == "captured") {
        text.lineOfSequence = graph::linesBySequence(made.graph);
      }
      if (!isStage(made.stage, stage) || !made.text.empty()) {
        continue;
      }
      text.name = number_ > 0 ? fmt::format("Graph {}, {}", made.number, made.stage) : made.stage;
      graph::DrawnGraph& each = drawn.emplace_back();
      each.graph = &made.graph;
      each.text = text;
      if (made.stage == kCapturedBackward) {
        each.text.lineOfSequence.clear();
      }
      each.part = isStage(made.stage, "backward") ? graph::DrawnPart::kBackward
                  : made.stage == "forward"       ? graph::DrawnPart::kForward
                                                  : graph::DrawnPart::kWhole;
      each.returnsView = graph::returnsView;
      each.family = graph::familyOf;
      const auto saved = saved_.find(made.number);
      if (saved != saved_.end() && made.stage != "captured" && made.stage != "joint") { // those have names of their own
        each.saved = saved->second;
      }
    }
    return drawn.empty() ? "" : graph::graphDrawing(drawn);
  }

 private:
  struct Made {
    std::string stage;
    int number = 0; // of the captured Graph
    graph::Graph graph;
    std::string text; // of a stage that makes no Graph
    std::vector<std::string> origins; // see graph::GraphTextOptions
  };
  std::vector<Made> made_;
  int number_ = -1;
  std::map<int, std::set<std::string>> saved_; // by number: what its forward keeps for its backwards
};

/// The Case's program: eager in the calls before the last, compiled in that one.
class ShownProgram final : public graph::Callable {
 public:
  /// `keeper` sees the stages; null: explanation() tells of the compile instead.
  ShownProgram(const graph::Case& theCase, const std::string& backend, std::shared_ptr<StageKeeper> keeper,
               std::string device, std::optional<backends::GraphDumper> dumper)
      : case_(theCase),
        dumper_(std::move(dumper)),
        info_(backends::backendInfo(backend)),
        keeper_(std::move(keeper)),
        device_(std::move(device)),
        last_(static_cast<int>(theCase.calls.size()) - 1) {}

  graph::Value operator()(graph::ValueList& arguments) override {
    if (call_ < last_) {
      return runEagerly(arguments);
    }
    end_ = Outcome::kEagerRejected;
    if (!device_.empty()) {
      return traceForDevice(arguments);
    }
    {
      const graph::GeneratorStateScope generator;
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
  std::shared_ptr<void> compiledAutograd() const { return program_ ? program_->compiledAutograd() : nullptr; }
  std::vector<graph::CapturedBackward> capturedBackwards() const {
    return program_ ? program_->capturedBackwards() : std::vector<graph::CapturedBackward>();
  }
  /// Nothing when the call was not reached.
  std::optional<graph::ExplainOutput> explanation() const {
    if (program_ == nullptr) {
      return std::nullopt;
    }
    return explained_ ? explained_->output(program_->report()) : explanationOf(program_->report());
  }

 private:
  /// What the program raises on a device that may not be there is only known from the trace.
  graph::Value traceForDevice(const graph::ValueList& arguments) {
    currentProgress().beginBackend(info_.name);
    currentProgress().enter("compile", call_);
    try {
      backends::traceOnDevice(case_, arguments, info_.name, c10::Device(device_), {keeper_});
    } catch (const graph::Unsupported&) {
      end_ = Outcome::kUnsupported;
      throw;
    }
    end_ = Outcome::kAgreed;
    return {};
  }

  std::unique_ptr<graph::CompiledProgram> compile() {
    if (info_.family == graph::Family::kTorch) {
      return preparedBackend(info_.name).compile(case_);
    }
    if (dumper_) {
      return backends::makeNativeBackend(
                 info_, {keeper_}, {},
                 [this](backends::AotOptions options) { return dumper_->with(std::move(options)); })
          ->compile(case_);
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
  const std::optional<backends::GraphDumper> dumper_; // of Job::dumpGraphs
  const graph::BackendInfo info_;
  const std::shared_ptr<StageKeeper> keeper_;
  const std::string device_; // see Job::device
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

} // namespace

bool isStage(const std::string& name, const std::string& wanted) {
  return name == wanted || name.starts_with(wanted + "_");
}

graph::Case forwardUpTo(graph::Case theCase, int call) {
  theCase.calls.resize(static_cast<size_t>(call) + 1);
  graph::CallSpec& last = theCase.calls.back();
  last.backward.reset();
  last.between.reset();
  return theCase;
}

JobResult runStagesJob(const Job& job) {
  JobResult shown;
  if (job.backends.empty()) {
    return shown; // what there is to say of it was said when it died
  }
  graph::Case whole = graph::parsePrinted(job.caseText);
  const bool withBackward = (job.dumpGraphs && job.dumpGraphs->withValues) || job.capturesBackward;
  whole.calls.resize(static_cast<size_t>(*job.stagesOfCall) + 1);
  whole.calls.back().compiledAutograd = whole.calls.back().compiledAutograd || job.capturesBackward;
  const graph::Case theCase = withBackward ? whole : forwardUpTo(std::move(whole), *job.stagesOfCall);
  const WarningKeeper warnings;
  const auto keeper = job.explain ? nullptr : std::make_shared<StageKeeper>();
  std::optional<backends::GraphDumper> dumper;
  if (job.dumpGraphs) {
    dumper.emplace(backends::GraphDumpOptions{job.dumpGraphs->parent, job.dumpGraphs->name, job.backends.front(),
                                              job.dumpGraphs->withValues});
  }
  ShownProgram program(theCase, job.backends.front(), keeper, job.device, dumper);
  oracles::RunOptions options;
  options.probeEffects = false;
  options.onStep = [&](int call, const char* step) {
    program.beginCall(call);
    if (call < *job.stagesOfCall || std::string(step) == "inputs") {
      currentProgress().enter("eager", call, step);
    }
  };
  if (job.capturesBackward) {
    options.compiledAutograd = [&] { return program.compiledAutograd(); };
  }
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
    keeper->addBackwards(program.capturedBackwards());
    shown.stages = keeper->shown(linesOf(job.caseText), job.text == kRunnableText);
    shown.drawing = job.drawnStage.empty() ? "" : keeper->drawing(job.drawnStage, linesOf(job.caseText));
  } else if (const auto explanation = program.explanation()) {
    shown.explanation = explanationJson(*explanation, recompilesOf(job), linesOf(job.caseText));
  }
  if (dumper) {
    for (const std::filesystem::path& folder : dumper->folders()) {
      shown.folders.push_back(folder);
    }
    shown.notDumped = dumper->refused();
  }
  result.warnings = warnings.warnings();
  return shown;
}

} // namespace touchstone::harness
