#pragma once

#include "backends/aot_autograd/CompiledAotGraph.h"
#include "backends/debugging/CompilerRegistry.h"
#include "graph/ir/BackendInfo.h"
#include "graph/ir/StageArtifacts.h"

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace touchstone::native {

/// What a backend gives to the compiler of its name.
struct CompilerSettings {
  std::string name;
  std::vector<std::shared_ptr<ir::StageHook>> hooks;
  aot_autograd::AotOptions aot; // with the hooks, for those that go through AOT autograd and show its stages
};

/// `options` with what an AOT pipeline says: which result of it runs, how the joint Graph is cut, what is decomposed, and what
/// compiles the forward and backward Graphs.
using AotPipeline = aot_autograd::AotOptions (*)(aot_autograd::AotOptions options);
/// A compiler of captured Graphs; it shows them to the hooks.
using MakeCompiler = debugging::CompilerFunction (*)(const CompilerSettings& settings);

/// A native backend: all that is said of it anywhere. The fields are those of ir::BackendInfo.
struct NativeBackend {
  const char* name;
  const char* summary;
  ir::RuleSet rules;
  const char* base;
  const char* adds;
  std::variant<AotPipeline, MakeCompiler> make;
  bool continuesBase = false;
};

/// In the order in which they are listed.
const std::vector<NativeBackend>& nativeBackends();

/// The row of a name; null: there is none.
const NativeBackend* nativeBackend(const std::string& name);

/// Null: it is no AOT pipeline of the table.
AotPipeline aotPipelineOf(const std::string& name);

/// The compiler of a row.
debugging::CompilerFunction compilerOf(const NativeBackend& row, CompilerSettings settings);

/// A compiler of captured Graphs whose stage, `captured`, is shown to the hooks.
debugging::CompilerFunction shownTo(std::vector<std::shared_ptr<ir::StageHook>> hooks,
                                    debugging::CompilerFunction compiler);

} // namespace touchstone::native
