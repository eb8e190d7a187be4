#include "backends/debugging/DebugInterpreter.h"

#include "backends/debugging/BoxedNop.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"
#include "graph/ir/Stages.h"
#include "graph/runtime/Interpreter.h"

#include <ATen/core/enum_tag.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace touchstone::debugging {

namespace {

std::string placeOf(const ir::Node& node) {
  std::string place = node.kind == ir::NodeKind::kPlaceholder ? "an input"
                      : node.target.empty()                   ? ""
                                                              : "`" + node.target + "`";
  if (node.line > 0) {
    place += fmt::format("{}line {} of the case file", place.empty() ? "" : ", ", node.line);
  }
  return place.empty() ? "" : " (" + place + ")";
}

void holdAgainstTrace(const ir::Node& node, const at::Tensor& tensor) {
  if (!node.metadata || !tensor.defined()) {
    return;
  }
  const ir::TensorMetadata& expected = *node.metadata;
  const ir::TensorMetadata real = runtime::metadataOf(tensor);
  if (!(expected.dtype == real.dtype)) {
    throw TraceMismatch(node, "dtype", ir::dtypeName(expected.dtype), ir::dtypeName(real.dtype));
  }
  if (expected.sizes != real.sizes) {
    throw TraceMismatch(node, "size", fmt::format("{}", expected.sizes), fmt::format("{}", real.sizes));
  }
  // One that is not strided has none.
  const bool hasStrides = expected.strides.size() == real.sizes.size() && real.strides.size() == real.sizes.size();
  if (hasStrides && ir::elementCount(real) > 0 && !ir::sameSignificantLayout(expected, real)) {
    throw TraceMismatch(node, "stride", fmt::format("{}", expected.strides), fmt::format("{}", real.strides));
  }
}

/// An operator that leaves a tensor with other sizes or strides than it had when its node was recorded.
bool changesMetadata(const ir::Node& node) {
  constexpr std::array<std::string_view, 5> others{"aten::resize_", "aten::resize_as_", "aten::set_", "aten::set_data",
                                                   "aten::swap_"};
  const std::string_view name = ir::withoutOverload(node.target);
  if (node.kind != ir::NodeKind::kOperator) {
    return false;
  }
  const auto op = runtime::findOperator(node.target);
  return (op && op->hasTag(at::Tag::inplace_view)) || std::find(others.begin(), others.end(), name) != others.end();
}

class CheckedGraph final : public backends::CompiledGraph {
 public:
  CheckedGraph(std::shared_ptr<const backends::CompiledGraph> compiled, std::vector<std::optional<ir::Node>> outputs)
      : compiled_(std::move(compiled)), outputs_(std::move(outputs)) {}

  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
    std::vector<at::Tensor> results = compiled_->run(std::move(inputs));
    for (size_t i = 0; i < std::min(results.size(), outputs_.size()); ++i) {
      if (outputs_[i]) {
        holdAgainstTrace(*outputs_[i], results[i]);
      }
    }
    return results;
  }

  std::vector<backends::Assumption> assumptions() const override { return compiled_->assumptions(); }
  bool isCompiled() const override { return compiled_->isCompiled(); }

 private:
  std::shared_ptr<const backends::CompiledGraph> compiled_;
  std::vector<std::optional<ir::Node>> outputs_; // none: not looked at
};

backends::GraphCompiler underDebugInterpreter(backends::GraphCompiler compiler) {
  const auto check = std::make_shared<DebugInterpreter>();
  return backends::watched({check}, check->aroundCompiler(ir::kCapturedStage, std::move(compiler)));
}

std::vector<std::optional<ir::Node>> checkedOutputs(const ir::Graph& graph) {
  if (std::any_of(graph.nodes().begin(), graph.nodes().end(), changesMetadata)) {
    return {};
  }
  std::vector<std::optional<ir::Node>> outputs;
  for (const ir::NodeId id : ir::outputNodes(graph)) {
    outputs.push_back(id >= 0 ? std::optional(graph.node(id)) : std::nullopt);
  }
  return outputs;
}

} // namespace

TraceMismatch::TraceMismatch(const ir::Node& node, const std::string& what, const std::string& expected,
                             const std::string& got)
    : values::RaisedException("AssertionError", fmt::format("node `{}`{}: {}: expected {}, as traced, got {}",
                                                            node.name, placeOf(node), what, expected, got)) {}

runtime::NodeWatch DebugInterpreter::nodeWatch() {
  return [](const ir::Node& node, const c10::IValue& value) {
    if (value.isTensor()) {
      holdAgainstTrace(node, value.toTensor());
    }
  };
}

backends::GraphCompiler debugNop() {
  return underDebugInterpreter(boxedNop());
}

backends::GraphCompiler DebugInterpreter::aroundCompiler(const std::string&, backends::GraphCompiler compiler) {
  if (compiler == nullptr) {
    return nullptr;
  }
  return [compiler = std::move(compiler)](ir::Graph graph, const std::vector<at::Tensor>& examples) {
    auto outputs = checkedOutputs(graph);
    return std::make_shared<const CheckedGraph>(compiler(std::move(graph), examples), std::move(outputs));
  };
}

CompilerFunction withDebugInterpreter(CompilerFunction compiler) {
  return [compiler = std::move(compiler)](ir::Graph graph, const std::vector<at::Tensor>& examples,
                                          CompilerOptions options) {
    const bool checks = takeSwitch(options, kDebugInterpreterOption);
    const auto compile = [&](ir::Graph given, const std::vector<at::Tensor>& of) {
      return compiler(std::move(given), of, options);
    };
    return checks ? underDebugInterpreter(compile)(std::move(graph), examples) : compile(std::move(graph), examples);
  };
}

} // namespace touchstone::debugging
