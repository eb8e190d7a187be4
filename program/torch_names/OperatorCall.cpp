#include "program/torch_names/OperatorCall.h"

#include "program/values/DefaultDevice.h"
#include "program/values/RaiseError.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/jit_type.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace touchstone::torch_names {

enum class Conversion {
  kTensor,
  kScalar,
  kInt,
  kFloat,
  kComplex,
  kBool,
  kString,
  kDevice,
  kDtype,
  kLayout,
  kMemoryFormat,
  kIntList,
  kSizeList, // of SymInts, which bool tensors are not
  kFloatList,
  kBoolList,
  kTensorList,
  kOptionalTensorList,
  kScalarList,
  kUnsupported,
};

/// Where one argument of the operator comes from.
struct ArgumentSource {
  static constexpr int kReceiver = -1;
  static constexpr int kFallback = -2;
  int parameter = kFallback;
  int element = -1; // of the `out` tuple
  Conversion conversion = Conversion::kUnsupported;
  int listSize = 0;
  c10::IValue fallback;
  bool isDefaultDevice = false; // the fallback is where the thread makes new tensors
};

struct CallPlan {
  c10::OperatorHandle op;
  std::vector<ArgumentSource> sources;
  int requiresGrad = -1; // parameter
  int out = -1; // parameter that receives the results, of an `out=` operator
  bool returnsReceiver = false; // in-place operators that return nothing give back their first argument
};

