#pragma once

#include "backends/aot_autograd/AotOptions.h"
#include "backends/debugging/CompilerRegistry.h"
#include "graph/ir/BackendInfo.h"

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace touchstone::native {

/// What a backend gives to the compiler of its name.
struct CompilerSettings {
  std::string name;
  aot_autograd::AotOptions aot; // its observers are everybody's
};

/// `options` with what an AOT pipeline says: which result of it runs, how the joint Graph is cut, what is decomposed, and what
/// compiles the forward and backward Graphs.
using AotPipeline = aot_autograd::AotOptions (*)(aot_autograd::AotOptions options);
/// A compiler of captured Graphs; observers see them.
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

/// The passes of a row, of ir::kPasses, that ask a gate; in their order.
std::vector<std::string> passesOf(const NativeBackend& row);

/// The compiler of a row.
debugging::CompilerFunction compilerOf(const NativeBackend& row, CompilerSettings settings);

/// A compiler of captured Graphs whose stage, `captured`, observers see, and each node of what it makes.
debugging::CompilerFunction shownTo(const backends::PipelineObservers& observers, debugging::CompilerFunction compiler);

} // namespace touchstone::native
