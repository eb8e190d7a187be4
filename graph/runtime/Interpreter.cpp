#include "graph/runtime/Interpreter.h"

#include "graph/runtime/CallMode.h"
#include "graph/runtime/CallStateScope.h"
#include "graph/runtime/GraphCallable.h"
#include "graph/runtime/NodeWatch.h"
#include "graph/symbols/SymbolicGraph.h"
#include "program/values/Boxing.h"
#include "program/values/DefaultDevice.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/core/stack.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace touchstone::runtime {

namespace {

/// An operator node made ready: constants boxed once, references filled in at each run.
struct PreparedCall {
  c10::OperatorHandle op;
  torch::jit::Stack constants;
  std::vector<size_t> dynamic; // positions whose argument refers to nodes
};

PreparedCall prepareCall(const ir::Node& node) {
  size_t dot = node.target.find('.');
  std::string name = node.target.substr(0, dot);
  std::string overload = dot == std::string::npos ? "" : node.target.substr(dot + 1);
  PreparedCall call{c10::Dispatcher::singleton().findSchemaOrThrow(name.c_str(), overload.c_str()), {}, {}};
  const auto& schema = call.op.schema().arguments();
  TORCH_CHECK(schema.size() == node.arguments.size(), "node `", node.name, "`: `", node.target, "` takes ",
              schema.size(), " arguments, the Graph gives ", node.arguments.size());
  for (size_t i = 0; i < schema.size(); ++i) {
    if (values::refersToNode(node.arguments[i])) {
      call.constants.emplace_back();
      call.dynamic.push_back(i);
    } else {
      call.constants.push_back(values::boxArgument(node.arguments[i], schema[i], {}));
    }
  }
  return call;
}

void noteUses(const ir::Argument& argument, ir::NodeId user, std::vector<ir::NodeId>& lastUse) {
  if (const auto* reference = std::get_if<ir::NodeReference>(&argument.payload)) {
    lastUse[static_cast<size_t>(reference->node)] = user;
  } else if (const auto* container = std::get_if<ir::Argument::Container>(&argument.payload)) {
    for (const ir::Argument& item : container->items) {
      noteUses(item, user, lastUse);
    }
  }
}

} // namespace

struct Interpreter::State {
  const CallableCall& callable(const ir::Node& node) const {
    return *static_cast<const CallableCall*>(graph.callables().at(static_cast<size_t>(node.callable)).get());
  }
  ir::Graph graph;
  NodeState nodeState = NodeState::kRecorded;
  std::vector<std::optional<PreparedCall>> calls; // by node
  std::vector<std::vector<ir::NodeId>> releasedAfter; // by node: results that no later node reads

  at::Tensor constant(const ir::Node& node, CallMode* mode) const;
};

namespace {

using Values = std::vector<c10::IValue>; // by node, during a run

void performCall(const ir::Node& node, const PreparedCall& call, torch::jit::Stack& stack, CallMode* mode) {
  if (mode == nullptr) {
    call.op.callBoxed(&stack);
  } else {
    mode->onOperator(node, call.op, stack, [&] { call.op.callBoxed(&stack); });
    TORCH_CHECK(stack.size() == call.op.schema().returns().size(), "node `", node.name, "`: a mode has left ",
                stack.size(), " results, `", node.target, "` has ", call.op.schema().returns().size());
  }
}

c10::IValue runNode(const ir::Node& node, const PreparedCall& call, const Values& values, NodeState nodeState,
                    CallMode* mode) {
  torch::jit::Stack stack = call.constants;
  const auto& schema = call.op.schema();
  for (size_t position : call.dynamic) {
    stack[position] = values::boxArgument(node.arguments[position], schema.arguments()[position],
                                          [&](ir::NodeId id) { return values[static_cast<size_t>(id)]; });
  }
  if (nodeState == NodeState::kRecorded) {
    CallStateScope scope(node.state);
    performCall(node, call, stack, mode);
  } else {
    performCall(node, call, stack, mode);
  }
  if (stack.size() == 1) {
    return std::move(stack[0]);
  }
  return c10::ivalue::Tuple::create(std::move(stack)); // none or several results
}

c10::IValue elementOf(const ir::Node& node, const Values& values) {
  const c10::IValue& whole =
      values[static_cast<size_t>(std::get<ir::NodeReference>(node.arguments.at(0).payload).node)];
  auto index = static_cast<size_t>(std::get<int64_t>(node.arguments.at(1).payload));
  if (whole.isTuple()) {
    return whole.toTupleRef().elements().at(index);
  }
  return whole.toListRef().at(index);
}

/// What a callable returned that is no tensor, as the value of a node.
struct OpaqueValue : torch::CustomClassHolder {
  explicit OpaqueValue(values::Value value) : value(std::move(value)) {}
  values::Value value;
};

c10::IValue toIValue(const values::Value& value) {
  if (value.isTensor()) {
    return value.tensor();
  }
  if (value.isNone()) {
    return {};
  }
  if (const auto* tuple = value.maybe<values::TuplePtr>()) {
    std::vector<c10::IValue> items;
    for (const values::Value& item : (*tuple)->items) {
      items.push_back(toIValue(item));
    }
    return c10::ivalue::Tuple::create(std::move(items));
  }
  return c10::IValue::make_capsule(c10::make_intrusive<OpaqueValue>(value));
}

struct OutputReader {
  const ir::Graph& graph;
  const Values& values;

