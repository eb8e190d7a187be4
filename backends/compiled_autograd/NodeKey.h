#pragma once

#include "backends/compiled_autograd/BackwardKey.h"
#include "backends/compiled_autograd/BackwardTask.h"

#include <torch/csrc/dynamo/compiled_autograd.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>

// How one node of a backward goes into its key.

namespace touchstone::compiled_autograd {

/// In the key, before each node's part: its type, that of what a write to a view runs, and how long the part is.
constexpr size_t kHeadSize = 2 * sizeof(uintptr_t) + sizeof(uint32_t);

/// libtorch has not cut the node's part off.
bool hasWholeKey(const torch::dynamo::autograd::CompiledNodeArgs& args);

/// Memory of the `.grad`s of a task, to see which of them lie in one memory.
class GradMemories {
 public:
  explicit GradMemories(const BackwardTask& task);
  /// Another `.grad` lies in its memory.
  bool isShared(const at::Tensor& grad) const;
  /// A tensor that some node reads lies in the memory of a `.grad` that is written to.
  bool isRead(const std::vector<at::Tensor>& tensors) const;
  std::set<const c10::StorageImpl*> all() const;

 private:
  std::unordered_map<c10::StorageImpl*, int> counts_;
};

/// Every node of the task runs.
bool runsWholly(const BackwardTask& task);
/// Fills in what hooks the node has. `isWhole`: see runsWholly().
void countHooks(torch::autograd::Node& node, bool isWhole, KeyedNode& keyed);
/// Runs as the engine runs it: accumulation between hooks of its own, which may hold the gradient, and where the `.grad` that
/// is written to lies in memory of another.
bool mustRunEagerly(torch::autograd::Node& node, const GradMemories& memories);

/// What the task and the hooks say of a node.
void collectShape(torch::dynamo::autograd::CompiledNodeArgs& args, const TaskNode& taskNode, const KeyedNode& keyed);
/// What the node has saved, and its edges.
void collectSaved(torch::dynamo::autograd::CompiledNodeArgs& args, torch::autograd::Node& node);
/// Types are told apart by where their names lie: functions of several sources may have the same name. What a write to a view
/// runs is not in libtorch's part.
void appendTo(std::string& bytes, const torch::dynamo::autograd::CompiledNodeArgs& args,
              const torch::autograd::Node& node);

} // namespace touchstone::compiled_autograd
