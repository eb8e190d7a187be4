#include "backends/capture/Recorder.h"

#include "backends/capture/GraphBreak.h"
#include "backends/fake/FakeTensor.h"
#include "graph/ir/Subgraph.h"
#include "graph/runtime/Interpreter.h"
#include "program/evaluator/ReadObserver.h"
#include "program/operators/OperatorFacts.h"
#include "program/values/Boxing.h"

#include <c10/util/ScopeExit.h>

#include <algorithm>
#include <set>

namespace touchstone::capture {

using ir::Argument;
using ir::NodeId;
using values::Value;

namespace {

/// Operators that hand data of a tensor to the Program as a number: what follows may depend on it.
bool readsData(const std::string& name) {
  return operators::has(operators::atenName(name), operators::kReadsOut);
}

/// Operators that give no tensor, and what they give hangs on nothing but what is guarded of their arguments.
bool givesWhatIsGuarded(const std::string& name) {
  if (evaluator::factAskedBy(name.substr(name.rfind(':') + 1))) { // a condition where it is read
    return true;
  }
  static const std::set<std::string> kNames = {"aten::size",
                                               "aten::stride",
                                               "aten::sym_size",
                                               "aten::sym_stride",
                                               "aten::sym_numel",
                                               "aten::numel",
                                               "aten::dim",
                                               "aten::is_signed",
                                               "aten::is_complex",
                                               "aten::is_conj",
                                               "aten::is_neg",
                                               "aten::is_floating_point",
                                               "aten::is_same_size",
                                               "aten::is_inference",
                                               "aten::result_type",
                                               "aten::can_cast",
                                               "aten::is_coalesced",
                                               "aten::dense_dim",
                                               "aten::sparse_dim",
                                               "aten::promote_types",
                                               "aten::qscheme",
                                               "aten::is_contiguous",
                                               "aten::sym_is_contiguous",
                                               "aten::_has_compatible_shallow_copy_type"};
  return kNames.contains(name);
}

bool givesTensors(const c10::FunctionSchema& schema) {
  return schema.returns().empty() ||
         std::any_of(schema.returns().begin(), schema.returns().end(), [](const c10::Argument& each) {
           return each.type()->isSubtypeOf(*c10::TensorType::get()) ||
                  each.type()->isSubtypeOf(*c10::ListType::ofTensors()) ||
                  each.type()->isSubtypeOf(*c10::OptionalType::ofTensor());
         });
}

ir::CallState stateNow() {
  ir::CallState state = runtime::currentCallState();
  state.autocast.clear(); // regions are nodes of their own
  return state;
}

Argument listArgument(Argument::Container::Kind kind, std::vector<Argument> items) {
  return Argument{Argument::Container{.kind = kind, .items = std::move(items)}};
}

/// What a node of kind kCallable stands for: the Program may compute with nothing else that it gives.
bool isResult(const Value& value) {
  const auto isPlain = [](const Value& each) {
    return each.isTensor() || each.isNone() || each.is<values::HandlePtr>();
  };
  const values::ValueList* items = value.is<values::TuplePtr>() ? value.items() : nullptr;
  return items != nullptr ? std::all_of(items->begin(), items->end(), isPlain) : isPlain(value);
}

} // namespace

std::string operatorName(const c10::FunctionSchema& schema) {
  return schema.overload_name().empty() ? schema.name() : schema.name() + "." + schema.overload_name();
}

Recorder::Recorder(const std::vector<at::Tensor>& inputs, const std::vector<std::string>& names) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const NodeId node = graph_.addPlaceholder(names[i]);
    inputs_.emplace(inputs[i].unsafeGetTensorImpl(), static_cast<int>(i));
    note(inputs[i], node);
  }
}

NodeId Recorder::finish(NodeId node) {
  graph_.node(node).line = line_;
  return node;
}

bool Recorder::record(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  if (paused_) {
    return false;
  }
  const auto& schema = op.schema();
  const std::string target = operatorName(schema);
  if (readsData(target)) {
    throw GraphBreak("values are read from tensor data (`" + target + "`)");
  }
  if (!givesTensors(schema) && !givesWhatIsGuarded(schema.name())) {
    throw GraphBreak("`" + target + "` gives the Program what no guard knows");
  }
  std::vector<Argument> arguments;
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    try {
      arguments.push_back(
          values::unboxArgument(stack.at(stack.size() - schema.arguments().size() + i), schema.arguments()[i],
                                [&](const at::Tensor& tensor) { return Argument{ir::NodeReference{nodeOf(tensor)}}; }));
    } catch (const std::invalid_argument& error) {
      throw GraphBreak("argument `" + schema.arguments()[i].name() + "` of `" + target + "`: " + error.what());
    }
  }
  const NodeId node = finish(graph_.addOperator(target, std::move(arguments), stateNow()));
  op.callBoxed(&stack);
  noteResults(node, stack, schema.returns().size());
  return true;
}

Value Recorder::record(const runtime::CallableCall& call) {
  if (paused_) {
    return call.run(call.arguments);
  }
  std::vector<Argument> arguments;
  for (const Value& argument : call.arguments) {
    arguments.push_back(argumentOf(argument));
  }
  const NodeId node =
      finish(graph_.addCallable(call.name, std::move(arguments), runtime::callableOf(call), stateNow()));
  paused_ = true;
  const auto resumed = c10::make_scope_exit([this] { paused_ = false; });
  Value result = call.run(call.arguments);
  if (!isResult(result)) {
    throw GraphBreak("`" + call.name + "` gives the Program what is no tensor");
  }
  noteResult(node, result);
  return result;
}

