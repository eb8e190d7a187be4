#pragma once

#include "backends/GraphCompiler.h"
#include "backends/aot_autograd/AotOptions.h"
#include "backends/aot_autograd/CompiledAotGraph.h"
#include "graph/runtime/Interpreter.h"

#include <functional>
#include <memory>
#include <vector>

namespace touchstone::aot_autograd {

/// A captured Graph and what it was compiled to.
struct AotCompile {
  std::shared_ptr<const runtime::Interpreter> captured;
  std::shared_ptr<const CompiledAotGraph> compiled;
};

/// Compiles a captured Graph for examples of one size.
using CompileAot = std::function<std::shared_ptr<const CompiledAotGraph>(
    const runtime::Interpreter& captured, const std::vector<at::Tensor>& examples, const AotOptions& options)>;

/// What was compiled under the first assignment of the fitting, for symbols: the Graph of each other assignment goes through
/// the pipeline, too, with the first one's choice of what is saved, and the results are one but for numbers. `wrap`: what a
/// captured Graph and its compile for some sizes are run as. Throws symbols::NotSymbolic.
std::shared_ptr<const backends::SymbolicCompiledGraph> symbolicAotGraph(
    AotCompile first, const AotOptions& options, const std::vector<backends::GraphSample>& others,
    symbols::Fitting& fitting, CompileAot compile,
    std::function<std::shared_ptr<const backends::CompiledGraph>(AotCompile ofSizes)> wrap);

} // namespace touchstone::aot_autograd
