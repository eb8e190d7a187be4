#pragma once

#include "backends/Registry.h"
#include "backends/native/NativeBackends.h"
#include "graph/ir/Arguments.h"
#include "program/parser/CaseParser.h"
#include "program/values/CompiledProgram.h"
#include "program/evaluator/Evaluator.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>

#include <memory>
#include <string>
#include <vector>

namespace touchstone::backends {

/// A Case of one Program, and what COMPILE has besides.
inline graph::Case debuggingCase(const std::string& program, const std::string& compile = "") {
  return graph::parseCase(
      "# touchstone: 1\nimport torch\n\n\ndef inputs(seed, kind):\n    return (torch.ones(3, 4),), ()\n\n\n" + program +
      "\n\nCALLS = [dict(inputs=\"inputs\")]\n" +
      (compile.empty() ? "" : "COMPILE = dict(dynamic=False, " + compile + ")\n"));
}

/// A Program in the hands of a compiler, and eagerly.
struct DebuggingCalls {
  DebuggingCalls(const std::string& program, GraphCompiler compiler)
      : theCase(debuggingCase(program)),
        eager(graph::eagerProgram(theCase)),
        backend(makeCapturingBackend(backendInfo("eager"), {.compiler = std::move(compiler)})),
        compiled(backend->compile(theCase)) {}

  static std::vector<at::Tensor> call(graph::Callable& program, const std::vector<at::Tensor>& tensors) {
    graph::ValueList arguments(tensors.begin(), tensors.end());
    std::vector<at::Tensor> outputs;
    graph::collectTensors(program(arguments), outputs);
    return outputs;
  }
  std::vector<at::Tensor> operator()(const std::vector<at::Tensor>& tensors) { return call(*compiled, tensors); }

  graph::Case theCase;
  std::unique_ptr<graph::Callable> eager;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<graph::CompiledProgram> compiled;
};

inline at::Tensor numbers(at::IntArrayRef sizes, double shift = -2) {
  int64_t count = 1;
  for (int64_t size : sizes) {
    count *= size;
  }
  return at::arange(count, at::kFloat).add(shift).view(sizes);
}

/// A Graph whose operators take one tensor each, in a chain from one input; its output is the last one's first result.
inline graph::Graph chainGraph(const std::vector<std::string>& targets, size_t results = 1) {
  graph::Graph graph;
  graph::NodeId node = graph.addPlaceholder("x");
  for (const std::string& target : targets) {
    node = graph.addOperator(target, {graph::nodeArgument(node)});
  }
  std::vector<graph::Argument> outputs;
  for (size_t i = 0; i < results; ++i) {
    outputs.push_back(graph::nodeArgument(results == 1 ? node : graph.addElement(node, static_cast<int64_t>(i))));
  }
  graph.output = {graph::Argument::Container{.kind = graph::Argument::Container::Kind::kTuple, .items = outputs}};
  return graph;
}

/// What a call throws: its text; empty when it returns.
template <class Call>
std::string thrownText(Call&& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

} // namespace touchstone::backends
