#include "harness/worker/RerunTask.h"

#include "backends/graph_files/GraphFolder.h"
#include "graph/ir/ArgumentText.h"
#include "graph/runtime/Interpreter.h"
#include "harness/worker/Job.h"
#include "harness/worker/JsonFields.h"
#include "harness/worker/Progress.h"
#include "program/values/RaisedException.h"

namespace touchstone::worker {

static std::string outputText(const at::Tensor& output) {
  return output.defined() ? ir::tensorTypeText(runtime::metadataOf(output)) : "None";
}

TOUCHSTONE_JSON_FIELDS_AS(static, GraphRerun, part, operators, isKept, raised, difference, outputs)
TOUCHSTONE_JSON_FIELDS(RerunTask, folder)
TOUCHSTONE_JSON_FIELDS(RerunResult, graphs)

void runTask(const RerunTask& task, const Job&, const Profile&, JobResult& result) {
  currentProgress().enter("graphs");
  RerunResult& answer = result.answer.emplace<RerunResult>();
  try {
    const graph_files::GraphFolder folder = graph_files::GraphFolder::open(task.folder);
    for (const std::string& part : folder.parts()) {
      const ir::Graph graph = folder.graph(part);
      const std::optional<graph_files::GraphObservation> kept = folder.observation(part);
      const std::vector<at::Tensor> inputs =
          kept ? kept->inputs : graph_files::inputsLike(folder.path() / part / "inputs.json");
      GraphRerun& rerun = answer.graphs.emplace_back();
      rerun.part = part;
      rerun.operators = graph.operatorCount();
      rerun.isKept = kept.has_value();
      try {
        const graph_files::GraphObservation found =
            graph_files::observeGraph(graph, inputs, kept ? kept->generator : at::Tensor());
        rerun.difference = kept ? graph_files::differenceOf(found, *kept) : "";
        for (const at::Tensor& output : found.outputs) {
          rerun.outputs.push_back(outputText(output));
        }
      } catch (const std::exception&) {
        rerun.raised = values::currentException().what();
      }
    }
  } catch (const graph_files::GraphFileError& error) {
    result.error = error.what();
  }
}

} // namespace touchstone::worker
