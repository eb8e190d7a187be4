#include "graph/program/Interpreter.h"

#include "graph/program/Boxing.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/core/stack.h>
#include <c10/core/InferenceMode.h>

#include <stdexcept>

namespace touchstone::graph {

namespace {

/// An operator node made ready: constants boxed once, references filled in at each run.
struct PreparedCall {
  c10::OperatorHandle op;
  torch::jit::Stack constants;
  std::vector<size_t> dynamic; // positions whose argument refers to nodes
};

PreparedCall prepareCall(const Node& node) {
  size_t dot = node.target.find('.');
  std::string name = node.target.substr(0, dot);
  std::string overload = dot == std::string::npos ? "" : node.target.substr(dot + 1);
  PreparedCall call{c10::Dispatcher::singleton().findSchemaOrThrow(name.c_str(), overload.c_str()), {}, {}};
  const auto& schema = call.op.schema().arguments();
  TORCH_CHECK(schema.size() == node.arguments.size(), "node `", node.name, "`: `", node.target, "` takes ",
              schema.size(), " arguments, the Graph gives ", node.arguments.size());
  for (size_t i = 0; i < schema.size(); ++i) {
    if (refersToNode(node.arguments[i])) {
      call.constants.emplace_back();
      call.dynamic.push_back(i);
    } else {
      call.constants.push_back(boxArgument(node.arguments[i], schema[i], {}));
    }
  }
  return call;
}

/// Sets the state of autograd and autocast of one node for its run, where it differs from the surrounding one.
class CallStateScope {
 public:
  explicit CallStateScope(const CallState& state) {
    if (state.inference != c10::InferenceMode::is_enabled()) {
      inference_.emplace(state.inference);
    }
    if (state.gradEnabled != c10::GradMode::is_enabled()) {
      grad_.emplace(state.gradEnabled);
    }
    bool autocastWanted = !state.autocast.empty();
    if (autocastWanted != at::autocast::is_autocast_enabled(at::kCPU)) {
      TORCH_CHECK(!autocastWanted, "autocast regions inside a Graph are not supported by this Interpreter");
      autocastOff_.emplace(c10::autocast_dispatch_keyset);
    }
  }

 private:
  std::optional<c10::InferenceMode> inference_;
  std::optional<c10::AutoGradMode> grad_;
  std::optional<c10::impl::ExcludeDispatchKeyGuard> autocastOff_;
};

void noteUses(const Argument& argument, NodeId user, std::vector<NodeId>& lastUse) {
  if (const auto* reference = std::get_if<NodeReference>(&argument.payload)) {
    lastUse[static_cast<size_t>(reference->node)] = user;
  } else if (const auto* container = std::get_if<Argument::Container>(&argument.payload)) {
    for (const Argument& item : container->items) {
      noteUses(item, user, lastUse);
    }
  }
}

} // namespace

struct Interpreter::State {
  Graph graph;
  std::vector<std::optional<PreparedCall>> calls; // by node
  std::vector<std::vector<NodeId>> releasedAfter; // by node: results that no later node reads
  std::vector<c10::IValue> values; // by node, during a run

  c10::IValue run(const Node& node, PreparedCall& call);
  at::Tensor constant(const Node& node) const;
  c10::IValue element(const Node& node) const;
  Value toValue(const Argument& argument) const;
};

std::shared_ptr<const void> tensorConstant(at::Tensor tensor) {
  return std::make_shared<const at::Tensor>(std::move(tensor));
}

TensorMetadata metadataOf(const at::Tensor& tensor) {
  TensorMetadata metadata{.dtype = c10::toString(tensor.scalar_type()),
                          .sizes = tensor.sizes().vec(),
                          .strides = tensor.strides().vec(),
                          .offset = tensor.storage_offset(),
                          .device = tensor.device().str(),
                          .requiresGrad = false};
  metadata.requiresGrad = tensor.requires_grad();
  return metadata;
}

Interpreter::Interpreter(Graph graph) : state_(std::make_unique<State>()) {
  graph.check();
  State& state = *state_;
  state.graph = std::move(graph);
  const auto& nodes = state.graph.nodes();
  std::vector<NodeId> lastUse(nodes.size(), -1);
  for (size_t i = 0; i < nodes.size(); ++i) {
    state.calls.push_back(nodes[i].kind == NodeKind::kOperator ? std::optional(prepareCall(nodes[i])) : std::nullopt);
    for (const Argument& argument : nodes[i].arguments) {
      noteUses(argument, static_cast<NodeId>(i), lastUse);
    }
  }
  noteUses(state.graph.output, static_cast<NodeId>(nodes.size()), lastUse); // never released
  state.releasedAfter.resize(nodes.size() + 1);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (lastUse[i] >= 0) {
      state.releasedAfter[static_cast<size_t>(lastUse[i])].push_back(static_cast<NodeId>(i));
    }
  }
}

Interpreter::~Interpreter() = default;

