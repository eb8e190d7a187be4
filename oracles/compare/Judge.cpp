#include "oracles/compare/Judge.h"

#include "oracles/compare/JudgeCall.h"
#include "oracles/compare/Recompiles.h"
#include "oracles/observe/CallRunner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace touchstone::compare {

namespace {

using language::Outcome;

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Outcomes that say that both sides were compared to the end.
bool wasCompared(Outcome outcome) {
  return outcome == Outcome::kDiffers || outcome == Outcome::kNoneBecameZero || outcome == Outcome::kIllConditioned ||
         outcome == Outcome::kEagerUnstable || outcome == Outcome::kAgreed;
}

/// A call with the previous call's objects, after these came to differ by a rule or a finding: it shares its verdict.
JudgedCall inherited(const JudgedCall& previous, int previousCall) {
  JudgedCall result;
  result.verdict.outcome = previous.verdict.outcome;
  result.verdict.property = previous.verdict.property;
  result.verdict.differences = previous.verdict.differences;
  result.verdict.where = previous.verdict.where;
  result.verdict.detail = previous.verdict.detail;
  result.verdict.exceptionClass = previous.verdict.exceptionClass;
  result.verdict.message = fmt::format("not judged: it has the objects of call {}, which differ. {}", previousCall,
                                       previous.verdict.message);
  result.inputsDiverge = true;
  return result;
}

/// Fills in `judged` and `fresh` of every call from the evidence that compiled code ran.
void noteEvidence(const language::Case& theCase, const observe::CaseObservation& eager,
                  const observe::CaseObservation& compiled, const ir::BackendInfo& info,
                  std::vector<CallVerdict>& calls) {
  bool compiledBefore = false;
  std::vector<int> judgedBefore;
  for (size_t index = 0; index < calls.size(); ++index) {
    CallVerdict& verdict = calls[index];
    const observe::CallObservation& observed = compiled.calls[index];
    if (theCase.calls[index].reset) {
      compiledBefore = false;
    }
    verdict.judged = verdict.judged && (!info.compiles || observed.compiledRuns > 0);
    if (verdict.judged) {
      const auto call = static_cast<int>(index);
      const bool isNew = std::all_of(judgedBefore.begin(), judgedBefore.end(),
                                     [&](int earlier) { return saysSomethingNew(theCase, call, earlier, eager); });
      const bool reused = info.compiles ? compiledBefore && observed.graphsCompiled == 0 : !judgedBefore.empty();
      verdict.fresh = isNew && reused;
      judgedBefore.push_back(call);
    }
    compiledBefore = compiledBefore || observed.graphsCompiled > 0 || observed.compiledRuns > 0;
  }
}

/// Says what a Vacuous Case lacks.
std::string vacuousMessage(const observe::CaseObservation& compiled, const std::vector<CallVerdict>& calls) {
  const auto countCalls = [&](auto holds) {
    return std::count_if(compiled.calls.begin(), compiled.calls.end(), holds);
  };
  const auto ran = countCalls([](const observe::CallObservation& call) { return call.compiledRuns > 0; });
  const auto compiledAnew = countCalls([](const observe::CallObservation& call) { return call.graphsCompiled > 0; });
  const auto judged = std::count_if(calls.begin(), calls.end(), [](const CallVerdict& call) { return call.judged; });
  const size_t all = calls.size();
  if (compiledAnew == 0 && ran == 0) {
    return fmt::format(
        "Nothing was compiled: in none of the {} calls did the backend take a graph of the Program; all "
        "of it ran eagerly.",
        all);
  }
  if (judged == 0) {
    return fmt::format(
        "Nothing compiled was judged: {} of {} calls compiled a graph and {} ran one, but none of these "
        "returned on both sides.",
        compiledAnew, all, ran);
  }
  if (compiledAnew == static_cast<int64_t>(all) && all > 1) {
    return fmt::format(
        "Compiled code was never called again: each of the {} calls compiled anew. What `inputs` builds for each call, "
        "such as a module or an optimizer, has guards of its own; `inputs=None` makes a call with the objects of the "
        "call before.",
        all);
  }
  return fmt::format(
      "Compiled code was never called again with other values: of {} calls {} ran compiled code and {} "
      "compiled it anew; the others repeat values, tangents and roots. A further entry of CALLS with "
      "another seed would say more.",
      all, ran, compiledAnew);
}

using RaisedIn = std::optional<observe::ExceptionObservation> observe::CallObservation::*;

/// A later call with the same objects raised there, on either side.
bool raisesLater(const language::Case& theCase, size_t call, const observe::CaseObservation& eager,
                 const observe::CaseObservation& compiled, RaisedIn raised) {
  const size_t count = std::min(eager.calls.size(), compiled.calls.size());
  for (size_t later = call + 1; later < count && theCase.takesEarlierObjects(later); ++later) {
    if (eager.calls[later].*raised || compiled.calls[later].*raised) {
      return true;
    }
  }
  return false;
}

} // namespace

