#include "harness/worker/CallsAgain.h"

#include "harness/worker/Progress.h"
#include "oracles/observe/CallRunner.h"

#include <fmt/format.h>

#include <memory>

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

} // namespace

std::vector<std::string> makeCallsAgain(const language::Case& theCase, values::CompiledProgram& program, const char* task,
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

} // namespace touchstone::worker