const Graph& Interpreter::graph() const {
  return state_->graph;
}

Value Interpreter::run(const std::vector<at::Tensor>& inputs) {
  State& state = *state_;
  const auto& placeholders = state.graph.placeholders();
  TORCH_CHECK(inputs.size() == placeholders.size(), "the Graph has ", placeholders.size(), " placeholders, got ",
              inputs.size(), " tensors");
  const auto& nodes = state.graph.nodes();
  state.values.assign(nodes.size(), c10::IValue());
  for (size_t i = 0; i < inputs.size(); ++i) {
    state.values[static_cast<size_t>(placeholders[i])] = inputs[i];
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    switch (nodes[i].kind) {
      case NodeKind::kPlaceholder: continue;
      case NodeKind::kConstant: state.values[i] = state.constant(nodes[i]); break;
      case NodeKind::kElement: state.values[i] = state.element(nodes[i]); break;
      case NodeKind::kOperator: state.values[i] = state.run(nodes[i], *state.calls[i]); break;
    }
    for (NodeId dead : state.releasedAfter[i]) {
      state.values[static_cast<size_t>(dead)] = c10::IValue();
    }
  }
  Value result = state.toValue(state.graph.output);
  state.values.clear();
  return result;
}

c10::IValue Interpreter::State::run(const Node& node, PreparedCall& call) {
  torch::jit::Stack stack = call.constants;
  const auto& schema = call.op.schema();
  for (size_t position : call.dynamic) {
    stack[position] = boxArgument(node.arguments[position], schema.arguments()[position],
                                  [&](NodeId id) { return values[static_cast<size_t>(id)]; });
  }
  CallStateScope scope(node.state);
  call.op.callBoxed(&stack);
  if (stack.size() == 1) {
    return std::move(stack[0]);
  }
  return c10::ivalue::Tuple::create(std::move(stack)); // none or several results
}

at::Tensor Interpreter::State::constant(const Node& node) const {
  const auto& stored = *static_cast<const at::Tensor*>(graph.constants().at(static_cast<size_t>(node.constant)).get());
  // A run may write to it, and the next run starts from the literal again. Numbers in disguise cannot be written to.
  return stored.unsafeGetTensorImpl()->is_wrapped_number() ? stored : stored.clone();
}

c10::IValue Interpreter::State::element(const Node& node) const {
  const c10::IValue& whole = values[static_cast<size_t>(std::get<NodeReference>(node.arguments.at(0).payload).node)];
  auto index = static_cast<size_t>(std::get<int64_t>(node.arguments.at(1).payload));
  if (whole.isTuple()) {
    return whole.toTupleRef().elements().at(index);
  }
  return whole.toListRef().at(index);
}

Value Interpreter::State::toValue(const Argument& argument) const {
  struct Visitor {
    const State& state;
    Value operator()(std::monostate) const { return {}; }
    Value operator()(NodeReference reference) const {
      const c10::IValue& value = state.values[static_cast<size_t>(reference.node)];
      TORCH_CHECK(value.isTensor(), "node `", state.graph.node(reference.node).name, "` is returned but is no tensor");
      return Value(value.toTensor());
    }
    Value operator()(bool value) const { return Value(Value::Payload(value)); }
    Value operator()(int64_t value) const { return Value(Value::Payload(value)); }
    Value operator()(double value) const { return Value(Value::Payload(value)); }
    Value operator()(std::complex<double> value) const { return Value(Value::Payload(value)); }
    Value operator()(const std::string& value) const { return Value(Value::Payload(value)); }
    Value operator()(DtypeConstant value) const {
      return Value(Value::Payload(static_cast<at::ScalarType>(value.value)));
    }
    Value operator()(LayoutConstant value) const { return Value(Value::Payload(static_cast<at::Layout>(value.value))); }
    Value operator()(MemoryFormatConstant value) const {
      return Value(Value::Payload(static_cast<at::MemoryFormat>(value.value)));
    }
    Value operator()(const DeviceConstant& value) const { return Value(Value::Payload(at::Device(value.text))); }
    Value operator()(const Argument::Container& container) const {
      using Kind = Argument::Container::Kind;
      ValueList items;
      for (const Argument& item : container.items) {
        items.push_back(state.toValue(item));
      }
      switch (container.kind) {
        case Kind::kList: return Value::list(std::move(items));
        case Kind::kTuple: return Value::tuple(std::move(items));
        case Kind::kSize:
          return Value(Value::Payload(std::make_shared<TupleObject>(TupleObject{std::move(items), true})));
        case Kind::kDict: break;
      }
      auto dict = std::make_shared<DictObject>();
      for (size_t i = 0; i < items.size(); ++i) {
        dict->entries.emplace_back(container.keys.at(i), std::move(items[i]));
      }
      return Value(Value::Payload(std::move(dict)));
    }
  };
  return std::visit(Visitor{*this}, argument.payload);
}

} // namespace touchstone::graph
