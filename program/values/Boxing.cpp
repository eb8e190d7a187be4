#include "program/values/Boxing.h"

#include <ATen/core/List.h>
#include <ATen/core/jit_type.h>

#include <stdexcept>

namespace touchstone::values {

namespace {

using Container = ir::Argument::Container;

/// The type inside `T?` and `T[]`, or the type itself.
c10::TypePtr withoutOptional(const c10::TypePtr& type) {
  return type->kind() == c10::TypeKind::OptionalType ? type->expectRef<c10::OptionalType>().getElementType() : type;
}

ir::Argument unboxByType(const c10::IValue& value, const c10::TypePtr& fullType,
                         const std::function<ir::Argument(const at::Tensor&)>& ofTensor) {
  const c10::TypePtr type = withoutOptional(fullType);
  if (value.isNone()) {
    return {};
  }
  if (value.isTensor()) {
    return value.toTensor().defined() ? ofTensor(value.toTensor()) : ir::Argument{};
  }
  if (value.isList()) {
    c10::TypePtr element = c10::AnyType::get();
    if (type->kind() == c10::TypeKind::ListType) {
      element = type->expectRef<c10::ListType>().getElementType();
    }
    Container list{.kind = Container::Kind::kList};
    for (const c10::IValue& item : value.toListRef()) {
      list.items.push_back(unboxByType(item, element, ofTensor));
    }
    return ir::Argument{std::move(list)};
  }
  if (value.isInt()) {
    switch (type->kind()) {
      case c10::TypeKind::ScalarTypeType: return ir::Argument{ir::DtypeConstant{value.toInt()}};
      case c10::TypeKind::LayoutType: return ir::Argument{ir::LayoutConstant{value.toInt()}};
      case c10::TypeKind::MemoryFormatType: return ir::Argument{ir::MemoryFormatConstant{value.toInt()}};
      default: return ir::Argument{value.toInt()};
    }
  }
  if (value.isBool()) {
    return ir::Argument{value.toBool()};
  }
  if (value.isDouble()) {
    return ir::Argument{value.toDouble()};
  }
  if (value.isComplexDouble()) {
    c10::complex<double> number = value.toComplexDouble();
    return ir::Argument{std::complex<double>(number.real(), number.imag())};
  }
  if (value.isString()) {
    return ir::Argument{value.toStringRef()};
  }
  if (value.isDevice()) {
    return ir::Argument{ir::DeviceConstant{value.toDevice().str()}};
  }
  throw std::invalid_argument("a Graph cannot hold an argument of type " + value.type()->str());
}

/// An empty list of the element type that the dispatcher's kernels expect.
c10::impl::GenericList emptyList(const c10::TypePtr& element) {
  switch (element->kind()) {
    case c10::TypeKind::ScalarTypeType:
    case c10::TypeKind::LayoutType:
    case c10::TypeKind::MemoryFormatType:
    case c10::TypeKind::SymIntType: return c10::impl::GenericList(c10::IntType::get());
    default: return c10::impl::GenericList(element);
  }
}

c10::IValue boxByType(const ir::Argument& argument, const c10::TypePtr& fullType,
                      const std::function<c10::IValue(ir::NodeId)>& ofNode) {
  const c10::TypePtr type = withoutOptional(fullType);
  struct Visitor {
    const c10::TypePtr& type;
    const std::function<c10::IValue(ir::NodeId)>& ofNode;
    c10::IValue operator()(std::monostate) const { return {}; }
    c10::IValue operator()(ir::NodeReference reference) const { return ofNode(reference.node); }
    c10::IValue operator()(bool value) const { return value; }
    c10::IValue operator()(int64_t value) const {
      return type->kind() == c10::TypeKind::FloatType ? c10::IValue(static_cast<double>(value)) : c10::IValue(value);
    }
    c10::IValue operator()(double value) const { return value; }
    c10::IValue operator()(std::complex<double> value) const {
      return c10::complex<double>(value.real(), value.imag());
    }
    c10::IValue operator()(const std::string& value) const { return value; }
    c10::IValue operator()(ir::DtypeConstant value) const { return value.value; }
    c10::IValue operator()(ir::LayoutConstant value) const { return value.value; }
    c10::IValue operator()(ir::MemoryFormatConstant value) const { return value.value; }
    c10::IValue operator()(const ir::DeviceConstant& value) const { return c10::Device(value.text); }
    c10::IValue operator()(const Container& container) const {
      c10::TypePtr element = type->kind() == c10::TypeKind::ListType ? type->expectRef<c10::ListType>().getElementType()
                                                                     : c10::TypePtr(c10::AnyType::get());
      c10::impl::GenericList list = emptyList(element);
      for (const ir::Argument& item : container.items) {
        list.push_back(boxByType(item, element, ofNode));
      }
      return list;
    }
  };
  return std::visit(Visitor{type, ofNode}, argument.payload);
}

} // namespace

ir::Argument unboxArgument(const c10::IValue& value, const c10::Argument& schema,
                           const std::function<ir::Argument(const at::Tensor&)>& ofTensor) {
  return unboxByType(value, schema.real_type(), ofTensor);
}

c10::IValue boxArgument(const ir::Argument& argument, const c10::Argument& schema,
                        const std::function<c10::IValue(ir::NodeId)>& ofNode) {
  return boxByType(argument, schema.real_type(), ofNode);
}

bool refersToNode(const ir::Argument& argument) {
  if (std::holds_alternative<ir::NodeReference>(argument.payload)) {
    return true;
  }
  if (const auto* container = std::get_if<Container>(&argument.payload)) {
    for (const ir::Argument& item : container->items) {
      if (refersToNode(item)) {
        return true;
      }
    }
  }
  return false;
}

} // namespace touchstone::values