namespace {

Conversion conversionOf(const c10::TypePtr& type) {
  switch (type->kind()) {
    case c10::TypeKind::TensorType: return Conversion::kTensor;
    case c10::TypeKind::NumberType: return Conversion::kScalar;
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType: return Conversion::kInt;
    case c10::TypeKind::FloatType:
    case c10::TypeKind::SymFloatType: return Conversion::kFloat;
    case c10::TypeKind::ComplexType: return Conversion::kComplex;
    case c10::TypeKind::BoolType:
    case c10::TypeKind::SymBoolType: return Conversion::kBool;
    case c10::TypeKind::StringType: return Conversion::kString;
    case c10::TypeKind::DeviceObjType: return Conversion::kDevice;
    case c10::TypeKind::ScalarTypeType: return Conversion::kDtype;
    case c10::TypeKind::LayoutType: return Conversion::kLayout;
    case c10::TypeKind::MemoryFormatType: return Conversion::kMemoryFormat;
    case c10::TypeKind::OptionalType: return conversionOf(type->expectRef<c10::OptionalType>().getElementType());
    case c10::TypeKind::ListType: {
      const c10::TypePtr& element = type->expectRef<c10::ListType>().getElementType();
      if (element->kind() == c10::TypeKind::OptionalType) {
        return conversionOf(element) == Conversion::kTensor ? Conversion::kOptionalTensorList
                                                            : Conversion::kUnsupported;
      }
      switch (conversionOf(element)) {
        case Conversion::kInt:
          return element->kind() == c10::TypeKind::SymIntType ? Conversion::kSizeList : Conversion::kIntList;
        case Conversion::kFloat: return Conversion::kFloatList;
        case Conversion::kBool: return Conversion::kBoolList;
        case Conversion::kTensor: return Conversion::kTensorList;
        case Conversion::kScalar: return Conversion::kScalarList;
        default: return Conversion::kUnsupported;
      }
    }
    default: return Conversion::kUnsupported;
  }
}

int64_t toInteger(const values::Value& value) {
  if (value.isTensor()) {
    return value.tensor().item().toLong();
  }
  return toIndex(value);
}

double toDouble(const values::Value& value) {
  return toScalar(value).toDouble();
}

/// A tensor as a size holds a number of any integral dtype but bool.
void refuseFlags(c10::ArrayRef<values::Value> sizes) {
  for (const values::Value& size : sizes) {
    if (size.isTensor() && size.tensor().scalar_type() == at::kBool) {
      values::raiseError("RuntimeError",
                         "Expected scalar.isIntegral( false) to be true, but got false.  (Could this error message be "
                         "improved?  If so, please report an enhancement request to PyTorch.)");
    }
  }
}

c10::IValue convert(const values::Value& value, Conversion conversion, int listSize, const Signature& signature,
                    const Parameter& parameter, size_t position) {
  switch (conversion) {
    case Conversion::kTensor: return value.isTensor() ? value.tensor() : wrapNumber(value);
    case Conversion::kScalar: return toScalar(value);
    case Conversion::kInt: return toInteger(value);
    case Conversion::kFloat: return toDouble(value);
    case Conversion::kComplex: return toScalar(value).toComplexDouble();
    case Conversion::kBool: return value.as<bool>();
    case Conversion::kString: return value.as<std::string>();
    case Conversion::kDevice: return toDevice(value);
    case Conversion::kDtype: return value.as<at::ScalarType>();
    case Conversion::kLayout: return value.as<at::Layout>();
    case Conversion::kMemoryFormat: return value.as<at::MemoryFormat>();
    case Conversion::kSizeList:
    case Conversion::kIntList: {
      const values::ValueList* items = value.items();
      if (conversion == Conversion::kSizeList) {
        refuseFlags(items != nullptr ? c10::ArrayRef<values::Value>(*items) : c10::ArrayRef<values::Value>(value));
      }
      if (!items) {
        return std::vector<int64_t>(listSize, toInteger(value));
      }
      std::vector<int64_t> numbers;
      numbers.reserve(items->size());
      for (size_t i = 0; i < items->size(); ++i) {
        if (!isIndexLike((*items)[i])) {
          values::raiseError(
              "TypeError",
              "{}(): argument '{}' failed to unpack the object at pos {} with error \"type must be {},but got {}\"",
              signature.function, parameter.name, i + 1, parameter.typeName(), (*items)[i].typeName());
        }
        numbers.push_back(toIndex((*items)[i]));
      }
      return numbers;
    }
    case Conversion::kFloatList: {
      std::vector<double> numbers;
      for (const values::Value& item : *value.items()) {
        numbers.push_back(toDouble(item));
      }
      return numbers;
    }
    case Conversion::kBoolList: {
      std::vector<bool> flags;
      for (const values::Value& item : *value.items()) {
        flags.push_back(item.as<bool>());
      }
      return c10::IValue(flags);
    }
    case Conversion::kTensorList: {
      c10::List<at::Tensor> tensors;
      tensors.reserve(value.items()->size());
      for (const values::Value& item : *value.items()) {
        tensors.push_back(item.tensor());
      }
      return tensors;
    }
    case Conversion::kOptionalTensorList: {
      c10::List<std::optional<at::Tensor>> tensors;
      for (const values::Value& item : *value.items()) {
        tensors.push_back(item.isNone() ? std::optional<at::Tensor>() : item.tensor());
      }
      return tensors;
    }
    case Conversion::kScalarList: {
      c10::impl::GenericList numbers(c10::NumberType::get());
      for (const values::Value& item : *value.items()) {
        numbers.push_back(toScalar(item));
      }
      return numbers;
    }
    case Conversion::kUnsupported: break;
  }
  values::raiseError("TypeError", "{}(): a case file cannot give the argument '{}'", signature.function,
                     parameter.name);
}

int findParameter(const Signature& signature, std::string_view name) {
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    if (signature.parameters[i].name == name) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

// `self` is the tensor of a method and `input` of a function, except where its type keeps its name.
int findSelf(const Signature& signature, bool hasReceiver) {
  if (hasReceiver) {
    return ArgumentSource::kReceiver;
  }
  int parameter = findParameter(signature, "input");
  return parameter >= 0 ? parameter : findParameter(signature, "self");
}

// Eager's bindings pass a device to factories and `pin_memory=False` to every function with tensor options.
c10::IValue fallbackOf(const Signature& signature, const c10::Argument& argument) {
  if ((signature.isFactory || signature.isLike) && argument.name() == "pin_memory") {
    return false;
  }
  return argument.default_value().value_or(c10::IValue());
}

std::shared_ptr<const CallPlan> makePlan(const Signature& signature, const std::string& op, bool hasReceiver) {
  auto plan = std::make_shared<CallPlan>(CallPlan{atenOperator(op), {}});
  const c10::FunctionSchema& schema = plan->op.schema();
  std::vector<std::string> call = signature.call;
  if (!call.empty() && call.front() == "out") {
    call.erase(call.begin());
  }
  const int outParameter = findParameter(signature, "out");
  const auto outCount =
      std::count_if(schema.arguments().begin(), schema.arguments().end(), [](const auto& a) { return a.is_out(); });
  size_t position = 0;
  int outPosition = 0;
  for (const c10::Argument& argument : schema.arguments()) {
    ArgumentSource source;
    source.conversion = conversionOf(argument.real_type());
    source.listSize = argument.N().value_or(0);
    source.fallback = fallbackOf(signature, argument);
    source.isDefaultDevice = signature.isFactory && argument.name() == "device";
    if (argument.is_out()) {
      source.parameter = outCount > 1 ? outParameter : findParameter(signature, argument.name());
      source.parameter = source.parameter < 0 ? outParameter : source.parameter;
      source.element = outCount > 1 ? outPosition : -1;
      plan->out = source.parameter;
      ++outPosition;
    } else {
      std::string name = argument.name();
      if (position < call.size()) {
        name = call[position];
        if (!name.empty() && std::isdigit(static_cast<unsigned char>(name[0]))) {
          source.fallback = at::Scalar(static_cast<int64_t>(std::atoll(name.c_str())));
        }
      }
      ++position;
      int parameter = name == "self" ? findSelf(signature, hasReceiver) : findParameter(signature, name);
      source.parameter = parameter == -1 && name != "self" ? ArgumentSource::kFallback : parameter;
      TORCH_INTERNAL_ASSERT(source.parameter != ArgumentSource::kFallback || argument.default_value() ||
                                name != argument.name() || argument.type()->kind() == c10::TypeKind::OptionalType,
                            "the signature table gives no value for `", argument.name(), "` of ", schema);
    }
    plan->sources.push_back(std::move(source));
  }
  if (signature.isFactory || signature.isLike) {
    plan->requiresGrad = findParameter(signature, "requires_grad");
  }
  plan->returnsReceiver = schema.returns().empty() && schema.name().starts_with("aten::_foreach_");
  return plan;
}

// Options beside `out=` must agree with it (`check_out_type_matches`).
void checkOptionsAgainstOut(const Signature& signature, const BoundArguments& bound, const at::Tensor& out) {
  auto given = [&](const char* name) -> const values::Value* {
    int parameter = findParameter(signature, name);
    return parameter < 0 ? nullptr : bound.values[parameter];
  };
  if (const values::Value* dtype = given("dtype"); dtype && dtype->as<at::ScalarType>() != out.scalar_type()) {
    values::raiseError("RuntimeError", "dtype {} does not match dtype of out parameter ({})",
                       c10::toString(dtype->as<at::ScalarType>()), c10::toString(out.scalar_type()));
  }
  if (const values::Value* device = given("device"); device && toDevice(*device).type() != out.device().type()) {
    values::raiseError("RuntimeError", "device type {} does not match device type of out parameter ({})",
                       toDevice(*device).str(), out.device().str());
  }
}

values::Value toValue(c10::IValue&& value, const c10::TypePtr& type, bool listsAsTuples) {
  if (value.isTensor()) {
    at::Tensor tensor = std::move(value).toTensor();
    return tensor.defined() ? values::Value(std::move(tensor)) : values::Value();
  }
  if (value.isInt()) {
    switch (type->kind()) {
      case c10::TypeKind::ScalarTypeType: return values::Value(static_cast<at::ScalarType>(value.toInt()));
      case c10::TypeKind::LayoutType: return values::Value(static_cast<at::Layout>(value.toInt()));
      default: return values::Value(value.toInt());
    }
  }
  if (value.isBool()) {
    return values::Value(value.toBool());
  }
  if (value.isDouble()) {
    return values::Value(value.toDouble());
  }
  if (value.isComplexDouble()) {
    c10::complex<double> number = value.toComplexDouble();
    return values::Value(std::complex<double>(number.real(), number.imag()));
  }
  if (value.isString()) {
    return values::Value(value.toStringRef());
  }
  if (value.isDevice()) {
    return values::Value(value.toDevice());
  }
  if (value.isList()) {
    values::ValueList items;
    c10::TypePtr element = type->kind() == c10::TypeKind::ListType ? type->expectRef<c10::ListType>().getElementType()
                                                                   : c10::TypePtr(c10::AnyType::get());
    for (const c10::IValue& item : value.toListRef()) {
      items.push_back(toValue(c10::IValue(item), element, listsAsTuples));
    }
    return listsAsTuples ? values::Value::tuple(std::move(items)) : values::Value::list(std::move(items));
  }
  if (value.isNone()) {
    return values::Value();
  }
  values::raiseError("RuntimeError", "an operator returned a {}, which a Program cannot hold", value.tagKind());
}

} // namespace

at::Device toDevice(const values::Value& value) {
  if (auto* device = value.maybe<at::Device>()) {
    return *device;
  }
  if (auto* index = value.maybe<int64_t>()) {
    return at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(*index));
  }
  return at::Device(value.as<std::string>());
}

