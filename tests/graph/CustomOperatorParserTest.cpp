#include "program/language/CasePrinter.h"
#include "program/language/OperatorSchema.h"
#include "tests/graph/ParsedFiles.h"

#include <gtest/gtest.h>

#include <string>

namespace touchstone::tests {
namespace {

std::string operatorText(const std::string& parameters, const std::string& returns, const std::string& mutated = "()",
                         const std::string& name = "mine::f") {
  return "@torch.library.custom_op(\"" + name + "\", mutates_args=" + mutated + ")\ndef f(" + parameters + ") -> " +
         returns + ":\n    return None\n";
}

std::string messageWith(const std::string& text) {
  return messageOf(fileWith("    return x") + text);
}

void expectRefused(const std::string& text, const std::string& part) {
  EXPECT_NE(messageWith(text).find(part), std::string::npos) << text << "\n" << messageWith(text);
}

TEST(CustomOperatorParserTest, SchemasAreThoseThatPyTorchInfers) {
  const auto schema = [](const std::string& parameters, const std::string& returns, const std::string& mutated = "()") {
    const language::Case theCase = parser::parseDefinitions(operatorText(parameters, returns, mutated));
    return language::schemaOf(theCase.customOperators.at(0), "f");
  };
  EXPECT_EQ(schema("x: torch.Tensor, k: float = 2.5", "torch.Tensor"), "f(Tensor x, float k=2.5) -> Tensor");
  EXPECT_EQ(schema("a: int, x: torch.Tensor", "None", "(\"x\",)"), "f(SymInt a, Tensor(a1!) x) -> ()");
  EXPECT_EQ(schema("xs: list[torch.Tensor], o: torch.Tensor | None = None", "tuple[torch.Tensor, torch.Tensor]",
                   "[\"xs\", \"o\"]"),
            "f(Tensor(a0!)[] xs, Tensor(a1!)? o=None) -> (Tensor, Tensor)");
  EXPECT_EQ(schema("sizes: list[int], n: int | None, b: bool = False, m: int = -1", "list[torch.Tensor]", "{}"),
            "f(SymInt[] sizes, SymInt? n, bool b=False, SymInt m=-1) -> Tensor[]");
}

TEST(CustomOperatorParserTest, OtherWaysToSayTheSameAreReadAndPrintedInOne) {
  const std::string text =
      "from typing import List, Optional, Tuple\n"
      "@torch.library.custom_op(\"mine::f\", mutates_args=[])\n"
      "def f(xs: List[torch.Tensor], y: Optional[torch.Tensor]) -> Tuple[torch.Tensor, torch.Tensor]:\n"
      "    return xs[0] + 1, xs[0] + 2\n"
      "@torch.library.register_fake(\"mine::f\")\n"
      "def fake_of_f(xs: List[torch.Tensor], y=None) -> None:\n"
      "    return torch.empty_like(xs[0]), torch.empty_like(xs[0])\n"
      "def back(ctx, g, h):\n"
      "    return [g], None\n"
      "torch.library.register_autograd(\"mine::f\", back)\n";
  EXPECT_EQ(language::printCustomOperator(parser::parseDefinitions(text).customOperators.at(0)),
            "@torch.library.custom_op(\"mine::f\", mutates_args=())\n"
            "def f(xs: list[torch.Tensor], y: torch.Tensor | None) -> tuple[torch.Tensor, torch.Tensor]:\n"
            "    return xs[0] + 1, xs[0] + 2\n\n\n"
            "@f.register_fake\n"
            "def fake_of_f(xs, y=None):\n"
            "    return torch.empty_like(xs[0]), torch.empty_like(xs[0])\n\n\n"
            "def back(ctx, g, h):\n"
            "    return [g], None\n\n\n"
            "f.register_autograd(back)\n");
}

TEST(CustomOperatorParserTest, OperatorsAreClosed) {
  const std::string plain = operatorText("x: torch.Tensor", "torch.Tensor");
  EXPECT_EQ(messageWith(plain), "accepted");
  expectRefused(plain + plain, "is there twice");
  expectRefused(
      plain + "@torch.library.custom_op(\"mine::f\", mutates_args=())\ndef g(x: torch.Tensor) -> None:\n    return\n",
      "the operator `mine::f` is there twice");
  for (const char* name : {"aten::f", "prims::f", "_mine::f", "torch_x::f", "higher_order::f", "touchstone::f"}) {
    expectRefused(operatorText("x: torch.Tensor", "torch.Tensor", "()", name), "are PyTorch's");
  }
  for (const char* name : {"f", "mine:f", "mine::", "::f", "mine::f::g", "mi ne::f", "mine::f.out", "mine::__f",
                           "mine::if", "1::f", "mine::\\u00e4"}) {
    expectRefused(operatorText("x: torch.Tensor", "torch.Tensor", "()", name), "");
    EXPECT_NE(messageWith(operatorText("x: torch.Tensor", "torch.Tensor", "()", name)), "accepted") << name;
  }
  expectRefused(operatorText("x", "torch.Tensor"), "no annotation that makes a schema");
  expectRefused(operatorText("x: str", "torch.Tensor"), "no annotation that makes a schema");
  expectRefused(operatorText("x: torch.Tensor = None", "torch.Tensor"), "no default");
  expectRefused(operatorText("x: torch.Tensor, n: int = 1.5", "torch.Tensor"), "no default");
  expectRefused(operatorText("x: torch.Tensor, n: int = x", "torch.Tensor"), "no default");
  expectRefused(operatorText("n: int = 1, x: torch.Tensor", "torch.Tensor"), "follows one with it");
  expectRefused(operatorText("x: torch.Tensor, x: torch.Tensor", "torch.Tensor"), "is there twice");
  expectRefused(operatorText("*x: torch.Tensor", "torch.Tensor"), "is refused");
  expectRefused(operatorText("x: torch.Tensor", "int"), "what it returns");
  expectRefused(operatorText("x: torch.Tensor", "tuple[torch.Tensor]"), "what it returns");
  expectRefused(operatorText("x: torch.Tensor", "torch.Tensor", "(\"y\",)"), "no parameter that holds tensors");
  expectRefused(operatorText("x: torch.Tensor, n: int", "torch.Tensor", "(\"n\",)"), "no parameter that holds tensors");
  expectRefused(operatorText("x: torch.Tensor", "torch.Tensor", "(\"x\", \"x\")"), "there twice");
  expectRefused(operatorText("x: torch.Tensor", "torch.Tensor", "\"unknown\""), "which parameters are written to");
  expectRefused("@torch.library.custom_op(\"mine::f\")\ndef f(x: torch.Tensor) -> None:\n    return\n",
                "what it writes to");
  expectRefused(
      "@torch.library.custom_op(\"mine::f\", mutates_args=(), schema=\"\")\ndef f(x: int) -> None:\n    return\n",
      "what it writes to");
  expectRefused("@torch.compile\ndef f(x):\n    return x\n", "decorators are refused");
  expectRefused("@torch.library.custom_op(\"mine::f\", mutates_args=())\nCALLS = []\n", "expected `def`");
  expectRefused(
      "@torch.library.custom_op(\"mine::f\", mutates_args=())\n@f.register_fake\ndef f(x: int) -> None:\n    return\n",
      "expected `def`");
  expectRefused(
      "@torch.library.custom_op(\"mine::f\", mutates_args=())\ndef inputs_f(x: torch.Tensor) -> None:\n    return\n",
      "called by CALLS");
  expectRefused(
      "@torch.library.custom_op(\"mine::f\", mutates_args=())\ndef range(x: torch.Tensor) -> None:\n    return\n",
      "meaning of its own");
}

TEST(CustomOperatorParserTest, RegistrationsAreClosed) {
  const std::string plain = operatorText("x: torch.Tensor", "torch.Tensor");
  const std::string fake = "@f.register_fake\ndef _(x):\n    return x\n";
  const std::string setup = "def setup(ctx, inputs, output):\n    ctx.x = inputs[0]\n";
  const std::string backward = "def backward(ctx, g):\n    return g\n";
  const std::string both = "f.register_autograd(backward, setup_context=setup)\n";
  EXPECT_EQ(messageWith(plain + fake + setup + backward + both), "accepted");
  EXPECT_EQ(messageWith(plain + setup + backward + both + fake), "accepted");
  expectRefused(plain + fake + fake, "has a fake already");
  expectRefused(fake + plain, "decorators are refused");
  expectRefused(plain + both + setup + backward, "no function that may be registered");
  expectRefused(plain + setup + backward + both + setup + backward + both, "has an autograd formula already");
  expectRefused(plain + "def backward(g):\n    return g\nf.register_autograd(backward)\n", "does not begin with");
  expectRefused(plain + "def setup(ctx, inputs):\n    return\n" + backward + both, "is given three things by name");
  expectRefused(plain + "def setup(ctx, output, inputs):\n    return\n" + backward + both,
                "is given three things by name");
  expectRefused(plain + backward + "f.register_autograd()\n", "is given a backward");
  expectRefused(plain + backward + "f.register_autograd(backward, vmap=backward)\n", "is given a backward");
  expectRefused(plain + "f.register_autograd(program)\n", "no function that may be registered");
  expectRefused(plain + "f.register_autograd(lambda ctx, g: g)\n", "");
  expectRefused(plain + "f.register_kernel(\"cpu\")\n", "`NAME.register_autograd(…)`");
  expectRefused(plain + "f(3)\n", "`NAME.register_autograd(…)`");
  expectRefused(
      operatorText("x: torch.Tensor", "torch.Tensor", "(\"x\",)") + backward + "f.register_autograd(backward)\n",
      "takes no autograd formula");
  expectRefused(operatorText("x: torch.Tensor", "None") + backward + "f.register_autograd(backward)\n",
                "takes no autograd formula");
  expectRefused(plain + "def backward(ctx, g):\n    return g * ctx.n\nf.register_autograd(backward)\n",
                "no method of the class assigns it");
  expectRefused(plain + "def backward(ctx, g):\n    return f(g)\nf.register_autograd(backward)\n", "calls itself");
  expectRefused(
      plain + "def backward(ctx, g):\n    return torch.ops.mine.f.default(g)\nf.register_autograd(backward)\n",
      "calls itself");
  expectRefused(plain + backward + "f.register_autograd(backward)\ndef g(x):\n    return backward(x)\n", "`backward`");
}

TEST(CustomOperatorParserTest, CallsNameOperatorsOfTheFile) {
  const std::string plain = operatorText("x: torch.Tensor", "torch.Tensor");
  const auto inProgram = [&](const std::string& body) { return messageOf(fileWith(body) + plain); };
  EXPECT_EQ(inProgram("    return f(x)"), "accepted");
  EXPECT_EQ(inProgram("    return torch.ops.mine.f(x)"), "accepted");
  EXPECT_EQ(inProgram("    return torch.ops.mine.f.default(x=x)"), "accepted");
  for (const char* body : {"    return torch.ops.mine.g(x)", "    return torch.ops.yours.f(x)",
                           "    return torch.ops.mine.f.out(x)", "    y = f\n    return y", "    f = x\n    return f",
                           "    return f.register_fake(x)", "    return torch.ops.mine(x)"}) {
    EXPECT_NE(inProgram(body), "accepted") << body;
  }
}

} // namespace
} // namespace touchstone::tests
