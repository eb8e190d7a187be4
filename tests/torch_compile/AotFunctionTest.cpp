#include "program/values/RaisedException.h"
#include "tests/torch_compile/Programs.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones.h>

namespace touchstone::tests {

using values::Value;
using values::ValueList;

namespace {

class AotFunctionTest : public PythonTest {
 protected:
  static std::string refusalOf(const std::string& source) {
    try {
      auto program = torch_compile::compileInPython(source, "aot_function");
      call(*program, {Value(at::ones({2, 3}))});
    } catch (const ir::Unsupported& refusal) {
      return refusal.what();
    }
    return "";
  }
};

} // namespace

TEST_F(AotFunctionTest, TracesAgainForAnotherKindOfArguments) {
  auto program = torch_compile::compileInPython(
      "def program(x, y, n):\n    x.add_(y)\n    return x * n, n, [x.size(0), y]\n", "aot_function");
  auto graphsAfter = [&](at::Tensor x, at::Tensor y, int64_t n) {
    Value returned = call(*program, {Value(x), Value(y), Value(Value::Payload(n))});
    const ValueList& out = *returned.items();
    EXPECT_TRUE(out[0].tensor().equal(x.mul(n)));
    EXPECT_EQ(out[1].as<int64_t>(), n);
    EXPECT_EQ((*out[2].items())[0].as<int64_t>(), x.size(0));
    return program->report().graphs;
  };
  EXPECT_EQ(graphsAfter(at::ones({2, 3}), at::ones({2, 3}), 2), 1);
  EXPECT_EQ(graphsAfter(at::ones({2, 3}).neg(), at::ones({2, 3}), 2), 1);
  EXPECT_EQ(graphsAfter(at::ones({4, 3}), at::ones({4, 3}), 2), 2);
  EXPECT_EQ(graphsAfter(at::ones({2, 3}), at::ones({2, 3}), 3), 3);
  at::Tensor both = at::ones({2, 3});
  EXPECT_EQ(graphsAfter(both, both, 2), 4);
  at::Tensor base = at::ones({3, 3});
  EXPECT_EQ(graphsAfter(base.narrow(0, 0, 2), base.narrow(0, 1, 2), 2), 5);
  {
    at::NoGradGuard guard;
    EXPECT_EQ(graphsAfter(at::ones({2, 3}), at::ones({2, 3}), 2), 6);
  }
  EXPECT_EQ(graphsAfter(at::ones({2, 3}), at::ones({2, 3}), 2), 6);
  EXPECT_EQ(program->report().compiledRuns, 8);
  EXPECT_EQ(program->report().recompiles.size(), 5u);
}

TEST_F(AotFunctionTest, RefusesWhatTracingDoesNotSee) {
  EXPECT_NE(refusalOf("def program(x):\n    return x if x.sum() > 0 else -x\n").find("depends on values"),
            std::string::npos);
  EXPECT_NE(refusalOf("def program(x):\n    return x * x.sum().item()\n").find("depends on values"), std::string::npos);
  EXPECT_NE(
      refusalOf("def inner(x):\n    print(x)\n    return x\ndef program(x):\n    return inner(x)\n").find("printing"),
      std::string::npos);
  EXPECT_EQ(refusalOf("def program(x):\n    with torch.no_grad():\n        return x + 1\n"), "");
}

TEST_F(AotFunctionTest, RefusesModules) {
  auto program = torch_compile::compileInPython("def program(m):\n    return m.a\n", "aot_function");
  EXPECT_THROW(call(*program, {Value(Value::Payload(std::make_shared<values::ModuleObject>()))}), ir::Unsupported);
}

TEST_F(AotFunctionTest, ErrorsOfTheProgramKeepTheirClass) {
  auto program = torch_compile::compileInPython("def program(x):\n    return torch.mm(x, x)\n", "aot_function");
  try {
    call(*program, {Value(at::ones({2, 3}))});
    FAIL() << "the matrices do not fit";
  } catch (const values::RaisedException& error) {
    EXPECT_EQ(error.type(), "RuntimeError");
    EXPECT_EQ(error.phase, "compile");
  }
}

} // namespace touchstone::tests
