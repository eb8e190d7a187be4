#include "harness/commands/DumpCommand.h"

#include "backends/Registry.h"
#include "backends/native/BackendTable.h"
#include "backends/native/DeviceTrace.h"
#include "base/AtomicFile.h"
#include "graph/ir/Graphviz.h"
#include "graph/ir/Stages.h"
#include "harness/commands/Commands.h"
#include "harness/pool/CaseFiles.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/report/Report.h"
#include "harness/worker/ShowStagesTask.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>

namespace touchstone::commands {

namespace {

using language::Outcome;

/// What to tell of a compile that did not come to its end, and what the command ends with.
struct EndEntry {
  Outcome outcome;
  const char* text; // then the message
  base::ExitStatus status;
};
constexpr std::array kEnds{
    EndEntry{Outcome::kAgreed, "", base::ExitStatus::kNothingNew},
    EndEntry{Outcome::kEagerRejected,
             "The Program raises in eager, so there is nothing to compile:", base::ExitStatus::kTooLittleJudged},
    EndEntry{Outcome::kUnsupported, "The backend cannot take this Case:", base::ExitStatus::kTooLittleJudged},
    EndEntry{Outcome::kEagerCrashed,
             "The Program crashes in eager, so there is nothing to compile:", base::ExitStatus::kTooLittleJudged},
    EndEntry{Outcome::kEagerTimedOut,
             "The Program does not come to an end in eager:", base::ExitStatus::kTooLittleJudged},
    EndEntry{Outcome::kInternalError, "The backend fails where eager does not:", base::ExitStatus::kFindings},
    EndEntry{Outcome::kCrashed, "The backend crashes where eager does not:", base::ExitStatus::kFindings},
    EndEntry{Outcome::kTimedOut, "The backend does not come to an end:", base::ExitStatus::kFindings},
    EndEntry{Outcome::kOutOfMemory, "The backend uses up its memory:", base::ExitStatus::kFindings},
};

const EndEntry& endOf(Outcome outcome) {
  const auto* found =
      std::find_if(kEnds.begin(), kEnds.end(), [&](const EndEntry& each) { return each.outcome == outcome; });
  if (found == kEnds.end()) {
    throw std::logic_error(fmt::format("a dump cannot end with {}", language::outcomeName(outcome)));
  }
  return *found;
}

/// Text that is no code, as comments.
std::string commented(const std::string& text) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    result += "# " + line + "\n";
  }
  return result;
}

void printStages(const worker::ShowStagesResult& result, const DumpOptions& options) {
  if (options.stage.empty()) {
    fmt::print("# {}, call {}, as {} compiles it{}\n", options.path, options.call, options.backend,
               options.device.empty() ? "" : " for " + options.device + ", claimed: traced without values, not run");
  }
  const bool hasSeveral = !result.stages.empty() && result.stages.back().graph > 0;
  bool isFirst = !options.stage.empty();
  for (const auto& [name, graph, text] : result.stages) {
    const ir::StageEntry& stage = ir::stageEntry(name);
    fmt::print("{}", isFirst ? "" : "\n");
    isFirst = false;
    if (hasSeveral) {
      fmt::print("# Graph {}, {}: {}\n", graph, name, stage.leaves);
    } else if (options.stage.empty()) {
      fmt::print("# {}: {}\n", name, stage.leaves);
    }
    fmt::print("{}", stage.isGraph ? text : commented(text));
  }
}

void printStagesJson(const worker::ShowStagesResult& result, const worker::BackendResult& end,
                     const DumpOptions& options) {
  nlohmann::json stages = nlohmann::json::array();
  for (const auto& [name, graph, text] : result.stages) {
    stages.push_back({{"name", name}, {"graph", graph}, {"text", text}});
  }
  nlohmann::json notWritten = nlohmann::json::array();
  for (const auto& [part, why] : result.notDumped) {
    notWritten.push_back({{"part", part}, {"reason", why}});
  }
  const nlohmann::json object{{"schema", 1},
                              {"torch", report::torchVersion()},
                              {"file", options.path},
                              {"call", options.call},
                              {"backend", options.backend},
                              {"stages", std::move(stages)},
                              {"folders", result.folders},
                              {"not_written", notWritten},
                              {"outcome", end.outcome == Outcome::kAgreed ? "" : end.text},
                              {"message", end.message},
                              {"warnings", end.warnings}};
  report::printJson(object);
}

bool isDrawn(const DumpOptions& options) {
  return !options.svg.empty() || !options.dot.empty();
}

void checkDrawn(const DumpOptions& options) {
  if (isDrawn(options) && options.stage.empty()) {
    throw base::WrongUse("A picture shows one stage: say which with --stage.");
  }
  if (isDrawn(options) && !ir::stageEntry(options.stage).isGraph) {
    throw base::WrongUse("The stage `" + options.stage + "` is no Graph, so there is nothing to draw.");
  }
}

