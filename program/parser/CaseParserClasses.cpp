#include "program/language/CasePrinter.h"
#include "program/parser/CaseParserSyntax.h"

#include <algorithm>
#include <array>

// Classes that derive from torch.autograd.Function.

namespace touchstone::parser {
namespace {

constexpr std::array<std::string_view, 3> kMethods = {"forward", "setup_context", "backward"};
constexpr size_t kSetupParameters = 3; // `ctx, inputs, output`

} // namespace

void SyntaxParser::method(language::CustomFunction& custom, bool importsDecorator) {
  const std::string expected = "expected `@staticmethod`, and perhaps `@" + std::string(language::kOnceDifferentiable) +
                               "` above `def backward`";
  bool isStatic = false, isOnce = false;
  language::Place place = next().place;
  if (!isNext("@")) {
    fail(next(), "unexpected " + describeToken(next()) + " in a class; " + expected);
  }
  while (accept("@")) {
    place = next().place;
    const std::string name = language::printExpression(*expression());
    expectEndOfLine();
    const bool isOnceName =
        name == language::kOnceDifferentiable || (importsDecorator && name == "once_differentiable");
    if (isOnce || (isStatic ? !isOnceName : name != "staticmethod")) {
      source_.fail(place, "the decorator `@" + name + "` is refused here; " + expected);
    }
    isOnce = isStatic;
    isStatic = true;
  }
  language::Function made = function();
  if (std::find(kMethods.begin(), kMethods.end(), made.name) == kMethods.end()) {
    source_.fail(made.place, "the method `" + made.name +
                                 "` is refused; expected `forward`, `backward` and perhaps `setup_context`");
  }
  if (custom.find(made.name) != nullptr) {
    source_.fail(made.place, "the method `" + made.name + "` is there twice; expected it once");
  }
  if (isOnce && made.name != "backward") {
    source_.fail(place, "`" + made.name + "` is not differentiated; " + expected);
  }
  custom.isOnceDifferentiable = custom.isOnceDifferentiable || isOnce;
  custom.methods.push_back(std::move(made));
}

language::CustomFunction SyntaxParser::customFunction(bool importsDecorator) {
  language::CustomFunction custom;
  custom.place = expect("class", "and a custom autograd function").place;
  custom.name = expectName("the name of the class");
  expect("(", "and `torch.autograd.Function`");
  const language::ExprPtr base = expression();
  if (language::printExpression(*base) != "torch.autograd.Function") {
    source_.fail(base->place,
                 "a class that derives from something else is refused; expected `torch.autograd.Function`");
  }
  expect(")", "after `torch.autograd.Function`");
  openBlock("after the class");
  while (next().kind != TokenKind::kDedent) {
    method(custom, importsDecorator);
  }
  closeBlock();
  for (const char* name : {"forward", "backward"}) {
    if (custom.find(name) == nullptr) {
      source_.fail(custom.place, "the class `" + custom.name + "` has no method `" + name + "`; expected it");
    }
  }
  const bool hasSetup = custom.find("setup_context") != nullptr;
  for (const language::Function& each : custom.methods) {
    if (hasSetup && each.name == "forward") {
      if (std::find(each.parameters.begin(), each.parameters.end(), language::kContextParameter) !=
          each.parameters.end()) {
        source_.fail(each.place, "`forward` has the parameter `ctx` beside a `setup_context`; expected it there alone");
      }
    } else if (each.parameters.empty() || each.parameters.front() != language::kContextParameter) {
      source_.fail(each.place, "`" + each.name + "` does not begin with the parameter `ctx`; expected it");
    }
    if (each.name == "setup_context" && each.parameters.size() != kSetupParameters) {
      source_.fail(each.place, "`setup_context` is given three things; expected `(ctx, inputs, output)`");
    }
  }
  return custom;
}

} // namespace touchstone::parser
