#include "harness/worker/JudgeBackend.h"

#include "backends/Backend.h"
#include "backends/Registry.h"
#include "graph/program/RaisedException.h"
#include "harness/worker/FillAllocator.h"
#include "harness/worker/PreparedBackends.h"
#include "harness/worker/Progress.h"

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <string_view>

namespace touchstone::harness {

namespace {

using graph::Outcome;

auto compiledPattern = FillPattern::kFirst;

Judgement judgeOnce(const Job& job, const std::string& name, const graph::Case& theCase,
                    const oracles::EagerReference& eager);

Judgement withoutCalls(Outcome outcome, std::string detail, std::string message) {
  Judgement judgement;
  judgement.verdict.outcome = outcome;
  oracles::CallVerdict& call = judgement.verdict.calls.emplace_back();
  call.outcome = outcome;
  call.detail = std::move(detail);
  call.message = std::move(message);
  return judgement;
}

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
      verdict_ = judgeOnce(job_, rung_, case_, eager_).verdict;
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

Judgement judgeOnce(const Job& job, const std::string& name, const graph::Case& theCase,
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

bool concernsValues(const oracles::CaseVerdict& verdict) {
  if (verdict.outcome != Outcome::kDiffers || !verdict.worst().property.has_value()) {
    return false;
  }
  switch (*verdict.worst().property) {
    case graph::Property::kValues:
    case graph::Property::kInputValues:
    case graph::Property::kGradientValues:
    case graph::Property::kNonTensor: return true;
    default: return false;
  }
}

// The message holds both values: it is the same when the run is repeated, and another under the other pattern.
bool readsUninitialized(const Job& job, const std::string& name, const graph::Case& theCase,
                        const oracles::EagerReference& eager, const oracles::CaseVerdict& verdict) {
  const auto messageUnder = [&](FillPattern pattern) {
    compiledPattern = pattern;
    const oracles::CaseVerdict again = judgeOnce(job, name, theCase, eager).verdict;
    compiledPattern = FillPattern::kFirst;
    return again.calls.empty() ? std::string() : again.worst().message;
  };
  const std::string& message = verdict.worst().message;
  return messageUnder(FillPattern::kSecond) != message && messageUnder(FillPattern::kFirst) == message;
}

} // namespace

bool mustNotAsk(const Job& job, const std::string& rung) {
  return std::find(job.withoutRungs.begin(), job.withoutRungs.end(), rung) != job.withoutRungs.end();
}

void reportPhase(const char* phase, int call, const char* step) {
  currentProgress().enter(phase, call, step);
  const std::string_view name = phase;
  setFillPattern(name == "eager again" ? FillPattern::kSecond
                 : name == "compile"   ? compiledPattern
                                       : FillPattern::kFirst);
}

Judgement judgeUnder(const Job& job, const std::string& backend, const graph::Case& theCase,
                     const oracles::EagerReference& eager) {
  Judgement judgement = judgeOnce(job, backend, theCase, eager);
  oracles::CaseVerdict& verdict = judgement.verdict;
  if (concernsValues(verdict) && readsUninitialized(job, backend, theCase, eager, verdict)) {
    verdict.outcome = Outcome::kReadsUninitialized;
    verdict.calls[static_cast<size_t>(verdict.call)].outcome = Outcome::kReadsUninitialized;
  }
  return judgement;
}

} // namespace touchstone::harness