void checkText(const DumpOptions& options) {
  if (options.metadata && !options.readable) {
    throw base::WrongUse("--metadata is of the readable code, and --python is another: give one of the two.");
  }
  if (options.metadata && !options.json && (isDrawn(options) || !options.graphs.empty())) {
    throw base::WrongUse("--metadata is of the readable code, which --svg, --dot and --graphs do not print.");
  }
}

void checkGraphs(const DumpOptions& options) {
  if (options.inputs && options.graphs.empty()) {
    throw base::WrongUse("--inputs says what is kept in the folders of --graphs; give that, too.");
  }
  if (!options.graphs.empty() && !options.device.empty()) {
    throw base::WrongUse("With --device nothing runs, and nothing is written by --graphs: give one of the two.");
  }
  if (!options.graphs.empty() && native::aotPipelineOf(options.backend) == nullptr) {
    std::vector<std::string> names;
    for (const native::NativeBackend& each : native::nativeBackends()) {
      if (std::holds_alternative<native::AotPipeline>(each.make)) {
        names.push_back("`" + std::string(each.name) + "`");
      }
    }
    throw base::WrongUse(
        fmt::format("`{}` has no forward and backward Graphs that could be written. Give --backend one of {}.",
                    options.backend, fmt::join(names, ", ")));
  }
  if (options.graphsName.empty() || options.graphsName.find('/') != std::string::npos) {
    throw base::WrongUse("`" + options.graphsName + "` is no name of a folder.");
  }
}

/// The folders of --graphs, and what they lack.
void tellFolders(const worker::ShowStagesResult& result, const DumpOptions& options) {
  for (const std::string& folder : result.folders) {
    fmt::print("{}\n", folder);
  }
  for (const auto& [part, why] : result.notDumped) {
    fmt::print(stderr, "{}: `{}` was not written: {}\n", options.path, part, why);
  }
}

void writeDrawing(const std::string& drawing, const DumpOptions& options) {
  if (!options.dot.empty()) {
    base::writeFile(options.dot, drawing);
  }
  if (!options.svg.empty()) {
    base::writeFile(options.svg, ir::svgOf(drawing));
  }
}

} // namespace

const std::vector<std::string>& stageNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const ir::StageEntry& each : ir::kStages) {
      all.emplace_back(each.name);
    }
    return all;
  }();
  return names;
}

/// A line a stage: its name and what it shows.
static std::string stageExplanations() {
  std::string text;
  for (const ir::StageEntry& each : ir::kStages) {
    text += fmt::format("  {:12} {}\n", each.name, each.leaves);
  }
  return text;
}

worker::JobResult runStages(const DumpOptions& options, worker::Task task) {
  const ir::BackendInfo info = backends::backendInfo(options.backend);
  if (info.family != ir::Family::kNative && std::holds_alternative<worker::ShowStagesTask>(task)) {
    std::vector<std::string> native;
    for (const ir::BackendInfo& each : backends::builtInBackends()) {
      if (each.family == ir::Family::kNative) {
        native.push_back("`" + each.name + "`");
      }
    }
    throw base::WrongUse(fmt::format(
        "`touchstone dump` shows native pipelines only; `{}` runs in the installed PyTorch. Give --backend one of {}.",
        info.name, fmt::join(native, ", ")));
  }
  if (!options.device.empty()) {
    native::deviceToTrace(options.device, options.backend);
  }
  pool::GivenCase given = pool::readGivenCase(options.path);
  const int calls = static_cast<int>(given.theCase.calls.size());
  if (options.call >= calls) {
    throw base::WrongUse(
        fmt::format("{} has no call {}: it has {}, counted from 0.", options.path, options.call, calls));
  }
  pool::WorkerPool pool({1, {info.name}, options.limits});
  worker::JobResult result = pool::runnerOf(pool, info.family)(
      {.source = worker::PrintedCase{std::move(given.text)}, .backends = {info.name}, .task = std::move(task)});
  if (result.backends.empty()) {
    throw std::runtime_error(result.error);
  }
  return result;
}

base::ExitStatus tellEnd(const std::string& path, const worker::BackendResult& end) {
  const EndEntry& entry = endOf(end.outcome);
  for (const std::string& warning : end.warnings) {
    fmt::print(stderr, "{}: warning: {}\n", path, warning);
  }
  if (entry.outcome != Outcome::kAgreed) {
    fmt::print(stderr, "{}: {} {}\n", path, entry.text, end.message);
  }
  return entry.status;
}

