#include "oracles/compare/PythonReference.h"

#include "oracles/observe/TensorSlot.h"
#include "program/language/PythonConstructs.h"
#include "program/language/StatementEditing.h"

#include <ATen/ops/equal.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/ScalarTypeToTypeMeta.h>
#include <c10/util/ScopeExit.h>

#include <map>
#include <string_view>

namespace touchstone::compare {

namespace {

using language::ExprKind;
using language::ExprPtr;

const std::map<std::string_view, const char*> kWider = {
    {"float16", "float64"},      {"half", "float64"},      {"bfloat16", "float64"},
    {"float32", "float64"},      {"float", "float64"},     {"complex32", "complex128"},
    {"complex64", "complex128"}, {"cfloat", "complex128"}, {"chalf", "complex128"}};

bool isTorch(const language::Expr& expr) {
  return expr.kind == ExprKind::kAttribute && expr.children[0]->kind == ExprKind::kName &&
         expr.children[0]->text == "torch";
}

ExprPtr wider(const ExprPtr& expr) {
  if (isTorch(*expr) && kWider.contains(expr->text)) {
    return language::makeDotted(std::string("torch.") + kWider.at(expr->text));
  }
  const bool isMethod = expr->kind == ExprKind::kCall && expr->children.size() == 1 &&
                        expr->children[0]->kind == ExprKind::kAttribute && !isTorch(*expr->children[0]);
  if (isMethod && (expr->children[0]->text == "float" || expr->children[0]->text == "half" ||
                   expr->children[0]->text == "bfloat16")) {
    return language::makeMethodCall(expr->children[0]->children[0], "double", {});
  }
  return nullptr;
}

// `data` in the dtype that is written down, then converted.
ExprPtr widerData(const ExprPtr& expr) {
  const bool isData = expr->kind == ExprKind::kCall && expr->children[0]->kind == ExprKind::kName &&
                      expr->children[0]->text == "data" && expr->children.size() > 2;
  const auto found = isData ? kWider.find(expr->children[2]->text) : kWider.end();
  return found == kWider.end()
             ? nullptr
             : language::makeMethodCall(expr, "to", {language::makeDotted(std::string("torch.") + found->second)});
}

std::string generatorIn(const observe::CallObservation& call) {
  return call.state.substr(0, call.state.find(','));
}

} // namespace

language::Case inDoublePrecision(language::Case theCase) {
  const language::Case original = theCase;
  for (language::Function& function : theCase.functions) {
    if (!language::isInputsName(function.name)) {
      function = language::rewriteExpressions(function, wider);
    } else if (!language::needsPython(original, function).empty()) {
      function = language::rewriteExpressions(function, widerData);
    }
  }
  for (language::PythonClass& made : theCase.classes) {
    for (language::Function& method : made.methods) {
      method = language::rewriteExpressions(method, wider);
    }
  }
  for (language::CustomFunction& custom : theCase.customFunctions) {
    for (language::Function& method : custom.methods) {
      method = language::rewriteExpressions(method, wider);
    }
  }
  return theCase;
}

observe::CaseObservation runInDouble(const language::Case& theCase, const PythonFactory& python,
                                     observe::RunOptions options) {
  const language::Case wide = inDoublePrecision(theCase);
  options.probeEffects = false;
  options.evaluator.inDouble = true;
  const caffe2::TypeMeta before = c10::get_default_dtype();
  const auto restore = c10::make_scope_exit([&] { c10::set_default_dtype(before); });
  c10::set_default_dtype(c10::scalarTypeToTypeMeta(at::kDouble));
  return observe::runCalls(wide, *python(wide), options);
}

evidence::CallTrace traceByEffects(const observe::CallObservation& call, const observe::CallObservation& untouched) {
  evidence::CallTrace trace;
  trace.reinterpretsBits = true; // for all that is known
  trace.replayed = false;
  for (const auto& [role, before, after] :
       {std::tuple(observe::Location::Role::kArgument, &untouched.arguments, &call.arguments),
        std::tuple(observe::Location::Role::kWatched, &untouched.watched, &call.watched)}) {
    for (size_t index = 0; index < after->size(); ++index) {
      const at::Tensor& now = (*after)[index].values;
      const bool isSame = index < before->size() && now.defined() && (*before)[index].values.defined() &&
                          now.scalar_type() == (*before)[index].values.scalar_type() &&
                          at::equal(now, (*before)[index].values);
      if (!isSame) {
        trace.dataWritten.push_back({role, static_cast<int>(index)});
      }
    }
  }
  return trace;
}

bool draws(const observe::CallObservation& call, const observe::CallObservation& untouched) {
  return generatorIn(call) != generatorIn(untouched);
}

} // namespace touchstone::compare
