#pragma once

#include "graph/program/Callable.h"
#include "graph/program/Case.h"
#include "oracles/Observation.h"

#include <functional>
#include <memory>
#include <optional>

namespace touchstone::oracles {

struct RunOptions {
  /// Called before each step with the call's index and `inputs`, `forward`, `between`, `backward` or `observe`.
  std::function<void(int call, const char* step)> onStep;
  /// Called where CallSpec::reset asks for it.
  std::function<void()> reset;
  /// Evidence counters of a compiled program; compared before and after each call. Null: none.
  std::function<std::pair<int64_t, int64_t>()> compiledRunsAndGraphs;
  /// Opens the scope that CallSpec::compiledAutograd asks for; null result: none to be had.
  std::function<std::shared_ptr<void>()> compiledAutograd;
  /// Only calls [0, end) are made. Default: all.
  std::optional<int> end;
  /// Applied to the arguments and watched tensors before each call and to each tangent: to run in double precision, or
  /// moved by one ulp. Must keep aliasing among the tensors it is given.
  std::function<void(std::vector<at::Tensor*>& inputs)> transformInputs;
  std::function<at::Tensor(const at::Tensor& tangent)> transformTangent;
  bool probeEffects = true; // write to each output and input in turn at the end of a call
};

/// Performs the calls of a Case on anything callable and observes everything that the oracle contract names. One
/// function for every backend and for eager, so that both sides are seen by the same eyes.
///
/// Inputs are made anew by the Case's functions, run eagerly. Exceptions of the callee are part of the Observation; an
/// exception of an `inputs` function is too (stage `inputs`), and the calls after it are made all the same.
/// `graph::Evaluator` runs `between` functions. Saves and restores the default generators' state.
CaseObservation runCalls(const graph::Case& theCase, graph::Callable& program, const RunOptions& options = {});

} // namespace touchstone::oracles
