#include "program/semantics/Limits.h"

#include "program/evaluator/Evaluator.h"
#include "program/parser/CaseParser.h"
#include "program/values/RaisedException.h"

#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace touchstone::tests {
namespace {

struct GreedyProgram {
  const char* name;
  const char* body;
  const char* error; // class
  const char* place; // part of the statement that is named
};

language::Case caseWith(const std::string& body) {
  return parser::parseCase(
      "# touchstone: 1\nimport torch\n\n\ndef inputs(seed, kind):\n    x = torch.ones((2, 3))\n"
      "    return (x,), ()\n\n\ndef program(x):\n" +
      body + "\n\nCALLS = [\n    dict(inputs=\"inputs\"),\n]\n");
}

values::Value run(const std::string& body) {
  const language::Case theCase = caseWith(body);
  evaluator::Evaluator evaluator(theCase);
  return evaluator.call("program", {values::Value(at::ones({2, 3}))});
}

const GreedyProgram kGreedy[] = {
    {"listDoubles", "    y = [x]\n    for i in range(100):\n        y = y + y\n    return x\n", "MemoryError",
     "y = y + y"},
    {"listRepeats", "    y = [x] * 1000\n    y = y * 1000000000000\n    return x\n", "MemoryError", "y * 10000"},
    {"listExtendsItself", "    y = [x]\n    for i in range(100):\n        y.extend(y)\n    return x\n", "MemoryError",
     "y.extend(y)"},
    {"sliceGrows", "    y = [x]\n    for i in range(100):\n        y[0:0] = y\n    return x\n", "MemoryError",
     "y[0:0] = y"},
    {"displayDoubles", "    y = [x]\n    for i in range(100):\n        y = [*y, *y]\n    return x\n", "MemoryError",
     "[*y, *y]"},
    {"textDoubles", "    y = \"ab\"\n    for i in range(100):\n        y = y + y\n    return x\n", "MemoryError",
     "y = y + y"},
    {"textsPileUp", "    y = []\n    while True:\n        y.append(\"a\" * 9999)\n", "MemoryError", "y.append("},
    {"rangeIsLong", "    y = list(range(10**12))\n    return x\n", "MemoryError", "list(range("},
    {"numbersOfATensor", "    y = torch.zeros(3000000).tolist()\n    return x\n", "MemoryError", "tolist()"},
    {"viewsOfATensor", "    for t in torch.zeros(1).expand(1000000000):\n        pass\n    return x\n", "MemoryError",
     "for t in"},
    {"sharedIsReturned", "    y = [x]\n    for i in range(100):\n        y = [y, y]\n    return y\n", "RecursionError",
     "return y"},
    {"wideIsReturned", "    y = [x]\n    for i in range(20):\n        y = [y, y]\n    return y\n", "MemoryError",
     "return y"},
    {"dictsAreReturned",
     "    y = {\"a\": x}\n    for i in range(20):\n        y = {\"a\": y, \"b\": y}\n    return y\n", "MemoryError",
     "return y"},
    {"itselfIsReturned", "    y = [x]\n    y.append(y)\n    return y\n", "RecursionError", "return y"},
    {"sharedIsCompared",
     "    a = [1]\n    b = [1]\n    for i in range(100):\n        a = [a, a]\n        b = [b, b]\n    y = a == b\n"
     "    return x\n",
     "MemoryError", "y = a == b"},
    {"sharedBecomesATensor",
     "    a = [1]\n    for i in range(60):\n        a = [a, a]\n    y = torch.tensor(a)\n    return x\n", "MemoryError",
     "torch.tensor(a)"},
    {"sharedIsAnIndex", "    a = [1]\n    for i in range(60):\n        a = [a, a]\n    y = x[a]\n    return x\n",
     "MemoryError", "x[a]"},
    {"fieldOfATensor", "    m = torch.nn.Module()\n    m.scale = x\n    x.scale = m.scale\n    return x\n",
     "AttributeError", "x.scale = m.scale"},
    {"statements", "    while True:\n        x = x\n", "RuntimeError", "while True:"},
};

} // namespace

TEST(EvaluatorLimitsTest, SaysWhatTheLimitIsAndWhereItWasReachedBeforeMemoryIsUsed) {
  for (const GreedyProgram& greedy : kGreedy) {
    SCOPED_TRACE(greedy.name);
    const auto begin = std::chrono::steady_clock::now();
    try {
      run(greedy.body);
      ADD_FAILURE() << "nothing was raised";
    } catch (const values::RaisedException& error) {
      EXPECT_TRUE(error.isLimit);
      EXPECT_EQ(error.type(), greedy.error) << error.what();
      EXPECT_NE(error.message().find(greedy.place), std::string::npos) << error.what();
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(seconds.count(), 5);
  }
}

TEST(EvaluatorLimitsTest, WhatIsDeepIsTakenApartWithoutAStackAsDeep) {
  EXPECT_TRUE(run("    y = [x]\n    for i in range(49000):\n        y = [y]\n    return x\n").isTensor());
  EXPECT_TRUE(
      run("    y = {\"a\": x}\n    for i in range(49000):\n        y = {\"a\": (y,)}\n    return x\n").isTensor());
  EXPECT_TRUE(
      run("    y = []\n    z = y\n    for i in range(30000):\n        w = []\n        z.append(w)\n        z = w\n"
          "    return x\n")
          .isTensor());
}

TEST(EvaluatorLimitsTest, ComparingWhatHoldsItselfIsARecursionErrorAsInPython) {
  try {
    run("    a = [1]\n    b = [1]\n    a[0] = a\n    b[0] = b\n    return a == b\n");
    FAIL() << "nothing was raised";
  } catch (const values::RaisedException& error) {
    EXPECT_EQ(error.type(), "RecursionError");
    EXPECT_FALSE(error.isLimit);
  }
}

TEST(EvaluatorLimitsTest, EachCallStartsAnew) {
  const language::Case theCase = caseWith("    y = [x] * 1500000\n    return len(y)\n");
  evaluator::Evaluator evaluator(theCase);
  for (int call = 0; call < 3; ++call) {
    EXPECT_EQ(evaluator.call("program", {values::Value()}).as<int64_t>(), 1'500'000);
  }
}

} // namespace touchstone::tests
