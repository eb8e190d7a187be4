#include "program/language/CasePrinter.h"
#include "program/standalone/CaseFile.h"
#include "program/standalone/MainPart.h"

#include "program/parser/CaseParser.h"
#include "tests/graph/PythonProcess.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace touchstone::tests {
namespace {

// Python says whether each pair of texts is the same program to it.
void expectSameToPython(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::string script = "import ast\npairs = [\n";
  for (const auto& [left, right] : pairs) {
    script += "    (" + language::printString(left) + ", " + language::printString(right) + "),\n";
  }
  script +=
      "]\nfor left, right in pairs:\n"
      "    if ast.dump(ast.parse(left)) != ast.dump(ast.parse(right)):\n"
      "        print(f'{left}\\nis not\\n{right}')\n";
  const PythonResult result = runPython(script);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(result.output, "");
}

const std::vector<std::string> kExpressions = {
    "x",
    "1",
    "0.25",
    "1e-05",
    "2j",
    "\"a\\\"b\\\\ \\n\\x01\xc3\xa9\"",
    "True",
    "None",
    "()",
    "(x,)",
    "(x, y)",
    "[]",
    "[x, *y]",
    "{}",
    "{\"a\": x, \"b\": [1, {\"c\": None}]}",
    "x.shape",
    "(1).real",
    "x.add_(y, alpha=2)",
    "x.reshape(*y.shape, -1)",
    "torch.mm(x, y, out=z)",
    "torch.ops.aten.sin.default(x)",
    "torch.nn.functional.relu(x)",
    "torch.zeros((2, 3), dtype=torch.float32, device=\"cpu\")",
    "x[0]",
    "x[1:]",
    "x[:-1, ..., None, ::2, 1:2:3]",
    "x[(1, 2)]",
    "x[(1,)]",
    "x[()]",
    "x[y > 0]",
    "x[0][1].t()[2:]",
    "-x",
    "-x ** 2",
    "(-x) ** 2",
    "2 ** -x",
    "(2 ** 3) ** 2",
    "2 ** 3 ** 2",
    "~x + y",
    "~(x + y)",
    "-(-x)",
    "(a + b) * c",
    "a + b * c",
    "a - (b - c)",
    "a - b - c",
    "a @ b * c",
    "a * (b @ c)",
    "a // b % c",
    "a << b >> c",
    "a & b | c ^ d",
    "a & (b | c) ^ d",
    "a < b",
    "(a < b) < c",
    "a < (b < c)",
    "(a == b) == (c != d)",
    "a is not b",
    "not a in b",
    "a not in b",
    "not (not a)",
    "(not a) == b",
    "a or b and c",
    "(a or b) and c",
    "not (a and b)",
    "a and (b and c)",
    "x if a else y if b else z",
    "(x if a else y) if b else z",
    "x if (y if a else b) else z",
    "(x if a else y) + z",
    "-(x if a else y)",
    "(a or b)(x)",
    "[x if a else y, not b]",
    "f(x if a else y, b=not c)",
};

TEST(CasePrinterTest, ExpressionsComeBackAsTheyWereAndMeanTheSame) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& text : kExpressions) {
    if (text == "(a or b)(x)") {
      EXPECT_THROW(parser::parseExpression(text), parser::ParseError);
      continue;
    }
    const language::ExprPtr expr = parser::parseExpression(text);
    const std::string printed = language::printExpression(*expr);
    EXPECT_TRUE(language::sameExpr(*expr, *parser::parseExpression(printed))) << text << " became " << printed;
    pairs.emplace_back(text, printed);
  }
  expectSameToPython(pairs);
}

TEST(CasePrinterTest, ParenthesesAreTheFewestThatKeepTheMeaning) {
  for (const std::string text : {"a or b and c", "a - b - c", "a - (b - c)", "-x ** 2", "(-x) ** 2", "2 ** 3 ** 2",
                                 "(2 ** 3) ** 2", "not a in b", "x if a else y if b else z", "~x + y", "(a < b) < c",
                                 "x[1:, ..., None]", "x.add_(y, alpha=2)", "(x, y)[0]", "f(x)(1).a"}) {
    if (text != "f(x)(1).a") {
      EXPECT_EQ(language::printExpression(*parser::parseExpression(text)), text);
    }
  }
  EXPECT_EQ(language::printExpression(*parser::parseExpression("((a)) + ((b * (c)))")), "a + b * c");
  EXPECT_EQ(language::printExpression(*parser::parseExpression("'single'")), "\"single\"");
}

