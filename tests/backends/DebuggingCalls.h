#pragma once

#include "backends/Registry.h"
#include "backends/native/NativeBackends.h"
#include "graph/ir/Arguments.h"
#include "program/evaluator/Evaluator.h"
#include "program/parser/CaseParser.h"
#include "program/values/CompiledProgram.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>

#include <memory>
#include <string>
#include <vector>

namespace touchstone::tests {

/// A Case of one Program, and what COMPILE has besides.
inline language::Case debuggingCase(const std::string& program, const std::string& compile = "") {
  return parser::parseCase(
      "# touchstone: 1\nimport torch\n\n\ndef inputs(seed, kind):\n    return (torch.ones(3, 4),), ()\n\n\n" + program +
      "\n\nCALLS = [dict(inputs=\"inputs\")]\n" +
      (compile.empty() ? "" : "COMPILE = dict(dynamic=False, " + compile + ")\n"));
}

/// A Program in the hands of a compiler, and eagerly.
struct DebuggingCalls {
  DebuggingCalls(const std::string& program, backends::GraphCompiler compiler)
      : theCase(debuggingCase(program)),
        eager(evaluator::eagerProgram(theCase)),
        backend(native::makeCapturingBackend(backends::backendInfo("eager"), {.compiler = std::move(compiler)})),
        compiled(backend->compile(theCase)) {}

  static std::vector<at::Tensor> call(values::Callable& program, const std::vector<at::Tensor>& tensors) {
    values::ValueList arguments(tensors.begin(), tensors.end());
    std::vector<at::Tensor> outputs;
    values::collectTensors(program(arguments), outputs);
    return outputs;
  }
  std::vector<at::Tensor> operator()(const std::vector<at::Tensor>& tensors) { return call(*compiled, tensors); }

  language::Case theCase;
  std::unique_ptr<values::Callable> eager;
  std::unique_ptr<backends::Backend> backend;
  std::unique_ptr<values::CompiledProgram> compiled;
};

inline at::Tensor numbers(at::IntArrayRef sizes, double shift = -2) {
  int64_t count = 1;
  for (int64_t size : sizes) {
    count *= size;
  }
  return at::arange(count, at::kFloat).add(shift).view(sizes);
}

/// A Graph whose operators take one tensor each, in a chain from one input; its output is the last one's first result.
inline ir::Graph chainGraph(const std::vector<std::string>& targets, size_t results = 1) {
  ir::Graph graph;
  ir::NodeId node = graph.addPlaceholder("x");
  for (const std::string& target : targets) {
    node = graph.addOperator(target, {ir::nodeArgument(node)});
  }
  std::vector<ir::Argument> outputs;
  for (size_t i = 0; i < results; ++i) {
    outputs.push_back(ir::nodeArgument(results == 1 ? node : graph.addElement(node, static_cast<int64_t>(i))));
  }
  graph.output = {ir::Argument::Container{.kind = ir::Argument::Container::Kind::kTuple, .items = outputs}};
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

} // namespace touchstone::tests