NodeId Recorder::nodeOf(const at::Tensor& tensor) {
  const auto known = nodes_.find(tensor.unsafeGetTensorImpl());
  if (known != nodes_.end()) {
    return known->second;
  }
  if (fake::fakeOf(tensor) != nullptr) {
    throw GraphBreak("a tensor that no recorded operator made");
  }
  // A number that became a tensor, or a tensor made from literals: part of the Graph.
  const NodeId node = graph_.addConstant("constant", runtime::tensorConstant(tensor));
  graph_.node(node).state.inference = tensor.is_inference();
  note(tensor, node);
  return node;
}

int Recorder::inputOf(const at::Tensor& tensor) const {
  const auto known = inputs_.find(tensor.unsafeGetTensorImpl());
  return known != inputs_.end() ? known->second : -1;
}

Argument Recorder::argumentOf(const Value& value) {
  using Kind = Argument::Container::Kind;
  if (value.isTensor()) {
    return Argument{ir::NodeReference{nodeOf(value.tensor())}};
  }
  if (const auto* handle = value.maybe<values::HandlePtr>()) {
    const auto known = handles_.find(handle->get());
    if (known == handles_.end()) {
      throw GraphBreak("a hook that was registered before this graph");
    }
    return Argument{ir::NodeReference{known->second}};
  }
  if (const values::ValueList* items = value.items()) {
    std::vector<Argument> arguments;
    for (const Value& item : *items) {
      arguments.push_back(argumentOf(item));
    }
    return listArgument(value.is<values::ListPtr>() ? Kind::kList : Kind::kTuple, std::move(arguments));
  }
  if (value.isNone()) {
    return {};
  }
  if (const auto* flag = value.maybe<bool>()) {
    return Argument{*flag};
  }
  if (const auto* number = value.maybe<int64_t>()) {
    return Argument{*number};
  }
  if (const auto* number = value.maybe<double>()) {
    return Argument{*number};
  }
  if (const auto* number = value.maybe<std::complex<double>>()) {
    return Argument{*number};
  }
  if (const auto* text = value.maybe<std::string>()) {
    return Argument{*text};
  }
  if (const auto* dtype = value.maybe<at::ScalarType>()) {
    return Argument{ir::DtypeConstant{static_cast<int64_t>(*dtype)}};
  }
  throw GraphBreak("a value of type " + value.typeName() + " is an argument of what is no operator");
}

void Recorder::note(const at::Tensor& tensor, NodeId node) {
  // An in-place operator returns its input: the first node keeps standing for the object.
  if (nodes_.try_emplace(tensor.unsafeGetTensorImpl(), node).second) {
    kept_.push_back(tensor);
    graph_.node(node).metadata = runtime::metadataOf(tensor);
  }
}

void Recorder::noteResults(NodeId node, const torch::jit::Stack& stack, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const c10::IValue& value = stack.at(stack.size() - count + i);
    if (value.isTensor() && value.toTensor().defined()) {
      note(value.toTensor(), count == 1 ? node : graph_.addElement(node, static_cast<int64_t>(i)));
    } else if (value.isTensorList()) {
      const NodeId list = count == 1 ? node : graph_.addElement(node, static_cast<int64_t>(i));
      const std::vector<at::Tensor> tensors = value.toTensorVector();
      for (size_t j = 0; j < tensors.size(); ++j) {
        note(tensors[j], graph_.addElement(list, static_cast<int64_t>(j)));
      }
    }
  }
}

void Recorder::noteResult(NodeId node, const Value& value) {
  if (value.isTensor()) {
    note(value.tensor(), node);
  } else if (const auto* handle = value.maybe<values::HandlePtr>()) {
    handles_.emplace(handle->get(), node);
    handlesKept_.push_back(value);
  } else if (const values::ValueList* items = value.items()) {
    for (size_t i = 0; i < items->size(); ++i) {
      if ((*items)[i].isTensor()) {
        note((*items)[i].tensor(), graph_.addElement(node, static_cast<int64_t>(i)));
      }
    }
  }
}

bool Recorder::dependsOn(NodeId node, const std::set<NodeId>& sources) const {
  std::set<NodeId> reached = sources;
  for (NodeId each = 0; each <= node; ++each) {
    for (const Argument& argument : graph_.node(each).arguments) {
      ir::forEachReference(argument, [&](NodeId reference) {
        if (reached.contains(reference)) {
          reached.insert(each);
        }
      });
    }
  }
  return reached.contains(node);
}

ir::Graph Recorder::take(const std::vector<NodeId>& outputs, std::vector<size_t>& used) const {
  std::set<NodeId> read(outputs.begin(), outputs.end());
  for (const ir::Node& node : graph_.nodes()) {
    for (const Argument& argument : node.arguments) {
      ir::forEachReference(argument, [&](NodeId reference) { read.insert(reference); });
    }
  }
  std::vector<NodeId> inputs;
  const std::vector<NodeId>& placeholders = graph_.placeholders();
  for (size_t i = 0; i < placeholders.size(); ++i) {
    if (read.contains(placeholders[i])) {
      inputs.push_back(placeholders[i]);
      used.push_back(i);
    }
  }
  // Elements that nobody reads are no part of it; operators are, whether their results are read or not.
  return ir::subgraph(graph_, inputs, outputs, [&](NodeId node) {
    const ir::NodeKind kind = graph_.node(node).kind;
    return kind == ir::NodeKind::kOperator || kind == ir::NodeKind::kCallable;
  });
}

} // namespace touchstone::capture
