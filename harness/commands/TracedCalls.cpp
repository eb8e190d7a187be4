#include "harness/commands/TracedCalls.h"

#include "backends/Registry.h"
#include "base/ExitStatus.h"
#include "graph/ir/Stages.h"
#include "harness/worker/Job.h"
#include "program/standalone/CaseFile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace touchstone::commands {

namespace {

std::string headOf(const worker::TracedRun& run) {
  const std::string graph = run.graph >= 0                               ? fmt::format("graph {}, ", run.graph)
                            : ir::isStage(run.stage, ir::kBackwardStage) ? ""
                                                                         : "captured backward, ";
  return fmt::format("call {}, {}: {}{}", run.call, run.step, graph, run.stage);
}

/// Why a run shows no calls.
std::string silenceOf(const worker::TracedRun& run) {
  return run.operators == 0
             ? "no operators"
             : fmt::format("{} operators in code of the compiler's own, whose calls no mode sees", run.operators);
}

} // namespace

void checkTraceable(const std::vector<std::string>& backends) {
  for (const std::string& name : backends) {
    if (backends::backendInfo(name).family != ir::Family::kNative) {
      throw base::WrongUse(fmt::format(
          "--trace-calls shows the calls of native backends; the graphs of `{}` run in the installed PyTorch. Name native ones, "
          "`--backends eager` for what the program calls, `--backends aot_eager_decomp_partition` for forward and backward as "
          "Inductor gets them.",
          name));
    }
  }
}

TracedCalls traceCalls(const pool::CaseFile& file, const std::string& backend, pool::WorkerPool& pool) {
  worker::Job job;
  job.source = worker::PrintedCase{standalone::printCase(file.content)};
  job.backends = {backend};
  job.task = worker::TraceCallsTask{};
  const worker::JobResult result = pool::runnerOf(pool, ir::Family::kNative)(job);
  if (const auto* traced = result.as<worker::TraceCallsResult>()) {
    return {*traced, ""};
  }
  const worker::BackendResult* end = result.under(backend);
  return {{}, end != nullptr ? end->text + (end->message.empty() ? "" : ": " + end->message) : result.error};
}

std::string tracedText(const TracedCalls& traced, size_t indent) {
  std::string text;
  const auto add = [&](size_t deeper, const std::string& line) {
    text += std::string(indent + deeper, ' ') + line + "\n";
  };
  if (!traced.failure.empty()) {
    add(0, "calls: not traced, " + traced.failure);
  }
  for (const worker::TracedRun& run : traced.result.runs) {
    add(0, headOf(run));
    if (run.calls.empty()) {
      add(2, silenceOf(run));
    }
    for (const std::string& call : run.calls) {
      add(2, call);
    }
  }
  for (size_t call = 0; call < traced.result.raised.size(); ++call) {
    if (!traced.result.raised[call].empty()) {
      add(0, fmt::format("call {} raised {}", call, traced.result.raised[call]));
    }
  }
  if (traced.failure.empty() && traced.result.runs.empty()) {
    add(0, "calls: no compiled graph ran");
  }
  return text;
}

nlohmann::json tracedJson(const TracedCalls& traced) {
  nlohmann::json runs = nlohmann::json::array();
  for (const worker::TracedRun& run : traced.result.runs) {
    runs.push_back({{"call", run.call},
                    {"step", run.step},
                    {"graph", run.graph},
                    {"stage", run.stage},
                    {"operators", run.operators},
                    {"calls", run.calls}});
  }
  return {{"runs", std::move(runs)}, {"raised", traced.result.raised}, {"failure", traced.failure}};
}

} // namespace touchstone::commands
