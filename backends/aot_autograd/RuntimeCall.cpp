#include "backends/aot_autograd/RuntimeCall.h"

#include "backends/aot_autograd/CompiledBackward.h"
#include "backends/arguments/VersionSharing.h"
#include "backends/arguments/ViewBase.h"
#include "graph/ir/Geometry.h"
#include "program/values/AutogradNodes.h"
#include "program/values/GeneratorState.h"
#include "program/values/StorageCopy.h"

#include <ATen/MemoryOverlap.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/VariableTypeUtils.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>

namespace touchstone::aot_autograd {

namespace {

using torch::autograd::Edge;

const c10::VariableVersion& counterOf(const at::Tensor& tensor) {
  return torch::autograd::impl::version_counter(tensor);
}

void switchTo(const at::Tensor& tensor, bool requiresGrad) {
  const c10::InferenceMode mode(tensor.is_inference()); // outside, the flag of such a tensor cannot be set
  tensor.set_requires_grad(requiresGrad);
}

/// When the edge of an input is taken: before it is written to, when it has come to require grad, or, of a leaf that
/// eager uses after it was moved, after that.
enum class EdgesTaken { kBefore, kSwitched, kMoved };

EdgesTaken takenOf(const InputPlan& plan) {
  if (plan.edgeAfterMove) {
    return EdgesTaken::kMoved;
  }
  return plan.requiresGrad.value_or(false) ? EdgesTaken::kSwitched : EdgesTaken::kBefore;
}

/// Eager saves what lies in an input's memory, here it is a value of its own: writes to the input count as writes to it.
void countWritesTo(at::Tensor& saved, const at::Tensor& input) {
  if (input.defined() && !input.is_inference()) {
    saved = arguments::aliasCountedWith(saved, input);
  }
}

at::Tensor copyOf(const at::Tensor& tensor) {
  if (at::has_internal_overlap(tensor) == at::MemOverlap::Yes) {
    return copyOfMemory(tensor); // copy_ refuses to write there
  }
  return at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options()).copy_(tensor);
}

void takeHistory(const at::Tensor& view, bool isPartial) {
  const bool hasNode = view.grad_fn() != nullptr; // which autograd makes anew when it is asked for
  if (hasNode && isPartial) {
    auto node = values::makeNode<ViewOfCompiled>(isPartial);
    node->add_next_edge(torch::autograd::impl::gradient_edge(view));
    const Edge edge(node, node->add_input_metadata(view));
    torch::autograd::impl::set_gradient_edge(view, edge);
  }
}

/// What keeps `.grad` of an input that is no leaf is a hook of the node behind it: autograd looks for it there.
void moveRetainedGradient(const at::Tensor& tensor, const Edge& to) {
  if (tensor.retains_grad() && tensor.grad_fn()) {
    if (auto hook = tensor.grad_fn()->pop_retains_grad_hook(tensor.output_nr())) {
      to.function->add_retains_grad_hook(std::move(hook), to.input_nr);
    }
  }
}

class RuntimeCall {
 public:
  RuntimeCall(const std::shared_ptr<const CompiledAotGraph>& compiled, std::vector<at::Tensor> inputs)
      : compiled_(compiled), plan_(compiled->plan()), tensors_(std::move(inputs)) {
    addHiddenBases();
  }

  std::vector<at::Tensor> run() {
    takeEdges(EdgesTaken::kBefore);
    runForward();
    switchRequiresGrad(); // not before: the Graph may raise
    takeEdges(EdgesTaken::kSwitched);
    registerHooks();
    makeMemoriesOwn();
    keepSavedFromWrites();
    writeBack();
    moveInputs();
    makeTensors();
    connect();
    std::vector<at::Tensor> outputs;
    for (int output : plan_.outputs) {
      outputs.push_back(output >= 0 ? tensors_[static_cast<size_t>(output)] : at::Tensor());
    }
    return outputs;
  }

