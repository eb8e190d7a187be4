#pragma once

#include "graph/ir/BackendInfo.h"
#include "program/language/Case.h"
#include "program/values/CompiledProgram.h"

#include <memory>

namespace touchstone::backends {

/// What a compile that shows its stages keeps.
enum class StagesKept { kGraphs, kGraphsAndCalls };

/// One pipeline under test.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual const ir::BackendInfo& info() const = 0;
  /// Called once in a process before the first Case; imports and small compiles that every Case would pay.
  virtual void warmUp() {}
  /// Takes a Program; does not run it. The Case outlives the result. Throws ir::Unsupported.
  virtual std::unique_ptr<values::CompiledProgram> compile(const language::Case& theCase) = 0;
  /// The same, and CompiledProgram::stages() tells what the pipeline's stages left, and replayCalls() what their Graphs were
  /// run on. Throws ir::Unsupported where the backend cannot show them.
  virtual std::unique_ptr<values::CompiledProgram> compileKeepingStages(const language::Case& theCase, StagesKept kept);
};

} // namespace touchstone::backends