// Random trees from the builders, with all parentheses.
class RandomExpressions {
 public:
  explicit RandomExpressions(unsigned seed) : random_(seed) {}

  language::ExprPtr make(int depth) {
    static const std::vector<std::string> operators = {"+",  "-",   "*",  "/",  "//",     "%",  "@",     "**", "<<",
                                                       ">>", "&",   "|",  "^",  "==",     "!=", "<",     "<=", ">",
                                                       ">=", "and", "or", "is", "is not", "in", "not in"};
    switch (depth == 0 ? pick(3) : pick(11)) {
      case 0: return language::makeName(std::string(1, static_cast<char>('a' + pick(4))));
      case 1: return language::makeInt(static_cast<int64_t>(pick(20)) - 10);
      case 2: return language::makeFloat((pick(20) - 10) / 8.0);
      case 3:
        return language::makeUnary(std::vector<std::string>{"-", "~", "not"}[static_cast<size_t>(pick(3))],
                                   make(depth - 1));
      case 4:
        return language::makeSubscript(make(depth - 1),
                                       {make(depth - 1), language::makeSlice(nullptr, make(depth - 1), nullptr)});
      case 5: return language::makeMethodCall(make(depth - 1), "add", {make(depth - 1)}, {{"alpha", make(depth - 1)}});
      case 6: return language::makeTuple({make(depth - 1)});
      case 7: {
        const language::Expr conditional{
            language::ExprKind::kConditional, "", {make(depth - 1), make(depth - 1), make(depth - 1)}, {}, {}};
        return std::make_shared<const language::Expr>(conditional);
      }
      default:
        return language::makeBinary(operators[static_cast<size_t>(pick(static_cast<int>(operators.size())))],
                                    make(depth - 1), make(depth - 1));
    }
  }

  static std::string withAllParentheses(const language::Expr& expr) {
    const auto child = [&](size_t index) { return "(" + withAllParentheses(*expr.children[index]) + ")"; };
    switch (expr.kind) {
      case language::ExprKind::kUnary: return expr.text + " " + child(0);
      case language::ExprKind::kBinary:
        // Python keeps `a or b or c` as one node of three.
        if ((expr.text == "and" || expr.text == "or") && expr.children[0]->kind == language::ExprKind::kBinary &&
            expr.children[0]->text == expr.text) {
          return withAllParentheses(*expr.children[0]) + " " + expr.text + " " + child(1);
        }
        return child(0) + " " + expr.text + " " + child(1);
      case language::ExprKind::kConditional: return child(1) + " if " + child(0) + " else " + child(2);
      case language::ExprKind::kSubscript:
        return child(0) + "[" + child(1) + ", :(" + withAllParentheses(*expr.children[2]->children[1]) + ")]";
      case language::ExprKind::kCall:
        return "(" + withAllParentheses(*expr.children[0]->children[0]) + ").add(" + child(1) + ", alpha=" + child(2) +
               ")";
      case language::ExprKind::kTuple: return "(" + child(0) + ",)";
      default: return expr.text;
    }
  }

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  std::mt19937 random_;
};

TEST(CasePrinterTest, RandomTreesMeanTheSameToPythonAndToTheParser) {
  std::vector<std::pair<std::string, std::string>> pairs;
  RandomExpressions random(7);
  for (int index = 0; index < 3000; ++index) {
    const language::ExprPtr expr = random.make(1 + index % 5);
    const std::string printed = language::printExpression(*expr);
    EXPECT_TRUE(language::sameExpr(*expr, *parser::parseExpression(printed))) << printed;
    pairs.emplace_back(printed, RandomExpressions::withAllParentheses(*expr));
  }
  expectSameToPython(pairs);
}

TEST(CasePrinterTest, NumbersAreWrittenAsPythonWritesThem) {
  const std::vector<double> values = {0.0,
                                      -0.0,
                                      1,
                                      0.1,
                                      1.0 / 3,
                                      1e15,
                                      1e16,
                                      123456789012345678.0,
                                      1e-4,
                                      1e-5,
                                      5e-324,
                                      1.5e300,
                                      2.5e-10,
                                      1e22,
                                      0.000123,
                                      100,
                                      -12.75,
                                      1e100,
                                      9007199254740993.0,
                                      1.7976931348623157e308};
  std::string script;
  for (const double value : values) {
    script += "assert repr(" + language::pythonFloatText(value) + ") == '" + language::pythonFloatText(value) + "'\n";
    EXPECT_EQ(parser::parseExpression(language::pythonFloatText(std::abs(value)))->text,
              language::pythonFloatText(std::abs(value)));
  }
  script += "assert " + language::printExpression(*language::makeInt(INT64_MIN)) + " == -2**63\n";
  script += "assert repr(" + language::printExpression(*language::makeFloat(-0.0)) + ") == '-0.0'\n";
  script += "assert " + language::printExpression(*language::makeFloat(-INFINITY)) + " == -1e999\n";
  script += "assert str(" + language::printExpression(*language::makeFloat(NAN)) + ") == 'nan'\n";
  const PythonResult result = runPython(script);
  EXPECT_EQ(result.status, 0) << result.output;
}

