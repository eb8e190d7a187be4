#pragma once

#include "oracles/compare/PythonReference.h"
#include "oracles/evidence/Perturbation.h"
#include "oracles/evidence/RoundingBound.h"
#include "oracles/evidence/Trace.h"
#include "oracles/observe/Observation.h"
#include "oracles/observe/TensorSlot.h"
#include "program/evaluator/Evaluator.h"
#include "program/language/Case.h"
#include "program/values/Callable.h"

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::compare {

struct JudgeOptions;

/// Makes the eager side of a Case; evaluator::eagerProgram unless a test says otherwise.
using EagerFactory = std::function<std::unique_ptr<values::Callable>(const language::Case& theCase,
                                                                     evaluator::EvaluatorOptions options)>;

/// In what two eager runs of one call differ, and where; and whether one of them raised where the other did not.
struct Instability {
  std::set<std::pair<language::Property, std::string>> differences;
  bool exceptions = false;
  bool any() const { return exceptions || !differences.empty(); }
};

struct EagerOptions {
  EagerFactory factory; // empty: evaluator::eagerProgram
  PythonFactory python =
      {}; // of a Case that needs it: what this makes is the reference; its operators cannot be watched
  bool probeEffects = true;
  evidence::StepFactory inSteps; // empty: how simpler steps round is not known
  /// Told before each step: `eager`, `eager again` or `reference`, the call and the step.
  std::function<void(const char* phase, int call, const char* step)> onPhase;
};

/// Eager's side of a Case, computed once and used for every backend: two runs (what differs between them is
/// EagerUnstable), and, made only when first asked for: the traced run, the full backward (A8), the backward without
/// `between` (A16), the run in double precision with the recorded random draws and the four runs with inputs perturbed by
/// one ulp (A7). Of a Program that Python runs there are fewer: `docs/judging.md`. Keeps a reference to the Case, which must outlive it.
class EagerReference {
 public:
  explicit EagerReference(const language::Case& theCase, EagerOptions options = {});
  EagerReference(const language::Case& theCase, const JudgeOptions& options);
  ~EagerReference();

  const observe::CaseObservation& first() const;
  /// Per call, what two eager runs differ in.
  const std::vector<Instability>& unstable() const;
  bool isPython() const; // the reference is the uncompiled Program in Python
  double seconds() const; // that the two runs took

  /// True when every operator of the Program is exact and every input of kind `grid`, `zeros` or `ones`.
  bool exact() const;
  /// exact(), and the run in double precision gives the very same values in this call (what is in double precision has
  /// short ones): no rounding took place.
  bool exactCall(int call) const;
  /// `decomposed`: of a backend that may decompose an operator; more runs are evidence then: eight that perturb
  /// inputs and, in the forward, each new result of an operator that rounds, two in which these operators get their operands
  /// in other memory, two in which such results that are zero become the least numbers, those in simpler steps, one of these in
  /// double precision, and what an integer or bool that differs there has not decided of the run in double precision.
  evidence::RoundingEvidence evidence(int call, observe::TensorSlot slot, bool decomposed = false) const;
  /// The run in double precision; null when there is none (bits reinterpreted, a draw that cannot be replayed, another
  /// way through the Program).
  const observe::CallObservation* inDouble(int call) const;
  /// The call in each of the perturbed runs that evidence() goes by.
  std::vector<const observe::CallObservation*> perturbed(int call, bool decomposed = false) const;
  /// The same of the runs in simpler steps, `value` telling what is looked at.
  evidence::RoundingEvidence::Steps steps(
      int call, const std::function<at::Tensor(const observe::CallObservation&)>& value) const;
  /// Whether rounding decides which way the Program goes, in this call or one before it: some perturbed run, or run in simpler
  /// steps, calls other operators.
  bool roundingDecidesWay(int call) const;

  /// The call where the backward of each operator gets contiguous gradients: a kernel that gives others then is wrong.
  const observe::CallObservation& withContiguousGradients(int call) const;

  /// What the backward over all differentiable outputs and mutated inputs raises, with nothing between, or a gradient that the
  /// Program takes itself where it is taken of all leaves (A8).
  std::optional<observe::ExceptionObservation> fullBackwardError(int call) const;
  /// What the nodes of the call's own backward raise, see errorsOfNodes(), and the backwards from each of its roots alone:
  /// which of them comes first is a matter of order.
  const std::vector<observe::ExceptionObservation>& errorsOfNodes(int call) const;
  /// Eager's side of the same Case with no change between this call's forward and backward (A16), with evidence of its own.
  const EagerReference& withoutChange(int call) const;
  /// The call when the program raises before it does anything: inputs as they were before (A17).
  const observe::CallObservation& untouched(int call) const;
  const evidence::CallTrace& trace(int call) const;
  /// Some element of the tensor was computed by way of float16 or bfloat16.
  bool isHalfway(int call, observe::TensorSlot slot) const;
  /// What each element of the tensor is tainted by; empty: nothing is.
  std::vector<taint::TaintMask> taintOf(int call, observe::TensorSlot slot) const;
  /// True when some call wrote through memory in which two elements overlap: what it left unspecified, others may have read.
  bool writesOverlap() const;
  /// What the number that the Program returned at this place is tainted by: it changes when numbers that were read from
  /// tainted elements are others.
  taint::TaintMask taintOfNumber(int call, size_t index) const;
  /// What leaves unspecified which way the Program goes, in this call or one before it: numbers that were read from tainted elements are
  /// others, and it calls other operators. 0: nothing.
  taint::TaintMask taintOfWay(int call) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace touchstone::compare