  values::Value read(const ir::Argument& argument) const { return std::visit(*this, argument.payload); }
  values::Value operator()(std::monostate) const { return {}; }
  values::Value operator()(ir::NodeReference reference) const {
    const c10::IValue& value = values[static_cast<size_t>(reference.node)];
    if (value.isCapsule()) {
      return static_cast<const OpaqueValue&>(*value.toCapsule()).value;
    }
    if (value.isNone()) {
      return {};
    }
    TORCH_CHECK(value.isTensor(), "node `", graph.node(reference.node).name, "` is read but is no tensor");
    return value.toTensor().defined() ? values::Value(value.toTensor()) : values::Value();
  }
  values::Value operator()(bool value) const { return values::Value(values::Value::Payload(value)); }
  values::Value operator()(int64_t value) const { return values::Value(values::Value::Payload(value)); }
  values::Value operator()(double value) const { return values::Value(values::Value::Payload(value)); }
  values::Value operator()(std::complex<double> value) const { return values::Value(values::Value::Payload(value)); }
  values::Value operator()(const std::string& value) const { return values::Value(values::Value::Payload(value)); }
  values::Value operator()(ir::DtypeConstant value) const {
    return values::Value(values::Value::Payload(static_cast<at::ScalarType>(value.value)));
  }
  values::Value operator()(ir::LayoutConstant value) const {
    return values::Value(values::Value::Payload(static_cast<at::Layout>(value.value)));
  }
  values::Value operator()(ir::MemoryFormatConstant value) const {
    return values::Value(values::Value::Payload(static_cast<at::MemoryFormat>(value.value)));
  }
  values::Value operator()(const ir::DeviceConstant& value) const {
    return values::Value(values::Value::Payload(at::Device(value.text)));
  }
  values::Value operator()(const ir::Argument::Container& container) const {
    using Kind = ir::Argument::Container::Kind;
    values::ValueList items;
    for (const ir::Argument& item : container.items) {
      items.push_back(read(item));
    }
    switch (container.kind) {
      case Kind::kList: return values::Value::list(std::move(items));
      case Kind::kTuple: return values::Value::tuple(std::move(items));
      case Kind::kSize:
        return values::Value(
            values::Value::Payload(std::make_shared<values::TupleObject>(values::TupleObject{std::move(items), true})));
      case Kind::kDict: break;
    }
    auto dict = std::make_shared<values::DictObject>();
    for (size_t i = 0; i < items.size(); ++i) {
      dict->entries.emplace_back(container.keys.at(i), std::move(items[i]));
    }
    return values::Value(values::Value::Payload(std::move(dict)));
  }
};

/// The regions that callables have opened, closed in reverse when a run ends early.
class OpenRegions {
 public:
  OpenRegions() = default;
  ~OpenRegions() {
    for (; !open_.empty(); open_.pop_back()) {
      open_.back()->remove();
    }
  }
  OpenRegions(const OpenRegions&) = delete;
  OpenRegions& operator=(const OpenRegions&) = delete;
  void open(const values::HandlePtr& region) { open_.push_back(region); }
  void close() { open_.pop_back(); }

 private:
  std::vector<values::HandlePtr> open_;
};

c10::IValue runCallable(const ir::Node& node, const CallableCall& call, const OutputReader& reader, NodeState nodeState,
                        OpenRegions& regions, CallMode* mode) {
  values::ValueList arguments;
  for (const ir::Argument& argument : node.arguments) {
    arguments.push_back(reader.read(argument));
  }
  std::optional<CallStateScope> scope;
  if (nodeState == NodeState::kRecorded && !call.entersContext && !call.leavesContext) {
    scope.emplace(node.state);
  }
  const values::Value result = mode == nullptr
                                   ? call.run(arguments)
                                   : mode->onCallable(node, call, arguments, [&] { return call.run(arguments); });
  if (call.entersContext) {
    regions.open(result.as<values::HandlePtr>());
  } else if (call.leavesContext) {
    regions.close();
  }
  return toIValue(result);
}

} // namespace

