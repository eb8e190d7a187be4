#include "harness/worker/ReplayTask.h"

#include "backends/faults/PlantedFault.h"
#include "harness/worker/Job.h"
#include "harness/worker/JsonFields.h"
#include "harness/worker/JudgeBackend.h"
#include "harness/worker/PreparedBackends.h"
#include "harness/worker/Progress.h"
#include "oracles/observe/CallRunner.h"
#include "oracles/stages/ReplayJudge.h"
#include "program/values/CompiledProgram.h"
#include "program/values/RaisedException.h"

#include <memory>

TOUCHSTONE_JSON_OF(touchstone::stages::ReplayRung, stage, adds, outcome, judged, message, unjudged)

namespace touchstone::worker {

namespace {

/// Graphs that are run operator by operator give the very bits; what else compiles them may round otherwise.
bool runsGraphsAsTheyAre(const std::string& backend) {
  const std::string pipeline = faults::pipelineOf(backend);
  return pipeline.rfind("torch:aot_", 0) == 0 && pipeline.find(':', std::string("torch:").size()) == std::string::npos;
}

ReplayResult runReplays(const language::Case& theCase, const std::string& backend, const Profile& profile) {
  ReplayResult judged;
  currentProgress().beginBackend(backend);
  currentProgress().enter("compile", 0);
  try {
    const language::Case given = backend == profile.backend ? withOptionsOf(profile, theCase) : theCase;
    const std::unique_ptr<values::CompiledProgram> program =
        preparedBackend(backend).compileKeepingStages(given, backends::StagesKept::kGraphsAndCalls);
    observe::RunOptions options;
    options.probeEffects = false;
    options.onStep = [](int call, const char* step) { currentProgress().enter("compile", call, step); };
    options.reset = [&] { program->reset(); };
    options.compiledAutograd = [&] { return program->compiledAutograd(); };
    observe::runCalls(theCase, *program, options); // what it shows is known
    currentProgress().enter("stages");
    judged.rungs =
        stages::judgeReplays(program->stages(), program->replayCalls(), {.exact = runsGraphsAsTheyAre(backend)});
  } catch (const ir::Unsupported& unsupported) {
    judged.reason = unsupported.what();
  } catch (...) {
    judged.reason = values::currentException().what();
  }
  return judged;
}

} // namespace

TOUCHSTONE_JSON_FIELDS(ReplayResult, rungs, reason)

void runTask(const ReplayTask&, const Job& job, const Profile& profile, JobResult& result) {
  if (const auto theCase = makeCase(job.source, profile, result.making)) {
    result.answer = runReplays(*theCase, job.backends.front(), profile);
  }
}

} // namespace touchstone::worker
