#include "harness/commands/Trace.h"

#include "backends/Registry.h"
#include "base/ExitStatus.h"
#include "graph/ir/Stages.h"
#include "harness/worker/Job.h"
#include "program/standalone/CaseFile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sstream>
#include <utility>

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

void readLogNames(const std::vector<std::string>& names, TraceOptions& options) {
  for (const std::string& name : names) {
    if (name == "compiled_autograd") {
      options.backwards = true;
    } else if (name == "verbose") {
      options.verbose = true;
    } else {
      throw base::WrongUse(
          fmt::format("--log: there is no log `{}`. There is `compiled_autograd`, which captures and their "
                      "graphs are told in, and `compiled_autograd,verbose`, which says also why.",
                      name));
    }
  }
  if (options.verbose && !options.backwards) {
    throw base::WrongUse("--log verbose says more of a log: give `--log compiled_autograd,verbose`.");
  }
}

void checkTraceable(const TraceOptions& options, const std::vector<std::string>& backends) {
  for (const std::string& name : backends) {
    if (backends::backendInfo(name).family == ir::Family::kNative) {
      continue;
    }
    if (options.calls) {
      throw base::WrongUse(fmt::format(
          "--trace-calls shows the calls of native backends; the graphs of `{}` run in the installed PyTorch. Name native ones, "
          "`--backends eager` for what the program calls, `--backends aot_eager_decomp_partition` for forward and backward as "
          "Inductor gets them.",
          name));
    }
    throw base::WrongUse(fmt::format(
        "--log shows what native backends do; `{}` is the installed PyTorch. Name native ones, as `--backends aot_eager`, or run "
        "the file with `TORCH_LOGS=compiled_autograd` and its Python.",
        name));
  }
}

Trace traceCase(const TraceOptions& options, const pool::CaseFile& file, const std::string& backend,
                pool::WorkerPool& pool) {
  worker::Job job;
  job.source = worker::PrintedCase{standalone::printCase(file.content)};
  job.backends = {backend};
  job.task = worker::TraceTask{.tracesCalls = options.calls, .logsBackwards = options.backwards};
  const worker::JobResult result = pool::runnerOf(pool, ir::Family::kNative)(job);
  if (const auto* traced = result.as<worker::TraceResult>()) {
    return {options, *traced, ""};
  }
  const worker::BackendResult* end = result.under(backend);
  return {options, {}, end != nullptr ? end->text + (end->message.empty() ? "" : ": " + end->message) : result.error};
}

namespace {

/// Lines of one trace.
class TraceLines {
 public:
  explicit TraceLines(size_t indent) : indent_(indent) {}
  void add(size_t deeper, const std::string& line) { text_ += std::string(indent_ + deeper, ' ') + line + "\n"; }
  void addRuns(const std::vector<worker::TracedRun>& runs);
  /// The verbose ones only if asked for.
  void addBackwards(const std::vector<worker::LoggedBackward>& backwards, bool verbose);
  std::string take() { return std::move(text_); }

 private:
  const size_t indent_;
  std::string text_;
};

void TraceLines::addRuns(const std::vector<worker::TracedRun>& runs) {
  for (const worker::TracedRun& run : runs) {
    add(0, headOf(run));
    if (run.calls.empty()) {
      add(2, silenceOf(run));
    }
    for (const std::string& call : run.calls) {
      add(2, call);
    }
  }
  if (runs.empty()) {
    add(0, "calls: no compiled graph ran");
  }
}

void TraceLines::addBackwards(const std::vector<worker::LoggedBackward>& backwards, bool verbose) {
  for (const worker::LoggedBackward& said : backwards) {
    if (said.isVerbose && !verbose) {
      continue;
    }
    std::istringstream lines(said.text);
    std::string line;
    std::getline(lines, line);
    add(0, fmt::format("call {}, {}: {}", said.call, said.step, line));
    while (std::getline(lines, line)) {
      add(2, line);
    }
  }
  if (backwards.empty()) {
    add(0, "log: no backward goes through compiled autograd; --compiled-autograd sends them there");
  }
}

} // namespace

std::string traceText(const Trace& trace, size_t indent) {
  const TraceOptions& options = trace.asked;
  TraceLines lines(indent);
  if (!trace.failure.empty()) {
    lines.add(0, (options.calls ? "calls: not traced, " : "log: there is none, ") + trace.failure);
    return lines.take();
  }
  if (options.calls) {
    lines.addRuns(trace.result.runs);
  }
  if (options.backwards) {
    lines.addBackwards(trace.result.backwards, options.verbose);
  }
  for (size_t call = 0; call < trace.result.raised.size(); ++call) {
    if (!trace.result.raised[call].empty()) {
      lines.add(0, fmt::format("call {} raised {}", call, trace.result.raised[call]));
    }
  }
  return lines.take();
}

nlohmann::json traceJson(const Trace& trace) {
  const TraceOptions& options = trace.asked;
  nlohmann::json object{{"raised", trace.result.raised}, {"failure", trace.failure}};
  if (options.calls) {
    object["runs"] = nlohmann::json::array();
    for (const worker::TracedRun& run : trace.result.runs) {
      object["runs"].push_back({{"call", run.call},
                                {"step", run.step},
                                {"graph", run.graph},
                                {"stage", run.stage},
                                {"operators", run.operators},
                                {"calls", run.calls}});
    }
  }
  if (options.backwards) {
    object["log"] = nlohmann::json::array();
    for (const worker::LoggedBackward& said : trace.result.backwards) {
      if (!said.isVerbose || options.verbose) {
        object["log"].push_back(
            {{"call", said.call}, {"step", said.step}, {"verbose", said.isVerbose}, {"text", said.text}});
      }
    }
  }
  return object;
}

} // namespace touchstone::commands
