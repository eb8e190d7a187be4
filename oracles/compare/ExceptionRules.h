#pragma once

#include "graph/ir/BackendInfo.h"
#include "oracles/observe/Observation.h"

#include <string>

namespace touchstone::compare {

/// `torch._dynamo.exc.InternalTorchDynamoError` → `InternalTorchDynamoError`; templates and brackets left out.
std::string normalizedClass(const std::string& type);

/// The exception is one of PyTorch's documented refusals (rule A13).
/// Of native backends the one of second derivatives alone.
bool isDocumentedRefusal(const observe::ExceptionObservation& exception, ir::RuleSet set);

/// The error of autograd for a saved tensor that was changed in place (rule A16).
bool isChangedInPlace(const observe::ExceptionObservation& exception);

/// Of these, the one for a view whose base was changed: it is raised wherever the view's grad_fn is read.
bool isChangedView(const observe::ExceptionObservation& exception);
/// What was saved for the backward has no history any more.
bool isDetachedLater(const observe::ExceptionObservation& exception);

/// Autograd's error for a leaf that lies in memory to which something that requires grad was written.
bool isMovedLeaf(const observe::ExceptionObservation& exception);

/// The error of autograd for a write to a piece of a multi-output view (rule A3).
bool isMultiOutputViewError(const observe::ExceptionObservation& exception);

/// An operator refused what it was given: a bound, a shape, a dtype, an index. Not so a check of autograd, of versions or of inference
/// tensors, and no limit of Touchstone's evaluator.
bool isRefusalOfArgument(const observe::ExceptionObservation& exception);

/// The compiled side died of its own assertion or bug, not of a refusal. `eager` is the exception of the eager side, if
/// any: a Python error class (IndexError …) that eager raises as well is the Program's own.
bool isInternalError(const observe::ExceptionObservation& exception, const observe::ExceptionObservation* eager);

/// `compile`, `forward` or `backward`, as `# expect:` lines name it.
std::string phaseName(const observe::ExceptionObservation& exception);

/// The first line, shortened to what fits in a report.
std::string firstLine(const std::string& message);

/// The same line with `N` for the version of a tensor, and without the saved tensor and the autograd node that an error of
/// autograd names: how often a fresh tensor was filled before anyone saw it is no contract, and neither is which tensors
/// are saved and by which nodes (rules A2, A16).
std::string comparableLine(const std::string& message);

} // namespace touchstone::compare
