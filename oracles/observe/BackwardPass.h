#pragma once

#include "oracles/observe/Observation.h"
#include "program/evaluator/Evaluator.h"
#include "program/language/Case.h"

#include <functional>
#include <vector>

namespace touchstone::observe {

/// The tensors of one call that outlive its forward.
struct CallTensors {
  values::ValueList argumentValues, watchedValues; // what the `inputs` function returned
  std::vector<at::Tensor> arguments, watched; // flattened; modules contribute fields
  std::vector<at::Tensor> outputs; // flattened
  std::vector<at::Tensor> leaves;
  std::vector<at::Tensor> gradients, tangents; // as CallObservation has them; gradients may be undefined
};

/// Leaves that require grad among arguments, then watched, then `further`, each object once.
std::vector<at::Tensor> leavesOf(const CallTensors& tensors, const std::vector<at::Tensor>& further = {});
/// The leaves behind those roots of the call's backward that are views whose memory was written to since their grad_fn was
/// made: autograd makes it anew from the base when it is next read. Leaves of the old grad_fn and of the base count. Roots
/// that do not exist are nothing.
std::vector<Location> leavesOfRootsMadeAnew(const language::CallSpec& call, const CallTensors& tensors);
/// Throws ValueError (RaisedException) when an argument or watched tensor depends on a leaf that is not among `leaves`:
/// its gradient would not be seen.
void checkLeaves(const CallTensors& tensors);

/// Takes what is made on the way of a backward, as soon as it is there: the engine may raise afterwards.
struct BackwardSink {
  std::function<void(const at::Tensor& tangent)> tangent; // before the engine has it
  std::function<void(int leaf, const at::Tensor& gradient)> gradient; // of GradientVia::kGrad; undefined: None
};

/// Runs the backward that the call asks for on libtorch's engine, on the calling thread and without a Python lock.
/// Throws what the engine throws; IndexError (RaisedException) for a root or leaf that does not exist. With
/// GradientVia::kGrad gives the gradients for all times to the sink; with kBackward none: they are on the leaves. `rootByRoot`:
/// one backward for each root, whose gradients are added up; the same but for the order of the sums.
///
/// Tangent `root` of time `time` has the number values::kTangentNumber + 1000 * time + root. Second derivatives: those gradients
/// that require grad are differentiated with regard to the same leaves; the tangent of the k-th of them, always contiguous,
/// has the number of the time and root 500 + k.
void runBackward(const language::CallSpec& call, const CallTensors& tensors, const evaluator::DataHook& onData,
                 const BackwardSink& sink, bool rootByRoot = false);

/// What the nodes raise that the call's backward leads through, each run by itself on gradients of zeros, in no order:
/// a backward that raises has come by one of them first. Fills `.grad` of leaves. Throws as runBackward() for its roots.
std::vector<ExceptionObservation> errorsOfNodes(const language::CallSpec& call, const CallTensors& tensors);

/// Reads all of it; undefined: None.
GradientObservation observeGradient(int leaf, const at::Tensor& gradient, bool fromAttribute);

} // namespace touchstone::observe
