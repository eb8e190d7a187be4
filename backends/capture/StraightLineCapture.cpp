#include "backends/capture/StraightLineCapture.h"

#include "backends/arguments/ArgumentCopies.h"
#include "backends/arguments/SpecializationKey.h"
#include "backends/arguments/ValueTree.h"
#include "backends/capture/DataReadWatch.h"
#include "graph/program/Boxing.h"
#include "graph/program/CompiledProgram.h"
#include "graph/program/Evaluator.h"
#include "graph/program/Interpreter.h"
#include "graph/program/LanguageNames.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <unordered_map>

namespace touchstone::backends {

namespace {

using graph::Argument;
using graph::Unsupported;
using graph::Value;

/// Names whose effect does not go through an operator call, so that a Graph of operators would lose it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kNotOperators{{
    {"register_hook", "hooks are not operators"},
    {"register_post_accumulate_grad_hook", "hooks are not operators"},
    {"retain_grad", "retain_grad() is not an operator"},
    {"apply", "a custom autograd function is not an operator"},
    {"grad", "gradients are taken or read inside the program"},
    {"backward", "a backward runs inside the program"},
    {"requires_grad", "requires_grad is set or read inside the program"},
    {"requires_grad_", "requires_grad is set or read inside the program"},
    {"Parameter", "requires_grad is set or read inside the program"},
    {"autocast", "autocast regions are not captured"},
    {"tolist", "values are read from tensor data"},
}};

void refuseNonOperators(const graph::Expr& expr) {
  if (expr.kind == graph::ExprKind::kAttribute) {
    for (const auto& [name, reason] : kNotOperators) {
      if (expr.text == name) {
        throw Unsupported(std::string(reason));
      }
    }
  }
  if (std::find(expr.keywords.begin(), expr.keywords.end(), "requires_grad") != expr.keywords.end()) {
    throw Unsupported("requires_grad is set or read inside the program");
  }
  for (const graph::ExprPtr& child : expr.children) {
    if (child) {
      refuseNonOperators(*child);
    }
  }
}

void refuseNonOperators(const std::vector<graph::StatementPtr>& body) {
  for (const graph::StatementPtr& statement : body) {
    for (const auto* expressions : {&statement->targets, &statement->items}) {
      for (const graph::ExprPtr& expr : *expressions) {
        refuseNonOperators(*expr);
      }
    }
    if (statement->value) {
      refuseNonOperators(*statement->value);
    }
    refuseNonOperators(statement->body);
    refuseNonOperators(statement->orElse);
  }
}

/// Operators that hand data of a tensor to the program as a number: what follows may depend on it.
bool readsData(const std::string& name) {
  static const std::set<std::string> kReaders{"aten::item",       "aten::_local_scalar_dense",
                                              "aten::is_nonzero", "aten::equal",
                                              "aten::allclose",   "aten::Bool.Tensor"};
  return kReaders.contains(name);
}

