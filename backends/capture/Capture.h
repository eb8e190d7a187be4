#pragma once

#include "backends/GraphCompiler.h"
#include "backends/PipelineObserver.h"
#include "backends/fake/Tracer.h"
#include "graph/ir/PassGate.h"
#include "program/language/Case.h"
#include "program/values/CompiledProgram.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace touchstone::capture {

/// A guard that did not hold, so that code had to be captured anew.
struct GuardFailure {
  std::string reason; // `tensor 'L['y']' requires_grad mismatch. expected requires_grad=1`
  std::string function; // whose code it guards
};

struct CaptureOptions {
  backends::GraphCompiler compiler = backends::compileToInterpreter;
  /// How often one place may be captured; from then on it runs eagerly, as torch._dynamo.config.recompile_limit has it.
  int64_t recompileLimit = 64;
  /// A break is an error that says why: torch.compile's `fullgraph=True`.
  bool fullgraph = false;
  /// Graphs hold `torch.autograd.grad`; otherwise they break there: `torch._dynamo.config.trace_autograd_ops`, which is off
  /// in PyTorch.
  bool traceGradients = true;
  /// Graphs break where torch._dynamo breaks them, and are traced as PyTorch's: see DynamoBreaks.h and TorchTracing.h.
  bool asPyTorch = false;
  /// Sizes and ints are symbols: all of them, none, or (nothing) those that a recompile has seen change: torch.compile's
  /// `dynamic`.
  std::optional<bool> dynamic = false;
  fake::Backing backing = fake::Backing::kValues;
  std::function<void(const GuardFailure& failure)> onGuardFailure;
  std::shared_ptr<ir::PassGate> gate; // of the passes of a backend's compiler
  backends::PipelineObservers observers; // told of attempts; what they put around the compiler is there already
};

/// The Case's `program`, captured into Graphs when it is called, each compiled once for the guards that it needs: the role
/// of torch._dynamo. Where a Graph breaks, the step that it cannot hold runs eagerly, a function that is called there as
/// code of its own, and what follows is captured in turn. Throws what eager throws. Thread-safe.
std::unique_ptr<values::CompiledProgram> captureProgram(const language::Case& theCase, CaptureOptions options = {});

} // namespace touchstone::capture
