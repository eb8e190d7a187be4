#include "harness/worker/LogTask.h"

#include "backends/Registry.h"
#include "backends/compiled_autograd/CaptureLog.h"
#include "backends/native/NativeBackends.h"
#include "graph/runtime/GraphCode.h"
#include "harness/worker/CallsAgain.h"
#include "harness/worker/Job.h"
#include "harness/worker/JsonFields.h"
#include "harness/worker/JudgeBackend.h"
#include "harness/worker/Progress.h"
#include "harness/worker/WarningKeeper.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace touchstone::worker {

namespace {

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
    log.raised = makeCallsAgain(theCase, *program, "log",
                                [&](int call, const char* step) { listener.beginStep(call, step); });
  }
  log.texts = listener.take();
  return log;
}

} // namespace

TOUCHSTONE_JSON_FIELDS_AS(static, LoggedText, call, step, text)
TOUCHSTONE_JSON_FIELDS(LogResult, texts, raised)
TOUCHSTONE_JSON_FIELDS(LogTask, isVerbose)

void runTask(const LogTask& task, const Job& job, const Profile& profile, JobResult& result) {
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
  result.answer = logOf(profiled ? withOptionsOf(profile, *theCase) : *theCase, info, task);
}

} // namespace touchstone::worker
