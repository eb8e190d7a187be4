#include "backends/compilers/StandIn.h"

#include <torch/csrc/jit/runtime/operator.h>

#include <bit>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::compilers {

namespace {

namespace jit = torch::jit;

c10::TypePtr withAnyNumber(const c10::TypePtr& type) {
  if (type->kind() == c10::TypeKind::NumberType) {
    return c10::AnyType::get();
  }
  if (type->kind() == c10::TypeKind::OptionalType) {
    const c10::TypePtr& element = type->expectRef<c10::OptionalType>().getElementType();
    return element->kind() == c10::TypeKind::NumberType ? c10::TypePtr(c10::AnyType::get()) : type;
  }
  return type;
}

/// Without what it says of memory where anything may happen to it.
std::optional<c10::AliasInfo> aliasOf(const c10::Argument& argument, CallForm form) {
  if (argument.alias_info() == nullptr || form == CallForm::kStandInThatMayAlias) {
    return std::nullopt;
  }
  return *argument.alias_info();
}

/// Of what it is said to write to.
c10::Argument effectsArgument() {
  const std::set<std::string> memory{"alias::effects"};
  return {"effects",    c10::TensorType::get(), std::nullopt,
          std::nullopt, /*kwarg_only=*/false,   c10::AliasInfo(/*isWrite=*/true, memory, memory)};
}

std::vector<c10::Argument> argumentsOf(const c10::FunctionSchema& schema, CallForm form) {
  std::vector<c10::Argument> arguments;
  for (const c10::Argument& argument : schema.arguments()) {
    arguments.emplace_back(argument.name(), withAnyNumber(argument.type()), argument.N(), std::nullopt,
                           /*kwarg_only=*/false, aliasOf(argument, form));
  }
  if (form == CallForm::kStandInOfGraph) {
    arguments.emplace_back("of_graph", c10::AnyType::get());
  } else if (form == CallForm::kStandInWithEffects) {
    arguments.push_back(effectsArgument());
  }
  return arguments;
}

std::vector<c10::Argument> resultsOf(const c10::FunctionSchema& schema, CallForm form) {
  std::vector<c10::Argument> results;
  for (const c10::Argument& result : schema.returns()) {
    results.emplace_back(result.name(), result.type(), result.N(), std::nullopt, /*kwarg_only=*/false,
                         aliasOf(result, form));
  }
  return results;
}

const char* suffixOf(CallForm form) {
  switch (form) {
    case CallForm::kStandInWithEffects: return "__with_effects";
    case CallForm::kStandInOfGraph: return "__of_graph";
    case CallForm::kStandInThatMayAlias: return "__may_alias";
    default: return "";
  }
}

/// `touchstone::aten_view_dtype`: one name an overload.
std::string standInName(const c10::OperatorHandle& op, CallForm form) {
  std::string name = c10::toString(op.operator_name());
  for (char& character : name) {
    character = character == ':' || character == '.' ? '_' : character;
  }
  return "touchstone::" + name + suffixOf(form);
}

jit::Operation callOf(const c10::OperatorHandle& op, CallForm form) {
  if (form == CallForm::kStandInOfGraph || form == CallForm::kStandInWithEffects) {
    return [op](jit::Stack& stack) {
      stack.pop_back();
      op.callBoxed(&stack);
    };
  }
  return [op](jit::Stack& stack) { op.callBoxed(&stack); };
}

void registerStandIn(const std::string& name, const c10::OperatorHandle& op, CallForm form) {
  const bool mayAlias = form == CallForm::kStandInThatMayAlias;
  const c10::FunctionSchema& schema = op.schema();
  jit::registerOperator(
      jit::Operator(name, /*overload_name=*/"", argumentsOf(schema, form), resultsOf(schema, form), callOf(op, form),
                    mayAlias ? c10::AliasAnalysisKind::CONSERVATIVE : c10::AliasAnalysisKind::FROM_SCHEMA));
}

c10::Symbol registerHandingOn(const char* name, bool inTurn) {
  const std::set<std::string> memory{"alias::handed_on"};
  const c10::AliasInfo same(/*isWrite=*/false, memory, memory);
  const c10::TypePtr tensor = c10::TensorType::get();
  std::vector<c10::Argument> arguments{
      c10::Argument("value", tensor, std::nullopt, std::nullopt, /*kwarg_only=*/false, same),
      c10::Argument("number", c10::IntType::get())};
  if (inTurn) {
    arguments.push_back(effectsArgument());
  }
  const size_t others = arguments.size() - 1;
  jit::registerOperator(jit::Operator(
      name, /*overload_name=*/"", std::move(arguments),
      {c10::Argument("", tensor, std::nullopt, std::nullopt, /*kwarg_only=*/false, same)},
      [others](jit::Stack& stack) { jit::drop(stack, others); }, c10::AliasAnalysisKind::FROM_SCHEMA));
  return c10::Symbol::fromQualString(name);
}

c10::Symbol registerNumberOfBits() {
  constexpr const char* kName = "touchstone::number_of_bits";
  jit::registerOperator(jit::Operator(
      kName, /*overload_name=*/"",
      {c10::Argument("bits", c10::IntType::get()), c10::Argument("of_graph", c10::AnyType::get())},
      {c10::Argument("", c10::FloatType::get())},
      [](jit::Stack& stack) {
        stack.pop_back();
        const int64_t bits = jit::pop(stack).toInt();
        stack.emplace_back(std::bit_cast<double>(bits));
      },
      c10::AliasAnalysisKind::FROM_SCHEMA));
  return c10::Symbol::fromQualString(kName);
}

c10::Symbol registerTensorOfBits() {
  constexpr const char* kName = "touchstone::tensor_of_bits";
  jit::registerOperator(jit::Operator(
      kName, /*overload_name=*/"",
      {c10::Argument("bits", c10::TensorType::get()), c10::Argument("dtype", c10::IntType::get()),
       c10::Argument("is_number", c10::BoolType::get()), c10::Argument("of_graph", c10::AnyType::get())},
      {c10::Argument("", c10::TensorType::get())},
      [](jit::Stack& stack) {
        stack.pop_back();
        const bool isNumber = jit::pop(stack).toBool();
        const auto dtype = static_cast<at::ScalarType>(jit::pop(stack).toInt());
        at::Tensor made = jit::pop(stack).toTensor().view(dtype).clone();
        if (isNumber) {
          made.unsafeGetTensorImpl()->set_wrapped_number(true);
        }
        stack.emplace_back(std::move(made));
      },
      c10::AliasAnalysisKind::FROM_SCHEMA));
  return c10::Symbol::fromQualString(kName);
}

} // namespace

