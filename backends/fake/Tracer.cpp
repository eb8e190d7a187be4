#include "backends/fake/Tracer.h"

#include "backends/fake/ClaimedDevice.h"
#include "graph/ir/Arguments.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/AutogradNodes.h"
#include "program/values/CompiledProgram.h"

#include <ATen/SequenceNumber.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <cstring>
#include <ranges>
#include <unordered_set>
#include <utility>

namespace touchstone::fake {

namespace {

using ir::Argument;
using ir::NodeId;

thread_local Tracer* currentTracer = nullptr;

} // namespace

Tracer::Scope::Scope(Tracer& tracer) : include_(c10::DispatchKey::Fake), outer_(currentTracer) {
  linkFakeKernel();
  currentTracer = &tracer;
}

Tracer::Scope::~Scope() {
  currentTracer = outer_;
}

bool Tracer::isRecording() {
  return currentTracer != nullptr;
}

Tracer::Tracer(Backing backing, std::optional<c10::Device> claimed) : backing_(backing), claimed_(claimed) {
  TORCH_CHECK(!claimed_ || backing_ == Backing::kMeta, "values are not on ", *claimed_,
              ": a claimed device is traced without values");
  if (claimed_) {
    claimDevice(*claimed_);
  }
}

Tracer::Rehearsal::Rehearsal(Tracer& tracer) : tracer_(tracer) {
  TORCH_INTERNAL_ASSERT(!tracer.unwritten_, "a rehearsal inside another one");
  tracer.unwritten_.emplace().begin = static_cast<NodeId>(tracer.graph_.nodes().size());
}

Tracer::Rehearsal::~Rehearsal() {
  for (auto& [number, memory] : tracer_.unwritten_->memory) {
    auto& [storage, bytes] = memory;
    std::memcpy(storage.mutable_data(), bytes.data(), std::min(storage.nbytes(), bytes.size()));
  }
  for (auto& [version, before] : std::views::reverse(tracer_.unwritten_->versions)) {
    version.set_version(before);
  }
  tracer_.unwritten_.reset();
}

/// A tensor is about to be written to.
void Tracer::keepUnwritten(const at::Tensor& fake) {
  if (!unwritten_) {
    return;
  }
  const FakeTensorImpl& impl = *fakeOf(fake);
  const int number = graph_.node(impl.node()).metadata->storage;
  if (number < 0 || graph_.storages[static_cast<size_t>(number)].root >= unwritten_->begin) {
    return;
  }
  if (!fake.is_inference()) {
    const c10::VariableVersion& version = torch::autograd::impl::version_counter(fake);
    unwritten_->versions.emplace_back(version, version.current_version());
  }
  const c10::Storage& storage = impl.backing().storage();
  if (!impl.backing().is_meta() && storage.nbytes() > 0 && !unwritten_->memory.contains(number)) {
    const auto* bytes = static_cast<const char*>(storage.data());
    unwritten_->memory.emplace(number, std::pair(storage, std::vector<char>(bytes, bytes + storage.nbytes())));
  }
}

void Tracer::callFake(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  TORCH_CHECK(currentTracer != nullptr, "a traced tensor is used outside of its trace, by `", targetOf(op), "`");
  currentTracer->call(op, stack);
}

Tracer::~Tracer() {
  // What is still alive is held by a cycle: cut the nodes' saved tensors, and the edges of tensors to nodes.
  std::vector<values::NodePtr> nodes;
  std::unordered_set<torch::autograd::Node*> seen;
  auto add = [&](const values::NodePtr& node) {
    if (node && seen.insert(node.get()).second) {
      nodes.push_back(node);
    }
  };
  for (const at::Tensor& fake : alive()) {
    if (auto* meta = torch::autograd::impl::get_autograd_meta(fake)) {
      add(std::exchange(meta->grad_fn_, nullptr));
    }
  }
  for (size_t i = 0; i < nodes.size(); ++i) { // grows while it is walked
    const auto node = nodes[i];
    for (const torch::autograd::Edge& edge : node->next_edges()) {
      add(edge.function);
    }
    node->release_variables();
  }
}

at::Tensor Tracer::wrap(const at::Tensor& backing, NodeId node, c10::Device device) {
  auto fake = c10::make_intrusive<FakeTensorImpl>(*this, backing, node, device);
  fakes_.emplace_back(fake);
  return at::Tensor(std::move(fake));
}

void Tracer::forgetSince(const Mark& mark) {
  for (size_t i = 0; i < fakes_.size(); ++i) {
    if (const c10::intrusive_ptr<c10::TensorImpl> alive = fakes_[i].lock()) {
      const auto node =
          static_cast<size_t>(static_cast<const FakeTensorImpl&>(*alive).node()); // new sizes in place move it
      if (i >= mark.fakes || node >= mark.nodes) {
        return;
      }
    }
  }
  fakes_.erase(fakes_.begin() + static_cast<std::ptrdiff_t>(mark.fakes), fakes_.end());
  while (!graph_.storages.empty() && static_cast<size_t>(graph_.storages.back().root) >= mark.nodes) {
    storageNumbers_.erase(storagesKept_.back().unsafeGetStorageImpl());
    storagesKept_.pop_back();
    graph_.storages.pop_back();
  }
  std::erase_if(constants_, [&](const auto& constant) { return static_cast<size_t>(constant.second) >= mark.nodes; });
  graph_.truncate(mark.nodes);
}

std::vector<at::Tensor> Tracer::alive() const {
  std::vector<at::Tensor> alive;
  for (const auto& fake : fakes_) {
    if (c10::intrusive_ptr<c10::TensorImpl> held = fake.lock()) {
      alive.emplace_back(std::move(held));
    }
  }
  return alive;
}

void Tracer::freeDeadValues() {
  for (const c10::Storage& storage : storagesKept_) {
    if (storage.use_count() == 1 && storage.nbytes() > 0) {
      storage.unsafeGetStorageImpl()->reset();
    }
  }
}

bool Tracer::isHeldAlone(const at::Tensor& fake) {
  const FakeTensorImpl* impl = fakeOf(fake);
  if (impl == nullptr || fake.use_count() != 1) {
    return false;
  }
  const at::Tensor& backing = impl->backing();
  constexpr size_t kTensorAndTracer = 2; // see storagesKept_
  // A write to nothing would let go of what it is computed from, which a backward from fewer outputs may need.
  return backing.numel() > 0 && backing.use_count() == 1 && backing.has_storage() &&
         backing.storage().use_count() == kTensorAndTracer;
}

void Tracer::describe(NodeId node, const at::Tensor& backing, c10::Device device) {
  ir::TensorMetadata metadata = runtime::metadataOf(backing);
  metadata.device = device.str();
  if (backing.layout() == at::kStrided) {
    metadata.storage = storageOf(backing, node);
  }
  graph_.node(node).metadata = std::move(metadata);
}

int Tracer::storageOf(const at::Tensor& backing, NodeId node) {
  c10::StorageImpl* storage = backing.storage().unsafeGetStorageImpl();
  auto [entry, fresh] = storageNumbers_.try_emplace(storage, static_cast<int>(graph_.storages.size()));
  if (fresh) {
    graph_.storages.push_back(
        {static_cast<int64_t>(storage->nbytes()), {static_cast<int64_t>(backing.scalar_type())}, node, -1});
    storagesKept_.push_back(backing.storage());
  }
  return entry->second;
}

void Tracer::notePlace(const at::Tensor& backing) {
  if (backing.layout() == at::kStrided) {
    const auto known = storageNumbers_.find(backing.storage().unsafeGetStorageImpl());
    if (known != storageNumbers_.end()) {
      graph_.storages[static_cast<size_t>(known->second)].isPlacedIn = true;
    }
  }
}

bool Tracer::isResized(const at::Tensor& backing) const {
  if (backing.layout() != at::kStrided) {
    return false;
  }
  auto known = storageNumbers_.find(backing.storage().unsafeGetStorageImpl());
  return known != storageNumbers_.end() &&
         graph_.storages[static_cast<size_t>(known->second)].bytes != static_cast<int64_t>(backing.storage().nbytes());
}

NodeId Tracer::addNode(const std::string& target, std::vector<Argument> arguments) {
  const NodeId node = graph_.addOperator(target, std::move(arguments));
  ir::Node& added = graph_.node(node);
  added.original = target;
  added.backward = backward_;
  const auto forward = backward_ ? lineOfSequence_.find(backwardNode_) : lineOfSequence_.end();
  added.line = !backward_ ? line_ : forward != lineOfSequence_.end() ? forward->second : 0;
  return node;
}

int64_t Tracer::presentSequence() const {
  return backward_ ? backwardNode_ : static_cast<int64_t>(at::sequence_number::peek()) - 1;
}

NodeId Tracer::addDetached(const FakeTensorImpl& fake) {
  const NodeId node = addNode("aten::detach", {ir::nodeArgument(fake.node())});
  graph_.node(node).sequence = presentSequence();
  graph_.node(node).metadata = graph_.node(fake.node()).metadata;
  return node;
}

at::Tensor Tracer::addInput(at::Tensor backing, const std::string& name, c10::Device device) {
  const NodeId node = graph_.addPlaceholder(name);
  describe(node, backing, device);
  const int storage = graph_.node(node).metadata->storage;
  if (storage >= 0) {
    graph_.storages[static_cast<size_t>(storage)].input = static_cast<int>(graph_.placeholders().size()) - 1;
  }
  return wrap(backing, node, device);
}

at::Tensor Tracer::addAlias(at::Tensor backing, NodeId root, c10::Device device) {
  const NodeId node = viewOfStorage(backing, root, device);
  graph_.storages[static_cast<size_t>(graph_.node(node).metadata->storage)].isPlacedIn = false; // not by the program
  return wrap(backing, node, device);
}

/// The tensor as a view of the first one over its storage.
NodeId Tracer::viewOfStorage(const at::Tensor& backing, NodeId root, c10::Device device) {
  const auto dtype = static_cast<int64_t>(backing.scalar_type());
  const auto ofRoot = static_cast<at::ScalarType>(graph_.node(root).metadata->dtype.value);
  auto step = [&](const char* target, std::vector<Argument> arguments) {
    arguments.insert(arguments.begin(), ir::nodeArgument(root));
    root = addNode(target, std::move(arguments));
    describe(root, backing, device);
  };
  if (ofRoot != backing.scalar_type()) {
    // Through all of the memory: the root may see too little of it for the other dtype, as an imaginary part does.
    const size_t wide = std::max(c10::elementSize(ofRoot), c10::elementSize(backing.scalar_type()));
    const size_t bytes = backing.storage().nbytes() / wide * wide;
    auto flat = [&](at::ScalarType scalar) {
      ir::TensorMetadata& metadata = *graph_.node(root).metadata;
      metadata.dtype = {static_cast<int64_t>(scalar)};
      metadata.sizes = {static_cast<int64_t>(bytes / c10::elementSize(scalar))};
      metadata.strides = {1};
      metadata.offset = 0;
      metadata.conjugate = metadata.negative = false;
    };
    step("aten::as_strided", {ir::integerList({static_cast<int64_t>(bytes / c10::elementSize(ofRoot))}),
                              ir::integerList({1}), Argument{int64_t{0}}});
    flat(ofRoot);
    step("aten::view.dtype", {Argument{ir::DtypeConstant{dtype}}});
    flat(backing.scalar_type());
  }
  notePlace(backing);
  step("aten::as_strided", {ir::integerList(backing.sizes().vec()), ir::integerList(backing.strides().vec()),
                            Argument{backing.storage_offset()}});
  if (backing.is_conj()) {
    graph_.node(root).metadata->conjugate = graph_.node(root).metadata->negative = false;
    step("aten::_conj", {});
  }
  if (backing.is_neg()) {
    graph_.node(root).metadata->negative = false;
    step("aten::_neg_view", {});
  }
  return root;
}

NodeId Tracer::constantNode(const at::Tensor& tensor) {
  auto found = constants_.find(tensor.unsafeGetTensorImpl());
  if (found != constants_.end()) {
    return found->second;
  }
  const NodeId node = graph_.addConstant("constant", runtime::tensorConstant(tensor));
  constants_.emplace(tensor.unsafeGetTensorImpl(), node);
  constantsKept_.push_back(tensor);
  return node;
}

} // namespace touchstone::fake
