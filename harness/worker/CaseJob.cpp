#include "harness/worker/CaseJob.h"

#include "backends/Backend.h"
#include "backends/Registry.h"
#include "generators/CaseFeatures.h"
#include "generators/Decoder.h"
#include "graph/program/CaseParser.h"
#include "graph/program/CasePrinter.h"
#include "graph/program/RaisedException.h"
#include "harness/worker/FillAllocator.h"
#include "harness/worker/PreparedBackends.h"
#include "harness/worker/Progress.h"
#include "oracles/Judge.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace touchstone::harness {

namespace {

using graph::Outcome;

graph::Case generateCase(const Job& job, JobResult& result) {
  Progress& progress = currentProgress();
  progress.enter("decode");
  generators::DecodeStatistics statistics;
  generators::DecodeOptions options;
  options.features = generators::featuresOf(job.seed, job.index);
  options.onRecord = [&](int record) { progress.record = record; };
  options.statistics = &statistics;
  graph::Case decoded = generators::decode(generators::makeRecipe(job.seed, job.index, options.features), options);
  result.tried = statistics.tried;
  result.rejected = statistics.rejected;
  result.precluded = statistics.precluded;
  result.acceptedOperators = std::move(statistics.accepted);
  return decoded;
}

graph::Case makeCase(const Job& job, JobResult& result) {
  if (job.caseText.empty()) {
    return generateCase(job, result);
  }
  currentProgress().enter("parse");
  graph::ParseOptions options;
  options.file = "<case>";
  options.checkMainPart = false; // printed by us, from a file whose part was checked when it was read
  return graph::parseCase(job.caseText, options);
}

CaseFacts factsOf(const graph::Case& theCase) {
  const generators::CaseFeatures features = generators::describeCase(theCase);
  return {features.operationsReachingOutput,
          static_cast<int>(theCase.calls.size()),
          features.aliasedInputs,
          features.mutation,
          features.backward,
          features.changedCall};
}

void reportPhase(const char* phase, int call, const char* step) {
  currentProgress().enter(phase, call, step);
  setFillPattern(std::string_view(phase) == "eager again" ? FillPattern::kSecond : FillPattern::kFirst);
}

/// One verdict with what the backend said of its compiling.
struct Judgement {
  oracles::CaseVerdict verdict;
  graph::CompileReport report;
  oracles::JudgeTimes times;
};

bool mustNotAsk(const Job& job, const std::string& rung) {
  return std::find(job.withoutRungs.begin(), job.withoutRungs.end(), rung) != job.withoutRungs.end();
}

Judgement withoutCalls(Outcome outcome, std::string detail, std::string message) {
  Judgement judgement;
  judgement.verdict.outcome = outcome;
  oracles::CallVerdict& call = judgement.verdict.calls.emplace_back();
  call.outcome = outcome;
  call.detail = std::move(detail);
  call.message = std::move(message);
  return judgement;
}

Judgement judgeUnder(const Job& job, const std::string& name, const graph::Case& theCase,
                     const oracles::EagerReference& eager);

/// Answers, by running it once when first asked, whether the strongest rung that promises eager's strides has them.
class BaseStrides {
 public:
  BaseStrides(const Job& job, const graph::BackendInfo& info, const graph::Case& theCase,
              const oracles::EagerReference& eager)
      : job_(job), case_(theCase), eager_(eager) {
    for (const std::string& rung : info.ladder) {
      if (backends::backendInfo(rung).rules == graph::RuleSet::kAot && !mustNotAsk(job, rung)) {
        rung_ = rung;
      }
    }
  }

  std::optional<bool> operator()(int call) {
    if (rung_.empty()) {
      return std::nullopt;
    }
    if (!verdict_.has_value()) {
      currentProgress().beginRung(rung_);
      verdict_ = judgeUnder(job_, rung_, case_, eager_).verdict;
      currentProgress().beginRung("");
    }
    if (static_cast<size_t>(call) >= verdict_->calls.size() || !verdict_->calls[static_cast<size_t>(call)].judged) {
      return std::nullopt;
    }
    const oracles::CallVerdict& there = verdict_->calls[static_cast<size_t>(call)];
    const auto& also = there.alsoDiffers;
    return there.property != graph::Property::kStrides &&
           std::find(also.begin(), also.end(), graph::Property::kStrides) == also.end();
  }

