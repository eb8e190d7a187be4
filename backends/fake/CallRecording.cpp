#include "backends/fake/DeviceChecks.h"
#include "backends/fake/EffectfulOperators.h"
#include "backends/fake/KernelRun.h"
#include "backends/fake/LiftedSize.h"
#include "backends/fake/TensorMemory.h"
#include "backends/fake/Tracer.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/Boxing.h"
#include "program/values/CompiledProgram.h"
#include "program/values/TensorWalk.h"

#include <ATen/OpMathType.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/TorchDispatchModeTLS.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <optional>
#include <string>

namespace touchstone::fake {

using ir::Argument;
using ir::NodeId;
using ir::Unsupported;
using ir::UnsupportedInputs;

namespace {

/// Results that CUDA makes in other sizes. `log_sigmoid_forward` keeps nothing there for the backward.
void resizeAsOnCuda(const std::string& name, torch::jit::Stack& results) {
  if (name == "aten::log_sigmoid_forward") {
    results.back() = at::empty({0}, at::TensorOptions(at::kMeta).dtype(results.back().toTensor().scalar_type()));
  } else if (name == "aten::native_batch_norm" && results.back().toTensor().numel() == 0) {
    // Without training, too, there are statistics by channel, in the dtype that CUDA adds up in.
    const at::Tensor output = results[results.size() - 3].toTensor();
    const at::Tensor statistics =
        at::empty({output.size(1)}, at::TensorOptions(at::kMeta).dtype(at::toOpMathType(output.scalar_type())));
    results[results.size() - 2] = statistics;
    results.back() = at::empty_like(statistics);
  }
}

bool isMask(const at::Tensor& tensor) {
  return tensor.defined() && (tensor.scalar_type() == at::kBool || tensor.scalar_type() == at::kByte);
}

/// Whether values of tensors decide what is computed: sizes of results, or a number that the program gets.
bool dependsOnData(const OperatorTraits& traits, const torch::jit::Stack& stack, size_t base) {
  if (traits.target == "aten::index.Tensor") { // the tag holds for masks alone
    bool masked = false;
    values::forEachTensor(stack[base + 1], [&](const at::Tensor& index) { masked = masked || isMask(index); });
    return masked;
  }
  return traits.readsData;
}

/// An argument, and in which place of a list of tensors.
struct ListedTensor {
  at::Tensor backing;
  std::optional<size_t> place;
};

/// What one entry of a list gets may be what another one, or another argument, is read from or written to.
bool doEntriesMeet(const OperatorTraits& traits, const torch::jit::Stack& stack, size_t base) {
  std::vector<ListedTensor> all, written;
  for (size_t i = base; i < stack.size(); ++i) {
    const bool isList = stack[i].isList();
    size_t place = 0;
    values::forEachTensor(stack[i], [&](const at::Tensor& tensor) {
      const FakeTensorImpl* fake = fakeOf(tensor);
      all.push_back({fake != nullptr ? fake->backing() : tensor, isList ? std::optional(place++) : std::nullopt});
      if (isList && std::find(traits.writes.begin(), traits.writes.end(), i - base) != traits.writes.end()) {
        written.push_back(all.back());
      }
    });
  }
  return std::any_of(written.begin(), written.end(), [&](const ListedTensor& each) {
    return std::any_of(all.begin(), all.end(), [&](const ListedTensor& other) {
      return other.place != each.place && mayMeet(each.backing, other.backing);
    });
  });
}

/// What a custom operator writes to may be what it reads, or writes to, through another argument. Its functional form has an
/// argument for each, so the call is one of what its body calls.
bool doOperandsMeet(const OperatorTraits& traits, const torch::jit::Stack& stack, size_t base) {
  std::vector<std::pair<at::Tensor, bool>> all; // and whether it is written to
  for (size_t i = base; i < stack.size(); ++i) {
    const bool isWritten = std::find(traits.writes.begin(), traits.writes.end(), i - base) != traits.writes.end();
    values::forEachTensor(stack[i], [&](const at::Tensor& tensor) {
      const FakeTensorImpl* fake = tensor.defined() ? fakeOf(tensor) : nullptr;
      if (tensor.defined()) {
        all.emplace_back(fake != nullptr ? fake->backing() : tensor, isWritten);
      }
    });
  }
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if ((all[i].second || all[j].second) && mayMeet(all[i].first, all[j].first)) {
        return true;
      }
    }
  }
  return false;
}

} // namespace

