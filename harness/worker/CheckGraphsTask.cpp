#include "harness/worker/CheckGraphsTask.h"

#include "backends/Registry.h"
#include "backends/graph_files/GraphDumper.h"
#include "backends/native/NativeBackends.h"
#include "graph/ir/GraphDrawing.h"
#include "graph/ir/Stages.h"
#include "graph/runtime/GraphCode.h"
#include "graph/runtime/RunnableCode.h"
#include "harness/worker/Job.h"
#include "harness/worker/JsonFields.h"
#include "harness/worker/Progress.h"
#include "program/evaluator/Evaluator.h"
#include "program/values/CompiledProgram.h"
#include "program/values/RaisedException.h"

#include <ATen/ops/ones_like.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/variable.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>

namespace touchstone::worker {

namespace {

/// A folder that is gone with this object.
class ScratchFolder {
 public:
  ScratchFolder() : path_((std::filesystem::temp_directory_path() / "touchstone_graphs_XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) {
      throw std::runtime_error("No folder could be made in " + std::filesystem::temp_directory_path().string());
    }
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::filesystem::path path() const { return path_; }

 private:
  std::string path_;
};

std::string textOf(const ir::Graph& graph) {
  ir::GraphTextOptions options = runtime::libtorchTextOptions();
  options.showState = true;
  return ir::graphCode(graph, options);
}

/// From every output that has one, with tangents laid out as what was compiled expects them.
void runBackward(const values::Value& result) {
  std::vector<at::Tensor> outputs;
  values::collectTensors(result, outputs);
  torch::autograd::edge_list roots;
  torch::autograd::variable_list tangents;
  for (const at::Tensor& output : outputs) {
    if (output.defined() && output.grad_fn()) {
      roots.push_back(torch::autograd::impl::gradient_edge(output));
      tangents.push_back(at::ones_like(output.detach()));
    }
  }
  if (!roots.empty()) {
    torch::autograd::Engine::get_default_engine().execute(roots, tangents, false, false, true, {});
  }
}

/// Makes the first call, and a backward from all that it returns. What they raise is not what is looked at here, but said.
std::string makeFirstCall(
    const language::Case& theCase, const std::string& backend,
    const std::function<std::unique_ptr<values::CompiledProgram>(const language::Case&)>& compile) {
  currentProgress().beginBackend(backend);
  currentProgress().enter("compile", 0);
  const language::CallSpec& call = theCase.calls.front();
  try {
    evaluator::InputSet inputs = evaluator::Evaluator(theCase).makeInputs(*call.inputs, call.seed, call.kind);
    runBackward((*compile(theCase))(inputs.arguments));
    return "";
  } catch (const std::exception&) {
    return values::currentException().what();
  }
}

/// Without the metadata of placeholders that a file has, as the dumper works it out, and the Graph that was written has not.
ir::Graph knowingAsMuch(ir::Graph graph, const ir::Graph& as) {
  for (const ir::NodeId id : graph.placeholders()) {
    if (!as.node(id).metadata) {
      graph.node(id).metadata.reset();
    }
  }
  return graph;
}

/// Reads a folder's Graphs again and holds them against what they were.
void checkFolder(const std::filesystem::path& path, const std::map<std::string, ir::Graph>& written,
                 GraphCheck& check) {
  const graph_files::GraphFolder folder = graph_files::GraphFolder::open(path);
  ++check.folders;
  for (const std::string& part : folder.parts()) {
    ++check.graphs;
    const ir::Graph graph = folder.graph(part);
    if (const auto original = written.find(part); original != written.end()) {
      const std::string text = textOf(original->second), found = textOf(knowingAsMuch(graph, original->second));
      if (text != found) {
        check.failures.push_back(
            fmt::format("{}: another Graph was read than was written:\n{}\n{}", part, text, found));
      }
    }
    const std::optional<graph_files::GraphObservation> kept = folder.observation(part);
    if (!kept) {
      continue;
    }
    ++check.kept;
    const graph_files::GraphObservation found = graph_files::observeGraph(graph, kept->inputs, kept->generator);
    if (const std::string difference = graph_files::differenceOf(found, *kept); !difference.empty()) {
      check.failures.push_back(fmt::format("{}: {}", part, difference));
    }
  }
}

void checkFiles(const Job& job, const language::Case& theCase, GraphCheck& check) {
  const ScratchFolder scratch;
  const std::string& backend = job.backends.front();
  std::vector<std::map<std::string, ir::Graph>> written; // by folder
  ir::Graph joint;
  const auto visitor =
      backends::visitGraphs([&](const std::string& stage, const ir::StageArtifacts&, const ir::Graph& graph) {
        if (stage == ir::kFunctionalStage || stage == ir::kMergedStage) {
          joint = graph;
        } else if (stage == ir::kForwardStage) {
          written.push_back({{ir::kJointStage, joint}, {stage, graph}});
        } else if (ir::isStage(stage, ir::kBackwardStage)) {
          written.back()[stage] = graph;
        }
      });
  const auto dumper = std::make_shared<graph_files::GraphDumper>(
      graph_files::GraphDumpOptions{scratch.path(), "graphs", backend, /*withValues=*/true});
  check.skipped = makeFirstCall(theCase, backend, [&](const language::Case& first) {
    return native::makeNativeBackend(backends::backendInfo(backend), {visitor, dumper})->compile(first);
  });
  for (const auto& [part, why] : dumper->refused()) {
    check.refused.push_back(part + ": " + why);
  }
  const std::vector<std::filesystem::path> folders = dumper->folders();
  for (size_t i = 0; i < folders.size(); ++i) {
    checkFolder(folders[i], written.at(i), check);
  }
}

void checkTexts(const Job& job, const language::Case& theCase, GraphCheck& check) {
  const auto visitor =
      backends::visitGraphs([&](const std::string& stage, const ir::StageArtifacts& artifacts, const ir::Graph& graph) {
        ++check.graphs;
        ir::GraphTextOptions options = runtime::libtorchTextOptions();
        options.name = stage;
        options.showState = true;
        try {
          ir::printGraph(graph, stage);
          ir::graphCode(graph, options);
          const std::string python = runtime::runnableCode(graph, options);
          if (std::get<CheckGraphsTask>(job.task).wantPython) {
            check.python.push_back(python);
          }
          ir::DrawnGraph drawn{
              .graph = &graph, .text = options, .returnsView = runtime::returnsView, .family = runtime::familyOf};
          drawn.part = stage == ir::kForwardStage               ? ir::DrawnPart::kForward
                       : ir::isStage(stage, ir::kBackwardStage) ? ir::DrawnPart::kBackward
                                                                : ir::DrawnPart::kWhole;
          drawn.saved = {artifacts.partition.saved.begin(), artifacts.partition.saved.end()};
          ir::graphDrawing({drawn});
        } catch (const std::exception&) {
          check.failures.push_back(stage + ": " + values::currentException().what());
        }
      });
  for (const std::string& backend : job.backends) {
    const std::string raised = makeFirstCall(theCase, backend, [&](const language::Case& first) {
      return native::makeNativeBackend(backends::backendInfo(backend), {visitor})->compile(first);
    });
    check.skipped = check.graphs == 0 ? raised : "";
  }
}

} // namespace

TOUCHSTONE_JSON_FIELDS(CheckGraphsTask, check, wantPython)
TOUCHSTONE_JSON_FIELDS(GraphCheck, graphs, folders, kept, skipped, refused, failures, python)

void runTask(const CheckGraphsTask& task, const Job& job, const Profile& profile, JobResult& result) {
  const std::optional<language::Case> theCase = makeCase(job.source, profile, result.making);
  if (!theCase) {
    return;
  }
  GraphCheck& check = result.answer.emplace<GraphCheck>();
  try {
    (task.check == kCheckFiles ? checkFiles : checkTexts)(job, *theCase, check);
  } catch (const ir::Unsupported& unsupported) {
    check.skipped = unsupported.what();
  } catch (const std::exception&) {
    check.failures.emplace_back(values::currentException().what());
  }
}

} // namespace touchstone::worker
