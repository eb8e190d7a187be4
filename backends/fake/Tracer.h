#pragma once

#include "backends/fake/FakeTensor.h"
#include "backends/fake/OperatorTraits.h"
#include "graph/ir/Graph.h"

#include <ATen/core/stack.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace touchstone::fake {

/// What fake tensors stand for while a Program is traced.
enum class Backing {
  kValues, // real tensors with the values of one example: shapes and errors are eager's by construction
  kMeta, // tensors on the meta device; an operator without a meta kernel runs on zeros
};

/// Records operator calls as nodes of a Graph, below autograd and autocast, with the storages that they read and write.
/// All state is its own; several may trace at once on several threads. It must outlive its fake tensors, those that
/// autograd has saved included.
class Tracer {
 public:
  /// `claimed`: where arguments are said to be, whatever they are on; only without values. See ClaimedDevice.h.
  explicit Tracer(Backing backing = Backing::kValues, std::optional<c10::Device> claimed = std::nullopt);
  /// Frees the fake tensors that a program left behind in cycles of autograd's graph (`a[0].mul_(a[1])` makes one: the node
  /// owns a saved view, the view its base, the base the node).
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  /// While it lives, operators called on this thread are recorded, those that make tensors of nothing included.
  class Scope {
   public:
    explicit Scope(Tracer& tracer);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    c10::impl::IncludeDispatchKeyGuard include_;
    Tracer* outer_;
  };

  /// Whether a tracer records this thread's operators.
  static bool isRecording();

  /// A new placeholder over a storage not seen before. The tracer takes `backing`: operators of the program change it.
  at::Tensor addInput(at::Tensor backing, const std::string& name, c10::Device device);
  /// Another tensor over the storage of a placeholder, `root`: recorded as a view of it.
  at::Tensor addAlias(at::Tensor backing, ir::NodeId root, c10::Device device);

  /// The node that a copy of a fake tensor outside of autograd's graph denotes: `aten::detach` of it.
  ir::NodeId addDetached(const FakeTensorImpl& fake);

  /// The Program's line that operators recorded from now on belong to.
  void setLine(int line) { line_ = line; }
  /// Operators recorded from now on belong to the backward, or to the forward again.
  void setBackward(bool backward) { backward_ = backward; }
  /// The number of the autograd node that runs now, in the backward.
  void setBackwardNode(uint64_t sequence) { backwardNode_ = static_cast<int64_t>(sequence); }

  /// A place in the recording.
  struct Mark {
    size_t nodes = 0, fakes = 0;
  };
  Mark mark() const { return {graph_.nodes().size(), fakes_.size()}; }
  /// Takes out what was recorded since, unless a tensor that still lives came of it.
  void forgetSince(const Mark& mark);

  /// While it lives, writes to what was there before are recorded, and at its end they have not been: memory and versions are as
  /// they were. Not sizes and strides, nor what autograd knows. Scopes do not overlap.
  class Rehearsal {
   public:
    explicit Rehearsal(Tracer& tracer);
    ~Rehearsal();
    Rehearsal(const Rehearsal&) = delete;
    Rehearsal& operator=(const Rehearsal&) = delete;

   private:
    Tracer& tracer_;
  };

  /// The fake tensors that still live, in the order in which they were made.
  std::vector<at::Tensor> alive() const;
  /// Frees the memory of values that no tensor refers to any more; what was recorded of them stays.
  void freeDeadValues();
  /// True when nobody but the caller holds the fake tensor, and no other tensor its memory.
  static bool isHeldAlone(const at::Tensor& fake);

  ir::Graph& graph() { return graph_; }
  const ir::Graph& graph() const { return graph_; }
  Backing backing() const { return backing_; }
  /// The device that the fake tensor of an argument is on.
  c10::Device deviceFor(const at::Tensor& argument) const { return claimed_.value_or(argument.device()); }

  /// Called by the kernel of the Fake key; `stack` holds the arguments, then the results.
  static void callFake(const c10::OperatorHandle& op, torch::jit::Stack* stack);

 private:
  friend class CallRecording;
  void call(const c10::OperatorHandle& op, torch::jit::Stack* stack);
  at::Tensor wrap(const at::Tensor& backing, ir::NodeId node, c10::Device device);
  void describe(ir::NodeId node, const at::Tensor& backing, c10::Device device);
  int storageOf(const at::Tensor& backing, ir::NodeId node);
  bool isResized(const at::Tensor& backing) const;
  void notePlace(const at::Tensor& backing);
  void keepUnwritten(const at::Tensor& fake);
  ir::NodeId constantNode(const at::Tensor& tensor);
  ir::NodeId viewOfStorage(const at::Tensor& backing, ir::NodeId root, c10::Device device);
  /// Of the node of autograd's that was made last, which a call that is recorded now has by then, or that runs.
  int64_t presentSequence() const;
  ir::NodeId addNode(const std::string& target, std::vector<ir::Argument> arguments);
  /// Records a call that makes zeros without memory or is given some, or says false.
  bool recordZeros(const c10::OperatorHandle& op, torch::jit::Stack* stack);
  void callZeros(torch::jit::Stack* stack); // the arguments are those of `aten::zeros`
  bool isZeros(const at::Tensor& tensor) const;

  Backing backing_;
  std::optional<c10::Device> claimed_;
  ir::Graph graph_;
  int line_ = 0;
  bool backward_ = false;
  int64_t backwardNode_ = -1;
  std::unordered_map<int64_t, int> lineOfSequence_; // by number of an autograd node: the line of the call that made it
  std::unordered_map<c10::StorageImpl*, int> storageNumbers_;
  std::vector<c10::Storage> zeros_; // that eager has without memory
  std::vector<c10::Storage> storagesKept_; // so that no address is used twice
  /// Of a Rehearsal: what it has written to, as it was.
  struct Unwritten {
    ir::NodeId begin = 0; // what was there before has its root before it
    std::unordered_map<int, std::pair<c10::Storage, std::vector<char>>> memory; // by storage
    std::vector<std::pair<c10::VariableVersion, uint32_t>> versions; // before each write
  };
  std::optional<Unwritten> unwritten_;
  std::unordered_map<c10::TensorImpl*, ir::NodeId> constants_;
  std::vector<at::Tensor> constantsKept_;
  std::vector<c10::weak_intrusive_ptr<c10::TensorImpl>> fakes_;
};

/// Does nothing; calling it keeps the registration on the Fake key from being left out by the linker.
void linkFakeKernel();

} // namespace touchstone::fake