std::shared_ptr<const void> callableOf(CallableCall call) {
  call.arguments.clear();
  return std::make_shared<const CallableCall>(std::move(call));
}

ir::CallState currentCallState() {
  ir::CallState state;
  state.gradEnabled = c10::GradMode::is_enabled();
  state.inference = c10::InferenceMode::is_enabled();
  const at::DeviceType device = values::defaultDevice().type();
  if (at::autocast::is_autocast_enabled(device)) {
    state.autocast = c10::toString(at::autocast::get_autocast_dtype(device));
  }
  return state;
}

std::optional<c10::OperatorHandle> findOperator(const std::string& target) {
  const size_t dot = target.find('.');
  return c10::Dispatcher::singleton().findSchema(
      {target.substr(0, dot), dot == std::string::npos ? "" : target.substr(dot + 1)});
}

const at::Tensor& constantOf(const ir::Graph& graph, const ir::Node& node) {
  return *static_cast<const at::Tensor*>(graph.constants().at(static_cast<size_t>(node.constant)).get());
}

namespace {

bool sameConstants(const void* left, const void* right) {
  const auto &one = *static_cast<const at::Tensor*>(left), &other = *static_cast<const at::Tensor*>(right);
  if (one.is_same(other)) {
    return true;
  }
  if (one.scalar_type() != other.scalar_type() || one.sizes() != other.sizes() || one.strides() != other.strides() ||
      one.requires_grad() || other.requires_grad() || one.device() != other.device() || !one.device().is_cpu()) {
    return false;
  }
  const at::Tensor a = one.detach().contiguous(), b = other.detach().contiguous();
  return a.nbytes() == b.nbytes() && std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0;
}

std::optional<int64_t> integerOfConstant(const void* constant) {
  const auto& tensor = *static_cast<const at::Tensor*>(constant);
  const bool isInteger = tensor.dim() == 0 && tensor.scalar_type() == at::kLong && tensor.device().is_cpu() &&
                         tensor.unsafeGetTensorImpl()->is_wrapped_number();
  return isInteger ? std::optional(*tensor.const_data_ptr<int64_t>()) : std::nullopt;
}

/// Custom autograd functions of one Case, whose classes hold nothing of a call; what a hook does is not in its name.
bool callSame(const void* left, const void* right) {
  const std::string &one = static_cast<const CallableCall*>(left)->name,
                    &other = static_cast<const CallableCall*>(right)->name;
  return one == other && one.ends_with(".apply");
}

std::shared_ptr<const void> constantWithInteger(const void* like, int64_t integer) {
  at::Tensor tensor = static_cast<const at::Tensor*>(like)->clone();
  *tensor.mutable_data_ptr<int64_t>() = integer;
  tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
  return tensorConstant(std::move(tensor));
}

} // namespace

symbols::Constants constantTensors() {
  return {.areSame = sameConstants,
          .callSame = callSame,
          .integerOf = integerOfConstant,
          .withInteger = constantWithInteger};
}

std::shared_ptr<const void> tensorConstant(at::Tensor tensor) {
  return std::make_shared<const at::Tensor>(std::move(tensor));
}

at::Tensor metaTensor(const ir::TensorMetadata& metadata) {
  const auto dtype = static_cast<at::ScalarType>(metadata.dtype.value);
  return at::empty_strided(metadata.sizes, metadata.strides, at::TensorOptions(at::kMeta).dtype(dtype));
}

ir::TensorMetadata metadataOf(const at::Tensor& tensor) {
  if (tensor.layout() != at::kStrided) {
    return {.dtype = {static_cast<int64_t>(tensor.scalar_type())},
            .sizes = tensor.sizes().vec(),
            .device = tensor.device().str(),
            .requiresGrad = tensor.requires_grad()};
  }
  return {.dtype = {static_cast<int64_t>(tensor.scalar_type())},
          .sizes = tensor.sizes().vec(),
          .strides = tensor.strides().vec(),
          .offset = tensor.storage_offset(),
          .device = tensor.device().str(),
          .requiresGrad = tensor.requires_grad(),
          .conjugate = tensor.is_conj(),
          .negative = tensor.is_neg()};
}