/// One operator call on its way through the tracer.
class CallRecording {
 public:
  CallRecording(Tracer& tracer, const c10::OperatorHandle& op, torch::jit::Stack* stack)
      : tracer_(tracer),
        op_(op),
        traits_(traitsOf(op)),
        stack_(stack),
        base_(stack->size() - op.schema().arguments().size()) {}

  void run();

 private:
  struct Operand {
    at::Tensor fake, backing;
  };
  void takeArguments();
  void placeMixture(bool isNamed);
  Argument argumentOf(size_t position);
  std::vector<NodeId> writtenNodes() const;
  std::vector<ir::TensorMetadata> probeFunctionalForm();
  void finishMetadataChange();
  void finishResized();
  void sayDtypeOfOut();
  void refuseOtherSum(const std::vector<ir::TensorMetadata>& functionalResults) const;
  void finish(bool writes);
  at::Tensor result(const at::Tensor& backing, NodeId node);
  c10::IValue wrapResult(const c10::IValue& value, NodeId node);
  void moveWritten(std::vector<NodeId>& written);
  void countWritesToLists() const;
  void refuseReadsOf(const at::Tensor& moved) const;
  const Operand* operandOf(const at::Tensor& backing) const;
  NodeId addCall(const std::string& target, size_t arguments);

  Tracer& tracer_;
  const c10::OperatorHandle& op_;
  const OperatorTraits& traits_;
  torch::jit::Stack* stack_;
  size_t base_;
  std::vector<Argument> arguments_;
  std::vector<std::vector<at::Tensor>> fakesOf_; // by argument
  std::vector<Operand> operands_;
  c10::Device device_{c10::kCPU};
  std::vector<Operand> results_; // an operator may return one object twice
};

const CallRecording::Operand* CallRecording::operandOf(const at::Tensor& backing) const {
  for (const Operand& operand : operands_) {
    if (operand.backing.is_same(backing)) {
      return &operand;
    }
  }
  return nullptr;
}

/// Autograd records what is computed from it and saves it, but a backward that goes there ends: what eager misses of it
/// then is not among what a Graph of the backward reads.
bool handsNoGradientOn(const at::Tensor& tensor) {
  if (tensor.is_inference()) {
    return false;
  }
  const auto* view = torch::autograd::impl::get_view_autograd_meta(tensor);
  return view != nullptr && view->has_bw_view() &&
         view->get_creation_meta() == torch::autograd::CreationMeta::NO_GRAD_MODE && !view->requires_grad_ &&
         view->get_backward_view().base_.requires_grad();
}

/// Notes the arguments and replaces fake tensors by what is beneath them.
void CallRecording::takeArguments() {
  const auto& schema = op_.schema().arguments();
  fakesOf_.resize(schema.size());
  std::optional<c10::Device> first, named;
  bool isMixed = false;
  for (size_t i = 0; i < schema.size(); ++i) {
    c10::IValue& value = (*stack_)[base_ + i];
    const std::optional<c10::IValue> plain = withoutLiftedSizes(value);
    const c10::IValue given = plain ? std::exchange(value, *plain) : c10::IValue();
    try {
      arguments_.push_back(values::unboxArgument(value, schema[i], [&](const at::Tensor& tensor) {
        FakeTensorImpl* fake = fakeOf(tensor);
        if (fake == nullptr) {
          return ir::nodeArgument(tracer_.constantNode(tensor));
        }
        TORCH_CHECK(&fake->tracer() == &tracer_, "a tensor of another trace is an argument of `", traits_.target, "`");
        return ir::nodeArgument(fake->node());
      }));
      if (plain) {
        arguments_.back() = liftedArgument(given, std::move(arguments_.back()), tracer_.graph_);
      }
    } catch (const std::invalid_argument& error) {
      throw Unsupported("argument `" + schema[i].name() + "` of `" + traits_.target + "`: " + error.what());
    }
    value = values::mapTensors(value, [&](const at::Tensor& tensor) {
      FakeTensorImpl* fake = fakeOf(tensor);
      if (fake == nullptr) {
        return tensor;
      }
      first = first.value_or(tensor.device());
      isMixed = isMixed || tensor.device() != *first;
      if (c10::GradMode::is_enabled() && handsNoGradientOn(tensor) &&
          !c10::impl::TorchDispatchModeTLS::any_modes_set()) { // PyTorch refuses nothing here
        throw UnsupportedInputs("a view made under no_grad of what requires grad is used where gradients are recorded");
      }
      if (tensor.is_inference() && tensor.requires_grad() && !c10::InferenceMode::is_enabled() &&
          c10::GradMode::is_enabled()) { // its kernel calls operators that do see the flag
        throw UnsupportedInputs("an inference tensor that requires grad is used where gradients are recorded");
      }
      fakesOf_[i].push_back(tensor);
      operands_.push_back({tensor, fake->backing()});
      return fake->backing();
    });
    if (value.isDevice()) {
      named = namedDevice(value.toDevice(), tracer_.claimed_);
    }
  }
  device_ = named.value_or(first.value_or(device_));
  if (isMixed) {
    placeMixture(named.has_value());
  }
}