const char* const kEveryStatement = R"(def program(x, y, m):
    a = x + 1
    a, b = x, y
    (c,) = [x]
    a, *rest = x, y, a
    (a, b), c = (x, y), a
    x[0] = 1
    x[1:, 0] += y
    x.grad = None
    x.requires_grad = True
    m.weight = torch.nn.Parameter(y)
    a -= 1
    a @= b
    a //= 2
    a **= 2
    a >>= 1
    a <<= 1
    x.mul_(2)
    print(a)
    del a, b
    for i in range(3):
        y = y + i
    for p, q in [(x, y)]:
        pass
    while x.sum() < 3:
        x.add_(1)
    if x.dim() > 2 and not y.is_leaf:
        return
    elif y is None:
        return ()
    elif x.shape[0] == 1:
        pass
    else:
        y = x if c else y
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        torch._dynamo.graph_break()
    torch.set_grad_enabled(False)
    helper(x)
    x.register_hook(helper)
    z = SavesInput.apply(x)
    n = torch.autograd.grad([x.sum()], [x], retain_graph=True)[0]
    return {"x": x, "list": [y, *rest]}, (z, n), x.item(), x.size()
)";

std::string wholeFile() {
  return "# touchstone: 1\n# torch: 2.13.0\n# found-by: seed 7 case 1204\n# note: anything\n# new-key: kept\n"
         "# expect: torch:aot_eager Differs/values/call 0 output 0\n# expect: torch:eager Agreed\nimport torch\n\n\n" +
         language::dataPreamble() + "\n\n" + language::customFunctionText("SavesInput") + "\n\n" +
         language::customFunctionText("Identity") +
         "\n\ndef inputs(seed, kind):\n"
         "    base = data((24,), torch.float32, (seed, 0), kind)\n"
         "    x = torch.as_strided(base, (2, 3), (4, 1), 5)\n"
         "    m = torch.nn.Module()\n"
         "    m.weight = torch.nn.Parameter(data((3,), torch.float32, (seed, 1), \"ones\"))\n"
         "    m.register_buffer(\"n\", x)\n"
         "    m.inner = torch.nn.Linear(3, 3)\n"
         "    return (x, base, m), (base,)\n\n\n"
         "def helper(g):\n    return g\n\n\n" +
         kEveryStatement +
         "\n\ndef touch(args, outs):\n    args[0].mul_(2)\n\n\n"
         "CALLS = [\n"
         "    dict(inputs=\"inputs\"),\n"
         "    dict(inputs=None, seed=-8, kind=\"special\", reset=True, rng_seed=3, grad_mode=\"no_grad\", "
         "autocast=torch.bfloat16, backward=[0, \"arg 1\"], via=\"grad\", wrt=[0, 2], tangent_seed=11, "
         "tangent_layout=\"transposed\", backward_times=2, create_graph=True, derivatives=2, between=\"touch\", "
         "compiled_autograd=True, feed=[(0, 1), (2, 0)], instance=1),\n"
         "    dict(inputs=\"inputs\", seed=7, grad_mode=\"inference\", backward=[0], backward_after=1),\n"
         "    dict(inputs=\"inputs\", seed=8, backward=[0]),\n"
         "    dict(inputs=\"inputs\", seed=9, backward_after=[3, 2]),\n"
         "]\n"
         "COMPILE = dict(dynamic=None, fullgraph=True, options={\"max_autotune\": True, \"limit\": -3, \"rate\": "
         "0.5}, config={\"functorch.activation_memory_budget\": 0, \"dynamo.specialize_int\": True})\n";
}

TEST(CasePrinterTest, AWholeFileComesBackCharacterByCharacter) {
  const std::string text = wholeFile();
  const language::Case theCase = parser::parseCase(text);
  const std::string printed = standalone::printCase(theCase);
  EXPECT_EQ(printed.substr(0, text.size()), text);
  EXPECT_EQ(printed, text + "\n\n" + standalone::printMainPart(theCase));
  EXPECT_EQ(standalone::printCase(parser::parseCase(printed)), printed);
  expectSameToPython({{text, printed.substr(0, text.size())}});
}

