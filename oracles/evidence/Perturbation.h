#pragma once

#include "graph/runtime/CallMode.h"
#include "oracles/observe/Observation.h"
#include "program/language/Case.h"
#include "program/values/Callable.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace touchstone::evidence {

/// Makes the Program of a Case such that operators are computed in simpler steps, each of which goes through `mode`, in the
/// backward as well. Throws where that cannot be done.
using StepFactory = std::function<std::unique_ptr<values::Callable>(const language::Case& theCase,
                                                                    std::shared_ptr<runtime::CallMode> mode)>;

/// What rounding does to a Program computed in simpler steps (rule A7): one run as it is, and some in which each new result
/// of a step that rounds is perturbed by one ulp, and so are the operands of those that do not work
/// element by element. Only how far these are from that one is evidence, never that one itself.
struct StepRuns {
  observe::CaseObservation asItIs;
  struct Perturbed {
    observe::CaseObservation observation;
    bool perturbsZeros = false;
    /// By call: up to its end all integers and bools were those of the run as it is.
    std::vector<bool> decidesAlike;
    /// By call: up to its end the same steps were taken, and outputs of the same sizes returned; else rounding decides
    /// which way the Program goes.
    std::vector<bool> goesAlike;
  };
  std::vector<Perturbed> perturbed;
};

/// The runs of a Case; none where the factory throws. Signs of zeros and NaNs are perturbed as well; every third run perturbs
/// zeros to the least numbers that there are. `onStep` as in RunOptions.
std::optional<StepRuns> runInSteps(const language::Case& theCase, const StepFactory& factory,
                                   const std::function<void(int call, const char* step)>& onStep = nullptr);

} // namespace touchstone::evidence
