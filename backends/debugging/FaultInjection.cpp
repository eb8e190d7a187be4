#include "backends/debugging/FaultInjection.h"

#include "backends/debugging/AotDebugging.h"
#include "backends/debugging/EagerCompilers.h"
#include "program/values/RaisedException.h"

#include <ATen/ops/empty_like.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace touchstone::debugging {

namespace {

bool isRelu(const ir::Node& node) {
  return node.kind == ir::NodeKind::kOperator && node.target == "aten::relu";
}

[[noreturn]] void raiseAtCompileTime(const char* type) {
  values::RaisedException raised(type, "");
  raised.wrapper = "BackendCompilerFailed";
  raised.phase = "compile";
  throw raised;
}

class RaisingRelu final : public runtime::CallMode {
 public:
  void onOperator(const ir::Node& node, const c10::OperatorHandle&, torch::jit::Stack&,
                  const std::function<void()>& next) override {
    if (isRelu(node)) {
      throw values::RaisedException("AssertionError", "ReluRuntimeError");
    }
    next();
  }
};

/// Lets such an operator run and then spoils its result.
class SpoiledResult final : public runtime::CallMode {
 public:
  SpoiledResult(bool (*isSpoiled)(const ir::Node& node), void (*spoil)(at::Tensor result))
      : isSpoiled_(isSpoiled), spoil_(spoil) {}
  void onOperator(const ir::Node& node, const c10::OperatorHandle&, torch::jit::Stack& stack,
                  const std::function<void()>& next) override {
    next();
    if (isSpoiled_(node)) {
      spoil_(torch::jit::peek(stack, 0, 1).toTensor().variable_data()); // its memory, unseen by autograd
    }
  }

 private:
  bool (*isSpoiled_)(const ir::Node& node);
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

bool isRare(const ir::Node& node) {
  return node.kind == ir::NodeKind::kOperator && node.target == kRareOperator;
}

} // namespace

std::shared_ptr<const backends::CompiledGraph> reluCompileError(ir::Graph graph,
                                                                const std::vector<at::Tensor>& examples) {
  if (std::any_of(graph.nodes().begin(), graph.nodes().end(), isRelu)) {
    raiseAtCompileTime("ReluCompileError");
  }
  return backends::compileToInterpreter(std::move(graph), examples);
}

std::shared_ptr<const backends::CompiledGraph> reluRuntimeError(ir::Graph graph,
                                                                const std::vector<at::Tensor>& examples) {
  return eagerWithMode(std::make_shared<RaisingRelu>())(std::move(graph), examples);
}

std::shared_ptr<const backends::CompiledGraph> reluAccuracyError(ir::Graph graph,
                                                                 const std::vector<at::Tensor>& examples) {
  return gatedReluAccuracyError(std::make_shared<ir::PassGate>())(std::move(graph), examples);
}

backends::GraphCompiler gatedReluAccuracyError(std::shared_ptr<ir::PassGate> gate) {
  return [gate = std::move(gate)](ir::Graph graph, const std::vector<at::Tensor>& examples) {
    for (size_t i = 0; i < graph.nodes().size(); ++i) {
      ir::Node& node = graph.node(static_cast<ir::NodeId>(i));
      if (isRelu(node) && gate->mayApply("relu_to_add", node.name)) {
        constexpr int64_t kAdded = 1, kFactor = 1;
        node.target = "aten::add.Scalar";
        node.arguments = {node.arguments.at(0), ir::Argument{kAdded}, ir::Argument{kFactor}};
      }
    }
    return backends::compileToInterpreter(std::move(graph), examples);
  };
}

std::shared_ptr<const backends::CompiledGraph> reluOutOfBounds(ir::Graph graph,
                                                               const std::vector<at::Tensor>& examples) {
  return eagerWithMode(std::make_shared<SpoiledResult>(&isRelu, &writeBehind))(std::move(graph), examples);
}

std::shared_ptr<const backends::CompiledGraph> reluUninitialized(ir::Graph graph,
                                                                 const std::vector<at::Tensor>& examples) {
  return eagerWithMode(std::make_shared<SpoiledResult>(&isRelu, &fillWithUnwritten))(std::move(graph), examples);
}

backends::GraphCompiler rareAccuracyError(aot_autograd::AotOptions options) {
  options.partition = aot_autograd::AotPartition::kMinCut;
  return aotEagerWithMode(std::make_shared<SpoiledResult>(&isRare, &addOne), std::move(options));
}

std::shared_ptr<const backends::CompiledGraph> nonLeafCompileError(ir::Graph graph,
                                                                   const std::vector<at::Tensor>& examples) {
  const bool hasNonLeaf =
      std::any_of(examples.begin(), examples.end(), [](const at::Tensor& example) { return !example.is_leaf(); });
  if (graph.operatorCount() > 0 && hasNonLeaf) {
    raiseAtCompileTime("TestingOnlyCompileError");
  }
  return backends::compileToInterpreter(std::move(graph), examples);
}

} // namespace touchstone::debugging