TEST(CasePrinterTest, TheShortFormIsTheSameCase) {
  std::string onDevice = wholeFile();
  onDevice.insert(onDevice.find("# touchstone: 1\n") + 16, "# device: cuda:1\n");
  for (const std::string& text : {wholeFile(), onDevice}) {
    const std::string whole = standalone::printCase(parser::parseCase(text)),
                      brief = standalone::printCase(parser::parseCase(text), language::CaseForm::kShort);
    for (const char* generated : {"def data(", "on_default_device", "__main__"}) {
      EXPECT_EQ(brief.find(generated), std::string::npos) << generated;
    }
    const size_t headers = text.find("import torch");
    EXPECT_EQ(brief.substr(0, headers), text.substr(0, headers));
    EXPECT_EQ(standalone::printCase(parser::parseCase(brief)), whole);
    EXPECT_EQ(standalone::printCase(parser::parseCase(brief), language::CaseForm::kShort), brief);
    EXPECT_EQ(standalone::printCase(parser::parseCase(whole), language::CaseForm::kShort), brief);
  }
}

TEST(CasePrinterTest, StatementsMeanToPythonWhatTheParserRead) {
  const language::Function function = parser::parseFunction(kEveryStatement);
  expectSameToPython({{kEveryStatement, language::printFunction(function)}});
  const std::string untidy =
      "def f( x,y , ):\n  # a comment\n  if (x):\n     y=(x\n  +1)\n\n  else :\n     y = \\\n  2\n"
      "  return  ( x, y )   # the end\n";
  EXPECT_EQ(language::printFunction(parser::parseFunction(untidy)),
            "def f(x, y):\n    if x:\n        y = x + 1\n    else:\n        y = 2\n    return x, y\n");
  expectSameToPython({{untidy, language::printFunction(parser::parseFunction(untidy))}});
}

TEST(CasePrinterTest, DefaultsAreNotPrinted) {
  language::CallSpec call;
  call.inputs = "inputs";
  EXPECT_EQ(language::printCall(call), "dict(inputs=\"inputs\")");
  call.seed = 7;
  EXPECT_EQ(language::printCall(call), "dict(inputs=\"inputs\", seed=7)");
  language::Case theCase = parser::parseCase(
      "# touchstone: 1\nimport torch\ndef inputs(seed, kind):\n    return (), ()\n"
      "def program():\n    return 1\nCALLS = [dict(inputs=\"inputs\", seed=0, kind=\"grid\", "
      "backward=None, reset=False)]\nCOMPILE = dict(dynamic=False)\n");
  const std::string definitions = language::printDefinitions(theCase);
  EXPECT_EQ(definitions,
            "import torch\n\n\ndef inputs(seed, kind):\n    return (), ()\n\n\ndef program():\n    return 1\n"
            "\n\nCALLS = [\n    dict(inputs=\"inputs\"),\n]\n");
}

TEST(CasePrinterTest, TheWholeFileIsAcceptedByPython) {
  const std::string printed = standalone::printCase(parser::parseCase(wholeFile()));
  expectSameToPython({{printed, printed}});
}

TEST(CasePrinterTest, EveryClassOfTheFamilyIsPythonAndIsReadBack) {
  std::string script = "import torch\n";
  std::string file = "# touchstone: 1\nimport torch\n";
  for (const std::string& name : language::customFunctionNames()) {
    script += language::customFunctionText(name);
    file += language::customFunctionText(name);
    const bool takesTwo = language::customFunctionText(name).find("ctx, a, b") != std::string::npos;
    const std::string two = takesTwo ? "x * 1, x * 2" : "x * 1";
    script +=
        "x = torch.ones(2, 2, requires_grad=True)\nout = " + name + ".apply(" + two +
        ")\nout = out[0] if isinstance(out, tuple) else out\n(out * 1).sum().backward()\nassert x.grad is not None\n";
  }
  file +=
      "def inputs(seed, kind):\n    return (), ()\ndef program():\n    return 1\nCALLS = [dict(inputs=\"inputs\")]\n";
  const language::Case read = parser::parseCase(file);
  ASSERT_EQ(read.customFunctions.size(), language::customFunctionNames().size());
  for (const language::CustomFunction& function : read.customFunctions) {
    EXPECT_EQ(language::printCustomFunction(function), language::customFunctionText(function.name));
  }
  const PythonResult result = runPython(script);
  EXPECT_EQ(result.status, 0) << result.output;
}

} // namespace
} // namespace touchstone::tests