 private:
  /// Of views whose memory plays a role; the guards have seen that they are there. Another view's stays undefined.
  void addHiddenBases() {
    const std::vector<TracedInput>& inputs = compiled_->trace().arguments().inputs;
    const size_t given = tensors_.size();
    tensors_.resize(plan_.inputs.size());
    for (size_t i = 0; i < given; ++i) {
      const auto base = static_cast<size_t>(std::max(inputs[i].base, 0));
      const at::Tensor* of = inputs[i].base >= 0 ? arguments::differentiableBase(tensors_[i]) : nullptr;
      if (of != nullptr && base >= given) {
        tensors_[base] = *of;
      }
    }
  }

  void switchRequiresGrad() {
    for (size_t i = 0; i < plan_.inputs.size(); ++i) {
      if (plan_.inputs[i].requiresGrad.value_or(false)) {
        if (plan_.inputs[i].detached) {
          tensors_[i].detach_(); // what the program uses from then on is a leaf
        }
        switchTo(tensors_[i], true);
      }
    }
  }

  void registerHooks() const {
    for (size_t i = 0; i < plan_.hooks.size(); ++i) {
      const InputHook& hook = plan_.hooks[i];
      evaluator::registerHook(tensors_[static_cast<size_t>(hook.input)], hook.kind, compiled_->trace().hooks()[i]);
    }
  }

  void takeEdges(EdgesTaken now) {
    edges_.resize(plan_.wanted.size());
    for (size_t i = 0; i < edges_.size(); ++i) {
      const auto tensor = static_cast<size_t>(plan_.wanted[i]);
      if (tensor < plan_.inputs.size() && takenOf(plan_.inputs[tensor]) == now && tensors_[tensor].defined()) {
        edges_[i] = torch::autograd::impl::gradient_edge(tensors_[tensor]);
      }
    }
  }

  void runForward() {
    std::vector<at::Tensor> inputs;
    for (const InputStoragePlan& storage : plan_.inputStorages) {
      const at::Tensor& first = tensors_[static_cast<size_t>(storage.firstInput)];
      inputMemory_.push_back(first.storage().getWeakStorageImpl());
      firsts_.push_back(storage.neededAfter ? first : at::Tensor());
      storages_.push_back(storage.neededAfter ? first.storage() : c10::Storage());
      const bool moves = plan_.inputs[static_cast<size_t>(storage.firstInput)].moved.has_value();
      // What is saved of one that moves stays where it is when the caller's object gets other sizes.
      inputs.push_back(storage.isFlat ? flatAlias(first, storage.dtype)
                       : moves        ? arguments::aliasCountedWith(first, first)
                                      : first);
    }
    keepWritten();
    for (size_t i = 0; i < plan_.inputs.size(); ++i) {
      if (!plan_.inputs[i].neededAfter) {
        tensors_[i].reset(); // the Graph frees it when nothing reads it any more
      }
    }
    at::AutoDispatchBelowAutograd below;
    c10::impl::ExcludeDispatchKeyGuard noAutocast(c10::autocast_dispatch_keyset);
    std::vector<at::Tensor> given;
    if (compiled_->runsRecorded()) {
      given = inputs;
      beginRecorded(inputs);
    }
    memories_ = compiled_->runForward(std::move(inputs));
    const auto count = static_cast<std::ptrdiff_t>(plan_.memories.size());
    saved_.assign(memories_.begin() + count, memories_.end());
    memories_.resize(plan_.memories.size());
    for (size_t i = 0; i < saved_.size() && compiled_->runsRecorded(); ++i) {
      const int input = compiled_->saved().inputs[i];
      saved_[i] = input >= 0 ? given[static_cast<size_t>(input)] : saved_[i]; // not the copy: its version counts
    }
  }

  /// As they lie now: the caller's objects may move.
  void keepWritten() {
    for (const BackwardNodePlan& node : plan_.nodes) {
      for (const size_t storage : node.writtenStorages) {
        writtenInBackward_.resize(plan_.inputStorages.size());
        const at::Tensor& first = tensors_[static_cast<size_t>(plan_.inputStorages[storage].firstInput)];
        writtenInBackward_[storage] = arguments::aliasCountedWith(first, first);
      }
    }
  }

  /// The Graph writes to what it gets, and the backward runs it once more.
  void beginRecorded(std::vector<at::Tensor>& inputs) {
    generatorsAtBegin_ = values::GeneratorState::now();
    for (at::Tensor& input : inputs) {
      inputsAtBegin_.push_back(copyOfMemory(input));
      input = copyOfMemory(input);
    }
  }