void CallRecording::placeMixture(bool isNamed) {
  std::vector<DeviceOperand> operands;
  for (size_t i = 0; i < fakesOf_.size(); ++i) {
    for (const at::Tensor& fake : fakesOf_[i]) {
      operands.push_back({fake, i});
    }
  }
  device_ = isNamed ? device_ : deviceOfResults(op_, operands);
  if (tracer_.backing() == Backing::kMeta) { // is all on one device: kernels do not see a mixture
    checkDevices(op_, operands);
  }
}

NodeId CallRecording::addCall(const std::string& target, size_t arguments) {
  std::vector<Argument> taken(arguments_.begin(), arguments_.begin() + static_cast<std::ptrdiff_t>(arguments));
  const NodeId node = tracer_.addNode(target, std::move(taken));
  ir::Node& added = tracer_.graph_.node(node);
  added.state = runtime::currentCallState();
  added.sequence = tracer_.presentSequence();
  if (!tracer_.backward_) {
    tracer_.lineOfSequence_.try_emplace(added.sequence, added.line); // a call without a node repeats the number
  }
  return node;
}

std::vector<NodeId> CallRecording::writtenNodes() const {
  std::vector<NodeId> written;
  for (size_t position : traits_.writes) {
    for (const at::Tensor& tensor : fakesOf_[position]) {
      if (tensor.layout() != at::kStrided) {
        throw UnsupportedInputs("`" + traits_.target + "` writes to a tensor that is not strided");
      }
      TORCH_CHECK(!tensor.is_inference() || c10::InferenceMode::is_enabled(),
                  "Inplace update to inference tensor outside InferenceMode is not allowed: `", traits_.target,
                  "` writes to one");
      written.push_back(fakeOf(tensor)->node());
    }
  }
  return written;
}

/// What the results of the functional form look like: strides and dtype of what is written need not be the target's.
std::vector<ir::TensorMetadata> CallRecording::probeFunctionalForm() {
  if (!traits_.functional) {
    throw Unsupported("`" + traits_.target + "` writes and has no functional form");
  }
  const auto first = stack_->begin() + static_cast<std::ptrdiff_t>(base_);
  torch::jit::Stack probe(first, first + static_cast<std::ptrdiff_t>(traits_.functional->schema().arguments().size()));
  const c10::impl::ExcludeDispatchKeyGuard uncast(c10::autocast_dispatch_keyset); // as where the Graph runs
  probeKernel(*traits_.functional, &probe, tracer_.backing(), traits_.isRandom);
  std::vector<ir::TensorMetadata> results;
  for (const c10::IValue& value : probe) {
    values::forEachTensor(value, [&](const at::Tensor& tensor) {
      results.push_back(tensor.defined() ? runtime::metadataOf(tensor) : ir::TensorMetadata{});
      results.back().device = device_.str();
      if (tensor.defined() && tensor.numel() == 0) {
        results.back().offset = 0; // kernels differ in it, and nothing is there
      }
    });
  }
  return results;
}

at::Tensor CallRecording::result(const at::Tensor& backing, NodeId node) {
  if (!backing.defined()) {
    return backing;
  }
  for (const Operand& known : results_) {
    if (known.backing.is_same(backing)) {
      return known.fake;
    }
  }
  // A device may be named without its index.
  const c10::Device device = tracer_.backing() == Backing::kValues ? backing.device() : device_;
  tracer_.describe(node, backing, device);
  results_.push_back({tracer_.wrap(backing, node, device), backing});
  return results_.back().fake;
}

