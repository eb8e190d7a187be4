#pragma once

#include "oracles/observe/Observation.h"
#include "program/evaluator/Evaluator.h"
#include "program/language/Case.h"
#include "program/values/Callable.h"
#include "program/values/RaisedException.h"

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace touchstone::taint {
class OverlapWrites;
}

namespace touchstone::observe {

/// That something was compiled, and ran.
struct CompileEvidence {
  int64_t compiledRuns = 0;
  int64_t graphs = 0; // compiled
  int64_t backwardGraphs = 0; // of these, by compiled autograd
};

struct RunOptions {
  /// Called before each step with the call's index and `inputs`, `forward`, `observe`, `between`, `backward`, `late` (all
  /// calls up to this one are looked at again) or `effects`.
  std::function<void(int call, const char* step)> onStep;
  /// Called where CallSpec::reset asks for it.
  std::function<void()> reset;
  /// Counts of a compiled program; compared before and after each call. Null: none.
  std::function<CompileEvidence()> evidence;
  /// Runs the Program in place of `program` in calls of another instance than 0. Null: `program` serves them all.
  std::function<values::Value(int instance, values::ValueList& arguments)> instance;
  /// Opens the scope that CallSpec::compiledAutograd asks for; null result: none to be had.
  std::function<std::shared_ptr<void>()> compiledAutograd;
  /// Only calls [0, end) are made. Default: all.
  std::optional<int> end;
  /// How `inputs` and `between` functions run. `onData` is applied to the tangents too. With `inDouble` the inputs and
  /// tangents are made in their declared dtype and then converted; `program` must be an Evaluator in double as well.
  evaluator::EvaluatorOptions evaluator;
  /// Cleared before and asked after each forward (rule A14); must be the hook that `program` was made with.
  taint::OverlapWrites* overlapWrites = nullptr;
  /// How each backward runs: as the call says; as one backward a root, see runBackward(); or, that of the last
  /// call, not at all, but for what its nodes raise one by one, see errorsOfNodes().
  enum class Backward { kWhole, kRootByRoot, kNodeByNode } backward = Backward::kWhole;
  bool probeEffects = true; // write to each output and input in turn at the end
};

/// Performs the calls of a Case on anything callable and observes everything that the oracle contract names. One
/// function for every backend and for eager, so that both sides are seen by the same eyes.
///
/// For each call: reset, inputs (made anew by the Case's functions, or the previous call's very objects), forward under
/// the call's modes, everything but gradients observed, `between`, backward passes of earlier calls that were deferred
/// until now, in the order in which the call lists them, this call's own backward unless a later call defers it. Then all
/// outputs, gradients and tangents so far are looked at again. After the last call the effects of writes are probed, in
/// the order of the calls. Probes restore every byte and bump no version counter.
///
/// What feeds a call are the very outputs of the call before; where there are none, that is an IndexError of phase `inputs`. The
/// leaves of that call are this one's too, after its own: a backward goes on through what has fed it.
///
/// `arg i` counts the tensors among the arguments, flattened, not the arguments. Leaves: tensors requiring grad that
/// are leaves when the call begins, of the flattened arguments, then of the watched, each object once. Tangents: runBackward().
///
/// The default CPU generator is seeded before the inputs are made and again before the forward. A `between` function
/// gets the arguments as a tuple and the flattened tensor outputs as a list.
///
/// Exceptions of the callee are part of the Observation; an exception of an `inputs` function is too (phase `inputs`),
/// and the calls after it are made all the same. Saves and restores the default generator's state and every mode.
CaseObservation runCalls(const language::Case& theCase, values::Callable& program, const RunOptions& options = {});

} // namespace touchstone::observe
