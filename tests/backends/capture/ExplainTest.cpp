#include "backends/capture/Explain.h"

#include "backends/aot_autograd/AotCompiler.h"
#include "tests/backends/AotPrograms.h"
#include "tests/backends/CompiledCalls.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace touchstone::tests {
namespace {

/// Line 1 of the file is `# touchstone: 1`.
int lineOf(const std::string& source, const std::string& text) {
  return 1 + static_cast<int>(
                 std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(source.find(text)), '\n'));
}

constexpr const char* kTwoBreaks = R"(# touchstone: 1
import torch


def inputs(seed, kind):
    return (torch.ones(3, 4),), ()


def program(x):
    y = torch.sin(x)
    print("first")
    z = torch.cos(y) + 1
    if z.sum().item() > 0:
        return torch.exp(z)
    return z


CALLS = [dict(inputs="inputs")]
)";

constexpr const char* kNested = R"(# touchstone: 1
import torch


def inputs(seed, kind):
    return (torch.ones(3, 4),), ()


def inner(x):
    y = torch.cos(x)
    print("inner")
    return torch.exp(y)


def outer(x):
    z = inner(x)
    return z + 1


def program(x):
    x = torch.sin(x)
    y = outer(x)
    return torch.neg(y)


CALLS = [dict(inputs="inputs")]
)";

ir::ExplainOutput explained(const std::string& source, capture::CaptureOptions options = {}) {
  testing::internal::CaptureStdout();
  ir::ExplainOutput output =
      capture::explain(parser::parseCase(source), {values::Value(at::ones({3, 4}))}, std::move(options));
  testing::internal::GetCapturedStdout();
  return output;
}

} // namespace

TEST(ExplainTest, AProgramWithTwoBreaks) {
  ir::ExplainOutput output = explained(kTwoBreaks);
  EXPECT_FALSE(output.outGuards->empty());
  EXPECT_NE(output.compileTimes->find("in the compiler of 3 graphs"), std::string::npos) << *output.compileTimes;
  output.outGuards.reset();
  output.compileTimes.reset();
  EXPECT_EQ(output.text(), R"(Graph Count: 3
Graph Break Count: 2
Op Count: 5
Break Reasons:
  Break Reason 1:
    Reason: print
    User Stack:
      <FrameSummary file case.py, line 11 in program>
  Break Reason 2:
    Reason: values are read from tensor data (`aten::item`)
    User Stack:
      <FrameSummary file case.py, line 13 in program>
Ops per Graph:
  Ops 1:
    aten::sin
  Ops 2:
    aten::cos
    aten::add.Tensor
    aten::sum
  Ops 3:
    aten::exp
)");
}

TEST(ExplainTest, ABreakInACalledFunctionShowsEachLineOnTheWay) {
  const std::string source = kNested;
  const ir::ExplainOutput output = explained(source);
  ASSERT_EQ(output.breakReasons.size(), 3U) << output.text();
  const ir::FrameSummary program{.line = lineOf(source, "y = outer(x)"), .function = "program"};
  const ir::FrameSummary outer{.line = lineOf(source, "z = inner(x)"), .function = "outer"};
  const ir::FrameSummary inner{.line = lineOf(source, "print(\"inner\")"), .function = "inner"};
  using Stack = std::vector<ir::FrameSummary>;
  EXPECT_EQ(output.breakReasons[0].userStack, (Stack{program, outer, inner})) << output.text();
  EXPECT_EQ(output.breakReasons[1].userStack, (Stack{outer, inner})) << output.text();
  EXPECT_EQ(output.breakReasons[2].userStack, (Stack{inner})) << output.text();
}

TEST(ExplainTest, AnythingIsWrapped) {
  const language::Case theCase = parser::parseCase(kTwoBreaks);
  const capture::ExplainWithBackend explained(aot_autograd::aotCompiler());
  const auto program = capture::captureProgram(theCase, {.compiler = explained});
  testing::internal::CaptureStdout();
  values::ValueList arguments{values::Value(at::ones({3, 4}))};
  (*program)(arguments);
  const ir::ExplainOutput once = explained.output();
  EXPECT_EQ(once.graphCount, 3);
  EXPECT_EQ(once.opCount, 5);
  EXPECT_EQ(once.graphs.size(), 3U);
  EXPECT_EQ(once.breakReasons.size(), 2U) << "each Graph says why it ends";
  EXPECT_FALSE(once.outGuards.has_value());
  arguments = {values::Value(at::ones({2, 2}))};
  (*program)(arguments);
  testing::internal::GetCapturedStdout();
  EXPECT_EQ(explained.output().graphCount, 6) << "it goes on counting";
}

TEST(ExplainTest, GraphsThatWereGivenUpAreNotCounted) {
  const std::string source =
      std::string(kTwoBreaks)
          .replace(std::string(kTwoBreaks).find("    y = torch.sin(x)\n"), 21, "    y = torch.cdist(x, x)\n");
  const ir::ExplainOutput output = explained(source, {.compiler = aot_autograd::aotCompiler(), .dynamic = true});
  EXPECT_EQ(output.graphCount, 3) << output.text();
  EXPECT_EQ(output.graphs.size(), 3U);
  EXPECT_FALSE(output.givenUp.empty());
  EXPECT_NE(output.text().find("\nGraphs Given Up: "), std::string::npos) << output.text();
  EXPECT_TRUE(explained(kTwoBreaks, {.dynamic = true}).givenUp.empty());
}

TEST(ExplainTest, ABreakWithoutAGraphIsCounted) {
  const std::string source =
      std::string(kTwoBreaks).replace(std::string(kTwoBreaks).find("    y = torch.sin(x)\n"), 21, "    y = x\n");
  const ir::ExplainOutput output = explained(source);
  EXPECT_EQ(output.graphCount, 2);
  EXPECT_EQ(output.graphBreakCount, 2) << output.text();
}

} // namespace touchstone::tests