values::Value resultOf(const c10::FunctionSchema& schema, torch::jit::Stack& stack, bool listsAsTuples) {
  const auto& returns = schema.returns();
  if (returns.empty()) {
    return values::Value();
  }
  if (returns.size() == 1) {
    return toValue(std::move(stack.back()), returns[0].real_type(), listsAsTuples);
  }
  values::ValueList items;
  items.reserve(returns.size());
  const size_t first = stack.size() - returns.size();
  for (size_t i = 0; i < returns.size(); ++i) {
    items.push_back(toValue(std::move(stack[first + i]), returns[i].real_type(), listsAsTuples));
  }
  return values::Value::tuple(std::move(items));
}

void prepareSignature(const Signature& signature, bool isMethod) {
  if (signature.basePlan) {
    return;
  }
  if (!signature.out.empty()) {
    signature.outPlan = makePlan(signature, signature.out, isMethod);
  }
  signature.basePlan = makePlan(signature, signature.base, isMethod);
}

values::Value callSignature(const Signature& signature, const values::Value* receiver, const BoundArguments& bound,
                            const Dispatch& dispatch) {
  prepareSignature(signature, receiver != nullptr);
  const bool toOut = signature.outPlan && signature.outPlan->out >= 0 && bound.values[signature.outPlan->out];
  const CallPlan& plan = toOut ? *signature.outPlan : *signature.basePlan;
  torch::jit::Stack stack;
  stack.reserve(plan.sources.size());
  for (const ArgumentSource& source : plan.sources) {
    if (source.parameter == ArgumentSource::kReceiver) {
      stack.emplace_back(receiver->tensor());
      continue;
    }
    const values::Value* value = source.parameter >= 0 ? bound.values[source.parameter] : nullptr;
    if (!value || (source.isDefaultDevice && value->isNone())) {
      stack.emplace_back(source.isDefaultDevice ? c10::IValue(values::defaultDevice()) : source.fallback);
      continue;
    }
    const Parameter& parameter = signature.parameters[source.parameter];
    if (source.element >= 0) {
      const values::ValueList& items = *value->items();
      const auto outCount = static_cast<size_t>(parameter.size);
      if (items.size() != outCount) {
        values::raiseError("TypeError", "expected tuple of {} elements but got {}", outCount, items.size());
      }
      stack.emplace_back(items[source.element].tensor());
      continue;
    }
    stack.push_back(convert(*value, source.conversion, source.listSize, signature, parameter, source.parameter));
  }
  if (toOut && plan.requiresGrad >= 0) {
    if (const values::Value& out = *bound.values[plan.out]; out.isTensor()) {
      checkOptionsAgainstOut(signature, bound, out.tensor());
    }
  }
  {
    // Eager's factories run below autograd (`torch/csrc/autograd/variable_factories.h`): filling is no new version.
    std::optional<at::AutoDispatchBelowADInplaceOrView> belowAutograd;
    if (signature.isFactory && !receiver && !toOut) {
      belowAutograd.emplace();
    }
    dispatch(plan.op, stack);
  }
  if (plan.returnsReceiver) {
    return receiver ? *receiver : *bound.values[0];
  }
  values::Value result = resultOf(plan.op.schema(), stack);
  if (plan.requiresGrad >= 0) {
    const values::Value* flag = bound.values[plan.requiresGrad];
    if (flag && flag->as<bool>() && result.isTensor()) {
      switchRequiresGrad(result.tensor(), true, dispatch);
    }
  }
  return result;
}