static base::ExitStatus dumpStages(const DumpOptions& options) {
  checkDrawn(options);
  checkText(options);
  checkGraphs(options);
  base::tryToWriteInto(options.graphs);
  base::tryToWriteFile(options.dot);
  base::tryToWriteFile(options.svg);
  worker::ShowStagesTask task{.call = options.call, .device = options.device};
  task.text = options.readable ? "" : worker::kRunnableText;
  task.metadata = options.metadata;
  task.dynamic = options.dynamic;
  if (!options.graphs.empty()) {
    task.dump = {std::filesystem::absolute(options.graphs).string(), options.graphsName, options.inputs};
  }
  task.capturesBackward = options.stage == ir::kCompiledAutogradStage;
  task.drawnStage = isDrawn(options) ? options.stage : "";
  const worker::JobResult found = runStages(options, std::move(task));
  const worker::BackendResult& end = found.backends.at(0);
  const auto* answer = found.as<worker::ShowStagesResult>();
  worker::ShowStagesResult result = answer != nullptr ? *answer : worker::ShowStagesResult();
  std::vector<std::string> made;
  for (const worker::ShownStage& stage : result.stages) {
    if (std::find(made.begin(), made.end(), stage.name) == made.end()) {
      made.push_back(stage.name);
    }
  }
  std::erase_if(result.stages, [&](const worker::ShownStage& stage) {
    return !options.stage.empty() && !ir::isStage(stage.name, options.stage);
  });
  if (!result.drawing.empty()) {
    writeDrawing(result.drawing, options);
  }
  if (options.json) {
    printStagesJson(result, end, options);
  } else if (!options.graphs.empty()) {
    tellFolders(result, options);
  } else if (!isDrawn(options)) {
    printStages(result, options);
  }
  const base::ExitStatus status = tellEnd(options.path, end);
  if (end.outcome == Outcome::kAgreed && result.stages.empty()) {
    fmt::print(
        stderr, "{}: `{}` made no stage `{}` of call {}; there is {}.{}\n", options.path, options.backend,
        options.stage, options.call, fmt::join(made, ", "),
        options.stage == ir::kBackwardStage
            ? " A backward is missing where nothing needs gradients, and where that of all "
              "outputs together raises."
        : options.stage == ir::kCompiledAutogradStage
            ? " The call has no backward, or it cannot be captured: `touchstone run --compiled-autograd` says why. "
              "With --device nothing runs, so there is none."
            : "");
    return base::ExitStatus::kTooLittleJudged;
  }
  return status;
}

options::Command dumpCommand() {
  const auto asked = std::make_shared<DumpOptions>();
  return {
      .options =
          {options::caseFile(asked->path),
           {"--stage,-s", &asked->stage, "One of the stages below; default: all, in their order",
            options::oneOf(stageNames())},
           {"--call", &asked->call, "Which entry of CALLS, counted from 0", options::nonNegativeNumber().shown()},
           {"--backend,-b", &asked->backend, "A native backend", options::shown()},
           {"--device", &asked->device,
            "Compile as though the arguments were there, `cuda:0` say; traced without values, so there need not be "
            "one, and nothing runs"},
           {"--readable,!--python", &asked->readable,
            "As readable code, a line an operator, with dtype, sizes and strides: so it is anyway. With --python as a "
            "module that PyTorch alone runs: the constants are written out"},
           {"--metadata", &asked->metadata,
            "Beside each node the operator that was recorded where it stands, the line and statement, and the number of "
            "autograd's node; of a backward node those of the forward's call. Not with --python"},
           {"--graphs", &asked->graphs,
            "Write the joint, forward and backward Graph of each compile into a folder of its own in this folder, "
            "NAME_0, NAME_1, …, which `touchstone run` and plain Python run again; see docs/graph_files.md"},
           {"--name", &asked->graphsName, "NAME of these folders", options::shown()},
           {"--inputs", &asked->inputs,
            "Keep in them what each Graph is given, and what it gives; the call is made with its backward"},
           {"--svg", &asked->svg, "Draw the stage into this file instead of printing it; needs Graphviz"},
           {"--dot", &asked->dot, "The same as text for Graphviz, which need not be on this machine"},
           pool::dynamicOption(asked->dynamic),
           pool::limitOptions(asked->limits),
           options::jsonFlag(asked->json)},
      .footer =
          "Stages:\n" + stageExplanations() +
          "\nA call is compiled for its exact arguments, so each call whose arguments are laid out or aliased\n"
          "otherwise may show other code. The calls before it run eagerly first. Exit status: 1 when the backend\n"
          "fails where eager does not; 4 when the Program raises or the backend says that it cannot take it.\n"
          "\nExamples:\n"
          "  touchstone dump corpus/edge_classes/38_mutation_and_view_output.py\n"
          "  touchstone dump case.py --stage functional --call 1\n"
          "  touchstone dump case.py --stage backward --metadata            what each node is the gradient of\n"
          "  touchstone dump case.py --stage functional --svg graph.svg    forward and backward side by side\n"
          "  touchstone dump case.py --stage forward --python > forward.py\n"
          "  touchstone dump case.py --graphs dumped --inputs && touchstone run dumped/graphs_0\n"
          "  touchstone dump case.py --stage joint --device cuda:0         what a GPU would get",
      .run = [asked](const options::Given&) { return dumpStages(*asked); },
  };
}

} // namespace touchstone::commands