Interpreter::Interpreter(ir::Graph graph, NodeState nodeState) : state_(std::make_unique<State>()) {
  graph.check();
  State& state = *state_;
  state.graph = std::move(graph);
  state.nodeState = nodeState;
  const auto& nodes = state.graph.nodes();
  std::vector<ir::NodeId> lastUse(nodes.size(), -1);
  for (size_t i = 0; i < nodes.size(); ++i) {
    state.calls.push_back(nodes[i].kind == ir::NodeKind::kOperator ? std::optional(prepareCall(nodes[i]))
                                                                   : std::nullopt);
    for (const ir::Argument& argument : nodes[i].arguments) {
      noteUses(argument, static_cast<ir::NodeId>(i), lastUse);
    }
  }
  noteUses(state.graph.output, static_cast<ir::NodeId>(nodes.size()), lastUse); // never released
  state.releasedAfter.resize(nodes.size() + 1);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const size_t last = lastUse[i] >= 0 ? static_cast<size_t>(lastUse[i]) : i; // what nothing reads goes at once
    state.releasedAfter[last].push_back(static_cast<ir::NodeId>(i));
  }
}

Interpreter::~Interpreter() = default;
Interpreter::Interpreter(Interpreter&&) noexcept = default;

const ir::Graph& Interpreter::graph() const {
  return state_->graph;
}

at::Tensor Interpreter::State::constant(const ir::Node& node, CallMode* mode) const {
  const at::Tensor& stored = constantOf(graph, node);
  // A run may write to it, and the next run starts from the literal again. Numbers in disguise cannot be written to.
  const auto copy = [&] {
    if (stored.unsafeGetTensorImpl()->is_wrapped_number()) {
      return stored;
    }
    std::optional<c10::InferenceMode> inference; // for what was made in a region of it
    if (node.state.inference && !c10::InferenceMode::is_enabled()) {
      inference.emplace();
    }
    return stored.clone();
  };
  return mode == nullptr ? copy() : mode->onConstant(node, stored, copy);
}

std::vector<c10::IValue> Interpreter::runNodes(std::vector<at::Tensor> inputs,
                                               const std::function<void(const ir::Node&)>& onNode,
                                               CallMode* mode) const {
  const State& state = *state_;
  const auto& placeholders = state.graph.placeholders();
  TORCH_CHECK(inputs.size() == placeholders.size(), "the Graph has ", placeholders.size(), " placeholders, got ",
              inputs.size(), " tensors");
  const auto& nodes = state.graph.nodes();
  Values values(nodes.size());
  OpenRegions regions;
  const NodeWatchScope* const watch = NodeWatchScope::current();
  const std::unique_ptr<CallMode> entered = CallModeScope::over(mode);
  mode = entered != nullptr ? entered.get() : mode;
  for (size_t i = 0; i < inputs.size(); ++i) {
    values[static_cast<size_t>(placeholders[i])] = std::move(inputs[i]);
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (onNode) {
      onNode(nodes[i]);
    }
    switch (nodes[i].kind) {
      case ir::NodeKind::kPlaceholder: break;
      case ir::NodeKind::kConstant: values[i] = state.constant(nodes[i], mode); break;
      case ir::NodeKind::kElement: values[i] = elementOf(nodes[i], values); break;
      case ir::NodeKind::kCallable:
        values[i] =
            runCallable(nodes[i], state.callable(nodes[i]), {state.graph, values}, state.nodeState, regions, mode);
        break;
      case ir::NodeKind::kOperator:
        values[i] = runNode(nodes[i], *state.calls[i], values, state.nodeState, mode);
        break;
    }
    if (watch != nullptr) {
      watch->tell(nodes[i], values[i]);
    }
    for (ir::NodeId dead : state.releasedAfter[i]) {
      values[static_cast<size_t>(dead)] = c10::IValue();
    }
  }
  return values;
}

values::Value Interpreter::run(std::vector<at::Tensor> inputs) const {
  const Values values = runNodes(std::move(inputs), nullptr, nullptr);
  return OutputReader{state_->graph, values}.read(state_->graph.output);
}

std::vector<at::Tensor> Interpreter::runFlat(std::vector<at::Tensor> inputs,
                                             const std::function<void(const ir::Node&)>& onNode) const {
  return flatOutputs(runNodes(std::move(inputs), onNode, nullptr));
}

std::vector<at::Tensor> Interpreter::runFlat(std::vector<at::Tensor> inputs, CallMode& mode) const {
  return flatOutputs(runNodes(std::move(inputs), nullptr, &mode));
}

std::vector<at::Tensor> Interpreter::flatOutputs(const Values& values) const {
  std::vector<at::Tensor> results;
  for (const ir::Argument& item : std::get<ir::Argument::Container>(state_->graph.output.payload).items) {
    const auto* reference = std::get_if<ir::NodeReference>(&item.payload);
    const c10::IValue* value = reference != nullptr ? &values[static_cast<size_t>(reference->node)] : nullptr;
    results.push_back(value != nullptr && value->isTensor() ? value->toTensor() : at::Tensor());
  }
  return results;
}

} // namespace touchstone::runtime
