#include "harness/worker/CallsAgain.h"

#include "backends/Registry.h"
#include "backends/compiled_autograd/CaptureLog.h"
#include "backends/debugging/CallLog.h"
#include "backends/native/NativeBackends.h"
#include "graph/runtime/GraphCode.h"
#include "harness/worker/Job.h"
#include "harness/worker/JsonFields.h"
#include "harness/worker/JudgeBackend.h"
#include "harness/worker/Progress.h"
#include "harness/worker/ShownCall.h"
#include "harness/worker/WarningKeeper.h"
#include "oracles/observe/CallRunner.h"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <utility>

namespace touchstone::worker {

namespace {

std::string raisedText(const observe::ExceptionObservation& raised) {
  return fmt::format("{}: {}", raised.unsupported ? "Unsupported" : raised.type, raised.message);
}

std::string raisedText(const observe::CallObservation& call) {
  return call.exception           ? raisedText(*call.exception)
         : call.backwardException ? raisedText(*call.backwardException)
                                  : "";
}

/// Makes all calls with one compiled program; nothing is judged. `task` is what the clock says of it, `onStep` is told before each
/// step (observe::RunOptions::onStep). By call, what it raised; empty: nothing.
std::vector<std::string> makeCallsAgain(const language::Case& theCase, values::CompiledProgram& program,
                                        const char* task,
                                        const std::function<void(int call, const char* step)>& onStep) {
  observe::RunOptions options;
  options.probeEffects = false;
  options.onStep = [&](int call, const char* step) {
    onStep(call, step);
    currentProgress().enter(task, call, step);
  };
  options.reset = [&] { program.reset(); };
  options.compiledAutograd = [&] { return program.compiledAutograd(); };
  options.instance = [&](int instance, values::ValueList& arguments) {
    return program.callInstance(instance, arguments);
  };
  std::vector<std::string> raised;
  for (const observe::CallObservation& call : observe::runCalls(theCase, program, options).calls) {
    raised.push_back(raisedText(call));
  }
  return raised;
}

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

/// Writes down what it hears, and in which step of which call.
class Listener final : public compiled_autograd::CaptureListener {
 public:
  explicit Listener(bool isVerbose) : isVerbose_(isVerbose) {}

  void onMiss(const std::string& reason, const std::vector<std::string>& byNode) override {
    if (isVerbose_) {
      std::string text = fmt::format("Cache miss: {}\n", reason);
      for (const std::string& line : byNode) {
        text += fmt::format("  {}\n", line);
      }
      add(std::move(text));
    }
  }

  void onGraph(int64_t capture, const ir::CapturedBackward& captured) override {
    ir::GraphTextOptions options = runtime::libtorchTextOptions();
    options.name = fmt::format("compiled_autograd_{}", capture);
    options.origins = captured.origins;
    options.showDevices = true;
    add(fmt::format("Capture {}\n{}", capture, ir::graphCode(captured.graph, options)));
  }

  void onNote(const std::string& line) override {
    if (isVerbose_) {
      add(line + "\n");
    }
  }

  void beginStep(int call, const char* step) { at_ = {call, step, ""}; }
  std::vector<LoggedText> take() { return std::move(texts_); }

 private:
  void add(std::string text) {
    texts_.push_back(at_);
    texts_.back().text = std::move(text);
  }

  const bool isVerbose_;
  LoggedText at_;
  std::vector<LoggedText> texts_;
};

LogResult logOf(const language::Case& theCase, const ir::BackendInfo& info, const LogTask& task) {
  const auto program = native::makeNativeBackend(info)->compile(theCase);
  Listener listener(task.isVerbose);
  LogResult log;
  {
    const compiled_autograd::CaptureListenerScope scope(listener);
    log.raised =
        makeCallsAgain(theCase, *program, "log", [&](int call, const char* step) { listener.beginStep(call, step); });
  }
  log.texts = listener.take();
  return log;
}

/// Fills in the job's answer with what `show` makes of the Case under the job's backend.
template <class Show>
void answer(const Job& job, const Profile& profile, JobResult& result, const Show& show) {
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
  result.answer = show(profiled ? withOptionsOf(profile, *theCase) : *theCase, info);
}

} // namespace

TOUCHSTONE_JSON_FIELDS_AS(static, TracedRun, call, step, graph, stage, operators, calls)
TOUCHSTONE_JSON_FIELDS(TraceCallsResult, runs, raised)
TOUCHSTONE_JSON_FIELDS_AS(static, LoggedText, call, step, text)
TOUCHSTONE_JSON_FIELDS(LogResult, texts, raised)
TOUCHSTONE_JSON_FIELDS(LogTask, isVerbose)

void runTask(const TraceCallsTask&, const Job& job, const Profile& profile, JobResult& result) {
  answer(job, profile, result, [&](const language::Case& theCase, const ir::BackendInfo& info) {
    return traceCallsOf(theCase, info, linesOf(std::get<PrintedCase>(job.source).text));
  });
}

void runTask(const LogTask& task, const Job& job, const Profile& profile, JobResult& result) {
  answer(job, profile, result,
         [&](const language::Case& theCase, const ir::BackendInfo& info) { return logOf(theCase, info, task); });
}

} // namespace touchstone::worker
