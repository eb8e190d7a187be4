#include "program/values/RaisedException.h"
#include "tests/torch_compile/Programs.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/ones.h>

#include <optional>

namespace touchstone::tests {

using values::RaisedException;
using values::Value;

namespace {

class PythonErrorsTest : public PythonTest {
 protected:
  static std::optional<RaisedException> raisedBy(const std::string& source, const std::string& backend,
                                                 bool fullgraph = false) {
    torch_compile::TorchCompileArguments arguments;
    arguments.fullgraph = fullgraph;
    auto program = torch_compile::compileInPython(source, backend, arguments);
    try {
      call(*program, {Value(at::ones({2, 3}))});
    } catch (const RaisedException& error) {
      return error;
    }
    return std::nullopt;
  }
};

} // namespace

TEST_F(PythonErrorsTest, AnErrorOfTheProgramIsTheSameWithAndWithoutCompiling) {
  auto plain = raisedBy("def program(x):\n    return torch.mm(x, x)\n", "eager_python");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->type(), "RuntimeError");
  EXPECT_EQ(plain->wrapper, "RuntimeError");
  EXPECT_EQ(plain->phase, "");
  EXPECT_EQ(plain->message().find('\n'), std::string::npos) << plain->message();

  auto compiled = raisedBy("def program(x):\n    return torch.mm(x, x)\n", "aot_eager");
  ASSERT_TRUE(compiled);
  EXPECT_EQ(compiled->type(), "RuntimeError");
  EXPECT_EQ(compiled->wrapper, "TorchRuntimeError");
  EXPECT_EQ(compiled->phase, "compile");
  EXPECT_NE(compiled->message().find("[2, 3]"), std::string::npos) << compiled->message();
  EXPECT_EQ(compiled->message().find("TORCHDYNAMO_VERBOSE"), std::string::npos) << compiled->message();
}

TEST_F(PythonErrorsTest, TheUsersTracebackIsCutOff) {
  auto raised = raisedBy("def program(x):\n    return x.sum(7)\n", "aot_eager");
  ASSERT_TRUE(raised);
  EXPECT_EQ(raised->type(), "IndexError");
  EXPECT_EQ(raised->message(), "Dimension out of range (expected to be in range of [-2, 1], but got 7)");
  EXPECT_EQ(raised->phase, "compile");
}

TEST_F(PythonErrorsTest, AFullGraphThatBreaksIsUnsupportedByDynamo) {
  auto raised = raisedBy("def program(x):\n    torch._dynamo.graph_break()\n    return x + 1\n", "eager", true);
  ASSERT_TRUE(raised);
  EXPECT_EQ(raised->type(), "Unsupported");
  EXPECT_EQ(raised->phase, "compile");
}

TEST_F(PythonErrorsTest, AnErrorOfCompiledCodeIsNotOfTheCompiler) {
  auto raised = raisedBy("def program(x):\n    return x.as_strided((100,), (1,)) + 1\n", "eager");
  ASSERT_TRUE(raised);
  EXPECT_EQ(raised->type(), "RuntimeError");
  EXPECT_EQ(raised->phase, "");
}

TEST_F(PythonErrorsTest, AProgramThatCannotBeExecutedSaysWhy) {
  try {
    torch_compile::compileInPython("def program(x:\n", "eager");
    FAIL() << "the text is no Python";
  } catch (const RaisedException& error) {
    EXPECT_EQ(error.type(), "SyntaxError");
  }
}

TEST_F(PythonErrorsTest, AnErrorInsideTheEngineIsReadInPythonsTerms) {
  auto program = torch_compile::compileInPython(
      "def hook(gradient):\n"
      "    return torch.mm(gradient, gradient)\n"
      "def program(x):\n"
      "    y = x.clone()\n"
      "    y.register_hook(hook)\n"
      "    return y.sum()\n",
      "eager_python");
  at::Tensor x = at::ones({2, 3}).requires_grad_();
  Value loss = call(*program, {Value(x)});
  try {
    loss.tensor().backward();
    FAIL() << "the hook multiplies matrices that do not fit";
  } catch (...) {
    RaisedException raised = values::currentException();
    EXPECT_EQ(raised.type(), "RuntimeError");
    EXPECT_NE(raised.message().find("mat1 and mat2 shapes cannot be multiplied"), std::string::npos)
        << raised.message();
  }
  // The engine leaves the error pending; the next call must not trip over it.
  EXPECT_NO_THROW(call(*program, {Value(at::ones({2, 3}).requires_grad_())}));
}

TEST_F(PythonErrorsTest, AnErrorOfTheInterpreterInsideTheEngineKeepsItsClass) {
  auto program = torch_compile::compileInPython(
      "def hook(gradient):\n"
      "    return -None\n"
      "def program(x):\n"
      "    y = x.clone()\n"
      "    y.register_hook(hook)\n"
      "    return y.sum()\n",
      "eager_python");
  Value loss = call(*program, {Value(at::ones({2}).requires_grad_())});
  try {
    loss.tensor().backward();
    FAIL() << "None has no negative";
  } catch (...) {
    RaisedException raised = values::currentException();
    EXPECT_EQ(raised.type(), "TypeError");
    EXPECT_EQ(raised.message(), "bad operand type for unary -: 'NoneType'");
  }
}

TEST_F(PythonErrorsTest, WhatTheProgramWroteBeforeItRaisedStays) {
  auto program =
      torch_compile::compileInPython("def program(items):\n    items[0] = 5\n    return items[9]\n", "eager_python");
  Value items = Value::list({Value(Value::Payload(int64_t{1}))});
  EXPECT_THROW(call(*program, {items}), RaisedException);
  EXPECT_EQ((*items.items())[0].as<int64_t>(), 5);
}

} // namespace touchstone::tests