c10::IValue CallRecording::wrapResult(const c10::IValue& value, NodeId node) {
  if (value.isTensor()) {
    const Operand* operand = operandOf(value.toTensor());
    return operand != nullptr ? operand->fake : result(value.toTensor(), node);
  }
  if (value.isTensorList()) {
    c10::List<at::Tensor> list;
    const std::vector<at::Tensor> tensors = value.toTensorVector();
    for (size_t i = 0; i < tensors.size(); ++i) {
      const Operand* operand = operandOf(tensors[i]);
      list.push_back(operand != nullptr ? operand->fake
                                        : result(tensors[i], tracer_.graph_.addElement(node, static_cast<int64_t>(i))));
    }
    return list;
  }
  return value;
}

void CallRecording::finish(bool writes) {
  const size_t count = op_.schema().returns().size();
  const size_t first = stack_->size() - count;
  bool makesTensor = false;
  for (size_t i = first; i < stack_->size(); ++i) {
    values::forEachTensor((*stack_)[i], [&](const at::Tensor& tensor) {
      makesTensor = makesTensor || (tensor.defined() && operandOf(tensor) == nullptr);
    });
  }
  if (!makesTensor && !writes && count > 0) {
    for (size_t i = first; i < stack_->size(); ++i) {
      (*stack_)[i] = wrapResult((*stack_)[i], -1); // an argument, handed back
    }
    return;
  }
  const NodeId node = addCall(traits_.target, arguments_.size());
  for (size_t i = 0; i < count; ++i) {
    c10::IValue& value = (*stack_)[first + i];
    const bool isArgument = value.isTensor() && (operandOf(value.toTensor()) != nullptr || !value.toTensor().defined());
    const NodeId holder = count == 1 || isArgument ? node : tracer_.graph_.addElement(node, static_cast<int64_t>(i));
    value = wrapResult(value, holder);
  }
}

/// `t_()`, `set_()` and the like: the same object, another tensor. Recorded as the view that it is now.
void CallRecording::finishMetadataChange() {
  const Operand& operand = operands_.at(0);
  FakeTensorImpl* fake = fakeOf(operand.fake);
  if (tracer_.isResized(operand.backing)) {
    const auto resized = tracer_.storageNumbers_.find(operand.backing.storage().unsafeGetStorageImpl());
    if (tracer_.graph_.storages[static_cast<size_t>(resized->second)].bytes != 0) {
      throw UnsupportedInputs("`" + traits_.target + "` changes the number of bytes of a storage");
    }
    tracer_.storageNumbers_.erase(resized); // nothing was in it
  }
  const auto known = tracer_.storageNumbers_.find(operand.backing.storage().unsafeGetStorageImpl());
  NodeId node = -1;
  if (known == tracer_.storageNumbers_.end()) {
    node = tracer_.addNode(
        "aten::empty_strided",
        {ir::integerList(operand.backing.sizes().vec()), ir::integerList(operand.backing.strides().vec()),
         Argument{ir::DtypeConstant{static_cast<int64_t>(operand.backing.scalar_type())}}, Argument{},
         Argument{ir::DeviceConstant{device_.str()}}, Argument{}});
    tracer_.describe(node, operand.backing, device_);
  } else {
    const bool sameStorage = known->second == tracer_.graph_.node(fake->node()).metadata->storage;
    if (sameStorage && traits_.functional && traits_.functionalTarget != "aten::set" &&
        traits_.functionalTarget != "aten::resize" && traits_.functionalTarget != "aten::resize_as") {
      node = addCall(traits_.functionalTarget, traits_.functional->schema().arguments().size());
      tracer_.describe(node, operand.backing, device_);
    } else {
      node = tracer_.viewOfStorage(operand.backing, tracer_.graph_.storages[static_cast<size_t>(known->second)].root,
                                   device_);
    }
  }
  fake->denote(node);
  stack_->erase(stack_->begin() + static_cast<std::ptrdiff_t>(base_), stack_->end());
  for (size_t i = 0; i < op_.schema().returns().size(); ++i) {
    stack_->push_back(operand.fake);
  }
}

