#include "backends/debugging/BoxedNop.h"

#include "graph/ir/Geometry.h"
#include "graph/program/Interpreter.h"
#include "graph/program/RaisedException.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace touchstone::backends {

namespace {

class BoxedGraph final : public CompiledGraph {
 public:
  BoxedGraph(graph::Graph graph, std::shared_ptr<graph::CallMode> mode)
      : interpreter_(std::move(graph), graph::NodeState::kCallers), mode_(std::move(mode)) {}
  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
    return mode_ == nullptr ? interpreter_.runFlat(std::move(inputs)) : interpreter_.runFlat(std::move(inputs), *mode_);
  }

 private:
  graph::Interpreter interpreter_;
  std::shared_ptr<graph::CallMode> mode_;
};

[[noreturn]] void throwUntraced(const graph::Node& node, const char* what, const std::string& traced,
                                const std::string& real) {
  throw graph::RaisedException("AssertionError",
                               fmt::format("node `{}`: {} {} was traced, {} came", node.name, what, traced, real));
}

class MetadataCheck final : public graph::CallMode {
 public:
  void onResult(const graph::Node& node, const c10::IValue& value) override {
    if (!node.metadata || !value.isTensor() || !value.toTensor().defined()) {
      return;
    }
    const graph::TensorMetadata real = graph::metadataOf(value.toTensor());
    if (!(node.metadata->dtype == real.dtype)) {
      throwUntraced(node, "dtype", graph::dtypeName(node.metadata->dtype), graph::dtypeName(real.dtype));
    }
    if (node.metadata->sizes != real.sizes) {
      throwUntraced(node, "size", fmt::format("{}", node.metadata->sizes), fmt::format("{}", real.sizes));
    }
    if (graph::elementCount(real) > 0 && node.metadata->strides.size() == real.strides.size() &&
        !graph::sameSignificantLayout(*node.metadata, real)) {
      throwUntraced(node, "stride", fmt::format("{}", node.metadata->strides), fmt::format("{}", real.strides));
    }
  }
};

std::shared_ptr<graph::CallMode> modeOf(BoxedNopOptions options) {
  if (!options.checksMetadata) {
    return std::move(options.mode);
  }
  auto check = std::make_shared<MetadataCheck>();
  if (options.mode == nullptr) {
    return check;
  }
  return std::make_shared<graph::CallModeStack>(
      std::vector<std::shared_ptr<graph::CallMode>>{std::move(options.mode), std::move(check)});
}

} // namespace

GraphCompiler boxedNop(BoxedNopOptions options) {
  return [mode = modeOf(std::move(options))](graph::Graph graph, const std::vector<at::Tensor>&) {
    return std::make_shared<const BoxedGraph>(std::move(graph), mode);
  };
}

GraphCompiler boxedNopWithMode(std::shared_ptr<graph::CallMode> mode) {
  return boxedNop({.mode = std::move(mode)});
}

} // namespace touchstone::backends
