#include "backends/torch_compile/EmbeddedPython.h"
#include "program/values/RaisedException.h"
#include "tests/torch_compile/Programs.h"

#include <ATen/ops/ones.h>

namespace touchstone::tests {

class ServedCallsTest : public PythonTest {
 protected:
  using Serving = backends::Serving;

  static std::unique_ptr<values::CompiledProgram> compiled(const std::string& body, const std::string& backend,
                                                           Serving serving = Serving::kAsCompiled) {
    return torch_compile::compileInPython("import torch\n\n\ndef program(x, w):\n" + body, backend,
                                          {.served = serving});
  }

  static at::Tensor ones(int64_t size = 3) { return at::ones({size}); }

  /// The sentence of the last of so many calls with `x` and `w`.
  static std::string lastAround(const std::string& body, const std::string& backend, int calls, int64_t size = 3) {
    const auto program = compiled(body, backend);
    for (int i = 0; i < calls; ++i) {
      try {
        call(*program, {ones(), ones(size)});
      } catch (...) {
        values::currentException(); // the sentence says so
      }
    }
    return program->servedCalls().around.at(static_cast<size_t>(calls) - 1);
  }
};

TEST_F(ServedCallsTest, EqualGraphsHaveOneNumber) {
  const std::string body = "    return x + w\n";
  const auto program = compiled(body, "eager");
  for (const int64_t size : {3, 3, 4, 3}) {
    call(*program, {ones(size), ones(size)});
  }
  const values::ServedCalls served = program->servedCalls();
  ASSERT_EQ(served.codes.size(), 4U);
  ASSERT_EQ(served.codes[0].size(), 1U);
  EXPECT_EQ(served.codes[1], served.codes[0]);
  EXPECT_NE(served.codes[2], served.codes[0]) << "captured for other sizes";
  EXPECT_EQ(served.codes[3], served.codes[0]);
  EXPECT_EQ(served.placed, 0);
  EXPECT_EQ(served.around, std::vector<std::string>(4));

  const auto again = compiled(body, "eager");
  call(*again, {ones(), ones()});
  EXPECT_EQ(again->servedCalls().codes.at(0), served.codes[0]) << "of another compile";
  const auto other = compiled("    return x - w\n", "eager");
  call(*other, {ones(), ones()});
  EXPECT_NE(other->servedCalls().codes.at(0), served.codes[0]);
  const auto list = compiled("    return [x + w]\n", "eager");
  call(*list, {ones(), ones()});
  EXPECT_NE(list->servedCalls().codes.at(0), served.codes[0]) << "the same graph in other code";
}

TEST_F(ServedCallsTest, APartForEachGraph) {
  const auto program = compiled("    y = x + 1\n    torch._dynamo.graph_break()\n    return y * w\n", "eager");
  call(*program, {ones(), ones()});
  EXPECT_EQ(program->servedCalls().codes.at(0).size(), 2U);
}

TEST_F(ServedCallsTest, GraphsRunInPlaceOfWhatWasMadeOfThem) {
  const std::string body = "    return x.sum(dtype=torch.int64), x + w\n",
                    fault = "fault:integer_results_are_float@eager";
  const auto dtypeBy = [&](Serving serving, int& placed) {
    const auto program = compiled(body, fault, serving);
    const values::Value result = call(*program, {ones(), ones()});
    placed = program->servedCalls().placed;
    EXPECT_EQ(program->report().compiledRuns, 1) << "it is no call that nothing was compiled for";
    return result.items()->at(0).tensor().scalar_type();
  };
  int placed = 0;
  EXPECT_EQ(dtypeBy(Serving::kAsCompiled, placed), at::kFloat);
  EXPECT_EQ(placed, 0);
  EXPECT_EQ(dtypeBy(Serving::kByGraphs, placed), at::kLong);
  EXPECT_EQ(placed, 1);
}

TEST_F(ServedCallsTest, WhatIsAroundTheGraphsIsTold) {
  const std::string sum = "    return x + w\n", three = "    return x + w, x - w, x * w\n";
  EXPECT_EQ(lastAround(three, "fault:second_call_raises@eager", 2),
            "the call raises RuntimeError after its graph has returned");
  EXPECT_EQ(lastAround(three, "eager", 2), "");
  EXPECT_EQ(lastAround("    y = x + w\n    return y, y\n", "fault:same_object_twice_is_two@eager", 1),
            "a result is a tensor that neither the graph nor the caller has given");
  EXPECT_EQ(lastAround("    y = x + w\n    return y, y, x\n", "eager", 1), "");
  EXPECT_EQ(lastAround("    return x.add_(w), x.t()\n", "eager", 1), "");
  const auto program = compiled("    return x + w, x.grad\n", "eager");
  const at::Tensor x = ones().requires_grad_();
  x.mutable_grad() = ones();
  call(*program, {x, ones()});
  EXPECT_EQ(program->servedCalls().around.at(0), "") << "a gradient is the caller's";
  EXPECT_EQ(lastAround(sum, "eager", 1, 2), "") << "the graph cannot be captured, and eager raises, too";
  const std::string indexed = "    return x[w.long()] * 2\n";
  EXPECT_EQ(lastAround(indexed + "", "fault:errors_of_calls_give_none@eager", 1), "") << "there is no error";
  EXPECT_EQ(lastAround("    return x[w.long() * 3] * 2\n", "fault:errors_of_calls_give_none@eager", 1),
            "a graph raises, and the call returns");
}

TEST_F(ServedCallsTest, NothingIsKeptUnlessAskedFor) {
  const auto program =
      torch_compile::compileInPython("import torch\n\n\ndef program(x, w):\n    return x + w\n", "eager");
  call(*program, {ones(), ones()});
  EXPECT_TRUE(program->servedCalls().codes.empty());
}

} // namespace touchstone::tests
