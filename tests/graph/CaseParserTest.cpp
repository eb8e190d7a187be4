#include "program/parser/CaseParser.h"

#include "program/language/CompileFlags.h"
#include "program/standalone/CaseFile.h"
#include "tests/graph/ParsedFiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::tests {
namespace {

// A whole file with other calls.
std::string fileWithCalls(const std::string& calls) {
  return "# touchstone: 1\nimport torch\ndef inputs(seed, kind):\n    return (torch.zeros(2),), ()\n"
         "def program(x):\n    return x\ndef touch(args, outs):\n    pass\nCALLS = " +
         calls + "\n";
}

// The body is refused at this place of the file, with a message that holds `part`.
void expectRefused(const std::string& body, language::Place place, const std::string& part) {
  try {
    parser::parseCase(fileWith(body), {.file = "some.py"});
    ADD_FAILURE() << "accepted: " << body;
  } catch (const parser::ParseError& error) {
    EXPECT_NE(error.message().find(part), std::string::npos) << body << "\n" << error.what();
    EXPECT_NE(error.message().find("expected"), std::string::npos) << error.what();
    EXPECT_EQ(error.place().line, place.line) << error.what();
    EXPECT_EQ(error.place().column, place.column) << error.what();
  }
}

TEST(CaseParserTest, SaysFileLineColumnTheLineAndACaret) {
  EXPECT_EQ(messageOf(fileWith("    y = x + lambda: 3\n    return y"), {.file = "dir/case.py"}),
            "dir/case.py:10:13: unexpected `lambda`; expected an expression\n"
            "        y = x + lambda: 3\n"
            "                ^");
}

TEST(CaseParserTest, ARefusedImportSaysWhatMayBeImported) {
  const std::string begin = "# touchstone: 1\nimport torch\n";
  for (const char* import : {"import torch", "import os", "import torch.nn as nn", "from typing import NamedTuple"}) {
    const std::string said = messageOf(begin + import + "\n");
    for (const char* part : {":3:1: this import is refused", "`import torch.utils.checkpoint`", "without `as`"}) {
      EXPECT_NE(said.find(part), std::string::npos) << said;
    }
  }
}

TEST(CaseParserTest, DocstringsAreLeftOut) {
  const std::string text =
      standalone::printCase(parser::parseCase(fileWith("    return x")), language::CaseForm::kShort);
  for (const char* docstring : {"\"\"\"Says something.\"\"\"  # here", "'It says: \"x\".'",
                                "\"\"\"Says\nimport os\n\nif __name__ == '__main__':\n    what it does.\n    \"\"\""}) {
    const language::Case read = parser::parseCase(fileWith("    " + std::string(docstring) + "\n    return x"));
    EXPECT_EQ(standalone::printCase(read, language::CaseForm::kShort), text) << docstring;
  }
}

TEST(CaseParserTest, RefusesEachConstructWithAMessageOfItsOwn) {
  expectRefused("    y = (z := x)\n    return y", {10, 12}, "`:=`");
  expectRefused("    import os\n    return x", {10, 5}, "import");
  expectRefused("    from os import path\n    return x", {10, 5}, "import");
  expectRefused("    y = b\"a\"\n    return x", {10, 9}, "prefix `b`");
  expectRefused("    try:\n        y = x\n    except:\n        y = x\n    return y", {12, 5}, "`except` alone");
  expectRefused("    raise x", {10, 11}, "no exception that is listed");
  expectRefused("    return getattr(x, \"T\")", {10, 12}, "`getattr`");
  expectRefused("    f = getattr\n    return x", {10, 9}, "`getattr` is refused");
  expectRefused("    yield x", {10, 5}, "`yield`");
  expectRefused("    y = await x", {10, 9}, "`await`");
  expectRefused("    async with x:\n        pass", {10, 5}, "`async`");
  expectRefused("    global y\n    return x", {10, 5}, "`global`");
  expectRefused("    nonlocal y\n    return x", {10, 14}, "no variable of a function around");
  expectRefused("    y = {\"a\": a for a in x}\n    return y", {10, 17}, "unexpected `for`");
  expectRefused("    y = (a for a in x)\n    return y", {10, 12}, "a generator");
  expectRefused("    y = {1, 2}\n    return y", {10, 11}, "sets are refused");
  expectRefused("    y = {\"a\", \"b\"}\n    return y", {10, 13}, "sets are refused");
  expectRefused("    y = {\"a\": 1, \"a\": 2}\n    return y", {10, 18}, "twice");
  expectRefused("    y = 1 < x < 3\n    return y", {10, 15}, "chained comparison");
  expectRefused("    y = 1 < x is True\n    return y", {10, 15}, "chained comparison");
  expectRefused("    y = z = x\n    return y", {10, 11}, "second `=`");
  expectRefused("    y: int = 3\n    return y", {10, 6}, "annotations");
  expectRefused("    y = x; z = y\n    return y", {10, 10}, "`;`");
  expectRefused("    if x: y = 1\n    return y", {10, 11}, "line of its header");
  expectRefused("    for i in range(3):\n        pass\n    else:\n        pass\n    return x", {12, 5},
                "`else` of a loop");
  expectRefused("    while x:\n        pass\n    else:\n        pass\n    return x", {12, 5}, "`else` of a loop");
  expectRefused("    class A:\n        pass\n    return x", {10, 5}, "class");
  expectRefused("    with open(\"a\"):\n        y = x\n    return x", {10, 10}, "context manager");
  expectRefused("    y = torch.no_grad()\n    return x", {10, 15}, "context manager");
  expectRefused("    y = torch.add(x, other=y, other=y)\n    return y", {10, 31}, "given twice");
  expectRefused("    y = torch.add(input=x, y)\n    return y", {10, 28}, "without a name after");
  expectRefused("    y = +x\n    return y", {10, 9}, "unary `+`");
  expectRefused("    y = \"a\" \"b\"\n    return x", {10, 13}, "side by side");
  expectRefused("    y = \"\"\"Says something.\"\"\"\n    return x", {10, 9}, "triple-quoted");
  expectRefused("    y = x\n    \"\"\"Says something.\"\"\"\n    return x", {11, 5}, "triple-quoted");
  expectRefused("    if x:\n        \"\"\"Says something.\"\"\"\n    return x", {11, 9}, "triple-quoted");
  expectRefused("    \"\"\"Says something.\"\"\"; import os\n    return x", {10, 26}, "behind a docstring");
  expectRefused("    \"Says something.\"; import os\n    return x", {10, 22}, "`;`");
  expectRefused("    \"\"\"Says\n    \\\"\"\"\n    return x", {11, 5}, "`\\` in a docstring");
  expectRefused("    \"\"\"Says\n    return x", {10, 5}, "never closed");
  expectRefused("    \"\"\"Says something.\"\"\"", {12, 1}, "nothing but a docstring");
  expectRefused("    x\n    return x", {10, 5}, "does nothing");
  expectRefused("    x == y\n    return x", {10, 5}, "does nothing");
  expectRefused("    x + 1 = y\n    return x", {10, 7}, "cannot be assigned to");
  expectRefused("    (x, y) += y\n    return x", {10, 5}, "cannot be assigned to");
  expectRefused("    *a, *b = x\n    return a", {10, 9}, "second starred");
  expectRefused("    a = *x\n    return a", {10, 9}, "starred");
  expectRefused("    a = x[*y]\n    return a", {10, 11}, "starred index");
  expectRefused("    a = x[]\n    return a", {10, 11}, "expected an index");
  expectRefused("    a = x[1:2,]\n    return a", {10, 10}, "slice with a comma");
  expectRefused("    a = 0x10\n    return a", {10, 9}, "number");
  expectRefused("    a = 1_000\n    return a", {10, 9}, "number");
  expectRefused("    a = 007\n    return a", {10, 9}, "leading zeros");
  expectRefused("    a = 9223372036854775808\n    return a", {10, 9}, "below 2^63");
  expectRefused("    a = 1e999\n    return a", {10, 9}, "too large");
  expectRefused("    a = \"\\u0041\"\n    return a", {10, 10}, "escape");
  expectRefused("    a = \"abc\n    return a", {10, 9}, "does not end");
  expectRefused("    a = (x\n    return a", {10, 9}, "never closed");
  expectRefused("    a = (x]\n    return a", {10, 11}, "does not close");
  expectRefused("    a = x)\n    return a", {10, 10}, "closes nothing");
  expectRefused("    a = x ? y\n    return a", {10, 11}, "no part of the language");
  expectRefused("    a = \xc3\xa9\n    return a", {10, 9}, "no part of the language");
  expectRefused("    \ty = x\n    return y", {10, 5}, "tab");
  expectRefused("    if x:\n        y = x\n      z = y\n    return y", {12, 7}, "indentation");
  expectRefused("    y = x\n      z = y\n    return y", {11, 7}, "unexpected indentation");
  expectRefused("    if x:\n    return y", {11, 5}, "indented block");
  expectRefused("    y = x.if\n    return y", {10, 11}, "keyword");
}

TEST(CaseParserTest, RefusesNamesOutsideTheLanguage) {
  expectRefused("    y = z + x\n    return y", {10, 9}, "`z` is read but nothing was assigned");
  expectRefused("    w = w + x\n    return w", {10, 9}, "`w` is read but nothing was assigned");
  expectRefused("    long_name = x\n    return lng_name", {11, 12}, "perhaps `long_name`");
  expectRefused("    y = x.__class__\n    return y", {10, 11}, "`__`");
  expectRefused("    y = x.__add__(y)\n    return y", {10, 11}, "`__`");
  expectRefused("    y = __import__(\"os\")\n    return y", {10, 9}, "`__`");
  expectRefused("    __y = x\n    return x", {10, 5}, "`__`");
  expectRefused("    y = torch.__config__.show()\n    return y", {10, 26}, "`__`");
  expectRefused("    y = x.data\n    return y", {10, 11}, "not in the language");
  expectRefused("    y = x.shap\n    return y", {10, 11}, "perhaps `shape`");
  expectRefused("    y = open(\"a\")\n    return y", {10, 9}, "`open`");
  expectRefused("    y = eval(\"a\")\n    return y", {10, 9}, "`eval`");
  expectRefused("    y = getattr(x, \"a\")\n    return y", {10, 9}, "`getattr`");
  expectRefused("    y = torch.adddd_mm(x)\n    return y", {10, 15}, "unknown");
  expectRefused("    y = torch.reluu(x)\n    return y", {10, 15}, "perhaps `relu");
  expectRefused("    y = x.reluu()\n    return y", {10, 11}, "perhaps `relu");
  expectRefused("    y = torch.nn.functional.reluu(x)\n    return y", {10, 29}, "perhaps `relu");
  expectRefused("    y = torch.ops.aten.sinn.default(x)\n    return y", {10, 29}, "unknown");
  expectRefused("    y = torch.ops.prims.sin(x)\n    return y", {10, 25}, "unknown");
  expectRefused("    y = torch.utils.data.get()\n    return y", {10, 26}, "unknown");
  expectRefused("    y = torch.float33\n    return y", {10, 15}, "perhaps `float32`");
  expectRefused("    y = torch\n    return y", {10, 9}, "`torch` alone");
  expectRefused("    torch = x\n    return x", {10, 5}, "meaning of its own");
  expectRefused("    touch = x\n    return x", {10, 5}, "meaning of its own");
  expectRefused("    for len in x:\n        pass\n    return x", {10, 9}, "meaning of its own");
  expectRefused("    x.shape = y\n    return x", {10, 7}, "cannot be assigned to");
  expectRefused("    x._base = y\n    return x", {10, 7}, "cannot be assigned to");
  expectRefused("    x.data = y\n    return x", {10, 7}, "cannot be assigned to");
  expectRefused("    x.scale = y\n    return x * x.scale", {10, 7}, "cannot be assigned to");
  expectRefused("    y, x.scale = x, y\n    return x", {10, 10}, "cannot be assigned to");
  expectRefused("    torch.add = y\n    return x", {10, 5}, "`torch` alone");
  expectRefused("    y = 3()\n    return y", {10, 9}, "cannot be called");
  expectRefused("    y = data((2,), torch.float32, (seed, 0), kind)\n    return y", {10, 9}, "makes inputs");
  expectRefused("    y = program(x, x)\n    return y", {10, 9}, "called by CALLS only");
  expectRefused("    y = inputs(1, \"grid\")\n    return y", {10, 9}, "called by CALLS only");
}

TEST(CaseParserTest, RefusesForbiddenOperatorsAsForbidden) {
  expectRefused("    y = torch.save(x, \"a\")\n    return y", {10, 15}, "forbidden");
  expectRefused("    y = torch.load(\"a\")\n    return y", {10, 15}, "forbidden");
  expectRefused("    y = x.data_ptr()\n    return y", {10, 11}, "forbidden");
  expectRefused("    y = torch.from_file(\"a\")\n    return y", {10, 15}, "forbidden");
}

TEST(CaseParserTest, HoldsDataToItsForm) {
  const auto withData = [](const std::string& call) {
    return "# touchstone: 1\nimport torch\ndef inputs(seed, kind):\n    return (" + call +
           ",), ()\ndef program(x):\n    return x\nCALLS = [dict(inputs=\"inputs\")]\n";
  };
  EXPECT_EQ(messageOf(withData("data((), torch.bool, (seed, 0), kind)")), "accepted");
  EXPECT_EQ(messageOf(withData("data((2, 3), torch.uint16, (seed, 999999), \"special\")")), "accepted");
  for (const char* call : {"data([2], torch.bool, (seed, 0), kind)", "data((2), torch.bool, (seed, 0), kind)",
                           "data((2,), torch.boo, (seed, 0), kind)", "data((2,), torch.bool, seed, kind)",
                           "data((2,), torch.bool, (0, seed), kind)", "data((2,), torch.bool, (seed, 1000000), kind)",
                           "data((2,), torch.bool, (seed, 0), \"gauss\")", "data((2,), torch.bool, (seed, 0))",
                           "data((2,), torch.bool, (seed, 0), kind=kind)", "data((kind,), torch.bool, (seed, 0), kind)",
                           "data((2,), torch.bool, (7, 0), kind)"}) {
    EXPECT_NE(messageOf(withData(call)), "accepted") << call;
  }
}

TEST(CaseParserTest, ReadsWithPythonsPrecedence) {
  // The library's own parser reads each of these otherwise than Python.
  const std::vector<std::pair<const char*, const char*>> same = {
      {"a or b and c", "a or (b and c)"},
      {"~a + b", "(~a) + b"},
      {"not a == b", "not (a == b)"},
      {"-a ** 2", "-(a ** 2)"},
      {"2 ** 3 ** 2", "2 ** (3 ** 2)"},
      {"2 ** -a", "2 ** (-a)"},
      {"a - b - c", "(a - b) - c"},
      {"a @ b * c", "(a @ b) * c"},
      {"a & b == c", "(a & b) == c"},
      {"a | b ^ c & d << e + f * -g", "a | (b ^ (c & (d << (e + (f * (-g))))))"},
      {"a if b else c if d else e", "a if b else (c if d else e)"},
      {"not a in b", "not (a in b)"},
      {"a is not b and c not in d", "(a is not b) and (c not in d)"},
  };
  for (const auto& [left, right] : same) {
    EXPECT_TRUE(language::sameExpr(*parser::parseExpression(left), *parser::parseExpression(right))) << left;
  }
  EXPECT_FALSE(
      language::sameExpr(*parser::parseExpression("(a or b) and c"), *parser::parseExpression("a or b and c")));
}

TEST(CaseParserTest, ReadsLiterals) {
  EXPECT_EQ(parser::parseExpression("1.50")->text, "1.5");
  EXPECT_EQ(parser::parseExpression(".5")->text, "0.5");
  EXPECT_EQ(parser::parseExpression("1.")->text, "1.0");
  EXPECT_EQ(parser::parseExpression("1E3")->text, "1000.0");
  EXPECT_EQ(parser::parseExpression("1e-5")->text, "1e-05");
  EXPECT_EQ(parser::parseExpression("1e16")->text, "1e+16");
  EXPECT_EQ(parser::parseExpression("123456789.125")->text, "123456789.125");
  EXPECT_EQ(parser::parseExpression("2j")->text, "2");
  EXPECT_EQ(parser::parseExpression("9223372036854775807")->text, "9223372036854775807");
  EXPECT_EQ(parser::parseExpression("'a\"b\\n\\x41'")->text, "a\"b\nA");
  EXPECT_EQ(parser::parseExpression("\"\xc3\xa9\"")->text, "\xc3\xa9");
}

TEST(CaseParserTest, KnowsWhereEachPieceStands) {
  const language::Case theCase = parser::parseCase(fileWith("    y = x.add_(\n        1)\n    return y"));
  const language::Statement& statement = *theCase.program().body[0];
  EXPECT_EQ(statement.place.line, 10);
  EXPECT_EQ(statement.place.column, 5);
  EXPECT_EQ(statement.value->place.line, 10);
  EXPECT_EQ(statement.value->place.column, 11); // the method's name
  EXPECT_EQ(statement.value->children[1]->place.line, 11);
  EXPECT_EQ(statement.value->children[1]->place.column, 9);
}

TEST(CaseParserTest, HeadersAreReadAndKept) {
  const std::string text = fileWith("    return x");
  const language::Case theCase = parser::parseCase(
      "# A comment for people\n# note: two: colons\n# strange-key: kept\n#\n"
      "# expect: torch:aot_eager Differs/values/call 0 output 0\n# torch: 2.13.0\n" +
      text);
  ASSERT_EQ(theCase.headers.size(), 3u);
  EXPECT_EQ(theCase.header("note"), "two: colons");
  EXPECT_EQ(theCase.header("strange-key"), "kept");
  EXPECT_EQ(theCase.header("torch"), "2.13.0");
  ASSERT_EQ(theCase.expectations.size(), 1u);
  EXPECT_EQ(theCase.expectations[0].where, "output 0");
  EXPECT_NE(messageOf("# touchstone: 2\n" + text).find("newer"), std::string::npos);
  EXPECT_NE(messageOf("# touchstone: one\n" + text).find("format version"), std::string::npos);
  EXPECT_NE(messageOf(text.substr(16)).find("no case file"), std::string::npos);
  EXPECT_NE(messageOf("# -*- coding: latin-1 -*-\n" + text).find("encoding"), std::string::npos);
  EXPECT_NE(messageOf("\t# coding: utf-7\n" + text).find("encoding"), std::string::npos);
  EXPECT_NE(messageOf("# touchstone: 1\n# expect: torch:eager Wrong\n" + text).find("no outcome"), std::string::npos);
}

TEST(CaseParserTest, ExpectationsRoundTrip) {
  for (const char* text : {"torch:eager Agreed", "torch:aot_eager Differs", "torch:aot_eager Differs/strides",
                           "aot_eager Differs/gradient_values/call 3 leaf 2", "a Differs/state/call 1",
                           "torch:inductor BackendRejected/compile", "x BackendRejected/backward", "x Limit/A13",
                           "x Limit", "torch:package.module:attribute Crashed", "x InternalError/compile",
                           "x Differs/version/call 31 arg 10", "x Differs/effect/call 0 watched 0"}) {
    EXPECT_EQ(language::parseExpectation(text).text(), text);
  }
  for (const char* text :
       {"", "torch:eager", "x Agreed/values", "x Differs/colour", "x Differs/values/0", "x Differs/values/call",
        "x Differs/values/call -1", "x Differs/values/call 0 output", "x Differs/values/call 0 thing 1",
        "x BackendRejected/lunch", "x Crashed/forward", "x Differs/values/call 0 output 0 more"}) {
    EXPECT_THROW(language::parseExpectation(text), std::invalid_argument) << text;
  }
}

TEST(CaseParserTest, MarksOfDimensionsAreStatementsOfInputsFunctionsAlone) {
  const auto withMark = [](const std::string& mark) {
    return messageOf("# touchstone: 1\nimport torch\ndef inputs(seed, kind):\n    x = torch.zeros(2)\n    " + mark +
                     "\n    return (x,), ()\ndef program(x):\n    return x\nCALLS = [dict(inputs=\"inputs\")]\n");
  };
  for (const char* good : {"torch._dynamo.mark_dynamic(x, 0)", "torch._dynamo.mark_dynamic(x, 0, min=2, max=64)",
                           "torch._dynamo.mark_dynamic(x, 0, max=4, min=4)", "torch._dynamo.mark_static(x, 7)",
                           "torch._dynamo.mark_static(x, 0)", "torch._dynamo.maybe_mark_dynamic(x, 0)",
                           "torch._dynamo.decorators.mark_unbacked(x, 0)"}) {
    EXPECT_EQ(withMark(good), "accepted");
  }
  const std::pair<const char*, const char*> kBad[] = {
      {"torch._dynamo.mark_dynamic(x)", "a variable and the number of a dimension"},
      {"torch._dynamo.mark_dynamic(x.t(), 0)", "a variable and the number of a dimension"},
      {"torch._dynamo.mark_dynamic(y, 0)", "nothing was assigned to it before"},
      {"torch._dynamo.mark_dynamic(x, -1)", "this is no number"},
      {"torch._dynamo.mark_dynamic(x, 0, min=9, max=2)", "`min=9` is above `max=2`"},
      {"torch._dynamo.mark_dynamic(x, 0, max=2, min=9)", "`min=9` is above `max=2`"},
      {"torch._dynamo.mark_dynamic(x, 0, hint_override=3)", "no argument that may be given here"},
      {"torch._dynamo.mark_static(x, 0, min=2)", "no argument that may be given here"},
      {"x = torch._dynamo.mark_static(x, 0)", "as a statement of its own"},
      {"torch._dynamo.reset()", "is unknown"}};
  for (const auto& [mark, part] : kBad) {
    EXPECT_NE(withMark(mark).find(part), std::string::npos) << withMark(mark);
  }
  expectRefused("    torch._dynamo.mark_dynamic(x, 0)\n    return x", {10, 19},
                "a function whose name begins with `inputs`");
}

TEST(CaseParserTest, TopLevelIsClosed) {
  const std::string good = fileWith("    return x");
  EXPECT_EQ(messageOf(good), "accepted");
  const auto refused = [&](const std::string& added, const std::string& part) {
    const std::string message = messageOf(good + added);
    EXPECT_NE(message.find(part), std::string::npos) << added << "\n" << message;
  };
  refused("import os\n", "import");
  refused("import torch\n", "import");
  refused("from torch import *\n", "import");
  refused("print(1)\n", "expected `=` after `print`");
  refused("x = 1\n", "meaning of its own");
  refused("  x = 1\n", "indentation");
  refused("@torch.compile\ndef f(x):\n    return x\n", "decorators");
  refused("def data(shape, dtype, seed, kind):\n    return 1\n", "is fixed");
  refused("def touch(a, b):\n    return a\n", "twice");
  refused("def range(a):\n    return a\n", "meaning of its own");
  for (const char* name : {"_main", "zip", "ValueError", "staticmethod", "sys", "functools"}) {
    refused(std::string("def ") + name + "(a):\n    return a\n", "meaning of its own");
    refused(std::string("class ") + name + ":\n    pass\n", "meaning of its own");
    refused(name + std::string(" = 1\n"), "meaning of its own");
  }
  refused("def f(a, a):\n    return a\n", "twice");
  refused("def f(a={}):\n    return a\n", "is a literal");
  refused("def f(a: open):\n    return a\n", "is no type");
  refused("def f(*, a):\n    return a\n", "among the parameters");
  refused("def f(**a):\n    return a\n", "among the parameters");
  refused("def f(a, /):\n    return a\n", "among the parameters");
  refused("def f(a):\n    return f(a)\n", "calls itself");
  refused("def f(a):\n    return g(a)\ndef g(a):\n    return f(a)\n", "calls itself");
  refused("def inputs_more(a):\n    return a\n", "(seed, kind)");
  refused("CALLS = [dict(inputs=\"inputs\")]\n", "twice");
  refused("COMPILE = dict(mode=1)\n", "no key");
  refused("COMPILE = dict(options={\"cpp.cxx\": \"/bin/sh\"})\n", "other options are refused");
  refused("COMPILE = dict(options={\"trace.enabled\": True})\n", "does more than to change what is compiled");
  EXPECT_NE(messageOf("# touchstone: 1\n").find("import torch"), std::string::npos);
  EXPECT_NE(messageOf("# touchstone: 1\nimport torch\n").find("program"), std::string::npos);
  EXPECT_NE(messageOf("# touchstone: 1\nimport torch\ndef program():\n    return 1\n").find("CALLS"),
            std::string::npos);
  EXPECT_NE(messageOf("# touchstone: 1\ndef program():\n    return 1\n").find("import torch"), std::string::npos);
}

TEST(CaseParserTest, NoStarHidesAnArgumentThatWouldRunOtherCode) {
  const auto refused = [&](const std::string& call, const std::string& part) {
    const std::string message = messageOf(fileWith("    return " + call));
    EXPECT_NE(message.find(part), std::string::npos) << call << "\n" << message;
  };
  const std::string compile = "torch.compile(touch, ", checkpoint = "torch.utils.checkpoint.checkpoint(touch, ",
                    attention = "torch.nn.attention.flex_attention.flex_attention(x, x, x, ";
  refused(compile + "**{\"mode\": \"max-autotune\"}, backend=\"eager\")", "starred arguments");
  refused(checkpoint + "*[x], **{\"debug\": True})", "starred arguments");
  refused(checkpoint + "x, context_fn=touch)", "`context_fn=` is refused");
  refused(attention + "kernel_options={\"BLOCK_M\": \"1; system(0)\"})", "`kernel_options=` is refused");
  refused(attention + "None, None, None, False, False, {\"BLOCK_M\": 1})", "too many arguments without names");
  refused("torch.nn.utils.parametrize.register_parametrization(*[x, \"__class__\", y])", "starred arguments");
}

TEST(CaseParserTest, FlagsOfConfigsAreATableWithTypes) {
  const auto messageFor = [](const std::string& config) {
    return messageOf(fileWithCalls("[dict(inputs=\"inputs\")]") + "COMPILE = dict(config=" + config + ")\n");
  };
  EXPECT_EQ(messageFor("{\"functorch.activation_memory_budget\": 0, \"inductor.cpp.simdlen\": None, "
                       "\"functorch.backward_pass_autocast\": \"off\", \"dynamo.specialize_int\": True}"),
            "accepted");
  for (const auto& [config, part] : std::vector<std::pair<std::string, std::string>>{
           {"{\"functorch.cze\": False}", "`functorch.cze` is no flag that a Case may set"},
           {"{\"functorch.cze\": False}", "perhaps `functorch.cse`"},
           {"{\"emulate_precision_cast\": True}", "perhaps `inductor.emulate_precision_casts`"},
           {"{\"inductor.cpp.cxx\": True}", "no flag that a Case may set"},
           {"{\"inductor.max_autotune\": True}", "no flag that a Case may set"},
           {"{\"functorch.cse\": 1}", "this is no value of the flag `functorch.cse`; expected True or False"},
           {"{\"functorch.cse\": None}", "expected True or False"},
           {"{\"functorch.activation_memory_budget\": 1.5}", "expected a number from 0 to 1"},
           {"{\"functorch.activation_memory_budget\": -0.5}", "expected a number from 0 to 1"},
           {"{\"inductor.max_fusion_size\": 1.0}", "expected an integer from 1 to 1024"},
           {"{\"inductor.cpp.simdlen\": True}", "expected an integer from 1 to 512, or None"},
           {"{\"functorch.backward_pass_autocast\": \"on\"}", "expected \"same_as_forward\" or \"off\""},
           {"{\"functorch.backward_pass_autocast\": \"\"}", "expected \"same_as_forward\""},
           {"{\"functorch.cse\": False, \"functorch.cse\": False}", "each key once"},
           {"True", "a dict of flags"}}) {
    EXPECT_NE(messageFor(config).find(part), std::string::npos) << config << "\n" << messageFor(config);
  }
  const std::string place = messageFor("{\"functorch.cse\": False, \"dynamo.specialise_int\": True}");
  EXPECT_NE(place.find("    COMPILE = dict(config={\"functorch.cse\": False, \"dynamo.specialise_int\": True})\n" +
                       std::string(51, ' ') + "^"),
            std::string::npos)
      << place;
}

TEST(CaseParserTest, EveryFlagIsInItsPage) {
  std::ifstream file(TOUCHSTONE_SOURCE_DIR "/docs/compile_flags.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const language::CompileFlag& flag : language::compileFlags()) {
    std::string values = language::takenBy(flag);
    if (flag.kind == language::CompileFlag::Kind::kChoice) {
      values = "`" + std::regex_replace(values, std::regex(" or "), "` or `") + "`";
    }
    std::string drawn;
    for (const std::string_view each : flag.drawn) {
      drawn += each.empty() ? "" : (drawn.empty() ? "`" : ", `") + std::string(each) + "`";
    }
    const std::string row = "| `" + std::string(flag.name) + "` | " + values + " | " + drawn + " |";
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

TEST(CaseParserTest, CallsAreChecked) {
  EXPECT_EQ(messageOf(fileWithCalls("[dict(inputs=\"inputs\"), dict(inputs=None, backward=[0, \"arg 0\"])]")),
            "accepted");
  for (const auto& [calls, part] : std::vector<std::pair<std::string, std::string>>{
           {"[dict(seed=7)]", "no `inputs`"},
           {"[dict(inputs=None)]", "no inputs before"},
           {"[dict(inputs=\"inpts\")]", "no function `inpts`"},
           {"[dict(inputs=\"touch\")]", "no function `touch`"},
           {"[dict(inputs=\"inputs\", sede=7)]", "no key `sede`"},
           {"[dict(inputs=\"inputs\", seed=\"7\")]", "`seed`"},
           {"[dict(inputs=\"inputs\", seed=7.5)]", "`seed`"},
           {"[dict(inputs=\"inputs\", kind=\"gauss\")]", "`kind`"},
           {"[dict(inputs=\"inputs\", grad_mode=\"off\")]", "`grad_mode`"},
           {"[dict(inputs=\"inputs\", autocast=\"bfloat16\")]", "`autocast`"},
           {"[dict(inputs=\"inputs\", backward=[])]", "`backward`"},
           {"[dict(inputs=\"inputs\", backward=[0, 0])]", "`backward`"},
           {"[dict(inputs=\"inputs\", backward=[\"leaf 0\"])]", "`backward`"},
           {"[dict(inputs=\"inputs\", backward=[-1])]", "`backward`"},
           {"[dict(inputs=\"inputs\", via=\"engine\")]", "`via`"},
           {"[dict(inputs=\"inputs\", tangent_layout=\"odd\")]", "`tangent_layout`"},
           {"[dict(inputs=\"inputs\", backward_times=0)]", "`backward_times`"},
           {"[dict(inputs=\"inputs\", create_graph=1)]", "`create_graph`"},
           {"[dict(inputs=\"inputs\", backward_after=0)]", "no backward to put off"},
           {"[dict(inputs=\"inputs\"), dict(inputs=\"inputs\", backward_after=0)]", "no backward to put off"},
           {"[dict(inputs=\"inputs\", backward=[0]), dict(inputs=\"inputs\", backward_after=[0, 0])]",
            "no backward to put off"},
           {"[dict(inputs=\"inputs\"), dict(inputs=\"inputs\", backward_after=[])]", "a list of such indices"},
           {"[dict(inputs=\"inputs\", feed=[(0, 0)])]", "no call before it that could feed it"},
           {"[dict(inputs=\"inputs\"), dict(inputs=\"inputs\", feed=[0])]", "a list of pairs"},
           {"[dict(inputs=\"inputs\"), dict(inputs=\"inputs\", feed=[(0, 0), (0, 1)])]", "each argument once"},
           {"[dict(inputs=\"inputs\", instance=2)]", "an integer from 0 to 1"},
           {"[dict(inputs=\"inputs\", backward=[0], derivatives=3)]", "an integer from 1 to 2"},
           {"[dict(inputs=\"inputs\", backward=[0], derivatives=2)]", "`via=\"grad\"` beside it"},
           {"[dict(inputs=\"inputs\", between=\"program\")]", "between forward and backward"},
           {"[dict(inputs=\"inputs\", between=\"nothing\")]", "between forward and backward"},
           {"[dict(\"inputs\")]", "dict(key=value"},
           {"[7]", "dict(key=value"},
           {"7", "no list of calls"}}) {
    const std::string message = messageOf(fileWithCalls(calls));
    EXPECT_NE(message.find(part), std::string::npos) << calls << "\n" << message;
  }
  std::string many = "[";
  for (int index = 0; index < language::kMaximumCalls; ++index) {
    many += "dict(inputs=\"inputs\"), ";
  }
  EXPECT_EQ(messageOf(fileWithCalls(many + "]")), "accepted");
  EXPECT_NE(messageOf(fileWithCalls(many + "dict(inputs=\"inputs\")]")), "accepted");
}

TEST(CaseParserTest, TheMainPartMustBeTheGeneratedOne) {
  const std::string text = standalone::printCase(parser::parseCase(fileWith("    return x")));
  EXPECT_EQ(messageOf(text), "accepted");
  EXPECT_EQ(messageOf(text + "\n\n"), "accepted");
  std::string changed = text;
  changed.replace(changed.find("set_num_threads(1)"), 18, "set_num_threads(2)");
  EXPECT_NE(messageOf(changed).find("--rewrite"), std::string::npos);
  EXPECT_EQ(messageOf(changed, {.checkMainPart = false}), "accepted");
  EXPECT_EQ(standalone::printCase(parser::parseCase(changed, {.checkMainPart = false})), text);
  EXPECT_NE(messageOf(text + "import os\n").find("too much"), std::string::npos);
  EXPECT_NE(messageOf(text + "    print(1)\n").find("too much"), std::string::npos);
  EXPECT_NE(messageOf(text.substr(0, text.size() - 60)).find("expected"), std::string::npos);
  std::string preamble = text;
  preamble.replace(preamble.find("0x9E3779B1"), 10, "0x9E3779B2");
  EXPECT_NE(messageOf(preamble).find("`data` is fixed"), std::string::npos);
}

TEST(CaseParserTest, HostileTextsAreRefusedNotCrashedOn) {
  const auto refused = [](const std::string& text) { EXPECT_NE(messageOf(text), "accepted") << text.substr(0, 80); };
  refused("");
  refused("\n");
  refused(std::string("\0\1\2", 3));
  refused(std::string(1000, '\xff'));
  refused("# touchstone: 1");
  refused(std::string((1 << 20) + 1, '#'));
  for (const std::string piece :
       {"(",        "[",   "{\"a\":", "f(",     "x[", "-", "not ", "~",    "2 ** ",   "x if x else ",
        "lambda: ", "x.a", "x + ",    "x and ", "x(", ")", "\"",   "\\\n", "if x:\n", "x = ",
        "*",        ":",   ",",       "@"}) {
    std::string many;
    while (many.size() < 50000) {
      many += piece;
    }
    refused(fileWith("    y = " + many));
    refused(fileWith("    " + many));
    if (piece != "\\\n") { // a long line in many pieces is still a line
      refused(fileWith("    y = " + many + "x"));
    }
  }
  refused(fileWith("    y = " + std::string(5000, '(') + "x" + std::string(5000, ')') + "\n    return y"));
  refused(fileWith("    y = " + std::string(5000, '-') + "x\n    return y"));
  std::string sum = "x";
  for (int index = 0; index < 20000; ++index) {
    sum += " + x";
  }
  refused(fileWith("    y = " + sum + "\n    return y"));
  std::string calls = "x";
  for (int index = 0; index < 20000; ++index) {
    calls += ".relu()";
  }
  refused(fileWith("    y = " + calls + "\n    return y"));
  std::string blocks, branches = "    if x:\n        pass\n";
  for (int depth = 1; depth < 60; ++depth) {
    blocks += std::string(static_cast<size_t>(depth) * 4, ' ') + "if x:\n";
  }
  for (int index = 0; index < 5000; ++index) {
    branches += "    elif x:\n        pass\n";
  }
  refused(fileWith(blocks + std::string(240, ' ') + "pass\n    return x"));
  refused(fileWith(branches + "    return x"));
}

/// A text is a Case that is printed as it is read, or is refused at a place of its own. True: it is a Case.
bool expectReadOrRefused(const std::string& text) {
  try {
    const std::string printed = standalone::printCase(parser::parseCase(text, {.file = "some.py"}));
    EXPECT_EQ(standalone::printCase(parser::parseCase(printed)), printed);
    return true;
  } catch (const parser::ParseError& error) {
    EXPECT_EQ(std::string(error.what()).find("some.py:" + std::to_string(error.place().line) + ":"), 0u)
        << error.what();
    EXPECT_FALSE(error.message().empty()) << text;
    EXPECT_GE(error.place().line, 1) << error.what();
    EXPECT_LE(error.place().line, std::count(text.begin(), text.end(), '\n') + 1) << error.what();
    EXPECT_GE(error.place().column, 1) << error.what();
    return false;
  }
}

TEST(CaseParserTest, EveryPrefixOfAFileIsReadOrRefused) {
  const std::string text =
      standalone::printCase(parser::parseCase(fileWith("    y = x[1:, ...].add_(1.5, alpha=2)\n    if y is not None:\n"
                                                       "        del y\n    return {\"a\": x}, [x, -1]")));
  int read = 0, refused = 0;
  const auto count = [&](const std::string& changed) { ++(expectReadOrRefused(changed) ? read : refused); };
  for (size_t length = 0; length < text.size(); length += 3) {
    count(text.substr(0, length));
  }
  EXPECT_GT(refused, 20);
  EXPECT_TRUE(expectReadOrRefused(text));
  for (size_t at = 0; at < text.size(); at += 13) {
    for (const char c : {'(', ')', '"', '\n', ' ', ':', '\0', '\xe2'}) {
      std::string changed = text;
      changed[at] = c;
      count(changed);
    }
  }
  EXPECT_GT(read, 0) << "what is changed in a comment changes nothing";
}

TEST(CaseParserTest, WithoutAFinalNewlineAndWithWindowsLines) {
  std::string text = fileWith("    return x");
  const std::string printed = standalone::printCase(parser::parseCase(text));
  text.pop_back();
  EXPECT_EQ(standalone::printCase(parser::parseCase(text)), printed);
  std::string windows;
  for (const char c : text) {
    windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  }
  EXPECT_EQ(standalone::printCase(parser::parseCase(windows)), printed);
}

TEST(CaseParserTest, ReadsFilesFromDisk) {
  const std::string path = testing::TempDir() + "case_parser_test.py";
  std::ofstream(path) << fileWith("    return zz");
  try {
    parser::readCase(path);
    FAIL();
  } catch (const parser::ParseError& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, path.size() + 7), path + ":10:12:");
  }
  EXPECT_THROW(parser::readCase(testing::TempDir() + "not/there.py"), std::runtime_error);
  EXPECT_THROW(parser::readCase(testing::TempDir()), std::runtime_error);
}

} // namespace
} // namespace touchstone::tests