  /// Memory of new tensors is nobody else's, and laid out as eager's.
  void makeMemoriesOwn() {
    at::AutoDispatchBelowADInplaceOrView below;
    for (size_t i = 0; i < memories_.size(); ++i) {
      const MemoryPlan& plan = plan_.memories[i];
      at::Tensor& memory = memories_[i];
      if (isWrittenByGraph(plan.inputStorage)) {
        continue;
      }
      bool isOwn = memory.sizes() == plan.layout.sizes && memory.strides() == plan.layout.strides &&
                   memory.storage_offset() == plan.layout.offset && !memory.is_conj() && !memory.is_neg() &&
                   static_cast<int64_t>(memory.storage().nbytes()) == plan.bytes;
      isOwn = isOwn && inputWith(memory) < 0;
      for (size_t j = 0; j < i; ++j) {
        isOwn = isOwn && (!memories_[j].defined() || !memory.storage().is_alias_of(memories_[j].storage()));
      }
      if (!isOwn) {
        const auto elements = plan.bytes / static_cast<int64_t>(memory.element_size());
        at::Tensor own = at::empty({elements}, memory.options());
        own = values::tensorOver(own.storage(), plan.layout);
        own.copy_(memory);
        memory = std::move(own);
      }
    }
  }

  /// What backward reads must be what the forward read, and a later write to it must be noticed: what lies in memory that
  /// is written back, or has several version counters, is copied.
  void keepSavedFromWrites() {
    if (compiled_->runsRecorded()) {
      return; // only their versions are looked at
    }
    at::AutoDispatchBelowADInplaceOrView below;
    for (size_t position = 0; position < saved_.size(); ++position) {
      at::Tensor& saved = saved_[position];
      if (!saved.defined()) {
        continue;
      }
      if (compiled_->saved().isCopy(position)) {
        saved = isSeenOutside(saved) ? copyOfMemory(saved) : saved;
        continue;
      }
      if (const int input = inputWith(saved); input >= 0 && isCopiedWhenSaved(input)) {
        saved = isPlacedIn(input) ? copyOfMemory(saved) : copyOf(saved);
      }
      const int inputStorage = compiled_->saved().inputs[position];
      if (inputStorage >= 0 && isCopiedWhenSaved(inputStorage)) {
        countWritesTo(saved, firsts_[static_cast<size_t>(inputStorage)]);
      }
    }
  }

  bool isSeenOutside(const at::Tensor& saved) const {
    return inputWith(saved) >= 0 || std::any_of(memories_.begin(), memories_.end(), [&](const at::Tensor& memory) {
             return memory.defined() && memory.storage().is_alias_of(saved.storage());
           });
  }

  /// The input storage that a tensor lies in; -1: none.
  int inputWith(const at::Tensor& tensor) const {
    const auto found = std::find_if(inputMemory_.begin(), inputMemory_.end(), [&](const auto& input) {
      return input._unsafe_get_target() == tensor.storage().unsafeGetStorageImpl();
    });
    return found == inputMemory_.end() ? -1 : static_cast<int>(found - inputMemory_.begin());
  }

  /// What the backward computes again may read past a view that is saved.
  bool isPlacedIn(int inputStorage) const {
    const JointTrace& trace = compiled_->trace();
    const int number = trace.arguments().storages[static_cast<size_t>(inputStorage)].number;
    return trace.recorded().storages[static_cast<size_t>(number)].isPlacedIn;
  }

  bool isCopiedWhenSaved(int inputStorage) const {
    return plan_.inputStorages[static_cast<size_t>(inputStorage)].hasSeveralCounters ||
           std::any_of(plan_.memories.begin(), plan_.memories.end(),
                       [&](const MemoryPlan& memory) { return memory.inputStorage == inputStorage; });
  }

  bool isWrittenByGraph(int inputStorage) const {
    return inputStorage >= 0 && plan_.inputStorages[static_cast<size_t>(inputStorage)].isWrittenByGraph;
  }

