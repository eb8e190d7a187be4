#pragma once

#include "backends/aot_autograd/TracePlan.h"
#include "backends/fake/Tracer.h"
#include "graph/runtime/Interpreter.h"
#include "program/evaluator/Hooks.h"

#include <map>
#include <optional>
#include <unordered_set>
#include <vector>

namespace touchstone::aot_autograd {

/// The sizes and strides of each root's tangent; none where there is no tangent. `storage`: the root that was given the same
/// tensor before; -1: none.
using TangentLayouts = std::vector<std::optional<ir::TensorMetadata>>;

/// Positions among what a node of the plan gives.
using UnaskedGradients = std::vector<size_t>;

/// A captured Graph run once on fake tensors, with the autograd graph that came of it kept alive, so that backwards from any
/// subset of what is differentiable can be recorded behind the forward.
class JointTrace {
 public:
  /// Runs the program on copies of the inputs (by placeholder), which stay as they are, as does the default generator.
  /// Throws what the program throws, and ir::Unsupported for what cannot be traced. `asPyTorch`: see TorchTracing.
  JointTrace(const runtime::Interpreter& program, const std::vector<at::Tensor>& inputs, fake::Backing backing,
             std::optional<c10::Device> claimed = std::nullopt, bool asPyTorch = false);

  /// A backward as it was recorded.
  struct Backward {
    ir::NodeId end = 0; // behind its nodes
    std::vector<ir::NodeId> tangents; // placeholders, by root; -1 where there is none
    std::vector<ir::NodeId> gradients; // by wanted; -1: undefined
    std::vector<size_t> held; // of these, those that eager still holds elsewhere when a leaf gets them
    /// By position among what the node's backward gives: whether eager's graph leads there from these roots.
    std::vector<bool> reached;
    bool writesToViews = false; // a node on the way is a CopySlices, which runs once even where nothing is saved
    torch::autograd::edge_list roots; // of autograd's graph, and the fake tangents that they got; for savedAmong()
    torch::autograd::variable_list rootTangents;
  };
  /// Records the backward of one node of the plan, from the roots that have a tangent, for tangents of the given layouts
  /// (by root of the plan). Throws what a formula throws. What it writes to is afterwards as it was.
  /// In a region of autocast when this thread is in one and `underAutocast` says so; as a rule the forward's is over.
  /// What leads to no gradient but those that are `unasked` does not run.
  Backward recordBackward(size_t node, const TangentLayouts& layouts, bool underAutocast = false,
                          const UnaskedGradients& unasked = {});
  /// By gradient that a node gives: whether it requires grad where autograd is to make a graph of the backward, and of the
  /// tangents those of these roots do. Throws what a formula throws.
  std::vector<bool> requireGrad(size_t node, const TangentLayouts& layouts, const std::vector<size_t>& roots);
  /// By gradient that a node gives: whether some tangent that it is given leads to it.
  std::vector<bool> reached(size_t node, const TangentLayouts& layouts) const;
  /// Some node of eager's would do something also where no gradient comes to it.
  bool runsWithoutGradient(size_t node) const;
  /// Some node of eager's would run in both of two such backwards.
  struct Run {
    std::vector<size_t> roots; // that have tangents
    UnaskedGradients unasked;
  };
  bool doMeet(size_t node, const Run& run, const Run& other) const;

  /// Autograd asks the hooks of a node that is not wanted and does not run, too: those of the Program on what it made
  /// these roots from, with real gradients, by `roots`; but for those on `others`, that are asked by themselves. What
  /// hooks return is dropped, what they throw is not.
  void askHooksOf(const std::vector<size_t>& roots, const torch::autograd::variable_list& gradients,
                  const std::vector<size_t>& others) const;

  /// Of these numbered tensors the ones whose versions the backward looks at, though it need not read them: autograd has
  /// saved them. Each stands for all that share its version counter. Lets go of the backward's roots and tangents.
  std::vector<int> savedAmong(const std::vector<int>& tensors, size_t node, Backward& backward);

  /// How often recorded nodes from `begin` to `end` write to memory that was there before the backward, by storage of the
  /// recorded Graph.
  std::map<int, int64_t> writesToForward(ir::NodeId begin, ir::NodeId end) const;

  /// Recorded nodes from `begin` on do what is seen behind a backward that raises: they write to such memory or to a tangent,
  /// or have an effect.
  bool isSeenOutside(ir::NodeId begin) const;

  const ir::Graph& recorded() const { return tracer_.graph(); }
  ir::NodeId forwardEnd() const { return forwardEnd_; }
  const std::vector<at::Tensor>& outputs() const { return outputs_; } // fake
  const at::Tensor& made(size_t position) const {
    return plan_.made[position];
  } // fake, as ViewAndMutationMetadata::made
  /// By hook of the plan.
  const std::vector<std::shared_ptr<evaluator::ProgramHook>>& hooks() const { return activeHooks_; }
  /// See TracePlan::numberOf().
  int numberOf(const at::Tensor& fake) const { return plan_.numberOf(fake); }
  /// The node that a numbered tensor is now.
  ir::NodeId nodeOf(int tensor) const;

  /// Filled in but for `memories` and places in them, which functionalization decides.
  const ViewAndMutationMetadata& plan() const { return plan_.metadata; }
  /// The storage of the recorded Graph in which a numbered tensor lies at the end.
  int storageOf(int tensor) const;
  const TracedArguments& arguments() const { return arguments_; }

 private:
  std::shared_ptr<evaluator::ProgramHook> forProgramOnly(const std::shared_ptr<evaluator::ProgramHook>& hook);
  bool takeHook(const at::Tensor& tensor, evaluator::HookKind kind,
                const std::shared_ptr<evaluator::ProgramHook>& hook);
  bool isHeldByOthers(int tensor) const;
  bool raisesAfterWrites(const std::vector<int>& tensors, size_t node, const Backward& backward);
  using Nodes = std::unordered_set<torch::autograd::Node*>;
  Nodes nodesRun(size_t node, const Run& run) const;
  void addTangents(size_t node, const TangentLayouts& layouts, Backward& backward);
  std::map<int, int64_t> seenOutside(ir::NodeId begin, ir::NodeId end) const;
  std::map<int, int64_t> runToAllEnds(size_t node, const torch::autograd::edge_list& roots,
                                      torch::autograd::variable_list tangents);
  const at::Tensor& fakeAt(int tensor) const;

  const bool asPyTorch_;
  fake::Tracer tracer_; // outlives every fake tensor below
  TracedArguments arguments_;
  std::vector<at::Tensor> outputs_; // fake
  std::vector<std::pair<std::shared_ptr<evaluator::ProgramHook>, InputHook>>
      hooks_; // that the program registered on inputs
  std::vector<std::shared_ptr<evaluator::ProgramHook>> activeHooks_;
  std::vector<std::shared_ptr<evaluator::ProgramHook>> programHooks_; // of hooks_, while the program runs
  ir::NodeId forwardEnd_ = 0;
  TracePlan plan_;
};

} // namespace touchstone::aot_autograd
