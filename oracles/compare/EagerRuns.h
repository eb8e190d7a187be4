#pragma once

#include "oracles/compare/EagerReference.h"

#include <array>
#include <map>
#include <optional>

namespace touchstone::compare {

/// What is moved by one ulp: all data, or that of float32 and wider dtypes, and what steps make of such data of narrower.
enum class Perturbing { kAll, kWide };

/// What one traced run gives.
struct TracedRun {
  observe::CaseObservation observation;
  std::vector<evidence::CallTrace> traces;
};

/// The runs of eager that are evidence, each made when it is first asked for.
struct EagerReference::State {
  const language::Case& theCase;
  EagerOptions options;
  observe::CaseObservation first;
  std::vector<Instability> unstable;
  double seconds = 0;
  bool exact = false;
  std::optional<TracedRun> traced, inDouble, withOtherNumbers, contiguousGradients, halfTainted;
  std::array<std::optional<std::vector<TracedRun>>, 2> perturbed, resultsPerturbed; // by Perturbing
  std::optional<std::vector<TracedRun>> relaid, zerosPerturbed;
  std::optional<std::vector<observe::CaseObservation>> rootByRoot;
  std::optional<std::optional<evidence::StepRuns>>
      inSteps; // outside none: not asked for yet; inside: there are no simpler steps
  std::optional<std::optional<observe::CaseObservation>> inStepsDouble; // the same in double precision
  std::map<int, bool> exactCalls;
  std::map<int, std::optional<observe::ExceptionObservation>> fullBackward;
  std::map<int, std::vector<observe::ExceptionObservation>> nodeErrors;
  struct Unchanged {
    language::Case theCase;
    std::unique_ptr<EagerReference> reference;
  };
  std::map<int, Unchanged> withoutChange;
  std::map<int, observe::CallObservation> untouched;

  State(const language::Case& givenCase, EagerOptions given);
  observe::RunOptions runOptions(const char* phase) const;
  observe::CaseObservation plainRun(const char* phase) const;
  TracedRun tracedRun(evaluator::EvaluatorOptions evaluator, evidence::TraceOptions tracing, bool byRoot = false) const;
  const TracedRun& ensureTraced();
  const observe::CallObservation& untouchedCall(int call);

  /// In double precision by its text. Null where it has drawn: float64 draws other numbers.
  const observe::CallObservation* inDoubleByText(int call);
  const TracedRun& ensureWithOtherNumbers();
  const TracedRun& ensureInDouble();

  /// The Case with a backward for each root alone, as it is and in double precision: its gradients are the same sums in
  /// another order. None where hooks run or backwards that the Case brings along: these would see the parts. None where
  /// a backward raises: it has left some of the parts in `.grad`.
  const std::vector<observe::CaseObservation>& ensureRootByRoot();
  TracedRun perturbedRun(uint64_t seed, Perturbing perturbing, evidence::TraceOptions tracing);
  const std::vector<TracedRun>& ensurePerturbed(Perturbing perturbing);
  const std::vector<TracedRun>& ensureResultsPerturbed(Perturbing perturbing);
  const std::vector<TracedRun>& ensureZerosPerturbed();
  const std::vector<TracedRun>& ensureRelaid();
  bool isHalfway(int call, observe::TensorSlot slot);

  /// What may be moved in runs that are evidence for this value: where nothing on its way was computed in half precision, no
  /// input in half precision may widen its bound.
  Perturbing perturbingFor(int call, observe::TensorSlot slot);

  /// In simpler steps and in double precision by its text. Null where it raises another time than eager, where bits are
  /// reinterpreted, and from the first draw on: float64 draws other numbers.
  const observe::CallObservation* inStepsInDouble(int call);
  std::optional<observe::CaseObservation> runOfSteps() const;
  const std::optional<evidence::StepRuns>& ensureInSteps();

  /// The runs that rule A7 goes by.
  std::vector<const TracedRun*> perturbedRuns(bool decomposed, Perturbing perturbing = Perturbing::kAll);

  using Wrap = std::function<std::unique_ptr<values::Callable>(std::unique_ptr<values::Callable>)>;
  /// The call alone with other settings, or its program wrapped, after the calls before it.
  observe::CallObservation rerun(int call, const std::function<void(language::CallSpec&)>& change,
                                 const Wrap& wrap = {},
                                 observe::RunOptions::Backward backward = observe::RunOptions::Backward::kWhole,
                                 evaluator::EvaluatorOptions evaluator = {}) const;

  /// What a backward of the call from these roots to all leaves raises, with nothing between.
  std::optional<observe::ExceptionObservation> backwardError(int call, std::vector<language::BackwardRoot> roots) const;

  /// What a gradient that the Program takes itself raises when it is taken of all leaves.
  std::optional<observe::ExceptionObservation> insideError(int call) const;
};

} // namespace touchstone::compare