 private:
  const Job& job_;
  const graph::Case& case_;
  const oracles::EagerReference& eager_;
  std::string rung_;
  std::optional<oracles::CaseVerdict> verdict_;
};

Judgement judgeUnder(const Job& job, const std::string& name, const graph::Case& theCase,
                     const oracles::EagerReference& eager) {
  Judgement judgement;
  try {
    backends::Backend& backend = preparedBackend(name);
    currentProgress().enter("compile");
    const std::unique_ptr<graph::CompiledProgram> program = backend.compile(theCase);
    oracles::JudgeOptions options;
    options.rules = oracles::rulesOf(backend.info().rules);
    options.onPhase = reportPhase;
    if (!oracles::promisesStrides(backend.info().rules)) {
      options.baseHasEagerStrides = BaseStrides(job, backend.info(), theCase, eager);
    }
    judgement.verdict = oracles::judge(theCase, eager, *program, backend.info(), options, &judgement.times);
    judgement.report = program->report();
  } catch (const graph::Unsupported& unsupported) {
    return withoutCalls(Outcome::kUnsupported, unsupported.what(), unsupported.what());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    const graph::RaisedException raised = graph::currentException();
    judgement = withoutCalls(Outcome::kBackendRejected, "compile", raised.what());
    judgement.verdict.calls[0].exceptionClass = raised.type();
  }
  if (judgement.verdict.outcome == Outcome::kBackendRejected && currentProgress().allocationFailed) {
    judgement.verdict.outcome = Outcome::kOutOfMemory;
    judgement.verdict.calls.at(static_cast<size_t>(judgement.verdict.call)).outcome = Outcome::kOutOfMemory;
  }
  return judgement;
}

/// Asks the weaker pipelines for the same symptom, weakest first: whose bug is it?
void blame(const Job& job, const graph::Case& theCase, const oracles::EagerReference& eager, BackendResult& result) {
  const double begin = wallSeconds();
  result.origin = result.backend;
  for (const std::string& rung : preparedBackend(result.backend).info().ladder) {
    if (mustNotAsk(job, rung)) {
      result.baseOutcome = "Crashed";
      continue;
    }
    currentProgress().beginRung(rung);
    const oracles::CaseVerdict verdict = judgeUnder(job, rung, theCase, eager).verdict;
    result.baseOutcome = verdict.text();
    if (graph::isFinding(verdict.outcome) && verdict.symptom() == result.symptom) {
      result.outcome = Outcome::kUpstream;
      result.origin = result.detail = rung;
      break;
    }
  }
  currentProgress().beginRung("");
  result.blameSeconds = wallSeconds() - begin;
}

BackendResult runBackend(const Job& job, const std::string& name, const graph::Case& theCase,
                         const oracles::EagerReference& eager) {
  currentProgress().beginBackend(name);
  const Judgement judgement = judgeUnder(job, name, theCase, eager);
  const oracles::CaseVerdict& verdict = judgement.verdict;
  BackendResult result;
  result.backend = name;
  result.outcome = verdict.outcome;
  result.text = verdict.text();
  result.allowed = verdict.allowed;
  result.calls = static_cast<int>(verdict.calls.size());
  for (const oracles::CallVerdict& call : verdict.calls) {
    result.judged += call.judged ? 1 : 0;
    result.fresh += call.fresh ? 1 : 0;
  }
  if (verdict.outcome != Outcome::kAgreed && !verdict.calls.empty()) {
    result.detail = verdict.worst().detail;
    result.message = verdict.worst().message;
    result.symptom = verdict.symptom();
  }
  const graph::CompileReport& report = judgement.report;
  result.frames = report.frames;
  result.graphs = report.graphs;
  result.operations = report.operations;
  result.compiledRuns = report.compiledRuns;
  result.breaks = static_cast<int64_t>(report.breaks.size());
  result.recompiles = static_cast<int64_t>(report.recompiles.size());
  result.compileSeconds = std::max(report.compileSeconds, judgement.times.compile);
  result.runSeconds = judgement.times.run;
  result.judgeSeconds = judgement.times.judge;
  if (graph::isFinding(verdict.outcome)) {
    result.origin = name;
    if (job.blame) {
      blame(job, theCase, eager, result);
    }
  }
  return result;
}

} // namespace

JobResult runCaseJob(const Job& job) {
  JobResult result;
  const double begin = wallSeconds();
  const graph::Case theCase = makeCase(job, result);
  result.generateSeconds = wallSeconds() - begin;
  result.facts = factsOf(theCase);
  bool sendCase = job.wantCase;
  if (job.runEager) {
    const double beforeEager = wallSeconds();
    oracles::JudgeOptions options;
    options.onPhase = reportPhase;
    reportPhase("eager", -1, "");
    const oracles::EagerReference eager(theCase, options);
    result.eagerSeconds = wallSeconds() - beforeEager;
    for (const std::string& name : job.backends) {
      result.backends.push_back(runBackend(job, name, theCase, eager));
      sendCase = sendCase || graph::isFinding(result.backends.back().outcome);
    }
  }
  if (sendCase) {
    currentProgress().enter("print");
    result.caseText = graph::printCase(theCase);
  }
  return result;
}

} // namespace touchstone::harness
