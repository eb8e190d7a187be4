#include "harness/worker/StageRungsJob.h"

#include "program/values/CompiledProgram.h"
#include "program/values/RaisedException.h"
#include "harness/worker/JudgeBackend.h"
#include "harness/worker/PreparedBackends.h"
#include "harness/worker/Progress.h"
#include "oracles/observe/CallRunner.h"
#include "oracles/stages/StageJudge.h"

#include <memory>

namespace touchstone::harness {

namespace {

/// Graphs that are run operator by operator give the very bits; what else compiles them may round otherwise.
bool runsGraphsAsTheyAre(const std::string& backend) {
  return backend.rfind("torch:aot_", 0) == 0 && backend.find(':', std::string("torch:").size()) == std::string::npos;
}

} // namespace

JudgedStages runStageRungs(const graph::Case& theCase, const std::string& backend, const Profile& profile) {
  JudgedStages judged;
  currentProgress().beginBackend(backend);
  currentProgress().enter("compile", 0);
  try {
    const graph::Case given = backend == profile.backend ? withOptionsOf(profile, theCase) : theCase;
    const std::unique_ptr<graph::CompiledProgram> program =
        preparedBackend(backend).compileKeepingStages(given, backends::StagesKept::kGraphsAndCalls);
    oracles::RunOptions options;
    options.probeEffects = false;
    options.onStep = [](int call, const char* step) { currentProgress().enter("compile", call, step); };
    options.reset = [&] { program->reset(); };
    options.compiledAutograd = [&] { return program->compiledAutograd(); };
    oracles::runCalls(theCase, *program, options); // what it shows is known
    currentProgress().enter("stages");
    judged.rungs =
        oracles::judgeStages(program->stages(), program->stageCalls(), {.exact = runsGraphsAsTheyAre(backend)});
  } catch (const graph::Unsupported& unsupported) {
    judged.reason = unsupported.what();
  } catch (...) {
    judged.reason = graph::currentException().what();
  }
  return judged;
}

} // namespace touchstone::harness
