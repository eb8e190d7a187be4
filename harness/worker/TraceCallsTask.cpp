#include "harness/worker/TraceCallsTask.h"

#include "backends/Registry.h"
#include "backends/debugging/CallLog.h"
#include "backends/native/NativeBackends.h"
#include "harness/worker/CallsAgain.h"
#include "harness/worker/Job.h"
#include "harness/worker/JsonFields.h"
#include "harness/worker/JudgeBackend.h"
#include "harness/worker/Progress.h"
#include "harness/worker/ShownCall.h"
#include "harness/worker/WarningKeeper.h"

#include <memory>
#include <utility>

namespace touchstone::worker {

namespace {

TraceCallsResult traceCallsOf(const language::Case& theCase, const ir::BackendInfo& info,
                              const std::vector<std::string>& source) {
  TraceCallsResult traced;
  debugging::CallLog log(source);
  const auto program = native::makeNativeBackend(info, {log.observer()})->compile(theCase);
  std::pair<int, std::string> running;
  const auto keep = [&] {
    for (debugging::GraphRun& run : log.take()) {
      traced.runs.push_back(
          {running.first, running.second, run.graph, std::move(run.stage), run.operators, std::move(run.calls)});
    }
  };
  {
    const debugging::CallLog::Scope scope(log);
    traced.raised = makeCallsAgain(theCase, *program, "trace", [&](int call, const char* step) {
      keep();
      running = {call, step};
    });
  }
  keep();
  return traced;
}

} // namespace

TOUCHSTONE_JSON_FIELDS_AS(static, TracedRun, call, step, graph, stage, operators, calls)
TOUCHSTONE_JSON_FIELDS(TraceCallsResult, runs, raised)

void runTask(const TraceCallsTask&, const Job& job, const Profile& profile, JobResult& result) {
  const WarningKeeper warnings; // the judgement has told them
  const std::optional<language::Case> theCase = makeCase(job.source, profile, result.making);
  if (!theCase) {
    return;
  }
  const ir::BackendInfo info = backends::backendInfo(job.backends.front());
  currentProgress().beginBackend(info.name);
  BackendResult& end = result.backends.emplace_back();
  end.backend = info.name;
  end.outcome = language::Outcome::kAgreed;
  end.text = language::outcomeName(end.outcome);
  const bool profiled = info.name == profile.backend;
  result.answer = traceCallsOf(profiled ? withOptionsOf(profile, *theCase) : *theCase, info,
                               linesOf(std::get<PrintedCase>(job.source).text));
}

} // namespace touchstone::worker