/// An `out=` that was empty and has grown: the operator's results as fresh tensors, under the same objects.
void CallRecording::finishResized() {
  std::vector<at::Tensor> written;
  for (size_t position : traits_.writes) {
    written.insert(written.end(), fakesOf_[position].begin(), fakesOf_[position].end());
  }
  for (const at::Tensor& tensor : written) {
    FakeTensorImpl* fake = fakeOf(tensor);
    const int storage = tracer_.graph_.node(fake->node()).metadata->storage;
    if (tracer_.graph_.storages[static_cast<size_t>(storage)].bytes != 0) {
      throw UnsupportedInputs("`" + traits_.target + "` changes the number of bytes of a storage");
    }
    tracer_.storageNumbers_.erase(fake->backing().storage().unsafeGetStorageImpl());
  }
  const NodeId node = addCall(traits_.functionalTarget, traits_.functional->schema().arguments().size());
  const size_t results = traits_.functional->schema().returns().size();
  TORCH_CHECK(results == written.size(), "`", traits_.functionalTarget, "` does not return what `", traits_.target,
              "` writes");
  for (size_t i = 0; i < written.size(); ++i) {
    const NodeId holder = results == 1 ? node : tracer_.graph_.addElement(node, static_cast<int64_t>(i));
    tracer_.describe(holder, fakeOf(written[i])->backing(), device_);
    fakeOf(written[i])->denote(holder);
  }
  for (size_t i = stack_->size() - op_.schema().returns().size(); i < stack_->size(); ++i) {
    (*stack_)[i] = wrapResult((*stack_)[i], node);
  }
}

/// The kernel looks for overlaps before it gives an `out=` its size: what it reads may have been what it has just written.
void CallRecording::refuseReadsOf(const at::Tensor& moved) const {
  for (const Operand& operand : operands_) {
    if (!operand.backing.is_same(moved) && mayMeet(operand.backing, moved)) {
      throw UnsupportedInputs("`" + traits_.target +
                              "` writes to memory that it reads, through an `out` that it has resized");
    }
  }
}

/// An `out=` that took another size within the memory that it has: it is another view of that, which is then written to.
void CallRecording::moveWritten(std::vector<NodeId>& written) {
  size_t next = 0;
  for (size_t position : traits_.writes) {
    for (const at::Tensor& tensor : fakesOf_[position]) {
      FakeTensorImpl* fake = fakeOf(tensor);
      const ir::TensorMetadata before = *tracer_.graph_.node(fake->node()).metadata;
      const ir::TensorMetadata now = runtime::metadataOf(fake->backing());
      NodeId& node = written[next++];
      if (ir::sameLayout(before, now) && before.offset == now.offset) {
        continue;
      }
      if (fakesOf_[position].size() > 1) {
        throw UnsupportedInputs("`" + traits_.target + "` gives tensors of a list another size");
      }
      refuseReadsOf(fake->backing());
      node = tracer_.viewOfStorage(fake->backing(), tracer_.graph_.storages[static_cast<size_t>(before.storage)].root,
                                   device_);
      fake->denote(node);
      arguments_[position] = ir::nodeArgument(node);
    }
  }
}

/// Operators that write to lists return nothing, so that autograd counts no write: what their kernels call does.
void CallRecording::countWritesToLists() const {
  for (size_t position : traits_.writes) {
    for (const at::Tensor& tensor : fakesOf_[position]) {
      if (traits_.writesEntryByEntry && !tensor.is_inference()) {
        torch::autograd::impl::bump_version(tensor);
      }
    }
  }
}

/// The functional form has no `out` to take it from.
void CallRecording::sayDtypeOfOut() {
  if (!traits_.dtypeOfOut) {
    return;
  }
  c10::IValue& dtype = (*stack_)[base_ + static_cast<size_t>(*traits_.dtypeOfOut)];
  const at::ScalarType written = (*stack_)[base_ + traits_.writes[0]].toTensor().scalar_type();
  const bool isRefused = (traits_.target == "aten::mean.out" || traits_.target == "aten::nansum.out") &&
                         at::isIntegralType(written, /*includeBool=*/true);
  if (dtype.isNone() && !isRefused) {
    dtype = written;
  }
}

