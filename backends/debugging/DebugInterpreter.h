#pragma once

#include "backends/PipelineObserver.h"
#include "backends/debugging/CompilerRegistry.h"
#include "program/values/RaisedException.h"

#include <string>

namespace touchstone::debugging {

/// A tensor is not what was traced of its node. Its class is `AssertionError`, which the oracles take for a backend's own
/// failure: InternalError.
class TraceMismatch final : public values::RaisedException {
 public:
  /// `node `neg` (`aten::neg`, line 12 of the case file): stride: expected [4, 1], as traced, got [1, 4]`
  TraceMismatch(const ir::Node& node, const std::string& what, const std::string& expected, const std::string& got);
};

/// Holds the tensor of each node against the node's metadata while a Graph runs: dtype, sizes, and strides of dimensions of more
/// than one element (an empty tensor has none that count). Nodes without metadata, and lists of tensors, whose elements are
/// nodes of their own, are not looked at. Of what does not run node by node (TorchScript) the tensors that come out are, unless
/// the Graph holds operators that change a tensor's sizes or strides in place. Throws TraceMismatch. Behaviour:
/// torch/_functorch/compilers.py, DebugInterpreter.
class DebugInterpreter final : public backends::PipelineObserver {
 public:
  backends::GraphCompiler aroundCompiler(const std::string& stage, backends::GraphCompiler compiler) override;
  bool seesStages() const override { return false; }
  runtime::NodeWatch nodeWatch() override;
};

/// While it lives, every Graph that runs node by node on this thread runs under a DebugInterpreter, whenever it was compiled: a switch at
/// run time. Behaviour: torch/_dynamo/backends/debugging.py, boxed_nop, under a DebugMode with run_compile_with_interpreter.
class DebugInterpreterScope {
 public:
  DebugInterpreterScope() : watch_(DebugInterpreter().nodeWatch()), scope_(watch_) {}

 private:
  const runtime::NodeWatch watch_;
  const runtime::NodeWatchScope scope_;
};

/// The `debug_nop` compiler of forward and backward Graphs: node by node, under a DebugInterpreter.
backends::GraphCompiler debugNop();

/// `compiler` with the option `debug_interpreter` (`True`, `False`) besides its own: what it makes runs under a DebugInterpreter.
/// Throws std::invalid_argument for another value.
CompilerFunction withDebugInterpreter(CompilerFunction compiler);
inline constexpr const char* kDebugInterpreterOption = "debug_interpreter";

} // namespace touchstone::debugging
