#include "harness/worker/JudgeTask.h"

#include "backends/Backend.h"
#include "backends/Registry.h"
#include "generators/features/ExecutionFeatures.h"
#include "harness/suppressions/Pattern.h"
#include "harness/worker/Device.h"
#include "harness/worker/FillAllocator.h"
#include "harness/worker/Job.h"
#include "harness/worker/JsonFields.h"
#include "harness/worker/JudgeBackend.h"
#include "harness/worker/KnownCause.h"
#include "harness/worker/PreparedBackends.h"
#include "harness/worker/Progress.h"
#include "harness/worker/RedZones.h"
#include "oracles/compare/Judge.h"
#include "program/language/PythonConstructs.h"
#include "program/standalone/CaseFile.h"

#include <fnmatch.h>

#include <algorithm>
#include <map>

namespace touchstone::worker {

namespace {

using language::Outcome;

const JudgeTask& taskOf(const Job& job) {
  return std::get<JudgeTask>(job.task);
}

/// The further properties that differ in the call, as the end of its message.
std::string alsoText(const compare::CallVerdict& call) {
  std::string text;
  for (const language::Property property : call.alsoDiffers) {
    text += (text.empty() ? "; also differ: " : ", ") + std::string(language::propertyName(property));
  }
  return text;
}

bool raises(const observe::CaseObservation& observation) {
  return std::any_of(observation.calls.begin(), observation.calls.end(), [](const observe::CallObservation& call) {
    return call.exception.has_value() || call.backwardException.has_value();
  });
}

/// What a call says that reached a limit of our evaluator. A backend has no such limits: it would use up memory and time.
std::string limitReached(const observe::CaseObservation& observation) {
  for (const observe::CallObservation& call : observation.calls) {
    for (const auto& exception : {call.exception, call.backwardException}) {
      if (exception.has_value() && exception->isLimit) {
        return exception->type + ": " + exception->message;
      }
    }
  }
  return "";
}

/// Why no backend is asked.
struct EagerTrouble {
  Outcome outcome = Outcome::kEagerRejected;
  std::string message;
};

BackendResult notAsked(const std::string& name, const EagerTrouble& why) {
  BackendResult result;
  result.message = why.message;
  result.backend = name;
  result.outcome = why.outcome;
  result.text = language::outcomeName(why.outcome);
  return result;
}

/// Backends under which a suppression matches the Case, and its id.
std::map<std::string, std::string> skippedBackends(const Job& job, const language::Case& theCase) {
  std::map<std::string, std::string> skipped;
  if (taskOf(job).skipSuppressions.empty()) {
    return skipped;
  }
  const analysis::FlatProgram program = analysis::flatten(theCase);
  static std::map<std::vector<std::string>, suppressions::Pattern>
      suppressions; // reading one takes longer than asking it
  for (const SkippingSuppression& each : taskOf(job).skipSuppressions) {
    auto suppression = suppressions.find(each.lines);
    suppression = suppression != suppressions.end()
                      ? suppression
                      : suppressions.emplace(each.lines, suppressions::readPattern(each.lines)).first;
    if (!suppressions::matches(suppression->second, program)) {
      continue;
    }
    for (const std::string& name : job.backends) {
      if (fnmatch(each.backend.c_str(), name.c_str(), 0) == 0) {
        skipped.emplace(name, each.id);
      }
    }
  }
  return skipped;
}

BackendResult skippedResult(const std::string& name, const std::string& suppression) {
  BackendResult result;
  result.backend = name;
  result.outcome = Outcome::kSuppressed;
  result.text = language::outcomeName(result.outcome);
  result.detail = suppression;
  return result;
}

/// What eager did, while it made the Case or ran it, after which nothing can be compared.
std::optional<EagerTrouble> troubleWithEager(const Job& job, const observe::CaseObservation& eager) {
  checkAllZones();
  if (const std::optional<OutOfBoundsWrite> write = takeOutOfBoundsWrite()) {
    return EagerTrouble{Outcome::kEagerCrashed, write->message};
  }
  const std::string limit = limitReached(eager);
  if (!limit.empty() || (taskOf(job).onlyIfEagerReturns && raises(eager))) {
    return EagerTrouble{Outcome::kEagerRejected, limit};
  }
  return std::nullopt;
}

/// What a reducer would see in these differences, whichever of them decides in the end.
bool mayShow(const compare::CaseVerdict& verdict, const Symptom& wanted) {
  for (const compare::CallVerdict& call : verdict.calls) {
    for (const compare::Difference& each : call.differences) {
      compare::CaseVerdict alone;
      alone.calls.emplace_back().setDifferences({each});
      for (const Outcome outcome : {Outcome::kDiffers, Outcome::kReadsUninitialized}) {
        alone.outcome = alone.calls[0].outcome = outcome;
        if (symptomText(alone.symptom()) == wanted.text) {
          return true;
        }
      }
    }
  }
  return symptomText(verdict.symptom()) == wanted.text;
}

/// By a weaker pipeline, or a known defect.
bool isExcused(const BackendResult& result) {
  return result.outcome == Outcome::kUpstream || result.outcome == Outcome::kKnown;
}

/// Takes out of `verdict` what a weaker pipeline shows, too.
compare::CaseVerdict beyondLadder(const Job& job, Judgements& judgements, const std::string& backend,
                                  compare::CaseVerdict verdict) {
  for (const std::string& rung : backends::blamedBefore(preparedBackend(backend).info())) {
    if (!job.leavesOut(rung) && language::isFinding(verdict.outcome)) {
      verdict = compare::beyond(verdict, judgements.underRung(rung).verdict);
    }
  }
  return verdict;
}

/// Takes out of `verdict`, a finding, what known defects of the compiler show.
void excuseKnown(const Job& job, Judgements& judgements, compare::CaseVerdict& verdict, BackendResult& result) {
  const KnownCause cause = knownCauseOf(judgements, result.backend, verdict, [&](compare::CaseVerdict left) {
    return beyondLadder(job, judgements, result.backend, std::move(left));
  });
  if (cause.defects.empty()) {
    return;
  }
  if (language::isFinding(cause.left.outcome)) {
    verdict = cause.left;
  } else {
    result.outcome = Outcome::kKnown;
    result.detail = cause.defects;
  }
}

/// Asks the weaker pipelines, weakest first: whose bug is it? What one of them shows too is taken out of `verdict`.
void blame(const Job& job, Judgements& judgements, compare::CaseVerdict& verdict, BackendResult& result) {
  const double begin = wallSeconds();
  for (const std::string& rung : backends::blamedBefore(preparedBackend(result.backend).info())) {
    if (job.leavesOut(rung)) {
      result.baseOutcome = "Crashed";
      continue;
    }
    const compare::CaseVerdict& base = judgements.underRung(rung).verdict;
    result.baseOutcome = base.text();
    compare::CaseVerdict left = compare::beyond(verdict, base);
    if (!language::isFinding(left.outcome)) {
      result.outcome = Outcome::kUpstream;
      result.origin = result.detail = rung;
      break;
    }
    verdict = std::move(left);
    const auto call = static_cast<size_t>(verdict.call);
    if (call < base.calls.size() && base.calls[call].judged) {
      result.baseOutcome = language::outcomeName(Outcome::kAgreed); // on this symptom, whatever else it shows
    }
  }
  if (result.outcome != Outcome::kUpstream) {
    excuseKnown(job, judgements, verdict, result);
  }
  if (!isExcused(result) && judgements.readsUninitialized(result.backend, verdict)) {
    verdict.outcome = verdict.calls[static_cast<size_t>(verdict.call)].outcome = Outcome::kReadsUninitialized;
  }
  result.counters.blameSeconds = wallSeconds() - begin;
}

void describe(const compare::CaseVerdict& verdict, BackendResult& result) {
  result.outcome = isExcused(result) ? result.outcome : verdict.outcome;
  result.text = verdict.text();
  if (verdict.outcome == Outcome::kAgreed || verdict.calls.empty()) {
    return;
  }
  const compare::CallVerdict& worst = verdict.worst();
  if (!isExcused(result)) {
    result.detail = worst.detail;
  }
  result.message = worst.message + alsoText(worst);
  result.symptom = verdict.symptom();
  result.shows = symptomKindsOf(verdict);
  result.shownIn = firstCallsOf(result.shows, verdict);
  result.call = verdict.call;
  result.where = worst.where;
}

/// By call; nothing where not every call has a verdict.
std::vector<ObservedCall> observedCalls(const Judgement& judgement) {
  std::vector<ObservedCall> calls;
  if (judgement.observed.size() != judgement.verdict.calls.size()) {
    return calls;
  }
  for (size_t i = 0; i < judgement.observed.size(); ++i) {
    const compare::CallVerdict& verdict = judgement.verdict.calls[i];
    ObservedCall& call = calls.emplace_back();
    call.agreed = verdict.judged && verdict.outcome == Outcome::kAgreed;
    for (const compare::RuleEntry& rule : compare::ruleTable()) {
      if (compare::has(verdict.allowed, rule.rule)) {
        call.rules.emplace_back(rule.name);
      }
    }
    call.texts = judgement.observed[i];
  }
  return calls;
}

BackendResult runBackend(const Job& job, const std::string& name, Judgements& judgements) {
  const JudgeTask& task = taskOf(job);
  currentProgress().beginBackend(name);
  const double begin = processSeconds();
  const Judgement& judgement = judgements.under(name);
  compare::CaseVerdict verdict = judgement.verdict;
  BackendResult result;
  result.backend = name;
  result.allowed = verdict.allowed;
  result.counters.calls = static_cast<int64_t>(verdict.calls.size());
  for (const compare::CallVerdict& call : verdict.calls) {
    result.counters.judged += call.judged ? 1 : 0;
    result.counters.fresh += call.fresh ? 1 : 0;
  }
  const ir::CompileReport& report = judgement.report;
  result.counters.frames = report.frames;
  result.counters.graphs = report.graphs;
  result.counters.operations = report.operations;
  result.counters.compiledRuns = report.compiledRuns;
  result.counters.symbols = judgement.symbols;
  result.counters.specializations = static_cast<int64_t>(report.specializations.size());
  result.counters.backwards = report.backwards.backwards;
  result.counters.backwardCaptures = report.backwards.captures;
  result.counters.backwardGraphs = report.backwards.graphs;
  result.counters.backwardRuns = report.backwards.compiledRuns;
  result.counters.backwardEagerNodes = report.backwards.eagerNodes;
  result.counters.breaks = static_cast<int64_t>(report.breaks.size());
  result.counters.recompiles = static_cast<int64_t>(report.recompiles.size());
  if (task.wantReasons) {
    result.recompileReasons = report.recompiles;
    result.breakReasons = report.breaks;
    result.guards = report.guards;
    result.specializations = report.specializations;
    result.recompilesByCall = judgement.recompilesByCall;
  }
  result.bites = report.bites;
  result.counters.compileSeconds = std::max(report.compileSeconds, judgement.times.compile);
  result.counters.runSeconds = judgement.times.run;
  result.counters.judgeSeconds = judgement.times.judge;
  result.observed = observedCalls(judgement);
  result.warnings = judgement.warnings;
  if (judgement.delegation) {
    result.delegation = ir::delegationName(judgement.delegation->kind);
    result.operatorShares = judgement.delegation->operators;
  }
  if (judgement.gate != nullptr) {
    result.passes = judgement.gate->counts();
    result.lastApplied = judgement.gate->last();
  }
  if (language::isFinding(verdict.outcome)) {
    result.origin = name;
    if (task.blame && (!task.wanted.has_value() || mayShow(verdict, *task.wanted))) {
      blame(job, judgements, verdict, result);
    }
  }
  describe(verdict, result);
  result.processorSeconds = processSeconds() - begin;
  return result;
}

} // namespace

TOUCHSTONE_JSON_FIELDS_AS(static, PassLimit, pass, limit, backend)
TOUCHSTONE_JSON_FIELDS_AS(static, SkippingSuppression, id, backend, lines)
TOUCHSTONE_JSON_FIELDS_AS(static, Symptom, backend, text, origin, baseOutcome)
TOUCHSTONE_JSON_FIELDS(JudgeTask, blame, wantFeatures, wantReasons, wantObservation, onlyIfEagerReturns, passLimit,
                       substitute, wanted, skipSuppressions)
TOUCHSTONE_JSON_FIELDS(JudgeResult, features, placed, refused, codes, around)

void runTask(const JudgeTask&, const Job& job, const Profile& profile, JobResult& result) {
  if (const std::optional<language::Case> theCase = makeCase(job.source, profile, result.making)) {
    judgeCase(job, *theCase, result, profile);
  }
}

void judgeCase(const Job& job, const language::Case& theCase, JobResult& result, const Profile& profile) {
  result.facts = factsOf(theCase);
  result.answer = JudgeResult();
  if (const std::vector<std::string> constructs = language::needsPython(theCase); !constructs.empty() && !hasPython()) {
    for (const std::string& name : job.backends) {
      result.backends.push_back(unsupportedResult(name, constructs.front()));
    }
    return;
  }
  bool sendCase = job.wantCase;
  const std::map<std::string, std::string> skipped = skippedBackends(job, theCase);
  if (!skipped.empty() && skipped.size() == job.backends.size()) {
    for (const std::string& name : job.backends) {
      result.backends.push_back(skippedResult(name, skipped.at(name)));
    }
  } else {
    const double beforeEager = wallSeconds();
    compare::JudgeOptions options;
    options.onPhase = reportPhase;
    options.inSteps = simplerSteps();
    options.python = pythonReferenceOf(theCase);
    reportPhase("eager", -1, "");
    const compare::EagerReference eager(theCase, options);
    result.eagerSeconds = wallSeconds() - beforeEager;
    if (!eager.isPython()) {
      addGradientFigures(job, theCase, result.facts);
    }
    if (taskOf(job).wantFeatures && !eager.isPython()) { // features are what the evaluator's operators show
      reportPhase("features", -1, "");
      result.answer = JudgeResult{.features = features::executionFeatures(theCase)};
    }
    endIfDeviceFailed(theCase);
    const bool eagerRaises = raises(eager.first());
    const std::optional<EagerTrouble> trouble = troubleWithEager(job, eager.first());
    Judgements judgements(job, theCase, eager, profile);
    for (const std::string& name : job.backends) {
      const auto skip = skipped.find(name);
      result.backends.push_back(skip != skipped.end() ? skippedResult(name, skip->second)
                                : trouble             ? notAsked(name, *trouble)
                                                      : runBackend(job, name, judgements));
      BackendResult& last = result.backends.back();
      last.eagerRaises = eagerRaises;
      sendCase = sendCase || language::isFinding(last.outcome) || last.outcome == Outcome::kEagerCrashed;
    }
    if (const std::optional<substitutes::Substituted>& substituted = judgements.substituted()) {
      auto& answer = std::get<JudgeResult>(result.answer);
      answer.placed = substituted->placed;
      answer.refused = substituted->refused;
      answer.codes = substituted->codes;
      answer.around = substituted->around;
    }
    std::vector<std::string>& exclusions = result.making.exclusions;
    exclusions.insert(exclusions.end(), judgements.exclusions().begin(), judgements.exclusions().end());
  }
  if (sendCase) {
    currentProgress().enter("print");
    result.caseText = standalone::printCase(theCase);
  }
}

} // namespace touchstone::worker
