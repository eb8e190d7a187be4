#include "harness/worker/StagesJob.h"

#include "backends/Registry.h"
#include "backends/arguments/ArgumentCopies.h"
#include "backends/capture/Explain.h"
#include "backends/graph_files/GraphDumper.h"
#include "backends/native/DeviceTrace.h"
#include "backends/native/NativeBackends.h"
#include "graph/ir/GraphDrawing.h"
#include "graph/ir/StageArtifacts.h"
#include "graph/runtime/GraphCode.h"
#include "graph/runtime/RunnableCode.h"
#include "harness/worker/Explanation.h"
#include "harness/worker/PreparedBackends.h"
#include "harness/worker/Progress.h"
#include "harness/worker/WarningKeeper.h"
#include "oracles/observe/CallRunner.h"
#include "program/evaluator/Evaluator.h"
#include "program/parser/CaseParser.h"
#include "program/values/GeneratorState.h"
#include "program/values/RaisedException.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

namespace touchstone::worker {

namespace {

using language::Outcome;

/// Keeps what the stages make of each Graph of the call.
class StageKeeper final : public ir::StageHook {
 public:
  void after(const std::string& stage, ir::StageArtifacts& artifacts) override {
    const ir::Graph* graph = artifacts.graph(stage);
    number_ += stage == "captured" ? 1 : 0;
    made_.push_back(
        {stage, number_, graph != nullptr ? *graph : ir::Graph(), graph == nullptr ? *artifacts.text(stage) : "", {}});
    if (stage == "forward") {
      saved_[number_] = {artifacts.partition.saved.begin(), artifacts.partition.saved.end()};
    }
  }

  /// `source`: the lines of the case file.
  std::vector<ShownStage> shown(const std::vector<std::string>& source, bool isRunnable) const {
    ir::GraphTextOptions options = runtime::libtorchTextOptions();
    options.source = source;
    std::vector<ShownStage> shown;
    for (const Made& made : made_) {
      const bool begins = made.stage == "captured";
      if (begins) {
        options.lineOfSequence = ir::linesBySequence(made.graph);
      }
      options.name = made.stage;
      options.origins = made.origins;
      if (made.stage == kCapturedBackward) { // its nodes are numbered by its own order
        options.lineOfSequence.clear();
      }
      options.showState = begins; // later ones run in the state of whoever calls
      const auto printed = [&] {
        return isRunnable ? runtime::runnableCode(made.graph, options) : ir::graphCode(made.graph, options);
      };
      shown.push_back({made.stage, made.number, made.text.empty() ? printed() : made.text});
    }
    return shown;
  }

  void addBackwards(const std::vector<ir::CapturedBackward>& backwards) {
    for (size_t i = 0; i < backwards.size(); ++i) {
      made_.push_back({kCapturedBackward, static_cast<int>(i), backwards[i].graph, "", backwards[i].origins});
    }
  }

  /// All Graphs of a stage as one picture; empty: there are none.
  std::string drawing(const std::string& stage, const std::vector<std::string>& source) const {
    std::vector<ir::DrawnGraph> drawn;
    ir::GraphTextOptions text = runtime::libtorchTextOptions();
    text.source = source;
    for (const Made& made : made_) {
      if (made.stage == "captured") {
        text.lineOfSequence = ir::linesBySequence(made.graph);
      }
      if (!isStage(made.stage, stage) || !made.text.empty()) {
        continue;
      }
      text.name = number_ > 0 ? fmt::format("Graph {}, {}", made.number, made.stage) : made.stage;
      ir::DrawnGraph& each = drawn.emplace_back();
      each.graph = &made.graph;
      each.text = text;
      if (made.stage == kCapturedBackward) {
        each.text.lineOfSequence.clear();
      }
      each.part = isStage(made.stage, "backward") ? ir::DrawnPart::kBackward
                  : made.stage == "forward"       ? ir::DrawnPart::kForward
                                                  : ir::DrawnPart::kWhole;
      each.returnsView = runtime::returnsView;
      each.family = runtime::familyOf;
      const auto saved = saved_.find(made.number);
      if (saved != saved_.end() && made.stage != "captured" && made.stage != "joint") { // those have names of their own
        each.saved = saved->second;
      }
    }
    return drawn.empty() ? "" : ir::graphDrawing(drawn);
  }

 private:
  struct Made {
    std::string stage;
    int number = 0; // of the captured Graph
    ir::Graph graph;
    std::string text; // of a stage that makes no Graph
    std::vector<std::string> origins; // see ir::GraphTextOptions
  };
  std::vector<Made> made_;
  int number_ = -1;
  std::map<int, std::set<std::string>> saved_; // by number: what its forward keeps for its backwards
};

/// The Case's program: eager in the calls before the last, compiled in that one.
class ShownProgram final : public values::Callable {
 public:
  /// `keeper` sees the stages; null: explanation() tells of the compile instead.
  ShownProgram(const language::Case& theCase, const std::string& backend, std::shared_ptr<StageKeeper> keeper,
               std::string device, std::optional<graph_files::GraphDumper> dumper)
      : case_(theCase),
        dumper_(std::move(dumper)),
        info_(backends::backendInfo(backend)),
        keeper_(std::move(keeper)),
        device_(std::move(device)),
        last_(static_cast<int>(theCase.calls.size()) - 1) {}

