#include "harness/worker/JudgeBackend.h"

#include "backends/Backend.h"
#include "backends/Registry.h"
#include "backends/debugging/NativeBackends.h"
#include "graph/program/RaisedException.h"
#include "harness/worker/FillAllocator.h"
#include "harness/worker/PreparedBackends.h"
#include "harness/worker/Progress.h"
#include "harness/worker/WarningKeeper.h"

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <string_view>

namespace touchstone::harness {

namespace {

using graph::Outcome;

auto compiledPattern = FillPattern::kFirst;

Judgement withoutCalls(Outcome outcome, std::string detail, std::string message) {
  Judgement judgement;
  judgement.verdict.outcome = outcome;
  oracles::CallVerdict& call = judgement.verdict.calls.emplace_back();
  call.outcome = outcome;
  call.detail = std::move(detail);
  call.message = std::move(message);
  return judgement;
}

/// The native backend with a gate for its passes; null: none is asked for.
std::unique_ptr<backends::Backend> gatedBackend(const std::string& name, const std::optional<Job::PassLimit>& limit,
                                                std::shared_ptr<const graph::PassGate>& gate) {
  if (!limit.has_value()) {
    return nullptr;
  }
  auto made = limit->pass.empty() ? std::make_shared<graph::PassGate>()
                                  : std::make_shared<graph::PassGate>(limit->pass, limit->limit);
  gate = made;
  return backends::makeNativeBackend(backends::backendInfo(name), {}, {.gate = std::move(made)});
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
std::string messageOf(const oracles::CaseVerdict& verdict, int call, const oracles::CallVerdict& sought) {
  if (static_cast<size_t>(call) < verdict.calls.size()) {
    for (const oracles::Difference& each : verdict.calls[static_cast<size_t>(call)].differences) {
      if (each.property == sought.property && each.where == sought.where) {
        return each.message;
      }
    }
  }
  return "";
}

} // namespace

void reportPhase(const char* phase, int call, const char* step) {
  currentProgress().enter(phase, call, step);
  const std::string_view name = phase;
  setFillPattern(name == "eager again" ? FillPattern::kSecond
                 : name == "compile"   ? compiledPattern
                                       : FillPattern::kFirst);
}

Judgements::Judgements(const Job& job, const graph::Case& theCase, const oracles::EagerReference& eager,
                       const Profile& profile)
    : job_(job), case_(theCase), eager_(eager), profile_(profile), given_(theCase) {
  for (const auto& option : profile.compile.options) {
    std::erase_if(given_.compile.options, [&](const auto& own) { return own.first == option.first; });
    given_.compile.options.push_back(option);
  }
}

const Profile& Judgements::noProfile() {
  static const Profile none;
  return none;
}

const Judgement& Judgements::under(const std::string& backend) {
  const auto found = known_.find(backend);
  return found != known_.end() ? found->second : known_[backend] = judge(backend);
}

const Judgement& Judgements::underRung(const std::string& rung) {
  Progress& progress = currentProgress();
  const std::string outer = progress.rung; // a rung's judge may ask another one; empty: the backend itself
  progress.beginRung(rung);
  const Judgement& judgement = under(rung); // what ends the process in it is the rung's: nothing to restore then
  progress.beginRung(outer);
  return judgement;
}

bool Judgements::readsUninitialized(const std::string& backend, const oracles::CaseVerdict& verdict) {
  if (!concernsValues(verdict)) {
    return false;
  }
  const auto messageUnder = [&](FillPattern pattern) {
    compiledPattern = pattern;
    const oracles::CaseVerdict again = judge(backend).verdict;
    compiledPattern = FillPattern::kFirst;
    return messageOf(again, verdict.call, verdict.worst());
  };
  const std::string& message = verdict.worst().message;
  return messageUnder(FillPattern::kSecond) != message && messageUnder(FillPattern::kFirst) == message;
}

Judgement Judgements::judge(const std::string& name) {
  const WarningKeeper keeper;
  Judgement judgement = judgeUnheard(name);
  if (name == profile_.backend) {
    excuseUnsupported(judgement.verdict);
  }
  judgement.warnings = keeper.warnings();
  return judgement;
}

Judgement Judgements::judgeUnheard(const std::string& name) {
  Judgement judgement;
  try {
    const std::unique_ptr<backends::Backend> gated = gatedBackend(name, job_.passLimit, judgement.gate);
    backends::Backend& backend = gated != nullptr ? *gated : preparedBackend(name);
    currentProgress().enter("compile");
    const bool profiled = name == profile_.backend;
    const std::unique_ptr<graph::CompiledProgram> program = backend.compile(profiled ? given_ : case_);
    oracles::JudgeOptions options;
    options.rules = oracles::rulesOf(backend.info().rules);
    if (profiled) {
      options.rules = (options.rules & ~profile_.rulesOff) | profile_.rulesOn;
    }
    options.onPhase = reportPhase;
    if (!oracles::promisesStrides(backend.info().rules)) {
      options.baseHasEagerStrides = [&](int call) { return hasEagerStrides(backend.info(), call); };
    }
    judgement.verdict = oracles::judge(case_, eager_, *program, backend.info(), options, &judgement.times);
    judgement.report = program->report();
  } catch (const graph::Unsupported& unsupported) {
    return withoutCalls(Outcome::kUnsupported, unsupported.what(), unsupported.what());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    const graph::RaisedException raised = graph::currentException();
    const auto gate = judgement.gate;
    judgement = withoutCalls(Outcome::kBackendRejected, "compile", raised.what());
    judgement.gate = gate;
    judgement.verdict.calls[0].exceptionClass = raised.type();
  }
  if (judgement.verdict.outcome == Outcome::kBackendRejected && currentProgress().allocationFailed) {
    judgement.verdict.outcome = Outcome::kOutOfMemory;
    judgement.verdict.calls.at(static_cast<size_t>(judgement.verdict.call)).outcome = Outcome::kOutOfMemory;
  }
  return judgement;
}

/// Calls that the backend refuses with a text that the profile names.
void Judgements::excuseUnsupported(oracles::CaseVerdict& verdict) {
  bool changed = false;
  for (oracles::CallVerdict& call : verdict.calls) {
    if (call.outcome != Outcome::kBackendRejected && call.outcome != Outcome::kInternalError) {
      continue;
    }
    const Profile::Pattern* pattern = profile_.unsupportedBy(call.exceptionClass + ": " + call.message);
    if (pattern != nullptr) {
      call.outcome = Outcome::kUnsupported;
      call.detail = "profile: " + pattern->text;
      exclusions_.insert(pattern->entry);
      changed = true;
    }
  }
  if (changed) {
    verdict.settle();
  }
}

/// Whether the strongest rung that promises eager's strides has them in this call; none where that is not known.
std::optional<bool> Judgements::hasEagerStrides(const graph::BackendInfo& info, int call) {
  std::string strongest;
  for (const std::string& rung : info.ladder) {
    if (backends::backendInfo(rung).rules == graph::RuleSet::kAot && !job_.leavesOut(rung)) {
      strongest = rung;
    }
  }
  if (strongest.empty()) {
    return std::nullopt;
  }
  const oracles::CaseVerdict& verdict = underRung(strongest).verdict;
  if (static_cast<size_t>(call) >= verdict.calls.size() || !verdict.calls[static_cast<size_t>(call)].judged) {
    return std::nullopt;
  }
  const auto& differences = verdict.calls[static_cast<size_t>(call)].differences;
  return std::none_of(differences.begin(), differences.end(),
                      [](const oracles::Difference& each) { return each.property == graph::Property::kStrides; });
}

} // namespace touchstone::harness
