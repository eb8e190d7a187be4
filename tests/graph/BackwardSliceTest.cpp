#include "program/analysis/NameFlow.h"

#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace touchstone::tests {

namespace {

std::string slice(const std::string& body, const std::set<std::string>& written = {}, bool otherEffects = true) {
  const language::Function function = parser::parseFunction("def program(x, w):\n" + body);
  const language::Function sliced =
      analysis::sliceBackward(function, {written, analysis::AliasGroups(function.body), otherEffects});
  const std::string text = language::printFunction(sliced);
  return text.substr(text.find('\n') + 1);
}

} // namespace

TEST(BackwardSliceTest, WhatNothingReturnedDependsOnIsDropped) {
  EXPECT_EQ(slice("    y = x.sin()\n    z = w.cos()\n    y, u = w.chunk(2)\n    r = u + 1\n    return z\n"),
            "    z = w.cos()\n    return z\n");
  EXPECT_EQ(slice("    y = x.sin()\n    z = y.cos()\n    return z\n"),
            "    y = x.sin()\n    z = y.cos()\n    return z\n");
}

TEST(BackwardSliceTest, AFunctionInsideIsKeptOrDroppedAsAWhole) {
  const std::string inside =
      "    def f(a):\n        b = a + 1\n        if b.dim() > 0:\n            b = b * 2\n        return b\n";
  EXPECT_EQ(slice(inside + "    y = f(x)\n    z = w.cos()\n    return y\n"), inside + "    y = f(x)\n    return y\n");
  EXPECT_EQ(slice(inside + "    z = w.cos()\n    return z\n"), "    z = w.cos()\n    return z\n");
}

TEST(BackwardSliceTest, WritesThroughViewsAreKept) {
  const std::string through = "    v = x.t()\n    v[0] += 1\n    y = x.sin()\n    return y\n";
  EXPECT_EQ(slice(through), through);
  const std::string after = "    v = x[0]\n    x.mul_(2)\n    return v\n";
  EXPECT_EQ(slice(after), after);
  const std::string out = "    v = x.view(-1)\n    torch.add(w, 1, out=v)\n    return x\n";
  EXPECT_EQ(slice(out), out);
}

TEST(BackwardSliceTest, WritesToOtherMemoryOrAfterTheLastReadAreDropped) {
  EXPECT_EQ(slice("    y = x.sin()\n    w.add_(1)\n    y2 = y.exp()\n    x.zero_()\n    return y2\n"),
            "    y = x.sin()\n    y2 = y.exp()\n    return y2\n");
}

TEST(BackwardSliceTest, WritesToNamedMemoryCount) {
  const std::string text = "    x.add_(1)\n    w.add_(1)\n    return x.shape\n";
  EXPECT_EQ(slice(text, {"x", "w"}), text);
  EXPECT_EQ(slice("    v = w.t()\n    v.add_(1)\n    x.add_(1)\n    return\n", {"w"}),
            "    v = w.t()\n    v.add_(1)\n    return\n");
}

TEST(BackwardSliceTest, OtherEffectsAreKeptOnDemand) {
  const std::string text = "    torch._dynamo.graph_break()\n    return x\n";
  EXPECT_EQ(slice(text), text);
  EXPECT_EQ(slice(text, {}, false), "    return x\n");
}

TEST(BackwardSliceTest, BlocksStayWithWhatIsLiveInThemAndWhatTheirHeadersRead) {
  EXPECT_EQ(slice("    n = w.sum()\n    with torch.no_grad():\n        x.add_(1)\n        z = w.sin()\n    if n > 0:\n"
                  "        y = w.cos()\n    return x\n"),
            "    with torch.no_grad():\n        x.add_(1)\n    return x\n");
  const std::string header = "    n = w.sum()\n    if n > 0:\n        x = x.sin()\n    return x\n";
  EXPECT_EQ(slice(header), header);
  const std::string loop =
      "    a = x.sin()\n    b = w\n    for i in range(2):\n        b = a + 1\n        a = b.t()\n    return b\n";
  EXPECT_EQ(slice(loop), loop);
}

} // namespace touchstone::tests
