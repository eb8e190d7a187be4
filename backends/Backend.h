#pragma once

#include "graph/ir/BackendInfo.h"
#include "program/language/Case.h"
#include "program/values/CompiledProgram.h"

#include <memory>
#include <string>
#include <vector>

namespace touchstone::backends {

/// What a compile that shows its stages keeps.
enum class StagesKept { kGraphs, kGraphsAndCalls };

/// What serves the calls of a Program that tells it.
enum class Serving {
  kAsCompiled,
  kByGraphs, // the graphs that the front end captured run themselves, node by node, in place of what was made of them
};

/// One pipeline under test.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual const ir::BackendInfo& info() const = 0;
  /// Called once in a process before the first Case; imports and small compiles that every Case would pay.
  /// Gives what it did not get through and can do without, a sentence each; throws where it cannot work at all.
  virtual std::vector<std::string> warmUp() { return {}; }
  /// Takes a Program; does not run it. The Case outlives the result. Throws ir::Unsupported.
  virtual std::unique_ptr<values::CompiledProgram> compile(const language::Case& theCase) = 0;
  /// The same, and CompiledProgram::stages() tells what the pipeline's stages left, and replayCalls() what their Graphs were
  /// run on. Throws ir::Unsupported where the backend cannot show them.
  virtual std::unique_ptr<values::CompiledProgram> compileKeepingStages(const language::Case& theCase, StagesKept kept);
  /// The same, and CompiledProgram::servedCalls() tells what served each call. Throws ir::Unsupported where the backend cannot tell.
  virtual std::unique_ptr<values::CompiledProgram> compileTellingServed(const language::Case& theCase, Serving serving);
};

} // namespace touchstone::backends
