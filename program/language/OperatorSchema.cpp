#include "program/language/OperatorSchema.h"

#include "program/language/CasePrinter.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace touchstone::language {
namespace {

struct AnnotatedType {
  std::string_view annotation, schema;
};
constexpr std::array<AnnotatedType, 13> kTypes{{{"torch.Tensor", "Tensor"},
                                                {"torch.Tensor | None", "Tensor?"},
                                                {"list[torch.Tensor]", "Tensor[]"},
                                                {"list[torch.Tensor | None]", "Tensor?[]"},
                                                {"int", "SymInt"},
                                                {"int | None", "SymInt?"},
                                                {"list[int]", "SymInt[]"},
                                                {"float", "float"},
                                                {"float | None", "float?"},
                                                {"list[float]", "float[]"},
                                                {"bool", "bool"},
                                                {"bool | None", "bool?"},
                                                {"list[bool]", "bool[]"}}};
constexpr std::string_view kTensor = "Tensor";

/// `Tensor(a0!)[]` of `Tensor[]`
std::string written(const std::string& type, size_t position) {
  return "Tensor(a" + std::to_string(position) + "!)" + type.substr(kTensor.size());
}

} // namespace

std::string schemaTypeOf(const Expr& annotation) {
  const std::string text = printExpression(annotation);
  const auto found = std::ranges::find(kTypes, text, &AnnotatedType::annotation);
  return found == kTypes.end() ? std::string() : std::string(found->schema);
}

std::string schemaReturnOf(const Expr& annotation) {
  if (annotation.kind == ExprKind::kNone) {
    return "()";
  }
  const std::string type = schemaTypeOf(annotation);
  if (type == kTensor || type == "Tensor[]") {
    return type;
  }
  const bool isTuple = annotation.kind == ExprKind::kSubscript && printExpression(*annotation.children[0]) == "tuple";
  if (!isTuple || annotation.children.size() < 3) {
    return "";
  }
  std::string items;
  for (size_t i = 1; i < annotation.children.size(); ++i) {
    if (schemaTypeOf(*annotation.children[i]) != kTensor) {
      return "";
    }
    items += (i > 1 ? ", " : "") + std::string(kTensor);
  }
  return "(" + items + ")";
}

std::vector<std::string> parameterAnnotations() {
  std::vector<std::string> annotations;
  for (const AnnotatedType& each : kTypes) {
    annotations.emplace_back(each.annotation);
  }
  return annotations;
}

std::string schemaOf(const CustomOperator& made, const std::string& qualifiedName) {
  const Function& body = made.body;
  std::string parameters;
  for (size_t i = 0; i < body.parameters.size(); ++i) {
    const std::string type = schemaTypeOf(*body.annotations.at(i));
    const bool isWritten = std::ranges::find(made.mutated, body.parameters[i]) != made.mutated.end();
    parameters += (i > 0 ? ", " : "") + (isWritten ? written(type, i) : type) + " " + body.parameters[i];
    if (i + body.defaults.size() >= body.parameters.size()) {
      parameters += "=" + printExpression(*body.defaults[i + body.defaults.size() - body.parameters.size()]);
    }
  }
  return qualifiedName + "(" + parameters + ") -> " + schemaReturnOf(*body.returns);
}

} // namespace touchstone::language
