#include "backends/debugging/FaultInjection.h"

#include "backends/debugging/AotDebugging.h"
#include "backends/debugging/EagerCompilers.h"
#include "program/values/RaisedException.h"

#include <ATen/ops/empty_like.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace touchstone::backends {

namespace {

bool isRelu(const graph::Node& node) {
  return node.kind == graph::NodeKind::kOperator && node.target == "aten::relu";
}

[[noreturn]] void raiseAtCompileTime(const char* type) {
  graph::RaisedException raised(type, "");
  raised.wrapper = "BackendCompilerFailed";
  raised.stage = "compile";
  throw raised;
}

class RaisingRelu final : public graph::CallMode {
 public:
  void onOperator(const graph::Node& node, const c10::OperatorHandle&, torch::jit::Stack&,
                  const std::function<void()>& next) override {
    if (isRelu(node)) {
      throw graph::RaisedException("AssertionError", "ReluRuntimeError");
    }
    next();
  }
};

/// Lets such an operator run and then spoils its result.
class SpoiledResult final : public graph::CallMode {
 public:
  SpoiledResult(bool (*isSpoiled)(const graph::Node& node), void (*spoil)(at::Tensor result))
      : isSpoiled_(isSpoiled), spoil_(spoil) {}
  void onOperator(const graph::Node& node, const c10::OperatorHandle&, torch::jit::Stack& stack,
                  const std::function<void()>& next) override {
    next();
    if (isSpoiled_(node)) {
      spoil_(torch::jit::peek(stack, 0, 1).toTensor().variable_data()); // its memory, unseen by autograd
    }
  }

 private:
  bool (*isSpoiled_)(const graph::Node& node);
  void (*spoil_)(at::Tensor result);
};

void writeBehind(at::Tensor result) {
  const c10::Storage& storage = result.storage();
  if (result.is_cpu() && storage.nbytes() > 0) {
    std::memset(static_cast<char*>(storage.mutable_data()) + storage.nbytes(), 0, result.element_size());
  }
}

void fillWithUnwritten(at::Tensor result) {
  result.copy_(at::empty_like(result));
}

void addOne(at::Tensor result) {
  result.add_(1);
}

bool isRare(const graph::Node& node) {
  return node.kind == graph::NodeKind::kOperator && node.target == kRareOperator;
}

} // namespace

std::shared_ptr<const CompiledGraph> reluCompileError(graph::Graph graph, const std::vector<at::Tensor>& examples) {
  if (std::any_of(graph.nodes().begin(), graph.nodes().end(), isRelu)) {
    raiseAtCompileTime("ReluCompileError");
  }
  return compileToInterpreter(std::move(graph), examples);
}

std::shared_ptr<const CompiledGraph> reluRuntimeError(graph::Graph graph, const std::vector<at::Tensor>& examples) {
  return eagerWithMode(std::make_shared<RaisingRelu>())(std::move(graph), examples);
}

std::shared_ptr<const CompiledGraph> reluAccuracyError(graph::Graph graph, const std::vector<at::Tensor>& examples) {
  return gatedReluAccuracyError(std::make_shared<graph::PassGate>())(std::move(graph), examples);
}

GraphCompiler gatedReluAccuracyError(std::shared_ptr<graph::PassGate> gate) {
  return [gate = std::move(gate)](graph::Graph graph, const std::vector<at::Tensor>& examples) {
    for (size_t i = 0; i < graph.nodes().size(); ++i) {
      graph::Node& node = graph.node(static_cast<graph::NodeId>(i));
      if (isRelu(node) && gate->mayApply("relu_to_add", node.name)) {
        constexpr int64_t kAdded = 1, kFactor = 1;
        node.target = "aten::add.Scalar";
        node.arguments = {node.arguments.at(0), graph::Argument{kAdded}, graph::Argument{kFactor}};
      }
    }
    return compileToInterpreter(std::move(graph), examples);
  };
}

std::shared_ptr<const CompiledGraph> reluOutOfBounds(graph::Graph graph, const std::vector<at::Tensor>& examples) {
  return eagerWithMode(std::make_shared<SpoiledResult>(&isRelu, &writeBehind))(std::move(graph), examples);
}

std::shared_ptr<const CompiledGraph> reluUninitialized(graph::Graph graph, const std::vector<at::Tensor>& examples) {
  return eagerWithMode(std::make_shared<SpoiledResult>(&isRelu, &fillWithUnwritten))(std::move(graph), examples);
}

GraphCompiler rareAccuracyError(AotOptions options) {
  options.partition = AotPartition::kMinCut;
  return aotEagerWithMode(std::make_shared<SpoiledResult>(&isRare, &addOne), std::move(options));
}

std::shared_ptr<const CompiledGraph> nonLeafCompileError(graph::Graph graph, const std::vector<at::Tensor>& examples) {
  const bool hasNonLeaf =
      std::any_of(examples.begin(), examples.end(), [](const at::Tensor& example) { return !example.is_leaf(); });
  if (graph.operatorCount() > 0 && hasNonLeaf) {
    raiseAtCompileTime("TestingOnlyCompileError");
  }
  return compileToInterpreter(std::move(graph), examples);
}

} // namespace touchstone::backends
