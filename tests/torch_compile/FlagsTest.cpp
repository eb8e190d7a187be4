#include "program/language/CompileFlags.h"
#include "program/parser/CaseParser.h"
#include "program/values/RaisedException.h"
#include "tests/torch_compile/Programs.h"

namespace touchstone::tests {

using values::Value;

namespace {

/// What a Program sees of a flag: `torch` is all that its text can name.
std::unique_ptr<values::CompiledProgram> reading(const std::string& flag, const std::string& flags,
                                                 const std::string& last = "return value") {
  return torch_compile::compileInPython("def program():\n    value = torch._" + flag + "\n    " + last + "\n",
                                        "eager_python", {.flags = flags});
}

constexpr const char* kBudget = "functorch.config.activation_memory_budget";
constexpr const char* kNoBudget = "{\"functorch.activation_memory_budget\": 0}";

class FlagsTest : public PythonTest {
 protected:
  static double budget() { return call(*reading(kBudget, "{}"), {}).as<double>(); }
};

} // namespace

TEST_F(FlagsTest, EveryFlagIsOneOfThePyTorchUnderTestAndTakesItsDefault) {
  for (const language::CompileFlag& flag : language::compileFlags()) {
    SCOPED_TRACE(flag.name);
    const size_t dot = flag.name.find('.');
    const std::string config(flag.name.substr(0, dot)), name(flag.name.substr(dot + 1));
    const Value value = call(*reading(config + ".config." + name, "{}", "return repr(value)"), {});
    const std::string text = value.as<std::string>();
    EXPECT_TRUE(language::takes(flag, *parser::parseExpression(text))) << text;
    for (const std::string_view drawn : flag.drawn) {
      EXPECT_TRUE(drawn.empty() || language::takes(flag, *parser::parseExpression(std::string(drawn)))) << drawn;
      EXPECT_NE(drawn, text) << "drawn, and nothing changes";
    }
  }
}

TEST_F(FlagsTest, FlagsHoldWhileTheProgramRunsAndNoLonger) {
  const auto program = reading(kBudget, kNoBudget);
  EXPECT_EQ(budget(), 1);
  EXPECT_EQ(call(*program, {}).as<int64_t>(), 0);
  EXPECT_EQ(budget(), 1);
  EXPECT_EQ(call(*program, {}).as<int64_t>(), 0);
}

TEST_F(FlagsTest, FlagsAreUndoneWhereTheProgramRaises) {
  const auto program = reading(kBudget, kNoBudget, "return value / 0");
  EXPECT_THROW(call(*program, {}), values::RaisedException);
  EXPECT_EQ(budget(), 1);
}

TEST_F(FlagsTest, FlagsHoldInBackwardsForAsLongAsTheirScope) {
  const auto program = reading(kBudget, kNoBudget);
  const auto other = reading(kBudget, "{}");
  EXPECT_EQ(other->backwardScope(), nullptr);
  {
    const std::shared_ptr<void> scope = program->backwardScope();
    ASSERT_NE(scope, nullptr);
    EXPECT_EQ(call(*other, {}).as<int64_t>(), 0);
  }
  EXPECT_EQ(budget(), 1);
}

TEST_F(FlagsTest, AFlagThatThisPyTorchLacksIsUnsupported) {
  EXPECT_THROW(reading(kBudget, "{\"functorch.no_such_flag\": True}"), ir::Unsupported);
}

} // namespace touchstone::tests
