#pragma once

#include "backends/GraphCompiler.h"
#include "backends/capture/FrameCapture.h"
#include "backends/capture/Guards.h"
#include "graph/ir/CompileReport.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::capture {

class SymbolicCode;

/// Captured code with the conditions under which it may run.
struct CapturedCode {
  std::unique_ptr<Guards> guards;
  std::shared_ptr<const backends::CompiledGraph> graph; // null: nothing is to run
  std::shared_ptr<const SymbolicCode> symbolic; // takes the place of `graph` and `values` where sizes are symbols
  std::optional<size_t> attempt; // that it was compiled in, where there were several; nothing: the last
  std::vector<std::vector<bool>> dynamicDimensions; // by output of the Graph and dimension: its size hangs on symbols
  bool isCompiled = false; // the Graph holds operators: running it is running compiled code
  std::vector<size_t> graphInputs; // by placeholder: the number of the tensor among those that the guards walk over
  std::unique_ptr<ValueTemplate> values;
  std::vector<int> valueInputs; // by input of the template: the same
  std::vector<size_t> read; // positions of the locals that it looks at
  std::vector<std::string> names; // of the template's values, at a break
  std::vector<std::pair<std::string, size_t>> passed; // names and positions of locals that go on as they are
  std::optional<bool> gradModeAfter;
  StepPtr stop;
  std::vector<StepPtr> regions;
  bool gradModeInside = true;
  std::optional<BreakReason> reason;
};

/// Compiles what was captured of the locals and guards it; says in `report` what came of it, but for the guards.
/// `symbolic`: what of the locals is guarded as a symbol; null: nothing.
std::shared_ptr<CapturedCode> makeCode(FrameCapture captured, const std::vector<std::string>& names,
                                       const values::ValueList& locals, const backends::GraphCompiler& compiler,
                                       ir::CompileReport& report, const sources::SymbolicLocals* symbolic = nullptr);

/// Counts a Graph that goes to a compiler.
void noteGraph(const ir::Graph& graph, ir::CompileReport& report);

} // namespace touchstone::capture
