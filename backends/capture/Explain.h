#pragma once

#include "backends/GraphCompiler.h"
#include "backends/PipelineObserver.h"
#include "backends/capture/Capture.h"
#include "graph/ir/ExplainOutput.h"
#include "program/language/Case.h"
#include "program/values/Value.h"

#include <memory>
#include <vector>

namespace touchstone::capture {

/// A compiler around another one that keeps what it is given: a way to explain any backend
/// (torch._dynamo.backends.debugging.ExplainWithBackend). Copies share what they keep. Thread-safe.
class ExplainWithBackend {
 public:
  explicit ExplainWithBackend(backends::GraphCompiler backend = backends::compileToInterpreter);
  std::shared_ptr<const backends::CompiledGraph> operator()(ir::Graph graph,
                                                            const std::vector<at::Tensor>& examples) const;

  /// Forgets Graphs of attempts that were given up, but for why; the compiler was called for each of them. For an observer's
  /// onKept().
  void keep(const backends::Attempts& attempts) const;

  /// Of all Graphs so far, without guards and times, which the capture knows: a break where no Graph ends is not seen here.
  ir::ExplainOutput output() const;
  /// The same with what the capture knows: all breaks, guards, and the times of captures and of compiles.
  ir::ExplainOutput output(const ir::CompileReport& report) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Captures the Case's program for these arguments, runs it, and says what came of it (torch._dynamo.explain). Throws what
/// the program throws.
ir::ExplainOutput explain(const language::Case& theCase, values::ValueList arguments, CaptureOptions options = {});

} // namespace touchstone::capture
