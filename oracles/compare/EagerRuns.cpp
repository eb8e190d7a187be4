#include "oracles/compare/EagerRuns.h"

#include "oracles/compare/RaisingAtOnce.h"
#include "oracles/evidence/Precision.h"
#include "oracles/evidence/TaintedElements.h"
#include "oracles/observe/CallRunner.h"
#include "oracles/taint/OverlapWrites.h"

#include <algorithm>
#include <utility>

namespace touchstone::compare {

namespace {

constexpr uint64_t kPerturbedRuns = 4;
constexpr uint64_t kRunsOfPerturbedZeros = 2;
constexpr uint64_t kRunsOfPerturbedResults = 8; // many results move, and may move together in a few

} // namespace

EagerReference::State::State(const language::Case& givenCase, EagerOptions given)
    : theCase(givenCase), options(std::move(given)) {
  if (options.python) {
    options.inSteps = nullptr; // no native pipeline takes the Program
    options.factory = [python = options.python](const language::Case& each, const evaluator::EvaluatorOptions&) {
      return python(each);
    };
  }
  if (!options.factory) {
    options.factory = [](const language::Case& each, evaluator::EvaluatorOptions evaluator) {
      return evaluator::eagerProgram(each, std::move(evaluator));
    };
  }
}

observe::RunOptions EagerReference::State::runOptions(const char* phase) const {
  observe::RunOptions run;
  if (options.onPhase) {
    run.onStep = [this, phase](int call, const char* step) { options.onPhase(phase, call, step); };
  }
  return run;
}

observe::CaseObservation EagerReference::State::plainRun(const char* phase) const {
  taint::OverlapWrites overlap;
  evaluator::EvaluatorOptions evaluator;
  evaluator.onOperation = std::ref(overlap);
  const auto program = options.factory(theCase, std::move(evaluator));
  observe::RunOptions run = runOptions(phase);
  run.evaluator.onOperation = std::ref(overlap); // views of overlapping tensors are made by `inputs` functions too
  run.overlapWrites = options.python ? nullptr : &overlap;
  run.probeEffects = options.probeEffects;
  return observe::runCalls(theCase, *program, run);
}

TracedRun EagerReference::State::tracedRun(evaluator::EvaluatorOptions evaluator, evidence::TraceOptions tracing,
                                           bool byRoot) const {
  evidence::Tracer tracer(tracing);
  evaluator::EvaluatorOptions ofProgram = evaluator;
  ofProgram.onOperation = tracer.hook();
  const auto program = tracer.watch(options.factory(theCase, std::move(ofProgram)));
  observe::RunOptions run = runOptions("reference");
  run.onStep = [this, onStep = run.onStep, &tracer](int call, const char* step) {
    if (std::string_view(step) == "forward") {
      tracer.beginCall(call, theCase.takesEarlierObjects(static_cast<size_t>(call)));
    }
    if (onStep) {
      onStep(call, step);
    }
  };
  run.probeEffects = false;
  if (byRoot) {
    run.backward = observe::RunOptions::Backward::kRootByRoot;
  }
  run.evaluator = std::move(evaluator);
  TracedRun result;
  result.observation = observe::runCalls(theCase, *program, run);
  result.traces = tracer.calls();
  result.traces.resize(theCase.calls.size());
  return result;
}

const TracedRun& EagerReference::State::ensureTraced() {
  if (!traced) {
    traced = options.python ? TracedRun{first, {}} : tracedRun({}, {});
    for (size_t call = 0; options.python && call < first.calls.size(); ++call) {
      traced->traces.push_back(traceByEffects(first.calls[call], untouchedCall(static_cast<int>(call))));
    }
  }
  return *traced;
}

const observe::CallObservation& EagerReference::State::untouchedCall(int call) {
  const auto found = untouched.find(call);
  if (found != untouched.end()) {
    return found->second;
  }
  const auto raisingAtOnce = [call](std::unique_ptr<values::Callable> program) -> std::unique_ptr<values::Callable> {
    return std::make_unique<RaisingAtOnce>(std::move(program), call);
  };
  return untouched
      .emplace(call, rerun(
                         call, [](language::CallSpec&) {}, raisingAtOnce))
      .first->second;
}

const observe::CallObservation* EagerReference::State::inDoubleByText(int call) {
  if (!inDouble) {
    inDouble.emplace();
    inDouble->observation = runInDouble(theCase, options.python, runOptions("reference"));
  }
  const auto index = static_cast<size_t>(call);
  const observe::CallObservation &eager = first.calls.at(index), &found = inDouble->observation.calls.at(index);
  const bool isAlike = !found.exception == !eager.exception && found.structure == eager.structure;
  return isAlike && !draws(eager, untouchedCall(call)) ? &found : nullptr;
}

const TracedRun& EagerReference::State::ensureWithOtherNumbers() {
  if (!withOtherNumbers) {
    withOtherNumbers = tracedRun({}, {.perturbTaintedNumbers = true});
  }
  return *withOtherNumbers;
}

const TracedRun& EagerReference::State::ensureInDouble() {
  if (!inDouble) {
    evaluator::EvaluatorOptions evaluator;
    evaluator.inDouble = true;
    inDouble =
        tracedRun(std::move(evaluator), {.replay = &ensureTraced().traces, .discreteOf = &ensureTraced().traces});
  }
  return *inDouble;
}

const std::vector<observe::CaseObservation>& EagerReference::State::ensureRootByRoot() {
  if (rootByRoot) {
    return *rootByRoot;
  }
  rootByRoot.emplace();
  if (theCase.hasCustomCode() || options.python) { // hooks that Python knows are not seen
    return *rootByRoot;
  }
  bool hooks = false;
  for (const bool wide : {false, true}) {
    evaluator::EvaluatorOptions evaluator;
    evaluator.inDouble = wide;
    evaluator.onCallable = [&hooks](const runtime::CallableCall& call) {
      hooks = hooks || call.isHook;
      return call.run(call.arguments);
    };
    TracedRun run = tracedRun(std::move(evaluator), {.replay = &ensureTraced().traces}, /*byRoot=*/true);
    const std::vector<observe::CallObservation>& calls = run.observation.calls;
    if (hooks ||
        std::any_of(calls.begin(), calls.end(), [](const auto& call) { return call.backwardException.has_value(); })) {
      break;
    }
    rootByRoot->push_back(std::move(run.observation));
  }
  return *rootByRoot;
}

TracedRun EagerReference::State::perturbedRun(uint64_t seed, Perturbing perturbing, evidence::TraceOptions tracing) {
  evaluator::EvaluatorOptions evaluator;
  evaluator.onData = evidence::perturbDataByUlp(seed, perturbing == Perturbing::kWide);
  if (options.python) { // of `inputs` functions that run in C++
    observe::RunOptions run = runOptions("reference");
    run.probeEffects = false;
    run.evaluator = std::move(evaluator);
    return {observe::runCalls(theCase, *options.python(theCase), run), ensureTraced().traces};
  }
  if (perturbing == Perturbing::kWide) {
    tracing.perturbWidened = seed;
  }
  tracing.discreteOf = &ensureTraced().traces;
  return tracedRun(std::move(evaluator), tracing);
}

const std::vector<TracedRun>& EagerReference::State::ensurePerturbed(Perturbing perturbing) {
  std::optional<std::vector<TracedRun>>& runs = perturbed[static_cast<size_t>(perturbing)];
  if (!runs) {
    runs.emplace();
    for (uint64_t seed = 1; seed <= kPerturbedRuns; ++seed) {
      runs->push_back(perturbedRun(seed, perturbing, {}));
    }
  }
  return *runs;
}

const std::vector<TracedRun>& EagerReference::State::ensureResultsPerturbed(Perturbing perturbing) {
  std::optional<std::vector<TracedRun>>& runs = resultsPerturbed[static_cast<size_t>(perturbing)];
  if (!runs) {
    runs.emplace();
    for (uint64_t seed = kPerturbedRuns + 1; seed <= kPerturbedRuns + kRunsOfPerturbedResults; ++seed) {
      runs->push_back(perturbedRun(seed, perturbing, {.perturbResults = seed}));
    }
  }
  return *runs;
}

const std::vector<TracedRun>& EagerReference::State::ensureZerosPerturbed() {
  if (!zerosPerturbed) {
    zerosPerturbed.emplace();
    for (uint64_t seed = 1; seed <= kRunsOfPerturbedZeros && !options.python; ++seed) {
      zerosPerturbed->push_back(perturbedRun(seed, Perturbing::kAll, {.perturbResults = seed, .perturbsZeros = true}));
    }
  }
  return *zerosPerturbed;
}

const std::vector<TracedRun>& EagerReference::State::ensureRelaid() {
  if (!relaid) {
    relaid.emplace();
    for (const auto layout : {evidence::TraceOptions::Layout::kDense, evidence::TraceOptions::Layout::kGapped}) {
      relaid->push_back(tracedRun({}, {.discreteOf = &ensureTraced().traces, .operands = layout}));
    }
  }
  return *relaid;
}

bool EagerReference::State::isHalfway(int call, observe::TensorSlot slot) {
  if (!halfTainted) {
    halfTainted = tracedRun({}, {.taintHalf = true});
  }
  const std::vector<taint::TaintMask> tainted = evidence::taintedElements(
      theCase, call, halfTainted->observation.calls.at(static_cast<size_t>(call)), halfTainted->traces, slot);
  return std::ranges::any_of(tainted, [](taint::TaintMask mask) { return (mask & taint::kTaintedByHalf) != 0; });
}

Perturbing EagerReference::State::perturbingFor(int call, observe::TensorSlot slot) {
  if (options.python || (!theCase.mentions("bfloat16") && !theCase.mentions("float16"))) {
    return Perturbing::kAll;
  }
  const at::Tensor eager = observe::valuesAt(first.calls.at(static_cast<size_t>(call)), slot);
  return !eager.defined() || at::isReducedFloatingType(eager.scalar_type()) || isHalfway(call, slot)
             ? Perturbing::kAll
             : Perturbing::kWide;
}

const observe::CallObservation* EagerReference::State::inStepsInDouble(int call) {
  const auto index = static_cast<size_t>(call);
  for (size_t each = 0; each <= index; ++each) {
    if (const evidence::CallTrace& trace = ensureTraced().traces.at(each);
        trace.reinterpretsBits || !trace.draws.empty()) {
      return nullptr;
    }
  }
  if (!inStepsDouble) {
    inStepsDouble.emplace(runOfSteps());
  }
  if (!*inStepsDouble) {
    return nullptr;
  }
  const observe::CallObservation &eager = first.calls.at(index), &found = (*inStepsDouble)->calls.at(index);
  return !found.exception == !eager.exception && found.structure == eager.structure ? &found : nullptr;
}

std::optional<observe::CaseObservation> EagerReference::State::runOfSteps() const {
  const language::Case wide = inDoublePrecision(theCase);
  std::unique_ptr<values::Callable> program;
  try {
    program = options.inSteps(wide, nullptr);
  } catch (const std::exception&) { // there are no simpler steps
    return std::nullopt;
  }
  return runInDouble(
      theCase, [&](const language::Case&) { return std::move(program); }, runOptions("reference"));
}

const std::optional<evidence::StepRuns>& EagerReference::State::ensureInSteps() {
  if (!inSteps) {
    inSteps =
        options.inSteps ? evidence::runInSteps(theCase, options.inSteps, runOptions("reference").onStep) : std::nullopt;
  }
  return *inSteps;
}

std::vector<const TracedRun*> EagerReference::State::perturbedRuns(bool decomposed, Perturbing perturbing) {
  std::vector<const TracedRun*> runs;
  const auto add = [&](const TracedRun& run) { runs.push_back(&run); };
  std::ranges::for_each(ensurePerturbed(perturbing), add);
  if (decomposed && !options.python) {
    std::ranges::for_each(ensureResultsPerturbed(perturbing), add);
    std::ranges::for_each(ensureRelaid(), add);
  }
  return runs;
}

observe::CallObservation EagerReference::State::rerun(int call, const std::function<void(language::CallSpec&)>& change,
                                                      const Wrap& wrap, observe::RunOptions::Backward backward,
                                                      evaluator::EvaluatorOptions evaluator) const {
  language::Case changed = theCase;
  change(changed.calls.at(static_cast<size_t>(call)));
  auto program = options.factory(changed, std::move(evaluator));
  if (wrap) {
    program = wrap(std::move(program));
  }
  observe::RunOptions run = runOptions("reference");
  run.end = call + 1;
  run.probeEffects = false;
  run.backward = backward;
  observe::CaseObservation observation = observe::runCalls(changed, *program, run);
  return std::move(observation.calls.at(static_cast<size_t>(call)));
}

std::optional<observe::ExceptionObservation> EagerReference::State::backwardError(
    int call, std::vector<language::BackwardRoot> roots) const {
  return rerun(call,
               [&](language::CallSpec& spec) {
                 spec.backward = std::move(roots);
                 spec.wrt.reset();
                 spec.via = language::GradientVia::kBackward;
                 spec.tangentLayout = language::TangentLayout::kLike;
                 spec.backwardTimes = 1;
                 spec.createGraph = false;
                 spec.derivatives = 1;
                 spec.backwardAfter.clear();
                 spec.between.reset();
               })
      .backwardException;
}

std::optional<observe::ExceptionObservation> EagerReference::State::insideError(int call) const {
  if (options.python || !theCase.mentions("grad") || first.calls.at(static_cast<size_t>(call)).exception) {
    return std::nullopt;
  }
  evaluator::EvaluatorOptions evaluator;
  evaluator.wholeGradients = true;
  const auto asItIs = [](language::CallSpec&) {};
  return rerun(call, asItIs, {}, observe::RunOptions::Backward::kWhole, std::move(evaluator)).exception;
}

} // namespace touchstone::compare
