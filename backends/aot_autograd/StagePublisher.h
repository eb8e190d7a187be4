#pragma once

#include "graph/ir/StageArtifacts.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace touchstone::aot_autograd {

/// Hands what the stages of one compile leave to its StageHooks. Costs nothing without any.
class StagePublisher {
 public:
  explicit StagePublisher(const std::vector<std::shared_ptr<ir::StageHook>>& hooks) : hooks_(hooks) {}

  /// A copy of the Graph with these outputs (-1: None); what hooks do to it has no effect.
  void publish(const std::string& stage, const ir::Graph& graph, const std::vector<ir::NodeId>& outputs);
  void publish(const std::string& stage, std::string text);
  /// What saving a node of a Graph costs (by node; -1: it cannot be saved), where a partition went by that.
  void publishCapacities(const ir::Graph& graph, const std::vector<int64_t>& capacities);
  /// What the forward Graph returns behind the memories, in order.
  void publishSaved(const ir::Graph& graph, const std::vector<ir::NodeId>& saved);
  /// What the stages from `forward` on find as StageArtifacts::signature.
  void describe(const std::function<ir::GraphSignature()>& signature);
  /// The same for a backward, before its stage.
  void describeBackward(const std::function<ir::GraphSignature::Backward()>& backward);
  /// The Graph that the pipeline goes on with; hooks may change it.
  void replaceable(const std::string& stage, ir::Graph& graph);

 private:
  void call(const std::string& stage);

  const std::vector<std::shared_ptr<ir::StageHook>>& hooks_;
  ir::StageArtifacts artifacts_;
};

} // namespace touchstone::aot_autograd
