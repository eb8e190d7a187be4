#include "oracles/compare/EagerReference.h"

#include "oracles/compare/BackwardRoots.h"
#include "oracles/compare/Comparison.h"
#include "oracles/compare/EagerRuns.h"
#include "oracles/evidence/TaintedElements.h"
#include "program/analysis/ExactOperators.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace touchstone::compare {

EagerReference::EagerReference(const language::Case& theCase, EagerOptions options)
    : state_(std::make_unique<State>(theCase, std::move(options))) {
  const auto start = std::chrono::steady_clock::now();
  state_->first = state_->plainRun("eager");
  const observe::CaseObservation second = state_->plainRun("eager again");
  state_->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (size_t call = 0; call < state_->first.calls.size(); ++call) {
    state_->unstable.push_back(instability(theCase, static_cast<int>(call), state_->first, second));
  }
  state_->exact = !isPython() && analysis::usesExactOperatorsOnly(theCase);
}

EagerReference::~EagerReference() = default;

const observe::CaseObservation& EagerReference::first() const {
  return state_->first;
}
const std::vector<Instability>& EagerReference::unstable() const {
  return state_->unstable;
}
bool EagerReference::isPython() const {
  return static_cast<bool>(state_->options.python);
}
double EagerReference::seconds() const {
  return state_->seconds;
}
bool EagerReference::exact() const {
  return state_->exact;
}

const evidence::CallTrace& EagerReference::trace(int call) const {
  return state_->ensureTraced().traces.at(static_cast<size_t>(call));
}

bool EagerReference::exactCall(int call) const {
  if (!state_->exact) {
    return false;
  }
  const auto [entry, isNew] = state_->exactCalls.try_emplace(call, true);
  const observe::CallObservation* precise = isNew ? inDouble(call) : nullptr;
  if (precise) {
    entry->second = sameInDouble(state_->first.calls.at(static_cast<size_t>(call)), *precise);
  }
  return entry->second;
}

std::optional<observe::ExceptionObservation> EagerReference::fullBackwardError(int call) const {
  const auto [entry, isNew] = state_->fullBackward.try_emplace(call);
  if (isNew) {
    if (std::vector<language::BackwardRoot> roots = allRoots(state_->first.calls.at(static_cast<size_t>(call)));
        !roots.empty()) {
      entry->second = state_->backwardError(call, std::move(roots));
    }
  }
  if (isNew && !entry->second) {
    entry->second = state_->insideError(call);
  }
  return entry->second;
}

const std::vector<observe::ExceptionObservation>& EagerReference::errorsOfNodes(int call) const {
  const auto [entry, isNew] = state_->nodeErrors.try_emplace(call);
  if (!isNew) {
    return entry->second;
  }
  const auto asItIs = [](language::CallSpec&) {};
  entry->second = state_->rerun(call, asItIs, {}, observe::RunOptions::Backward::kNodeByNode).nodeErrors;
  const auto& roots = state_->theCase.calls.at(static_cast<size_t>(call)).backward;
  for (const language::BackwardRoot& root : roots.value_or(std::vector<language::BackwardRoot>())) {
    if (std::optional<observe::ExceptionObservation> error = state_->backwardError(call, {root})) {
      entry->second.push_back(std::move(*error)); // what hooks and the engine itself raise, too
    }
  }
  return entry->second;
}

bool EagerReference::isHalfway(int call, observe::TensorSlot slot) const {
  return isPython() || state_->isHalfway(call, slot);
}

std::vector<taint::TaintMask> EagerReference::taintOf(int call, observe::TensorSlot slot) const {
  const TracedRun& run = state_->ensureTraced();
  const observe::CallObservation& observed = run.observation.calls.at(static_cast<size_t>(call));
  return evidence::taintedElements(state_->theCase, call, observed, run.traces, slot);
}

bool EagerReference::writesOverlap() const {
  const std::vector<observe::CallObservation>& calls = state_->first.calls;
  return std::any_of(calls.begin(), calls.end(),
                     [](const observe::CallObservation& call) { return call.overlapWritten; });
}

taint::TaintMask EagerReference::taintOfNumber(int call, size_t index) const {
  const evidence::CallTrace& traced = trace(call);
  if (evidence::readsLists(state_->theCase)) {
    return traced.anywhere;
  }
  const taint::TaintMask mask = traced.taintedNumbers;
  if (!mask) {
    return 0;
  }
  const observe::CallObservation& perturbed =
      state_->ensureWithOtherNumbers().observation.calls.at(static_cast<size_t>(call));
  const std::vector<values::Value>& values = state_->first.calls.at(static_cast<size_t>(call)).nonTensors;
  const bool stays =
      perturbed.nonTensors.size() == values.size() && sameNumber(perturbed.nonTensors[index], values[index]);
  return stays ? 0 : mask;
}

taint::TaintMask EagerReference::taintOfWay(int call) const {
  taint::TaintMask read = 0;
  for (int each = 0; each <= call; ++each) {
    read |= trace(each).taintedNumbers;
    if (read && state_->ensureWithOtherNumbers().traces.at(static_cast<size_t>(each)).way != trace(each).way) {
      return read;
    }
  }
  return 0;
}

const observe::CallObservation& EagerReference::untouched(int call) const {
  return state_->untouchedCall(call);
}

const EagerReference& EagerReference::withoutChange(int call) const {
  const auto [entry, isNew] = state_->withoutChange.try_emplace(call);
  State::Unchanged& unchanged = entry->second; // a map's entries stay where they are
  if (isNew) {
    unchanged.theCase = state_->theCase;
    language::CallSpec& spec = unchanged.theCase.calls.at(static_cast<size_t>(call));
    spec.between.reset();
    for (language::CallSpec& later : unchanged.theCase.calls) {
      std::erase(later.backwardAfter, call);
    }
    unchanged.reference = std::make_unique<EagerReference>(unchanged.theCase, state_->options);
  }
  return *unchanged.reference;
}

} // namespace touchstone::compare