  void writeBack() {
    for (size_t i = 0; i < memories_.size(); ++i) {
      const int number = plan_.memories[i].inputStorage;
      if (number >= 0 && !isWrittenByGraph(number)) {
        at::AutoDispatchBelowADInplaceOrView below;
        const auto storage = static_cast<size_t>(number);
        values::tensorOver(storages_[storage], plan_.memories[i].layout).copy_(memories_[i]);
      }
    }
    for (size_t i = 0; i < plan_.inputs.size(); ++i) {
      const bool isWritten = isWrittenByGraph(compiled_->trace().arguments().inputs[i].storage);
      if (plan_.inputs[i].versionBumped && !isWritten && !tensors_[i].is_inference()) {
        tensors_[i].unsafeGetTensorImpl()->bump_version();
      }
    }
  }

  const c10::Storage& storageOf(const PlacePlan& place) const {
    return place.memory >= 0 ? memories_[static_cast<size_t>(place.memory)].storage()
                             : storages_[static_cast<size_t>(place.inputStorage)];
  }

  void moveInputs() {
    for (size_t i = 0; i < plan_.inputs.size(); ++i) {
      const InputPlan& plan = plan_.inputs[i];
      if (plan.moved) {
        at::AutoDispatchBelowADInplaceOrView below;
        const ir::TensorMetadata& geometry = plan.moved->geometry;
        tensors_[i].set_(storageOf(*plan.moved), geometry.offset, geometry.sizes, geometry.strides);
      }
    }
    takeEdges(EdgesTaken::kMoved);
    for (size_t i = 0; i < plan_.inputs.size(); ++i) {
      const InputPlan& plan = plan_.inputs[i];
      if (plan.detached && !plan.requiresGrad.value_or(false)) {
        tensors_[i].detach_();
      }
      if (plan.requiresGrad && !*plan.requiresGrad) {
        switchTo(tensors_[i], false);
      }
    }
  }

  /// What the Graph returned can be what the caller gets: it is laid out so, and nobody else holds it.
  bool isMemoryItself(const MadePlan& plan) const {
    if (!plan.isWholeMemory) {
      return false;
    }
    const at::Tensor& memory = memories_[static_cast<size_t>(plan.place.memory)];
    return memory.use_count() == 1 && !memory.is_view() && // no write to a view of what requires no grad
           memory.is_inference() == plan.isInference; // what torch.func returns in inference mode is none
  }

  at::Tensor make(const MadePlan& plan) const {
    const bool overMemory = plan.place.memory >= 0;
    const at::Tensor& owner = overMemory ? memories_[static_cast<size_t>(plan.place.memory)]
                                         : firsts_[static_cast<size_t>(plan.place.inputStorage)];
    c10::InferenceMode mode(plan.isInference);
    at::Tensor made = values::tensorOver(storageOf(plan.place), plan.place.geometry);
    if (!made.is_inference() && plan.counterOf >= 0) {
      torch::autograd::impl::set_version_counter(made, counterOf(tensors_[static_cast<size_t>(plan.counterOf)]));
    } else if (!made.is_inference() && plan.hasCounterOfMemory && !owner.is_inference()) {
      torch::autograd::impl::set_version_counter(made, counterOf(owner));
    }
    return made;
  }

  void makeTensors() {
    for (const MadePlan& plan : plan_.made) {
      at::Tensor made = isMemoryItself(plan) ? memories_[static_cast<size_t>(plan.place.memory)] : make(plan);
      if (plan.base >= 0 && !made.is_inference()) {
        made = arguments::viewLike(compiled_->trace().made(tensors_.size() - plan_.inputs.size()),
                                   tensors_[static_cast<size_t>(plan.base)], made, plan.creation, &plan.viewNumbers);
        if (plan.isStale) {
          arguments::makeStaleView(made, plan.hasStaleNode ? values::makeNode<StaleView>() : nullptr);
        }
      }
      if (plan.isLeafWithGrad) {
        c10::InferenceMode mode(plan.isInference);
        made.set_requires_grad(true);
      }
      tensors_.push_back(std::move(made));
    }
  }

