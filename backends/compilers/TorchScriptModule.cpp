#include "backends/compilers/TorchScriptModule.h"

#include "backends/compilers/KnownDefects.h"
#include "backends/compilers/StandIn.h"
#include "graph/ir/Unsupported.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/Boxing.h"

#include <ATen/ops/empty.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <fmt/format.h>

#include <bit>
#include <optional>
#include <utility>

namespace touchstone::compilers {

namespace {

using ir::Argument;
using ir::NodeId;
namespace jit = torch::jit;

constexpr const char* kModuleName = "__torch__.touchstone.Graph";

/// Writes the nodes of one Graph into the graph of a module's method.
class ModuleWriter {
 public:
  explicit ModuleWriter(const ir::Graph& graph)
      : graph_(graph), module_(c10::QualifiedName(kModuleName)), method_(std::make_shared<jit::Graph>()) {
    module_.register_attribute("training", c10::BoolType::get(), false);
    self_ = method_->addInput("self")->setType(module_.type());
  }

  jit::Module write() {
    values_.resize(graph_.nodes().size());
    for (NodeId placeholder : graph_.placeholders()) {
      values_[static_cast<size_t>(placeholder)] = {named(method_->addInput(), placeholder)};
    }
    for (size_t i = 0; i < graph_.nodes().size(); ++i) {
      writeNode(static_cast<NodeId>(i));
    }
    writeOutput();
    method_->lint();
    auto unit = module_._ivalue()->compilation_unit();
    module_.type()->addMethod(unit->create_function(c10::QualifiedName(*module_.type()->name(), "forward"), method_));
    return module_;
  }

 private:
  void writeNode(NodeId id) {
    const ir::Node& node = graph_.node(id);
    switch (node.kind) {
      case ir::NodeKind::kPlaceholder: break;
      case ir::NodeKind::kConstant: values_[static_cast<size_t>(id)] = {writeConstant(id)}; break;
      case ir::NodeKind::kElement: values_[static_cast<size_t>(id)] = {handedOn(writeElement(node), id)}; break;
      case ir::NodeKind::kOperator: writeOperator(id); break;
      case ir::NodeKind::kCallable:
        throw ir::Unsupported("TorchScript: `" + node.target + "` is no operator, and TorchScript calls nothing else");
    }
  }

  /// A literal, which each run has anew: a run may write to it.
  jit::Value* writeConstant(NodeId id) {
    const at::Tensor& constant = runtime::constantOf(graph_, graph_.node(id));
    const bool isNumber = constant.unsafeGetTensorImpl()->is_wrapped_number();
    const std::string attribute = "constant_" + std::to_string(id);
    const CallForm form = callFormOf(graph_, graph_.node(id));
    if (form != CallForm::kOwn && hasSignedZeros(constant)) {
      jit::Value* bits = attributeOf(attribute, bitsOf(constant));
      jit::Value* dtype = method_->insertConstant(static_cast<int64_t>(constant.scalar_type()));
      jit::Node* written = method_->insertNode(
          method_->create(tensorOfBits(), {bits, dtype, method_->insertConstant(isNumber), self_}, /*num_outputs=*/1));
      return named(written->output()->setType(c10::TensorType::get()), id);
    }
    jit::Value* stored = attributeOf(attribute, constant);
    if (isNumber) {
      return stored;
    }
    if (isStandIn(form)) {
      jit::Value* none = method_->insertNode(method_->createNone())->output();
      const c10::OperatorHandle clone = runtime::findOperator("aten::clone").value();
      jit::Node* written = method_->insertNode(
          method_->create(standInFor(clone, CallForm::kStandInOfGraph), {stored, none, self_}, /*num_outputs=*/1));
      return named(written->output()->setType(c10::TensorType::get()), id);
    }
    return named(method_->insert(c10::Symbol::fromQualString("aten::clone"), {stored}), id);
  }

  jit::Value* attributeOf(const std::string& name, const at::Tensor& tensor) {
    module_.register_attribute(name, c10::TensorType::get(), tensor);
    return method_->insertGetAttr(self_, name)->setType(c10::TensorType::get());
  }

