#include "oracles/compare/EagerRuns.h"
#include "oracles/evidence/TaintedElements.h"

#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace touchstone::compare {

const observe::CallObservation* EagerReference::inDouble(int call) const {
  if (isPython()) {
    return state_->inDoubleByText(call);
  }
  const auto index = static_cast<size_t>(call);
  const evidence::CallTrace& eager = trace(call);
  if (eager.reinterpretsBits) {
    return nullptr;
  }
  const TracedRun& run = state_->ensureInDouble();
  if (!run.traces.at(index).replayed || run.traces.at(index).discrete != eager.discrete) {
    return nullptr;
  }
  return &run.observation.calls.at(index);
}

std::vector<const observe::CallObservation*> EagerReference::perturbed(int call, bool decomposed) const {
  std::vector<const observe::CallObservation*> calls;
  for (const TracedRun* run : state_->perturbedRuns(decomposed)) {
    calls.push_back(&run->observation.calls.at(static_cast<size_t>(call)));
  }
  return calls;
}

evidence::RoundingEvidence::Steps EagerReference::steps(
    int call, const std::function<at::Tensor(const observe::CallObservation&)>& value) const {
  evidence::RoundingEvidence::Steps steps;
  const std::optional<evidence::StepRuns>& runs = state_->ensureInSteps();
  const auto index = static_cast<size_t>(call);
  if (!runs) {
    return steps;
  }
  steps.asItIs = value(runs->asItIs.calls.at(index));
  steps.inDouble = [this, call, value] {
    const observe::CallObservation* precise = state_->inStepsInDouble(call);
    return precise != nullptr ? value(*precise) : at::Tensor();
  };
  for (const evidence::StepRuns::Perturbed& run : runs->perturbed) {
    steps.perturbed.push_back(value(run.observation.calls.at(index)));
    steps.decidesAlike.push_back(run.decidesAlike.at(index));
    steps.perturbsZeros.push_back(run.perturbsZeros);
  }
  return steps;
}

bool EagerReference::roundingDecidesWay(int call) const {
  if (isPython()) {
    return false; // for all that is known
  }
  const auto goesElsewhere = [&](const TracedRun* run) {
    for (int each = 0; each <= call; ++each) {
      if (run->traces.at(static_cast<size_t>(each)).way != trace(each).way) {
        return true;
      }
    }
    return false;
  };
  const std::vector<const TracedRun*> perturbed = state_->perturbedRuns(/*decomposed=*/true);
  if (std::any_of(perturbed.begin(), perturbed.end(), goesElsewhere)) {
    return true;
  }
  const std::optional<evidence::StepRuns>& runs = state_->ensureInSteps();
  return runs &&
         std::any_of(runs->perturbed.begin(), runs->perturbed.end(), [&](const evidence::StepRuns::Perturbed& run) {
           return !run.goesAlike.at(static_cast<size_t>(call));
         });
}

const observe::CallObservation& EagerReference::withContiguousGradients(int call) const {
  if (isPython()) {
    return first().calls.at(static_cast<size_t>(call));
  }
  if (!state_->contiguousGradients) {
    state_->contiguousGradients =
        state_->tracedRun({}, {.replay = &state_->ensureTraced().traces, .contiguousGradients = true});
  }
  return state_->contiguousGradients->observation.calls.at(static_cast<size_t>(call));
}

namespace {

/// Of a run in double precision, with eager's own in the elements that integers and bools have decided in another way.
at::Tensor valuesUnlessDecided(const observe::CallObservation& wide, const observe::CallObservation& eager,
                               observe::TensorSlot slot, const std::vector<bool>& decided) {
  const at::Tensor values = observe::valuesAt(wide, slot), own = observe::valuesAt(eager, slot);
  const bool isWide = values.defined() && values.is_cpu() && c10::toRealValueType(values.scalar_type()) == at::kDouble;
  if (!isWide || !own.defined() || !own.is_cpu() || values.sizes() != own.sizes()) {
    return {};
  }
  at::Tensor mask = at::zeros({values.numel()}, at::kBool);
  for (size_t element = 0; element < decided.size() && element < static_cast<size_t>(values.numel()); ++element) {
    mask.mutable_data_ptr<bool>()[element] = decided[element];
  }
  return at::where(mask.view(values.sizes()), own.to(values.scalar_type()), values);
}

} // namespace

evidence::RoundingEvidence EagerReference::evidence(int call, observe::TensorSlot slot, bool decomposed) const {
  evidence::RoundingEvidence evidence;
  if (const observe::CallObservation* precise = inDouble(call)) {
    evidence.inDouble = observe::valuesAt(*precise, slot);
  }
  const auto index = static_cast<size_t>(call);
  const auto decidedIn = [this, call, slot, index](const TracedRun& run) {
    std::vector<bool> decided;
    if (!isPython()) {
      for (const taint::TaintMask mask :
           evidence::taintedElements(state_->theCase, call, run.observation.calls.at(index), run.traces, slot)) {
        decided.push_back((mask & taint::kTaintedByRounding) != 0);
      }
    }
    return decided;
  };
  const auto addDiscrete = [&](const TracedRun& run) {
    std::vector<bool> decided = decidedIn(run);
    evidence.discrete.resize(std::max(evidence.discrete.size(), decided.size()));
    for (size_t element = 0; element < decided.size(); ++element) {
      evidence.discrete[element] = evidence.discrete[element] || decided[element];
    }
    return decided;
  };
  for (const TracedRun* run : state_->perturbedRuns(decomposed, state_->perturbingFor(call, slot))) {
    evidence.perturbed.push_back(observe::valuesAt(run->observation.calls.at(index), slot));
    evidence.discreteIn.push_back(addDiscrete(*run));
  }
  if (const TracedRun* wide =
          decomposed && !isPython() && !trace(call).reinterpretsBits ? &state_->ensureInDouble() : nullptr;
      wide != nullptr && wide->traces.at(index).replayed) {
    const std::vector<bool> decided = addDiscrete(*wide);
    // Where an integer or bool differs there, what does not depend on it is evidence all the same.
    if (!evidence.inDouble.defined()) {
      evidence.inDouble =
          valuesUnlessDecided(wide->observation.calls.at(index), first().calls.at(index), slot, decided);
    }
  }
  if (decomposed) {
    evidence.zerosPerturbed = [this, slot, index, decidedIn] {
      evidence::RoundingEvidence::Zeros zeros;
      for (const TracedRun& run : state_->ensureZerosPerturbed()) {
        zeros.values.push_back(observe::valuesAt(run.observation.calls.at(index), slot));
        zeros.discreteIn.push_back(decidedIn(run));
      }
      return zeros;
    };
    evidence.steps =
        steps(call, [slot](const observe::CallObservation& each) { return observe::valuesAt(each, slot); });
  }
  const std::optional<std::vector<language::BackwardRoot>>& roots = state_->theCase.calls.at(index).backward;
  const bool isGradient =
      slot.kind == observe::TensorSlot::Kind::kGradient || slot.kind == observe::TensorSlot::Kind::kLateGradient;
  if (isGradient && roots && roots->size() > 1) {
    for (const observe::CaseObservation& run : state_->ensureRootByRoot()) {
      if (evidence.reordered.empty() || inDouble(call) != nullptr) { // the second is the one in double precision
        evidence.reordered.push_back(observe::valuesAt(run.calls.at(index), slot));
      }
    }
  }
  return evidence;
}

} // namespace touchstone::compare
