#include "harness/worker/ShownCall.h"

#include "backends/arguments/ArgumentCopies.h"
#include "harness/worker/PreparedBackends.h"
#include "harness/worker/Progress.h"
#include "oracles/observe/CallRunner.h"
#include "program/evaluator/Evaluator.h"
#include "program/language/PythonConstructs.h"
#include "program/values/GeneratorState.h"

#include <sstream>
#include <utility>

namespace touchstone::worker {

namespace {

using language::Outcome;

/// The Case's program: eager in the calls before the last, compiled in that one.
class ShownProgram final : public values::Callable {
 public:
  ShownProgram(const language::Case& theCase, const CallCompiler& compiler)
      : case_(theCase), compiler_(compiler), last_(static_cast<int>(theCase.calls.size()) - 1) {
    if (const compare::PythonFactory python = pythonReferenceOf(theCase)) {
      reference_ = python(theCase);
    }
  }

  values::Value operator()(values::ValueList& arguments) override {
    if (call_ < last_) {
      return runEagerly(arguments);
    }
    end_ = Outcome::kEagerRejected;
    if (!compiler_.trace) {
      const values::GeneratorStateScope generator;
      runEagerly(arguments::copyArguments(arguments));
    }
    currentProgress().beginBackend(compiler_.backend);
    currentProgress().enter("compile", call_);
    end_ = compiler_.trace ? Outcome::kEagerRejected : Outcome::kInternalError;
    try {
      values::Value result;
      if (compiler_.trace) {
        compiler_.trace(arguments);
      } else {
        program_ = compiler_.compile(case_);
        result = (*program_)(arguments);
      }
      end_ = Outcome::kAgreed;
      return result;
    } catch (const ir::Unsupported&) {
      end_ = Outcome::kUnsupported;
      throw;
    }
  }

  std::optional<values::Value> callFunction(const std::string& name, values::ValueList& arguments) override {
    return reference_ ? reference_->callFunction(name, arguments) : std::nullopt;
  }

  void beginCall(int index) { call_ = index; }
  int last() const { return last_; }
  Outcome end() const { return end_; }
  std::shared_ptr<void> backwardScope() override { return program_ ? program_->backwardScope() : nullptr; }
  std::shared_ptr<void> compiledAutograd() const { return program_ ? program_->compiledAutograd() : nullptr; }
  std::unique_ptr<values::CompiledProgram> take() { return std::move(program_); }

 private:
  values::Value runEagerly(values::ValueList arguments) const {
    if (reference_) {
      return (*reference_)(arguments);
    }
    return evaluator::Evaluator(case_).call("program", std::move(arguments));
  }

  const language::Case& case_;
  const CallCompiler& compiler_;
  const int last_;
  std::unique_ptr<values::Callable> reference_; // of a Case that needs Python
  std::unique_ptr<values::CompiledProgram> program_;
  int call_ = 0;
  Outcome end_ = Outcome::kEagerRejected; // unless the program is reached
};

} // namespace

ShownCall showCall(const language::Case& theCase, const CallCompiler& compiler) {
  if (const std::vector<std::string> constructs = language::needsPython(theCase); !constructs.empty() && !hasPython()) {
    BackendResult result = unsupportedResult(compiler.backend, constructs.front());
    result.message += ": only Python runs that; with `--backend torch:aot_eager` it is shown.";
    return {nullptr, std::move(result)};
  }
  ShownProgram program(theCase, compiler);
  observe::RunOptions options;
  options.probeEffects = false;
  options.onStep = [&](int call, const char* step) {
    program.beginCall(call);
    if (call < program.last() || std::string(step) == "inputs") {
      currentProgress().enter("eager", call, step);
    }
  };
  if (compiler.compiledAutograd) {
    options.compiledAutograd = [&] { return program.compiledAutograd(); };
  }
  const observe::CaseObservation observed = observe::runCalls(theCase, program, options);

  ShownCall shown{program.take(), {}};
  BackendResult& result = shown.result;
  result.backend = compiler.backend;
  result.call = program.last();
  result.outcome = program.end();
  result.text = language::outcomeName(result.outcome);
  if (const auto& raised = observed.calls.back().exception) {
    result.message = (raised->unsupported ? "" : raised->type + ": ") + raised->message;
    result.where = raised->phase;
  }
  return shown;
}

language::Case forwardUpTo(language::Case theCase, int call) {
  theCase.calls.resize(static_cast<size_t>(call) + 1);
  language::CallSpec& last = theCase.calls.back();
  last.backward.reset();
  last.between.reset();
  return theCase;
}

void setDynamic(const std::string& dynamic, language::Case& theCase) {
  if (!dynamic.empty()) {
    theCase.compile.dynamic = dynamic == "auto" ? std::nullopt : std::optional(dynamic == "true");
  }
}

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

} // namespace touchstone::worker
