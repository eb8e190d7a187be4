#include "harness/worker/JudgeBackend.h"

#include "backends/Backend.h"
#include "backends/Registry.h"
#include "backends/capture/Capture.h"
#include "backends/debugging/AotDebugging.h"
#include "backends/native/NativeBackends.h"
#include "backends/substitutes/FreshPrograms.h"
#include "harness/worker/Device.h"
#include "harness/worker/FillAllocator.h"
#include "harness/worker/PreparedBackends.h"
#include "harness/worker/Progress.h"
#include "harness/worker/RedZones.h"
#include "harness/worker/WarningKeeper.h"
#include "program/values/RaisedException.h"

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/ScopeExit.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace touchstone::worker {

namespace {

using language::Outcome;

auto compiledPattern = FillPattern::kFirst;

Judgement withoutCalls(Outcome outcome, std::string detail, std::string message) {
  Judgement judgement;
  judgement.verdict.outcome = outcome;
  compare::CallVerdict& call = judgement.verdict.calls.emplace_back();
  call.outcome = outcome;
  call.detail = std::move(detail);
  call.message = std::move(message);
  return judgement;
}

/// Null: no limit is asked of this backend.
std::shared_ptr<ir::PassGate> gateOf(const std::string& backend, const std::optional<PassLimit>& limit) {
  if (!limit.has_value() || (!limit->backend.empty() && limit->backend != backend)) {
    return nullptr;
  }
  return limit->pass.empty() ? std::make_shared<ir::PassGate>()
                             : std::make_shared<ir::PassGate>(limit->pass, limit->limit);
}

/// The native backend with a gate for its passes and something in the place of a part; null: neither is asked for.
std::unique_ptr<backends::Backend> changedBackend(const std::string& name, std::shared_ptr<ir::PassGate> gate,
                                                  const std::shared_ptr<substitutes::Substitution>& substitution) {
  if (gate == nullptr && substitution == nullptr) {
    return nullptr;
  }
  backends::PipelineObservers observers;
  if (substitution != nullptr) {
    observers.push_back(substitution);
  }
  return native::makeNativeBackend(backends::backendInfo(name), std::move(observers), {.gate = std::move(gate)});
}

/// By JudgeTask::substitute.
constexpr std::array kParts{
    std::pair{kNoSubstitute, substitutes::Part::kNone},
    std::pair{kFreshSubstitute, substitutes::Part::kNone},
    std::pair{kJointSubstitute, substitutes::Part::kJoint},
    std::pair{kForwardSubstitute, substitutes::Part::kForward},
    std::pair{kBackwardSubstitute, substitutes::Part::kBackward},
};

substitutes::Part partNamed(const std::string& name) {
  const auto* const part =
      std::find_if(kParts.begin(), kParts.end(), [&](const auto& each) { return name == each.first; });
  if (part == kParts.end()) {
    throw std::invalid_argument("there is no substitute `" + name + "`");
  }
  return part->second;
}

bool isOfTorch(const std::string& backend) {
  return backends::backendInfo(backend).family == ir::Family::kTorch;
}

/// Puts a part of a native pipeline in the place of another one; null: that is not asked for.
std::shared_ptr<substitutes::Substitution> substitutionOf(const std::string& substitute, const std::string& backend) {
  if (substitute.empty() || isOfTorch(backend)) {
    return nullptr;
  }
  return std::make_shared<substitutes::Substitution>(partNamed(substitute),
                                                     [] { return currentProgress().call.load(); });
}

/// With what a substitute, which may be empty, does to a compile as a whole.
std::unique_ptr<values::CompiledProgram> compileWith(const std::string& substitute, backends::Backend& backend,
                                                     const language::Case& given) {
  const bool isTold = !substitute.empty() && backend.info().family == ir::Family::kTorch;
  if (isTold && substitute != kGraphSubstitute && substitute != kFreshSubstitute && substitute != kNoSubstitute) {
    throw std::invalid_argument("`" + backend.info().name + "` has no substitute `" + substitute + "`");
  }
  const auto serving = substitute == kGraphSubstitute ? backends::Serving::kByGraphs : backends::Serving::kAsCompiled;
  const auto compile = [&backend, &given, isTold, serving] {
    return isTold ? backend.compileTellingServed(given, serving) : backend.compile(given);
  };
  return substitute == kFreshSubstitute ? substitutes::freshPrograms(compile) : compile();
}

bool differsInValues(const compare::CaseVerdict& verdict) {
  return verdict.outcome == Outcome::kDiffers && verdict.worst().property.has_value() &&
         language::rowOf(*verdict.worst().property).ofElements;
}

/// What `again` says of the differences of values that decided `verdict`, those of one call. A message holds both values: it is
/// the same when the run is repeated, and another under the other pattern.
std::vector<std::string> valueMessages(const compare::CaseVerdict& verdict, const compare::CaseVerdict& again) {
  std::vector<std::string> messages;
  const auto call = static_cast<size_t>(verdict.call);
  for (const compare::Difference& sought : verdict.calls.at(call).differences) {
    if (!language::rowOf(sought.property).ofElements) {
      continue;
    }
    messages.emplace_back();
    if (call < again.calls.size()) {
      for (const compare::Difference& each : again.calls[call].differences) {
        if (each.property == sought.property && each.where == sought.where) {
          messages.back() = each.message;
        }
      }
    }
  }
  return messages;
}

/// Steps of a call in which the Program's own code runs.
bool isRun(std::string_view step) {
  return step == "forward" || step == "backward";
}

/// Before progress says that something else begins: what lies outside a block now, the one that ends has written.
void checkZonesBefore(std::string_view phase, std::string_view step) {
  const Progress& progress = currentProgress();
  if (phase != progress.phase) {
    checkAllZones();
  } else if (isRun(progress.step)) {
    checkNewZones();
  }
  if (step == "inputs") {
    beginNewBlocks();
  }
}

/// Calls of compiled code take turns: what one pattern happens to make right the other does not.
FillPattern patternOfCall(int call) {
  const bool isOther = call > 0 && call % 2 != 0;
  return isOther == (compiledPattern == FillPattern::kFirst) ? FillPattern::kSecond : FillPattern::kFirst;
}

/// A write outside a block, as what came of the Case; the worst that can be said of a process that lives.
void judgeWrite(const OutOfBoundsWrite& write, compare::CaseVerdict& verdict) {
  const bool byBackend = write.phase == "compile" || write.phase == "prepare";
  verdict.outcome = byBackend ? Outcome::kOutOfBounds : Outcome::kEagerCrashed;
  verdict.call = std::max(write.call, 0);
  verdict.calls.resize(std::max(verdict.calls.size(), static_cast<size_t>(verdict.call) + 1));
  compare::CallVerdict& call = verdict.calls[static_cast<size_t>(verdict.call)];
  const bool judged = call.judged, fresh = call.fresh;
  call = {};
  call.outcome = verdict.outcome;
  call.detail = isRun(write.step) ? write.step : "afterwards";
  call.message = write.message;
  call.judged = judged;
  call.fresh = fresh;
}

} // namespace

language::Case withOptionsOf(const Profile& profile, language::Case theCase) {
  for (const auto& option : profile.compile.options) {
    std::erase_if(theCase.compile.options, [&](const auto& own) { return own.first == option.first; });
    theCase.compile.options.push_back(option);
  }
  return theCase;
}

evidence::StepFactory simplerSteps() {
  return [](const language::Case& theCase, std::shared_ptr<runtime::CallMode> mode) {
    capture::CaptureOptions options{.compiler = debugging::aotEagerDecompPartitionWithMode(std::move(mode))};
    options.recompileLimit = std::numeric_limits<int64_t>::max(); // numbers that are read differ in each run
    return capture::captureProgram(theCase, std::move(options));
  };
}

void reportPhase(const char* phase, int call, const char* step) {
  checkZonesBefore(phase, step);
  currentProgress().enter(phase, call, step);
  const std::string_view name = phase;
  setFillPattern(name == "eager again" ? FillPattern::kSecond
                 : name == "compile"   ? patternOfCall(call)
                                       : FillPattern::kFirst);
}

Judgements::Judgements(const Job& job, const language::Case& theCase, const compare::EagerReference& eager,
                       const Profile& profile)
    : job_(job),
      task_(std::get<JudgeTask>(job.task)),
      case_(theCase),
      eager_(eager),
      profile_(profile),
      given_(withOptionsOf(profile, theCase)) {}

const Profile& Judgements::noProfile() {
  static const Profile none;
  return none;
}

const Judgement& Judgements::under(const std::string& backend) {
  const auto found = known_.find(backend);
  const bool isRung = currentProgress().rung[0] != 0;
  return found != known_.end() ? found->second : known_[backend] = judge(backend, task_.blame && !isRung);
}

const Judgement& Judgements::underRung(const std::string& rung) {
  Progress& progress = currentProgress();
  const std::string outer = progress.rung; // a rung's judge may ask another one; empty: the backend itself
  progress.beginRung(rung);
  const Judgement& judgement = under(rung); // what ends the process in it is the rung's: nothing to restore then
  progress.beginRung(outer);
  return judgement;
}

bool Judgements::readsUninitialized(const std::string& backend, const compare::CaseVerdict& verdict) {
  if (!differsInValues(verdict)) {
    return false;
  }
  const std::vector<std::string> messages = valueMessages(verdict, verdict);
  const std::optional<compare::CaseVerdict>& warm = known_.at(backend).again;
  if (warm.has_value() && valueMessages(verdict, *warm) == messages) {
    return false;
  }
  const auto messagesUnder = [&](FillPattern pattern) {
    compiledPattern = pattern;
    const compare::CaseVerdict again = judge(backend).verdict;
    compiledPattern = FillPattern::kFirst;
    return valueMessages(verdict, again);
  };
  return messagesUnder(FillPattern::kSecond) != messages && messagesUnder(FillPattern::kFirst) == messages;
}

Judgement Judgements::judge(const std::string& name, bool again) {
  checkAllZones();
  const std::optional<OutOfBoundsWrite> before = takeOutOfBoundsWrite(); // of the one whose judge asks this rung
  const WarningKeeper keeper;
  const c10::impl::LocalDispatchKeySet keys = c10::impl::tls_local_dispatch_key_set();
  Judgement judgement = judgeUnheard(name, again);
  // A compile that raises may leave keys of Python's dispatcher switched on, and nothing after it would work.
  c10::impl::_force_tls_local_dispatch_key_set(keys);
  endIfDeviceFailed(case_);
  if (name == profile_.backend) {
    excuseUnsupported(judgement.verdict);
  }
  judgement.warnings = keeper.warnings();
  checkAllZones();
  if (const std::optional<OutOfBoundsWrite> write = takeOutOfBoundsWrite()) {
    judgeWrite(*write, judgement.verdict);
  }
  if (before.has_value()) {
    putBackOutOfBoundsWrite(*before);
  }
  return judgement;
}

/// A backend that has agreed and left all to PyTorch has not agreed.
static void requireDelegation(Judgement& judgement) {
  compare::CaseVerdict& verdict = judgement.verdict;
  if (verdict.outcome == Outcome::kAgreed && judgement.delegation &&
      judgement.delegation->kind == ir::DelegationKind::kUndelegated) {
    verdict.outcome = Outcome::kVacuous;
    verdict.calls.at(static_cast<size_t>(verdict.call)).message =
        "The backend was handed graphs and executed none of their operators itself.";
  }
}

Judgement Judgements::judgeUnheard(const std::string& name, bool again) {
  Judgement judgement;
  try {
    const std::shared_ptr<ir::PassGate> gate = gateOf(name, task_.passLimit);
    judgement.gate = gate;
    const std::shared_ptr<substitutes::Substitution> substitution = substitutionOf(task_.substitute, name);
    const std::unique_ptr<backends::Backend> changed = changedBackend(name, gate, substitution);
    const auto tellSubstituted = c10::make_scope_exit([&] {
      if (substitution != nullptr) {
        substituted_ = substitution->result();
      }
    });
    backends::Backend& backend = changed != nullptr ? *changed : preparedBackend(name);
    currentProgress().enter("compile");
    const bool profiled = name == profile_.backend;
    const language::Case& given = profiled ? given_ : case_;
    const std::unique_ptr<values::CompiledProgram> program = compileWith(task_.substitute, backend, given);
    compare::JudgeOptions options;
    options.rules = compare::rulesOf(backend.info().rules);
    if (profiled) {
      options.rules = (options.rules & ~profile_.rulesOff) | profile_.rulesOn;
      options.strictNumerics = profile_.strictNumerics;
    }
    options.onPhase = reportPhase;
    const auto noteRecompiles = [&](int call) { // of calls before this one
      const auto recompiles = static_cast<int64_t>(program->report().recompiles.size());
      judgement.recompilesByCall.resize(static_cast<size_t>(call), recompiles);
    };
    if (task_.wantReasons) {
      options.onPhase = [&](const char* phase, int call, const char* step) {
        if (call > 0 && static_cast<size_t>(call) > judgement.recompilesByCall.size()) {
          noteRecompiles(call);
        }
        reportPhase(phase, call, step);
      };
    }
    if (!compare::promisesStrides(backend.info().rules)) {
      options.baseHasEagerStrides = [&](int call) { return hasEagerStrides(backend.info(), call); };
    }
    if (task_.wantObservation && currentProgress().rung[0] == 0) {
      options.onCompiled = [&](const observe::CaseObservation& compiled) {
        for (const observe::CallObservation& call : compiled.calls) {
          judgement.observed.push_back(observe::observationTexts(call, observe::ValuesText::kDigest));
        }
      };
    }
    judgement.verdict = compare::judge(case_, eager_, *program, backend.info(), options, &judgement.times);
    options.onCompiled = nullptr; // of the first run
    if (task_.wantReasons) {
      noteRecompiles(static_cast<int>(judgement.verdict.calls.size()));
      options.onPhase = reportPhase;
    }
    if (judgement.verdict.outcome == Outcome::kAgreed && eager_.isPython() && name == kPythonReference) {
      judgement.verdict.outcome = Outcome::kReference; // it is what the others are held against
    }
    judgement.report = program->report();
    judgement.symbols = program->symbols();
    if (!task_.substitute.empty() && isOfTorch(name)) {
      const values::ServedCalls served = program->servedCalls();
      substituted_ = {.placed = served.placed, .codes = served.codes, .around = served.around};
    }
    if (again && differsInValues(judgement.verdict)) {
      compiledPattern = FillPattern::kSecond;
      judgement.again = compare::judge(case_, eager_, *program, backend.info(), options);
      compiledPattern = FillPattern::kFirst;
    }
    if (profiled && !profile_.proof.empty() && !task_.wanted) { // behind all calls, of which it makes further ones
      currentProgress().enter("proof");
      judgement.delegation = program->delegation();
      requireDelegation(judgement);
    }
  } catch (const ir::Unsupported& unsupported) {
    return withoutCalls(Outcome::kUnsupported, unsupported.what(), unsupported.what());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    const values::RaisedException raised = values::currentException();
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
void Judgements::excuseUnsupported(compare::CaseVerdict& verdict) {
  bool changed = false;
  for (compare::CallVerdict& call : verdict.calls) {
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
std::optional<bool> Judgements::hasEagerStrides(const ir::BackendInfo& info, int call) {
  std::string strongest;
  for (const std::string& rung : backends::blamedBefore(info)) {
    if (backends::backendInfo(rung).rules == ir::RuleSet::kAot && !job_.leavesOut(rung)) {
      strongest = rung;
    }
  }
  if (strongest.empty()) {
    return std::nullopt;
  }
  const compare::CaseVerdict& verdict = underRung(strongest).verdict;
  if (static_cast<size_t>(call) >= verdict.calls.size() || !verdict.calls[static_cast<size_t>(call)].judged) {
    return std::nullopt;
  }
  const auto& differences = verdict.calls[static_cast<size_t>(call)].differences;
  return std::none_of(differences.begin(), differences.end(),
                      [](const compare::Difference& each) { return each.property == language::Property::kStrides; });
}

} // namespace touchstone::worker
