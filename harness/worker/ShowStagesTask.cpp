#include "harness/worker/ShowStagesTask.h"

#include "backends/Registry.h"
#include "backends/graph_files/GraphDumper.h"
#include "backends/native/DeviceTrace.h"
#include "backends/native/NativeBackends.h"
#include "graph/ir/GraphDrawing.h"
#include "graph/ir/Stages.h"
#include "graph/runtime/GraphCode.h"
#include "graph/runtime/Interpreter.h"
#include "graph/runtime/RunnableCode.h"
#include "graph/symbols/SymbolicGraph.h"
#include "harness/worker/Job.h"
#include "harness/worker/JsonFields.h"
#include "harness/worker/Progress.h"
#include "harness/worker/ShownCall.h"
#include "harness/worker/WarningKeeper.h"
#include "program/parser/CaseParser.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
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

  bool seesSymbols() const override { return true; }
  void beginAttempt() override { attempts_.push_back({made_.size(), number_, {}}); }
  void onSamples(const std::vector<ir::StageArtifacts>& others) override {
    if (!attempts_.empty()) { // else of a backward that compiled autograd has captured
      attempts_.back().others = others;
    }
  }

  void onKept(const backends::Attempts& attempts) override {
    const Attempt kept = std::move(attempts_.at(attempts.kept));
    const bool isLast = attempts.kept + 1 == attempts_.size();
    made_.resize(isLast ? made_.size() : attempts_[attempts.kept + 1].made);
    made_.erase(made_.begin() + static_cast<std::ptrdiff_t>(attempts_[0].made),
                made_.begin() + static_cast<std::ptrdiff_t>(kept.made));
    const int before = attempts_[0].number;
    auto savedThere = saved_.extract(kept.number + 1);
    saved_.erase(saved_.upper_bound(before), saved_.end());
    number_ = before;
    for (size_t i = attempts_[0].made; i < made_.size(); ++i) {
      number_ = made_[i].number = before + 1;
      if (attempts.samples != nullptr && made_[i].text.empty()) {
        made_[i].symbols = attempts.samples->symbols;
        made_[i].symbolic = symbolic(made_[i], kept.others, *attempts.samples);
      }
    }
    if (savedThere) {
      savedThere.key() = number_;
      saved_.insert(std::move(savedThere));
    }
    attempts_.clear();
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
        if (isRunnable) {
          return runtime::runnableCode(made.graph, options);
        }
        const auto print = [&](const ir::Graph& graph) { return ir::graphCode(graph, options); };
        return made.symbolic ? symbolsText(made) + made.symbolic->text(print) : print(made.graph);
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
    std::vector<std::string> symbols = {}; // see backends::SymbolicSamples
    std::optional<symbols::SymbolicGraph> symbolic = {};
  };
  struct Attempt {
    size_t made = 0; // where what it made begins
    int number = 0; // of the Graph before it
    std::vector<ir::StageArtifacts> others; // under further assignments
  };

  /// Nothing where the stage was not shown under other assignments, or they leave a doubt which expressions are meant.
  static std::optional<symbols::SymbolicGraph> symbolic(const Made& made, const std::vector<ir::StageArtifacts>& others,
                                                        backends::SymbolicSamples& samples) {
    std::vector<const ir::Graph*> graphs{&made.graph};
    for (size_t i = 1; i < samples.captured.size(); ++i) {
      const ir::Graph* other = !others.empty()                    ? others.at(i - 1).graph(made.stage)
                               : made.stage == ir::kCapturedStage ? &samples.captured[i]
                                                                  : nullptr;
      if (other == nullptr) {
        return std::nullopt;
      }
      graphs.push_back(other);
    }
    try {
      symbols::SymbolicGraph graph(graphs, samples.fitting, runtime::constantTensors(), symbols::Floats::kFitted);
      const bool isSure = !samples.fitting.isUnsure() || graphs.size() >= symbols::kAssignmentsForFloats;
      return isSure && graph.isVarying() ? std::optional(std::move(graph)) : std::nullopt;
    } catch (const std::exception&) { // what runs is symbolic all the same
      return std::nullopt;
    }
  }

  /// A line for each symbol that the Graph has: what it is.
  static std::string symbolsText(const Made& made) {
    std::string text;
    for (const symbols::Symbol symbol : made.symbolic->symbols()) {
      text += fmt::format("# s{} is {}\n", symbol, made.symbols.at(static_cast<size_t>(symbol)));
    }
    return text;
  }

  std::vector<Made> made_;
  std::vector<Attempt> attempts_; // since one was kept
  int number_ = -1;
  std::map<int, std::set<std::string>> saved_; // by number: what its forward keeps for its backwards
};

} // namespace

TOUCHSTONE_JSON_FIELDS_AS(static, ShownStage, name, graph, text)
TOUCHSTONE_JSON_FIELDS_AS(static, GraphDump, parent, name, withValues)
TOUCHSTONE_JSON_FIELDS(ShowStagesTask, call, device, capturesBackward, drawnStage, text, dynamic, metadata, dump)
TOUCHSTONE_JSON_FIELDS(ShowStagesResult, stages, folders, notDumped, drawing)

void runTask(const ShowStagesTask& task, const Job& job, const Profile&, JobResult& result) {
  const WarningKeeper warnings;
  const std::string& text = std::get<PrintedCase>(job.source).text;
  language::Case whole = parser::parsePrinted(text);
  setDynamic(task.dynamic, whole);
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