  jit::Value* writeElement(const ir::Node& node) {
    const NodeId whole = std::get<ir::NodeReference>(node.arguments.at(0).payload).node;
    const auto index = std::get<int64_t>(node.arguments.at(1).payload);
    const std::vector<jit::Value*>& results = values_.at(static_cast<size_t>(whole));
    if (results.size() == 1 && results[0]->type()->kind() == c10::TypeKind::ListType) {
      return method_->insert(c10::Symbol::fromQualString("aten::__getitem__"), {results[0], index});
    }
    return results.at(static_cast<size_t>(index));
  }

  void writeOperator(NodeId id) {
    const ir::Node& node = graph_.node(id);
    const std::optional<c10::OperatorHandle> op = runtime::findOperator(node.target);
    TORCH_CHECK(op.has_value(), "node `", node.name, "`: there is no operator `", node.target, "`");
    const c10::FunctionSchema& schema = op->schema();
    const CallForm form = callFormOf(graph_, node);
    std::vector<jit::Value*> arguments;
    for (size_t i = 0; i < schema.arguments().size(); ++i) {
      const auto* number = std::get_if<double>(&node.arguments.at(i).payload);
      arguments.push_back(number != nullptr && *number == 0 && form != CallForm::kOwn
                              ? zeroOfBits(*number)
                              : valueOf(node.arguments.at(i), schema.arguments()[i], schema.arguments()[i].type()));
    }
    if (form == CallForm::kOwnApart) {
      for (jit::Value*& argument : arguments) {
        argument = handedOnToOne(argument, form);
      }
    }
    jit::Node* written = insertCall(*op, arguments, form);
    std::vector<jit::Value*> results;
    for (size_t i = 0; i < schema.returns().size(); ++i) {
      results.push_back(written->output(i)->setType(schema.returns()[i].type()));
    }
    if (results.size() == 1) {
      results[0] = handedOn(named(results[0], id), id);
    }
    values_[static_cast<size_t>(id)] = std::move(results);
  }

  /// TorchScript's nodes have no overload: it goes by the types of the arguments. Where it would call another one, or none,
  /// a stand-in is called.
  jit::Node* insertCall(const c10::OperatorHandle& op, std::vector<jit::Value*> arguments, CallForm form) {
    const c10::FunctionSchema& schema = op.schema();
    if (!isStandIn(form)) {
      jit::Node* written =
          method_->create(c10::Symbol::fromQualString(schema.name()), arguments, schema.returns().size());
      const jit::Operator* chosen = method_->insertNode(written)->maybeOperator();
      if (chosen != nullptr && chosen->schema().operator_name() == schema.operator_name()) {
        return written;
      }
      written->destroy();
      form = CallForm::kStandIn;
    }
    if (form == CallForm::kStandInOfGraph) {
      arguments.push_back(self_);
    } else if (form == CallForm::kStandInWithEffects) {
      arguments.push_back(effects());
    }
    jit::Node* written = method_->insertNode(method_->create(standInFor(op, form), arguments, schema.returns().size()));
    if (written->maybeOperator() == nullptr) {
      throw ir::Unsupported(
          fmt::format("TorchScript: no operator takes what `{}` is given here", c10::toString(schema.operator_name())));
    }
    return written;
  }

  /// A tensor as those who read it are to read it.
  jit::Value* handedOn(jit::Value* value, NodeId id) {
    const CallForm form = callFormOf(graph_, graph_.node(id));
    return form == CallForm::kOwnHandedOn || form == CallForm::kOwnApart ? handedOnToOne(value, form) : value;
  }

  /// A value that is handed on apart from all others: a tensor, or each tensor of a list that nobody reads yet.
  jit::Value* handedOnToOne(jit::Value* value, CallForm form) {
    if (value->node()->kind() == c10::prim::ListConstruct && value->uses().empty()) {
      for (size_t i = 0; i < value->node()->inputs().size(); ++i) {
        const jit::WithInsertPoint before(value->node());
        value->node()->replaceInput(i, handedOnToOne(value->node()->input(i), form));
      }
    }
    if (value->type()->kind() != c10::TypeKind::TensorType) {
      return value;
    }
    std::vector<jit::Value*> arguments{value, method_->insertConstant(handedOn_++)};
    if (form == CallForm::kOwnApart) {
      arguments.push_back(effects());
    }
    jit::Node* written =
        method_->insertNode(method_->create(form == CallForm::kOwnApart ? handingOnInTurn() : handingOn(), arguments));
    return written->output()->setType(c10::TensorType::get());
  }