  void connect() {
    if (std::find(plan_.hooked.begin(), plan_.hooked.end(), true) != plan_.hooked.end()) {
      nodesOfRoots_ = std::make_shared<HooksOfUnneeded::NodesOfRoots>(plan_.roots.size());
    }
    for (size_t number = 0; number < plan_.nodes.size(); ++number) {
      connectNode(number);
    }
    for (size_t i = 0; i < tensors_.size(); ++i) {
      const bool retains =
          i < plan_.inputs.size() ? plan_.inputs[i].retainsGrad : plan_.made[i - plan_.inputs.size()].retainsGrad;
      if (retains) {
        evaluator::refusePartialGradient(tensors_[i]);
        tensors_[i].retain_grad();
      }
      if (i < plan_.inputs.size() && plan_.inputs[i].takesHistory) {
        takeHistory(tensors_[i], plan_.inputs[i].hasPartialHistory);
      }
      if (i < plan_.inputs.size() && plan_.inputs[i].hasStaleNode) {
        arguments::makeStaleView(tensors_[i], values::makeNode<StaleView>());
      }
    }
  }

  void askHooksAt(torch::autograd::Node& node, const std::vector<size_t>& roots) const {
    if (std::any_of(roots.begin(), roots.end(), [&](size_t root) { return plan_.hooked[root]; })) {
      node.add_tensor_pre_hook(std::make_unique<HooksOfUnneeded>(compiled_, node, roots, nodesOfRoots_));
    }
  }

  void connectNode(size_t number) {
    auto node = values::makeNode<CompiledBackward>(compiled_, number);
    torch::autograd::edge_list edges;
    for (size_t wanted : plan_.nodes[number].wanted) {
      const auto tensor = static_cast<size_t>(plan_.wanted[wanted]);
      edges.push_back(tensor < plan_.inputs.size() ? edges_[wanted]
                                                   : torch::autograd::impl::gradient_edge(tensors_[tensor]));
    }
    node->set_next_edges(std::move(edges));
    node->save(saved_);
    node->keepBeginning(inputsAtBegin_, generatorsAtBegin_);
    if (!plan_.nodes[number].writtenStorages.empty()) {
      node->keepWritten(writtenInBackward_);
    }
    askHooksAt(*node, plan_.nodes[number].roots);
    for (size_t root : plan_.nodes[number].roots) {
      const auto place = static_cast<size_t>(plan_.roots[root]);
      const at::Tensor& tensor = tensors_[place];
      Edge edge(node, node->add_input_metadata(tensor));
      if (arguments::differentiableBase(tensor) != nullptr) {
        auto view = values::makeNode<ViewOfCompiled>(plan_.partial[root]);
        view->add_next_edge(std::move(edge));
        edge = Edge(view, view->add_input_metadata(tensor));
        askHooksAt(*view, {root});
      }
      if (nodesOfRoots_ != nullptr) {
        (*nodesOfRoots_)[root] = edge.function.get();
      }
      moveRetainedGradient(tensor, edge);
      torch::autograd::impl::set_gradient_edge(tensor, std::move(edge));
    }
  }

  const std::shared_ptr<const CompiledAotGraph>& compiled_;
  const ViewAndMutationMetadata& plan_;
  std::vector<at::Tensor> tensors_; // inputs, then made ones
  torch::autograd::edge_list edges_;
  std::vector<at::Tensor> firsts_; // an input of each input storage
  std::vector<c10::Storage> storages_; // as they were when the call began
  std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>> inputMemory_; // nobody else gets an address while it is here
  std::vector<at::Tensor> memories_, saved_;
  std::vector<at::Tensor> writtenInBackward_; // by storage of inputs
  std::vector<at::Tensor> inputsAtBegin_; // where the recorded Graph runs
  values::GeneratorState generatorsAtBegin_;
  std::shared_ptr<HooksOfUnneeded::NodesOfRoots> nodesOfRoots_; // where there are hooks to ask
};

} // namespace

std::vector<at::Tensor> callCompiled(const std::shared_ptr<const CompiledAotGraph>& compiled,
                                     std::vector<at::Tensor> inputs) {
  return RuntimeCall(compiled, std::move(inputs)).run();
}

} // namespace touchstone::aot_autograd