/// The functional form adds up in the dtype of its result, not in that of `out`.
void CallRecording::refuseOtherSum(const std::vector<ir::TensorMetadata>& functionalResults) const {
  if (traits_.addsUpInDtypeOfOut) {
    const at::ScalarType written = (*stack_)[base_ + traits_.writes[0]].toTensor().scalar_type();
    if (static_cast<at::ScalarType>(functionalResults.at(0).dtype.value) != written) {
      throw UnsupportedInputs("`" + traits_.target + "` with an `out` of another dtype than that of its result");
    }
  }
}

void CallRecording::run() {
  if (dependsOnData(traits_, *stack_, base_)) {
    throw Unsupported("control flow: values are read from tensor data (`" + traits_.target + "`)");
  }
  sayDtypeOfOut();
  takeArguments();
  if (op_.operator_name().name.starts_with("aten::as_strided")) { // offsets in it count from the memory's beginning
    for (const Operand& operand : operands_) {
      tracer_.notePlace(operand.backing);
    }
  }
  if (traits_.target == "aten::lift_fresh") { // a constant comes in
    arguments_ = {ir::nodeArgument(tracer_.constantNode((*stack_)[base_].toTensor()))};
    at::Tensor backing = (*stack_)[base_].toTensor().clone();
    if (tracer_.backing() == Backing::kMeta) { // else what writes to it would return another tensor
      backing = metaLike(backing);
    }
    stack_->back() = result(backing, addCall("aten::lift_fresh_copy", 1));
    return;
  }
  if (traits_.changesMetadata) {
    op_.callBoxed(stack_);
    return finishMetadataChange();
  }
  std::vector<NodeId> written;
  std::vector<ir::TensorMetadata> functionalResults;
  const bool training = !traits_.hidesWrites || (*stack_)[base_ + 5].toBool();
  if (!traits_.writes.empty() && training) {
    written = writtenNodes();
    for (const size_t position : traits_.writes) {
      std::ranges::for_each(fakesOf_[position], [&](const at::Tensor& fake) { tracer_.keepUnwritten(fake); });
    }
  }
  if (!written.empty()) {
    functionalResults = probeFunctionalForm();
    refuseOtherSum(functionalResults);
  }
  if (isEffectful(traits_.target)) {
    runWithoutEffect(op_, stack_, tracer_.backing());
  } else {
    runKernel(op_, stack_, tracer_.backing());
  }
  if (tracer_.backing() == Backing::kMeta && device_.is_cuda()) {
    resizeAsOnCuda(op_.operator_name().name, *stack_);
  }
  const bool resized = !written.empty() && std::any_of(operands_.begin(), operands_.end(), [&](const Operand& operand) {
    return tracer_.isResized(operand.backing);
  });
  if (resized) {
    return finishResized();
  }
  if (!written.empty()) {
    moveWritten(written);
  }
  finish(!written.empty());
  if (!written.empty()) {
    // The call is the last node but for the elements of its results.
    NodeId node = static_cast<NodeId>(tracer_.graph_.nodes().size()) - 1;
    while (tracer_.graph_.node(node).kind != ir::NodeKind::kOperator) {
      --node;
    }
    countWritesToLists();
    tracer_.graph_.node(node).writes = std::move(written);
    tracer_.graph_.node(node).functionalResults = std::move(functionalResults);
  }
}

void Tracer::call(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  if (recordZeros(op, stack)) {
    return;
  }
  if (op.schema().name() == "aten::conj_physical_" && !stack->back().toTensor().is_complex()) {
    return; // its functional form hands back the operand itself
  }
  const size_t base = stack->size() - op.schema().arguments().size();
  const OperatorTraits& traits = traitsOf(op);
  const bool goesByEntry = traits.isOfCase ? doOperandsMeet(traits, *stack, base)
                                           : traits.writesEntryByEntry && doEntriesMeet(traits, *stack, base);
  if (isCompositeCall(op, *stack) || goesByEntry) {
    // Reached whole where autograd is passed by, as in inference mode: its kernel calls the operators that count.
    op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
    return;
  }
  c10::impl::ExcludeDispatchKeyGuard real(c10::DispatchKey::Fake);
  const ModeUnseen unseen;
  at::AutoDispatchBelowADInplaceOrView below;
  CallRecording(*this, op, stack).run();
}

} // namespace touchstone::fake