  values::Value operator()(values::ValueList& arguments) override {
    if (call_ < last_) {
      return runEagerly(arguments);
    }
    end_ = Outcome::kEagerRejected;
    if (!device_.empty()) {
      return traceForDevice(arguments);
    }
    {
      const values::GeneratorStateScope generator;
      runEagerly(arguments::copyArguments(arguments));
    }
    currentProgress().beginBackend(info_.name);
    currentProgress().enter("compile", call_);
    end_ = Outcome::kInternalError;
    try {
      program_ = compile();
      values::Value result = (*program_)(arguments);
      end_ = Outcome::kAgreed;
      return result;
    } catch (const ir::Unsupported&) {
      end_ = Outcome::kUnsupported;
      throw;
    }
  }

  void beginCall(int index) { call_ = index; }
  Outcome end() const { return end_; }
  std::shared_ptr<void> compiledAutograd() const { return program_ ? program_->compiledAutograd() : nullptr; }
  std::vector<ir::CapturedBackward> capturedBackwards() const {
    return program_ ? program_->capturedBackwards() : std::vector<ir::CapturedBackward>();
  }
  /// Nothing when the call was not reached.
  std::optional<ir::ExplainOutput> explanation() const {
    if (program_ == nullptr) {
      return std::nullopt;
    }
    return explained_ ? explained_->output(program_->report()) : explanationOf(program_->report());
  }

 private:
  /// What the program raises on a device that may not be there is only known from the trace.
  values::Value traceForDevice(const values::ValueList& arguments) {
    currentProgress().beginBackend(info_.name);
    currentProgress().enter("compile", call_);
    try {
      native::traceOnDevice(case_, arguments, info_.name, c10::Device(device_), {keeper_});
    } catch (const ir::Unsupported&) {
      end_ = Outcome::kUnsupported;
      throw;
    }
    end_ = Outcome::kAgreed;
    return {};
  }

  std::unique_ptr<values::CompiledProgram> compile() {
    if (info_.family == ir::Family::kTorch) {
      return preparedBackend(info_.name).compile(case_);
    }
    if (dumper_) {
      return native::makeNativeBackend(
                 info_, {keeper_}, {},
                 [this](aot_autograd::AotOptions options) { return dumper_->with(std::move(options)); })
          ->compile(case_);
    }
    if (keeper_ != nullptr) {
      return native::makeNativeBackend(info_, {keeper_})->compile(case_);
    }
    capture::CaptureOptions options;
    options.aroundCompiler = [this](backends::GraphCompiler compiler) -> backends::GraphCompiler {
      explained_.emplace(std::move(compiler));
      return *explained_;
    };
    return native::makeNativeBackend(info_, {}, std::move(options))->compile(case_);
  }

  values::Value runEagerly(values::ValueList arguments) const {
    return evaluator::Evaluator(case_).call("program", std::move(arguments));
  }

  const language::Case& case_;
  const std::optional<graph_files::GraphDumper> dumper_; // of Job::dumpGraphs
  const ir::BackendInfo info_;
  const std::shared_ptr<StageKeeper> keeper_;
  const std::string device_; // see Job::device
  const int last_;
  std::optional<capture::ExplainWithBackend> explained_;
  std::unique_ptr<values::CompiledProgram> program_;
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

language::Case forwardUpTo(language::Case theCase, int call) {
  theCase.calls.resize(static_cast<size_t>(call) + 1);
  language::CallSpec& last = theCase.calls.back();
  last.backward.reset();
  last.between.reset();
  return theCase;
}

JobResult runStagesJob(const Job& job) {
  JobResult shown;
  if (job.backends.empty()) {
    return shown; // what there is to say of it was said when it died
  }
  language::Case whole = parser::parsePrinted(job.caseText);
  const bool withBackward = (job.dumpGraphs && job.dumpGraphs->withValues) || job.capturesBackward;
  whole.calls.resize(static_cast<size_t>(*job.stagesOfCall) + 1);
  whole.calls.back().compiledAutograd = whole.calls.back().compiledAutograd || job.capturesBackward;
  const language::Case theCase = withBackward ? whole : forwardUpTo(std::move(whole), *job.stagesOfCall);
  const WarningKeeper warnings;
  const auto keeper = job.explain ? nullptr : std::make_shared<StageKeeper>();
  std::optional<graph_files::GraphDumper> dumper;
  if (job.dumpGraphs) {
    dumper.emplace(graph_files::GraphDumpOptions{job.dumpGraphs->parent, job.dumpGraphs->name, job.backends.front(),
                                                 job.dumpGraphs->withValues});
  }
  ShownProgram program(theCase, job.backends.front(), keeper, job.device, dumper);
  observe::RunOptions options;
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
  const observe::CaseObservation observed = observe::runCalls(theCase, program, options);

  BackendResult& result = shown.backends.emplace_back();
  result.backend = job.backends.front();
  result.call = *job.stagesOfCall;
  result.outcome = program.end();
  result.text = language::outcomeName(result.outcome);
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

} // namespace touchstone::worker