bool hasSignedZeros(const at::Tensor& tensor) {
  return tensor.layout() == at::kStrided && (tensor.is_floating_point() || tensor.is_complex()) &&
         tensor.element_size() <= 8 && tensor.eq(0).any().item<bool>();
}

at::Tensor bitsOf(const at::Tensor& tensor) {
  switch (tensor.element_size()) {
    case 1: return tensor.view(at::kByte);
    case 2: return tensor.view(at::kShort);
    case 4: return tensor.view(at::kInt);
    default: return tensor.view(at::kLong);
  }
}

c10::Symbol numberOfBits() {
  static const c10::Symbol registered = registerNumberOfBits();
  return registered;
}

c10::Symbol tensorOfBits() {
  static const c10::Symbol registered = registerTensorOfBits();
  return registered;
}

c10::Symbol handingOn() {
  static const c10::Symbol registered = registerHandingOn("touchstone::handing_on", /*inTurn=*/false);
  return registered;
}

c10::Symbol handingOnInTurn() {
  static const c10::Symbol registered = registerHandingOn("touchstone::handing_on_in_turn", /*inTurn=*/true);
  return registered;
}

c10::Symbol standInFor(const c10::OperatorHandle& op, CallForm form) {
  static std::mutex mutex;
  static std::map<std::string, c10::Symbol> registered;
  const std::string name = standInName(op, form);
  const std::lock_guard<std::mutex> lock(mutex);
  auto found = registered.find(name);
  if (found == registered.end()) {
    registerStandIn(name, op, form);
    found = registered.emplace(name, c10::Symbol::fromQualString(name)).first;
  }
  return found->second;
}

} // namespace touchstone::compilers