/// Turns operator calls into nodes while they run.
class Recorder {
 public:
  explicit Recorder(const std::vector<at::Tensor>& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      graph::NodeId node = graph_.addPlaceholder("input_" + std::to_string(i));
      graph_.node(node).metadata = graph::metadataOf(inputs[i]);
      // The same tensor twice: both placeholders stand for it, and the first is read.
      nodeOf_.try_emplace(inputs[i].unsafeGetTensorImpl(), node);
      kept_.push_back(inputs[i]);
    }
  }

  bool record(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
    const auto& schema = op.schema();
    std::string target = schema.overload_name().empty() ? schema.name() : schema.name() + "." + schema.overload_name();
    if (readsData(target)) {
      throw Unsupported("values are read from tensor data (`" + target + "`)");
    }
    std::vector<Argument> arguments;
    for (size_t i = 0; i < schema.arguments().size(); ++i) {
      arguments.push_back(
          argumentOf(stack.at(stack.size() - schema.arguments().size() + i), schema.arguments()[i], target));
    }
    graph::NodeId node = graph_.addOperator(target, std::move(arguments), graph::currentCallState());
    watch_.enterOperator();
    op.callBoxed(&stack);
    watch_.leaveOperator();
    noteResults(node, stack, schema.returns().size());
    return true;
  }

  Argument outputOf(const Value& value) { return std::visit(OutputVisitor{*this}, value.payload()); }

  graph::Graph take(Argument output) {
    if (watch_.hasRead()) {
      throw Unsupported("values are read from tensor data");
    }
    graph_.output = std::move(output);
    return std::move(graph_);
  }

 private:
  Argument argumentOf(const c10::IValue& value, const c10::Argument& schema, const std::string& target) {
    try {
      return graph::unboxArgument(value, schema, [&](const at::Tensor& tensor) { return ofTensor(tensor); });
    } catch (const std::invalid_argument& error) {
      throw Unsupported("argument `" + schema.name() + "` of `" + target + "`: " + error.what());
    }
  }

  Argument ofTensor(const at::Tensor& tensor) {
    auto found = nodeOf_.find(tensor.unsafeGetTensorImpl());
    if (found != nodeOf_.end()) {
      return Argument{graph::NodeReference{found->second}};
    }
    // A number that became a tensor, or a tensor made from literals: part of the Graph.
    TORCH_INTERNAL_ASSERT(!tensor.requires_grad());
    graph::NodeId node = graph_.addConstant("constant", graph::tensorConstant(tensor));
    note(tensor, node);
    return Argument{graph::NodeReference{node}};
  }

  void note(const at::Tensor& tensor, graph::NodeId node) {
    // An in-place operator returns its input: the first node keeps standing for the object.
    if (nodeOf_.try_emplace(tensor.unsafeGetTensorImpl(), node).second) {
      kept_.push_back(tensor); // keeps the address from being used again
      graph_.node(node).metadata = graph::metadataOf(tensor);
    }
  }

  void noteResults(graph::NodeId node, const torch::jit::Stack& stack, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const c10::IValue& value = stack.at(stack.size() - count + i);
      if (value.isTensor() && value.toTensor().defined()) {
        note(value.toTensor(), count == 1 ? node : graph_.addElement(node, static_cast<int64_t>(i)));
      } else if (value.isTensorList()) {
        graph::NodeId list = count == 1 ? node : graph_.addElement(node, static_cast<int64_t>(i));
        auto tensors = value.toTensorVector();
        for (size_t j = 0; j < tensors.size(); ++j) {
          note(tensors[j], graph_.addElement(list, static_cast<int64_t>(j)));
        }
      }
    }
  }

  struct OutputVisitor {
    Recorder& recorder;
    Argument operator()(const at::Tensor& tensor) const { return recorder.ofTensor(tensor); }
    Argument operator()(std::monostate) const { return {}; }
    Argument operator()(bool value) const { return Argument{value}; }
    Argument operator()(int64_t value) const { return Argument{value}; }
    Argument operator()(double value) const { return Argument{value}; }
    Argument operator()(const std::complex<double>& value) const { return Argument{value}; }
    Argument operator()(const std::string& value) const { return Argument{value}; }
    Argument operator()(at::ScalarType value) const {
      return Argument{graph::DtypeConstant{static_cast<int64_t>(value)}};
    }
    Argument operator()(at::Layout value) const { return Argument{graph::LayoutConstant{static_cast<int64_t>(value)}}; }
    Argument operator()(at::MemoryFormat value) const {
      return Argument{graph::MemoryFormatConstant{static_cast<int64_t>(value)}};
    }
    Argument operator()(const at::Device& value) const { return Argument{graph::DeviceConstant{value.str()}}; }
    Argument operator()(const graph::ListPtr& list) const {
      return container(Argument::Container::Kind::kList, list->items);
    }
    Argument operator()(const graph::TuplePtr& tuple) const {
      using Kind = Argument::Container::Kind;
      return container(tuple->isSize ? Kind::kSize : Kind::kTuple, tuple->items);
    }
    Argument operator()(const graph::DictPtr& dict) const {
      Argument::Container result{.kind = Argument::Container::Kind::kDict};
      for (const auto& [key, value] : dict->entries) {
        result.keys.push_back(key);
        result.items.push_back(recorder.outputOf(value));
      }
      return Argument{std::move(result)};
    }
    template <class Other>
    Argument operator()(const Other&) const {
      throw Unsupported("the program returns a value that a Graph cannot return");
    }
    Argument container(Argument::Container::Kind kind, const graph::ValueList& items) const {
      Argument::Container result{.kind = kind};
      for (const Value& item : items) {
        result.items.push_back(recorder.outputOf(item));
      }
      return Argument{std::move(result)};
    }
  };

  graph::Graph graph_;
  DataReadWatch watch_;
  std::unordered_map<c10::TensorImpl*, graph::NodeId> nodeOf_;
  std::vector<at::Tensor> kept_;
};

} // namespace

graph::Graph captureStraightLine(const graph::Case& theCase, const graph::ValueList& arguments) {
  for (const graph::Function& function : theCase.functions) {
    if (!graph::isInputsName(function.name)) {
      refuseNonOperators(function.body);
    }
  }
  for (const Value& argument : arguments) {
    if (argument.is<graph::ModulePtr>() || argument.is<graph::DictPtr>()) {
      throw Unsupported("an argument of type " + argument.typeName());
    }
  }
  GeneratorStateScope generator;
  for (const at::Tensor& tensor : tensorInputs(arguments)) {
    if (tensor.defined() && (tensor.is_conj() || tensor.is_neg())) {
      throw Unsupported("an argument with the conjugate or negative bit");
    }
  }
  graph::ValueList copies = copyArguments(arguments);
  const graph::ValueList before = mapTrees(copies, [](const at::Tensor& tensor) { return tensor; });
  Recorder recorder(tensorInputs(copies));
  graph::EvaluatorOptions options;
  options.onOperation = [&](const c10::OperatorHandle& op, torch::jit::Stack& stack) {
    return recorder.record(op, stack);
  };
  graph::Evaluator evaluator(theCase, options);
  Value result = evaluator.call("program", copies);
  if (!sameTrees(before, copies)) {
    throw Unsupported("a list among the arguments is changed");
  }
  graph::Graph captured = recorder.take(recorder.outputOf(result));
  captured.check();
  return captured;
}

} // namespace touchstone::backends