values::Value callGroup(const SignatureGroup& group, const values::Value* receiver,
                        c10::ArrayRef<values::Value> positional, const KeywordList& keywords,
                        const Dispatch& dispatch) {
  BoundArguments bound;
  const Signature& signature = matchSignature(group, positional, keywords, bound);
  return callSignature(signature, receiver, bound, dispatch);
}

values::Value AtenCall::operator()(const Dispatch& dispatch, std::initializer_list<c10::IValue> arguments) const {
  if (!handle) {
    handle = atenOperator(name);
  }
  const c10::FunctionSchema& schema = handle->schema();
  torch::jit::Stack stack(arguments);
  for (size_t i = stack.size(); i < schema.arguments().size(); ++i) {
    stack.push_back(schema.arguments()[i].default_value().value_or(c10::IValue()));
  }
  dispatch(*handle, stack);
  return resultOf(schema, stack);
}

void switchRequiresGrad(const at::Tensor& tensor, bool wanted, const Dispatch& dispatch) {
  static const AtenCall requiresGrad("requires_grad_");
  requiresGrad(dispatch, {tensor, wanted});
}

void setRequiresGrad(const at::Tensor& tensor, bool wanted, const char* notDifferentiable, const Dispatch& dispatch) {
  if (!tensor.is_leaf() && !wanted) {
    values::raiseError("RuntimeError",
                       "you can only change requires_grad flags of leaf variables. If you want to use a computed "
                       "variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach().");
  }
  if (wanted && !at::isFloatingType(tensor.scalar_type()) && !at::isComplexType(tensor.scalar_type())) {
    values::raiseError("RuntimeError", notDifferentiable);
  }
  switchRequiresGrad(tensor, wanted, dispatch);
}

} // namespace touchstone::torch_names
