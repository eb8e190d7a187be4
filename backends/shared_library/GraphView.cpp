#include "backends/shared_library/GraphView.h"

#include "graph/ir/Arguments.h"
#include "graph/runtime/GraphCode.h"

#include <type_traits>
#include <utility>
#include <variant>

namespace touchstone::shared_library {

namespace {

using ir::Argument;

int32_t kindOf(Argument::Container::Kind kind) {
  switch (kind) {
    case Argument::Container::Kind::kList: return TOUCHSTONE_LIST;
    case Argument::Container::Kind::kTuple: return TOUCHSTONE_TUPLE;
    case Argument::Container::Kind::kSize: return TOUCHSTONE_SIZE;
    case Argument::Container::Kind::kDict: break;
  }
  return TOUCHSTONE_DICT;
}

int32_t kindOf(ir::NodeKind kind) {
  switch (kind) {
    case ir::NodeKind::kPlaceholder: return TOUCHSTONE_INPUT;
    case ir::NodeKind::kConstant: return TOUCHSTONE_CONSTANT;
    case ir::NodeKind::kOperator: return TOUCHSTONE_OPERATOR;
    case ir::NodeKind::kCallable: return TOUCHSTONE_CALLABLE;
    case ir::NodeKind::kElement: break;
  }
  return TOUCHSTONE_ELEMENT;
}

touchstone_argument whole(int32_t kind, int64_t value) {
  touchstone_argument shown{};
  shown.kind = kind;
  shown.integer = value;
  return shown;
}

touchstone_argument text(int32_t kind, const std::string& value) {
  touchstone_argument shown{};
  shown.kind = kind;
  shown.text = value.c_str();
  return shown;
}

touchstone_argument number(int32_t kind, double real, double imaginary = 0) {
  touchstone_argument shown{};
  shown.kind = kind;
  shown.real = real;
  shown.imaginary = imaginary;
  return shown;
}

} // namespace

touchstone_argument GraphView::argument(const Argument& argument) {
  const auto show = [&](const auto& value) -> touchstone_argument {
    using T = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<T, std::monostate>) {
      return {};
    } else if constexpr (std::is_same_v<T, ir::NodeReference>) {
      return whole(TOUCHSTONE_NODE, value.node);
    } else if constexpr (std::is_same_v<T, bool>) {
      return whole(TOUCHSTONE_BOOL, value ? 1 : 0);
    } else if constexpr (std::is_same_v<T, int64_t>) {
      return whole(TOUCHSTONE_INT, value);
    } else if constexpr (std::is_same_v<T, double>) {
      return number(TOUCHSTONE_FLOAT, value);
    } else if constexpr (std::is_same_v<T, std::complex<double>>) {
      return number(TOUCHSTONE_COMPLEX, value.real(), value.imag());
    } else if constexpr (std::is_same_v<T, std::string>) {
      return text(TOUCHSTONE_STRING, value);
    } else if constexpr (std::is_same_v<T, ir::DtypeConstant>) {
      return whole(TOUCHSTONE_DTYPE, value.value);
    } else if constexpr (std::is_same_v<T, ir::LayoutConstant>) {
      return whole(TOUCHSTONE_LAYOUT, value.value);
    } else if constexpr (std::is_same_v<T, ir::MemoryFormatConstant>) {
      return whole(TOUCHSTONE_MEMORY_FORMAT, value.value);
    } else if constexpr (std::is_same_v<T, ir::DeviceConstant>) {
      return text(TOUCHSTONE_DEVICE, value.text);
    } else {
      touchstone_argument shown = whole(kindOf(value.kind), 0);
      shown.items = arguments(value.items);
      shown.count = static_cast<int32_t>(value.items.size());
      std::vector<const char*>& keys = keys_.emplace_back();
      for (const std::string& key : value.keys) {
        keys.push_back(key.c_str());
      }
      shown.keys = keys.data();
      return shown;
    }
  };
  return std::visit(show, argument.payload);
}

const touchstone_argument* GraphView::arguments(const std::vector<Argument>& arguments) {
  std::vector<touchstone_argument> shown;
  for (const Argument& each : arguments) {
    shown.push_back(argument(each));
  }
  return arguments_.emplace_back(std::move(shown)).data();
}

const touchstone_metadata* GraphView::metadata(const std::optional<ir::TensorMetadata>& metadata) {
  if (!metadata.has_value()) {
    return nullptr;
  }
  return &metadata_.emplace_back(touchstone_metadata{
      static_cast<int32_t>(metadata->dtype.value), static_cast<int32_t>(metadata->sizes.size()), metadata->sizes.data(),
      metadata->strides.size() == metadata->sizes.size() ? metadata->strides.data() : nullptr, metadata->offset,
      metadata->device.c_str(), metadata->requiresGrad ? 1 : 0});
}

touchstone_node GraphView::node(const ir::Node& node) {
  touchstone_node shown{};
  shown.kind = kindOf(node.kind);
  shown.name = node.name.c_str();
  shown.target = node.target.c_str();
  shown.arguments = arguments(node.arguments);
  shown.argument_count = static_cast<int32_t>(node.arguments.size());
  if (node.kind == ir::NodeKind::kConstant) {
    shown.constant = reinterpret_cast<const touchstone_tensor*>(&runtime::constantOf(graph_, node));
  }
  shown.metadata = metadata(node.metadata);
  shown.line = node.line;
  shown.grad_enabled = node.state.gradEnabled ? 1 : 0;
  shown.inference_mode = node.state.inference ? 1 : 0;
  shown.autocast = node.state.autocast.c_str();
  return shown;
}

GraphView::GraphView(ir::Graph graph, const std::vector<at::Tensor>& examples, touchstone_role role)
    : graph_(std::move(graph)) {
  inputs_.assign(graph_.placeholders().begin(), graph_.placeholders().end());
  for (size_t i = 0; i < std::min(inputs_.size(), examples.size()); ++i) {
    ir::Node& input = graph_.node(inputs_[i]);
    if (!input.metadata.has_value() && examples[i].defined()) {
      input.metadata = runtime::metadataOf(examples[i]);
    }
  }
  for (const ir::NodeId id : ir::outputNodes(graph_)) {
    outputs_.push_back(id);
  }
  code_ = ir::graphCode(graph_, runtime::libtorchTextOptions());
  for (const ir::Node& each : graph_.nodes()) {
    nodes_.push_back(node(each));
  }
  view_.graph.role = role;
  view_.graph.node_count = static_cast<int32_t>(nodes_.size());
  view_.graph.nodes = nodes_.data();
  view_.graph.inputs = inputs_.data();
  view_.graph.outputs = outputs_.data();
  view_.graph.input_count = static_cast<int32_t>(inputs_.size());
  view_.graph.output_count = static_cast<int32_t>(outputs_.size());
  view_.graph.code = code_.c_str();
  view_.owner = this;
}

const GraphView& GraphView::of(const touchstone_graph& graph) {
  return *reinterpret_cast<const Owned&>(graph).owner;
}

const touchstone_node& GraphView::shown(const ir::Node& node) const {
  return nodes_.at(static_cast<size_t>(&node - interpreter().graph().nodes().data()));
}

const runtime::Interpreter& GraphView::interpreter() const {
  std::call_once(prepared_, [&] {
    interpreter_.emplace(
        graph_, view_.graph.role == TOUCHSTONE_CAPTURED ? runtime::NodeState::kRecorded : runtime::NodeState::kCallers);
  });
  return *interpreter_;
}

} // namespace touchstone::shared_library
