#include "program/parser/CaseParserNames.h"
#include "program/parser/DottedPaths.h"
#include "program/parser/LanguageNames.h"
#include "program/values/Data.h"

#include <algorithm>

// What `inputs…` functions alone may say, and methods of custom functions of `ctx`.

namespace touchstone::parser {

// PyTorch raises where such a tensor is compiled.
void NameChecker::checkBounds(const language::Expr& mark) {
  const auto bound = [&](const char* name) -> const language::Expr* {
    const auto found = std::find(mark.keywords.begin(), mark.keywords.end(), name);
    const size_t positional = mark.children.size() - mark.keywords.size();
    return found == mark.keywords.end()
               ? nullptr
               : mark.children[positional + static_cast<size_t>(found - mark.keywords.begin())].get();
  };
  const language::Expr *least = bound("min"), *most = bound("max");
  if (least != nullptr && most != nullptr && std::stoll(least->text) > std::stoll(most->text)) {
    fail(*least, "`min=" + least->text + "` is above `max=" + most->text + "`, so no size is allowed");
  }
}

// `torch._dynamo.mark_dynamic(x, 0, min=2, max=64)`, in this form only: it says nothing but of one dimension.
void NameChecker::checkMark(const language::Expr& call) {
  const std::string function = joined(dottedPath(*call.children[0]));
  const std::string form = "expected `" + function + "(x, 0)`";
  if (function_ && !language::isInputsName(function_->name)) {
    fail(call,
         "`" + function + "` marks a dimension of an input; expected it in a function whose name begins with `inputs`");
  }
  const size_t positional = call.children.size() - 1 - call.keywords.size();
  if (positional != 2 || call.children[1]->kind != language::ExprKind::kName) {
    fail(call, "`" + function + "` takes a variable and the number of a dimension; " + form);
  }
  for (const std::string& keyword : call.keywords) {
    if (function != "torch._dynamo.mark_dynamic" || (keyword != "min" && keyword != "max")) {
      fail(call, "`" + keyword + "` is no argument that may be given here; " + form +
                     (function == "torch._dynamo.mark_dynamic" ? ", or with `min=` and `max=`" : ""));
    }
  }
  for (size_t index = 2; index < call.children.size(); ++index) {
    if (call.children[index]->kind != language::ExprKind::kInt) {
      fail(*call.children[index], "this is no number; " + form);
    }
  }
  checkBounds(call);
  checkName(*call.children[1]);
}

// `data((2, 3), torch.float32, (seed, 0), kind)`, in this form only: the values then depend on nothing else.
void NameChecker::checkData(const language::Expr& call) {
  const std::string form = "expected `data((2, 3), torch.float32, (seed, 0), kind)`";
  if (function_ && !language::isInputsName(function_->name)) {
    fail(call, "`data` makes inputs; expected it in a function whose name begins with `inputs`");
  }
  if (call.children.size() != 5 || !call.keywords.empty()) {
    fail(call, "`data` takes a shape, a dtype, a seed and a kind; " + form);
  }
  const language::Expr& shape = *call.children[1];
  const auto isInt = [](const language::ExprPtr& expr) { return expr->kind == language::ExprKind::kInt; };
  if (shape.kind != language::ExprKind::kTuple || !std::all_of(shape.children.begin(), shape.children.end(), isInt)) {
    fail(shape, "the shape is no tuple of numbers; " + form);
  }
  const std::vector<std::string> dtype = dottedPath(*call.children[2]);
  if (dtype.size() != 2 || dtype[0] != "torch" || !isDtypeName(dtype[1])) {
    fail(*call.children[2], "this is no dtype; " + form);
  }
  const language::Expr& seed = *call.children[3];
  const bool isPair = seed.kind == language::ExprKind::kTuple && seed.children.size() == 2 &&
                      seed.children[0]->kind == language::ExprKind::kName && seed.children[0]->text == "seed" &&
                      isInt(seed.children[1]);
  if (!isPair) {
    fail(seed, "the seed is no pair of `seed` and a number; " + form);
  }
  if (seed.children[1]->text.size() > 6) { // kTangentNumber has seven digits
    fail(*seed.children[1],
         "the number of a tensor is too large; expected one below " + std::to_string(values::kTangentNumber));
  }
  const language::Expr& kind = *call.children[4];
  const std::vector<std::string> kinds = values::dataKinds();
  const bool isKind =
      (kind.kind == language::ExprKind::kName && kind.text == "kind") ||
      (kind.kind == language::ExprKind::kString && std::find(kinds.begin(), kinds.end(), kind.text) != kinds.end());
  if (!isKind) {
    fail(kind, "this is no kind of data; expected `kind`, \"grid\", \"uniform\", \"special\", \"zeros\" or \"ones\"");
  }
}

void NameChecker::checkContextMethod(const language::Expr& callee) {
  if (!kContextMethods.contains(callee.text)) {
    fail(callee, "`ctx." + callee.text +
                     "` cannot be called; expected `save_for_backward`, `mark_dirty`, `mark_non_differentiable` or "
                     "`set_materialize_grads`" +
                     suggestion(nearestNames(callee.text, kContextMethods)));
  }
}

void NameChecker::checkContextField(const language::Expr& attribute, bool isWritten) {
  const std::string& name = attribute.text;
  if (isWritten && (name.starts_with("_") || kContextAttributes.contains(name))) {
    fail(attribute, "`ctx." + name + "` cannot be assigned to; expected a field of another name");
  }
  if (!isWritten && name != "saved_tensors" && name != "needs_input_grad" && !contextFields_.contains(name)) {
    fail(attribute, "`ctx." + name +
                        "` is read but no method of the class assigns it; expected a field, `saved_tensors` or "
                        "`needs_input_grad`" +
                        suggestion(nearestNames(name, contextFields_)));
  }
}

} // namespace touchstone::parser
