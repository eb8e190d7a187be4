#pragma once

#include "backends/GraphCompiler.h"
#include "backends/PipelineObserver.h"
#include "backends/capture/CapturedCode.h"
#include "backends/capture/FrameCapture.h"
#include "backends/sources/SymbolicLocals.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::capture {

/// What captured code that was compiled for symbols is for the sizes of one call.
struct CodeForSizes {
  std::shared_ptr<const backends::CompiledGraph> graph;
  ValueTemplate values;
};

/// Captured code for all sizes that its guards allow.
class SymbolicCode {
 public:
  SymbolicCode(std::shared_ptr<const backends::SymbolicCompiledGraph> graph, ValueTemplate values,
               symbols::Numbers integers);

  /// Thread-safe.
  std::shared_ptr<const CodeForSizes> at(const symbols::Assignment& assignment) const;

 private:
  const std::shared_ptr<const backends::SymbolicCompiledGraph> graph_; // null: nothing is to run
  const ValueTemplate values_;
  const symbols::Numbers integers_; // of `values_`
  mutable std::mutex mutex_;
  mutable std::map<symbols::Assignment, std::shared_ptr<const CodeForSizes>> known_;
};

/// How locals are captured and compiled once.
struct CaptureSteps {
  std::function<FrameCapture(const values::ValueList& locals)> capture;
  std::function<ir::GraphBreakReport(const FrameCapture& captured)> noteBreak; // once, of code that breaks
  backends::GraphCompiler compiler;
  backends::PipelineObservers observers; // of the attempts
};

/// Captures the locals with symbols for the sizes and ints that `dynamismOf` names: under several assignments of these, whose
/// Graphs are one but for numbers, and the numbers are fitted (graph/symbols/Fitting.h). A comparison that the code makes of
/// ints is guarded. Sizes that are equal, of which the code needs it, are one symbol also where they were to be symbols of their
/// own; a symbol under which the code is other code for other sizes is given up, and the report says so.
std::shared_ptr<const CapturedCode> makeSymbolicCode(const std::vector<std::string>& names,
                                                     const values::ValueList& locals,
                                                     const sources::DynamismOf& dynamismOf,
                                                     const std::vector<at::Tensor>& parameters,
                                                     const CaptureSteps& steps, ir::CompileReport& report);

} // namespace touchstone::capture