EagerReference::EagerReference(const language::Case& theCase, const JudgeOptions& options)
    : EagerReference(theCase,
                     EagerOptions{{}, options.python, options.probeEffects, options.inSteps, options.onPhase}) {}

CaseVerdict compareObservations(const language::Case& theCase, const EagerReference& eager,
                                const observe::CaseObservation& compiled, const ir::BackendInfo& info,
                                const JudgeOptions& options) {
  CaseVerdict result;
  const observe::CaseObservation& reference = eager.first();
  const size_t count = std::min(reference.calls.size(), compiled.calls.size());
  JudgedCall previous;
  for (size_t index = 0; index < count; ++index) {
    const auto call = static_cast<int>(index);
    const bool chained = index > 0 && theCase.takesEarlierObjects(index) && previous.inputsDiverge;
    JudgedCall judged;
    if (chained) {
      judged = inherited(previous, call - 1);
    } else {
      Comparison comparison{theCase,    call,   reference.calls[index],     compiled.calls[index], options.rules,
                            info.rules, &eager, options.baseHasEagerStrides};
      comparison.brokeGraphs = compiled.brokeGraphs;
      comparison.strictNumerics = options.strictNumerics;
      comparison.looksAgain = !raisesLater(theCase, index, reference, compiled, &observe::CallObservation::exception);
      comparison.gradientsLookAgain =
          comparison.looksAgain &&
          !raisesLater(theCase, index, reference, compiled, &observe::CallObservation::backwardException);
      judged = judgeCall(comparison, eager.unstable().at(index));
      judged.verdict.judged = wasCompared(judged.verdict.outcome);
      if (judged.verdict.outcome == Outcome::kAgreed && info.compiles) {
        if (const auto recompile = needlessRecompile(theCase, call, compiled)) {
          judged.verdict.setDifferences({*recompile});
        }
      }
    }
    for (size_t rule = 0; rule < kRuleCount; ++rule) {
      result.allowed[rule] += judged.allowed.test(rule) ? 1 : 0;
    }
    result.calls.push_back(judged.verdict);
    result.calls.back().allowed = judged.allowed;
    previous = std::move(judged);
  }
  noteEvidence(theCase, reference, compiled, info, result.calls);

  result.settle();
  const auto any = [&](bool CallVerdict::*flag) {
    return std::any_of(result.calls.begin(), result.calls.end(), [&](const CallVerdict& each) { return each.*flag; });
  };
  if (result.outcome == Outcome::kAgreed && info.compiles && !(any(&CallVerdict::judged) && any(&CallVerdict::fresh))) {
    result.outcome = Outcome::kVacuous;
    if (!result.calls.empty()) {
      result.calls[static_cast<size_t>(result.call)].message = vacuousMessage(compiled, result.calls);
    }
  }
  return result;
}

CaseVerdict judge(const language::Case& theCase, const EagerReference& eager, values::CompiledProgram& program,
                  const ir::BackendInfo& info, const JudgeOptions& options, JudgeTimes* times) {
  observe::RunOptions run;
  if (options.onPhase) {
    run.onStep = [&](int call, const char* step) { options.onPhase("compile", call, step); };
  }
  run.reset = [&] { program.reset(); };
  run.evidence = [&] {
    const ir::CompileReport report = program.report();
    return observe::CompileEvidence{report.compiledRuns, report.graphs, report.backwards.graphs};
  };
  run.compiledAutograd = [&] { return program.compiledAutograd(); };
  run.instance = [&](int instance, values::ValueList& arguments) { return program.callInstance(instance, arguments); };
  run.probeEffects = options.probeEffects;

  const auto start = std::chrono::steady_clock::now();
  observe::CaseObservation compiled = observe::runCalls(theCase, program, run);
  compiled.brokeGraphs = !program.report().breaks.empty();
  const double runSeconds = secondsSince(start);
  if (options.onCompiled) {
    options.onCompiled(compiled);
  }
  const auto judging = std::chrono::steady_clock::now();
  CaseVerdict verdict = compareObservations(theCase, eager, compiled, info, options);
  if (const ir::CompiledBackwards backwards = program.report().backwards;
      verdict.outcome == Outcome::kAgreed && backwards.backwards > 0 && backwards.compiledRuns == 0 &&
      backwards.eagerNodes > backwards.backwards) {
    verdict.outcome = Outcome::kVacuous;
    verdict.calls[static_cast<size_t>(verdict.call)].message =
        "No backward was compiled: all nodes ran as the engine runs them.";
  }
  if (times) {
    const double compileSeconds = program.report().compileSeconds;
    times->eager += eager.seconds();
    times->compile += compileSeconds;
    times->run += std::max(0.0, runSeconds - compileSeconds);
    times->judge += secondsSince(judging);
  }
  return verdict;
}

} // namespace touchstone::compare