  jit::Value* zeroOfBits(double zero) {
    jit::Value* bits = method_->insertConstant(std::bit_cast<int64_t>(zero));
    jit::Node* written = method_->insertNode(method_->create(numberOfBits(), {bits, self_}, /*num_outputs=*/1));
    return written->output()->setType(c10::FloatType::get());
  }

  /// The tensor that stands for what calls with effects write to.
  jit::Value* effects() {
    constexpr const char* kEffects = "effects";
    if (!module_.hasattr(kEffects)) {
      module_.register_attribute(kEffects, c10::TensorType::get(), at::empty({0}));
    }
    return method_->insertGetAttr(self_, kEffects)->setType(c10::TensorType::get());
  }

  /// The value of an argument of a type; constants in the form that the operator's schema asks for.
  jit::Value* valueOf(const Argument& argument, const c10::Argument& schema, c10::TypePtr type) {
    if (const auto* reference = std::get_if<ir::NodeReference>(&argument.payload)) {
      return valueOfNode(reference->node);
    }
    if (!values::refersToNode(argument)) {
      return constantOf(values::boxArgument(argument, schema, {}), type);
    }
    if (type->kind() == c10::TypeKind::OptionalType) {
      type = type->expectRef<c10::OptionalType>().getElementType();
    }
    const c10::TypePtr element = type->expectRef<c10::ListType>().getElementType();
    std::vector<jit::Value*> items;
    for (const Argument& item : std::get<Argument::Container>(argument.payload).items) {
      items.push_back(itemOf(item, schema, element));
    }
    return method_->insertNode(method_->createList(element, items))->output();
  }

  jit::Value* itemOf(const Argument& item, const c10::Argument& schema, const c10::TypePtr& type) {
    if (const auto* reference = std::get_if<ir::NodeReference>(&item.payload)) {
      return valueOfNode(reference->node);
    }
    if (std::holds_alternative<std::monostate>(item.payload)) {
      return constantOf({}, type);
    }
    if (const auto* number = std::get_if<int64_t>(&item.payload)) {
      return constantOf(*number, type);
    }
    throw ir::Unsupported("TorchScript: a list for `" + schema.name() + "` of tensors and other things");
  }

  jit::Value* valueOfNode(NodeId id) const {
    const std::vector<jit::Value*>& results = values_.at(static_cast<size_t>(id));
    if (results.size() != 1) {
      throw ir::Unsupported("TorchScript: the results of `" + graph_.node(id).target + "` are read as one");
    }
    return results[0];
  }

  jit::Value* constantOf(const c10::IValue& value, const c10::TypePtr& type) {
    if (value.isNone()) {
      return method_->insertNode(method_->createNone())->output();
    }
    if (value.isTensor() && !value.toTensor().defined()) {
      return method_->insertNode(method_->createNone())->output();
    }
    if (const auto constant = jit::tryInsertConstant(*method_, value)) {
      return *constant;
    }
    throw ir::Unsupported("TorchScript: a constant of type " + type->str());
  }

  void writeOutput() {
    std::vector<jit::Value*> outputs;
    for (const Argument& item : std::get<Argument::Container>(graph_.output.payload).items) {
      const auto* reference = std::get_if<ir::NodeReference>(&item.payload);
      outputs.push_back(reference != nullptr ? valueOfNode(reference->node)
                                             : method_->insertNode(method_->createNone())->output());
    }
    method_->registerOutput(method_->insertNode(method_->createTuple(outputs))->output());
  }

  /// Debug names may not be numbers, and TorchScript's own names end in `.1`.
  jit::Value* named(jit::Value* value, NodeId id) { return value->setDebugName(graph_.node(id).name); }

  const ir::Graph& graph_;
  jit::Module module_;
  std::shared_ptr<jit::Graph> method_;
  jit::Value* self_ = nullptr;
  std::vector<std::vector<jit::Value*>> values_; // by node
  int64_t handedOn_ = 0;
};

} // namespace

torch::jit::Module torchScriptModule(const ir::Graph& graph) {
  return ModuleWriter(graph).write();
}

} // namespace touchstone::compilers
