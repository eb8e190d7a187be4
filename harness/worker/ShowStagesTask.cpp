#include "harness/worker/ShowStagesTask.h"

#include "backends/Registry.h"
#include "backends/graph_files/GraphDumper.h"
#include "backends/native/DeviceTrace.h"
#include "backends/native/NativeBackends.h"
#include "graph/ir/GraphDrawing.h"
#include "graph/ir/Stages.h"
#include "graph/runtime/GraphCode.h"
#include "graph/runtime/RunnableCode.h"
#include "harness/worker/Job.h"
#include "harness/worker/JsonFields.h"
#include "harness/worker/Progress.h"
#include "harness/worker/ShownCall.h"
#include "harness/worker/WarningKeeper.h"
#include "program/parser/CaseParser.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>
#include <set>

namespace touchstone::worker {

namespace {

/// Keeps what the stages make of each Graph of the call.
class ShownStageKeeper final : public backends::PipelineObserver {
 public:
  void afterStage(const std::string& stage, ir::StageArtifacts& artifacts) override {
    const ir::Graph* graph = artifacts.graph(stage);
    number_ += stage == ir::kCapturedStage ? 1 : 0;
    made_.push_back(
        {stage, number_, graph != nullptr ? *graph : ir::Graph(), graph == nullptr ? *artifacts.text(stage) : "", {}});
    if (stage == ir::kForwardStage) {
      saved_[number_] = {artifacts.partition.saved.begin(), artifacts.partition.saved.end()};
    }
  }

  /// `source`: the lines of the case file.
  std::vector<ShownStage> shown(const std::vector<std::string>& source, bool isRunnable, bool metadata) const {
    ir::GraphTextOptions options = runtime::libtorchTextOptions();
    options.source = source;
    options.showMetadata = metadata;
    std::vector<ShownStage> shown;
    for (const Made& made : made_) {
      const bool begins = made.stage == ir::kCapturedStage;
      if (begins) {
        options.lineOfSequence = ir::linesBySequence(made.graph);
      }
      options.name = made.stage;
      options.origins = made.origins;
      if (made.stage == ir::kCompiledAutogradStage) { // its nodes are numbered by its own order
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
      made_.push_back({ir::kCompiledAutogradStage, static_cast<int>(i), backwards[i].graph, "", backwards[i].origins});
    }
  }

  /// All Graphs of a stage as one picture; empty: there are none.
  std::string drawing(const std::string& stage, const std::vector<std::string>& source) const {
    std::vector<ir::DrawnGraph> drawn;
    ir::GraphTextOptions text = runtime::libtorchTextOptions();
    text.source = source;
    for (const Made& made : made_) {
      if (made.stage == ir::kCapturedStage) {
        text.lineOfSequence = ir::linesBySequence(made.graph);
      }
      if (!ir::isStage(made.stage, stage) || !made.text.empty()) {
        continue;
      }
      text.name = number_ > 0 ? fmt::format("Graph {}, {}", made.number, made.stage) : made.stage;
      ir::DrawnGraph& each = drawn.emplace_back();
      each.graph = &made.graph;
      each.text = text;
      if (made.stage == ir::kCompiledAutogradStage) {
        each.text.lineOfSequence.clear();
      }
      each.part = ir::isStage(made.stage, ir::kBackwardStage) ? ir::DrawnPart::kBackward
                  : made.stage == ir::kForwardStage           ? ir::DrawnPart::kForward
                                                              : ir::DrawnPart::kWhole;
      each.returnsView = runtime::returnsView;
      each.family = runtime::familyOf;
      const auto saved = saved_.find(made.number);
      if (saved != saved_.end() && made.stage != ir::kCapturedStage &&
          made.stage != ir::kJointStage) { // those have names of their own
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

} // namespace

TOUCHSTONE_JSON_FIELDS_AS(static, ShownStage, name, graph, text)
TOUCHSTONE_JSON_FIELDS_AS(static, GraphDump, parent, name, withValues)
TOUCHSTONE_JSON_FIELDS(ShowStagesTask, call, device, capturesBackward, drawnStage, text, metadata, dump)
TOUCHSTONE_JSON_FIELDS(ShowStagesResult, stages, folders, notDumped, drawing)

void runTask(const ShowStagesTask& task, const Job& job, const Profile&, JobResult& result) {
  const WarningKeeper warnings;
  const std::string& text = std::get<PrintedCase>(job.source).text;
  language::Case whole = parser::parsePrinted(text);
  const bool withBackward = (task.dump && task.dump->withValues) || task.capturesBackward;
  whole.calls.resize(static_cast<size_t>(task.call) + 1);
  whole.calls.back().compiledAutograd = whole.calls.back().compiledAutograd || task.capturesBackward;
  const language::Case theCase = withBackward ? whole : forwardUpTo(std::move(whole), task.call);
  const ir::BackendInfo info = backends::backendInfo(job.backends.front());
  const auto keeper = std::make_shared<ShownStageKeeper>();
  backends::PipelineObservers observers{keeper};
  std::shared_ptr<graph_files::GraphDumper> dumper;
  if (task.dump) {
    dumper = std::make_shared<graph_files::GraphDumper>(
        graph_files::GraphDumpOptions{task.dump->parent, task.dump->name, info.name, task.dump->withValues});
    observers.push_back(dumper);
  }
  CallCompiler compiler{.backend = info.name, .compiledAutograd = task.capturesBackward};
  compiler.compile = [&](const language::Case& compiled) {
    return native::makeNativeBackend(info, observers)->compile(compiled);
  };
  if (!task.device.empty()) {
    compiler.trace = [&](const values::ValueList& arguments) {
      native::traceOnDevice(theCase, arguments, info.name, c10::Device(task.device), {keeper});
    };
  }
  const ShownCall shown = showCall(theCase, compiler);
  result.backends.push_back(shown.result);
  currentProgress().enter("print");
  if (shown.program) {
    keeper->addBackwards(shown.program->capturedBackwards());
  }
  ShowStagesResult& made = result.answer.emplace<ShowStagesResult>();
  made.stages = keeper->shown(linesOf(text), task.text == kRunnableText, task.metadata);
  made.drawing = task.drawnStage.empty() ? "" : keeper->drawing(task.drawnStage, linesOf(text));
  if (dumper != nullptr) {
    for (const std::filesystem::path& folder : dumper->folders()) {
      made.folders.push_back(folder);
    }
    made.notDumped = dumper->refused();
  }
  result.backends.back().warnings = warnings.warnings();
}

} // namespace touchstone::worker
