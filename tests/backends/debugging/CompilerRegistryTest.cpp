#include "tests/backends/DebuggingCalls.h"

#include "backends/debugging/CompilerRegistry.h"
#include "backends/native/BackendTable.h"

#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace touchstone::tests {
namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> warningsOf(const std::function<void()>& call) {
  std::vector<std::string> warnings;
  debugging::CompilerWarningScope scope([&](const std::string& text) { warnings.push_back(text); });
  call();
  return warnings;
}

TEST(CompilerRegistryTest, ACompilerIsMeantByItsNameOrIsTheFunction) {
  const at::Tensor x = numbers({3});
  const auto byName = debugging::lookUpCompiler("eager")(chainGraph({"aten::neg"}), {x});
  EXPECT_TRUE(at::equal(byName->run({x}).at(0), x.neg()));
  int compiled = 0;
  const debugging::CompilerFunction counting = [&](ir::Graph graph, const std::vector<at::Tensor>& examples,
                                                   const debugging::CompilerOptions& options) {
    ++compiled;
    EXPECT_EQ(debugging::optionsText(options), "{'size': 3}");
    return backends::compileToInterpreter(std::move(graph), examples);
  };
  const auto byFunction = debugging::lookUpCompiler(counting, {{"size", "3"}})(chainGraph({"aten::neg"}), {x});
  EXPECT_TRUE(at::equal(byFunction->run({x}).at(0), x.neg()));
  EXPECT_EQ(compiled, 1);
}

TEST(CompilerRegistryTest, AnUnknownNameIsAnsweredWithTheNearest) {
  const std::string text = thrownText([] { debugging::lookUpCompiler("eager_debgu"); });
  EXPECT_EQ(text.find("There is no compiler `eager_debgu`. Choose one of `eager_debug`,"), 0u) << text;
  for (const std::string& name : debugging::compilerRegistry().names({})) {
    EXPECT_NE(text.find("`" + name + "`"), std::string::npos) << name;
  }
}

TEST(CompilerRegistryTest, NamesAreListedWithoutTheTagsThatAreExcluded) {
  debugging::CompilerRegistry registry;
  const debugging::CompilerFunction compiler = debugging::withoutOptions("mine", backends::compileToInterpreter);
  registry.add("mine", compiler);
  registry.add("young", compiler, {"experimental"});
  registry.add("looks", compiler, {"debug", "slow"});
  EXPECT_EQ(registry.names(), std::vector<std::string>{"mine"});
  EXPECT_EQ(registry.names({}), (std::vector<std::string>{"looks", "mine", "young"}));
  EXPECT_EQ(registry.names({"slow"}), (std::vector<std::string>{"mine", "young"}));
  EXPECT_EQ(registry.tags("looks"), (std::vector<std::string>{"debug", "slow"}));
  EXPECT_THROW(registry.add("mine", compiler), std::invalid_argument);
  EXPECT_THROW(registry.add("none", nullptr), std::invalid_argument);
  EXPECT_THROW(registry.add("", compiler), std::invalid_argument);
}

TEST(CompilerRegistryTest, CompilersOfBackendsHaveTheTagDebugAndWrongOnesSaySo) {
  EXPECT_TRUE(debugging::compilerRegistry().names({"debug"}).empty());
  const std::vector<std::string> right = debugging::compilerRegistry().names({"wrong"});
  for (const native::NativeBackend& row : native::nativeBackends()) {
    EXPECT_EQ(has(right, row.name), std::string_view(row.summary).find("WRONG ON PURPOSE") != 0) << row.name;
  }
}

TEST(CompilerRegistryTest, EveryCompilerReportsOptionsThatItDoesNotKnow) {
  const at::Tensor x = numbers({3});
  for (const std::string& name : debugging::compilerRegistry().names({})) {
    const debugging::CompilerOptions options{{"size", "3"}, {"name", "'all'"}};
    if (name == "ts") { // has no keyword arguments
      EXPECT_EQ(thrownText([&] { debugging::lookUpCompiler(name, options)(chainGraph({"aten::neg"}), {x}); }),
                "`ts` takes no option `size`, but `fuser` and `debug_interpreter`.");
      continue;
    }
    const auto warnings = warningsOf([&] {
      const auto compiled = debugging::lookUpCompiler(name, options)(chainGraph({"aten::neg"}), {x});
      EXPECT_TRUE(at::equal(compiled->run({x}).at(0), x.neg())) << name;
    });
    EXPECT_EQ(warnings, std::vector<std::string>{name + " backend ignoring extra kwargs {'size': 3, 'name': 'all'}"});
    EXPECT_TRUE(warningsOf([&] { debugging::lookUpCompiler(name)(chainGraph({"aten::neg"}), {x}); }).empty()) << name;
  }
}

TEST(CompilerRegistryTest, OptionsOfACaseReachTheCompiler) {
  const language::Case theCase =
      debuggingCase("def program(x):\n    return x.neg()\n", "options={\"depth\": 3, \"debug_interpreter\": True}");
  auto warningsWith = [&](const std::string& name) {
    return warningsOf([&] {
      const auto program = native::makeNativeBackend(backends::backendInfo(name))->compile(theCase);
      values::ValueList arguments{values::Value(numbers({3, 4}))};
      (*program)(arguments);
    });
  };
  EXPECT_EQ(warningsWith("eager"), std::vector<std::string>{"eager backend ignoring extra kwargs {'depth': 3}"});
  EXPECT_EQ(warningsWith("aot_eager"),
            std::vector<std::string>{"aot_eager backend ignoring extra kwargs {'depth': 3}"});
}

TEST(CompilerRegistryTest, AKnownOptionWithAValueThatItCannotHaveIsAnError) {
  const at::Tensor x = numbers({3});
  for (const debugging::CompilerOption& option :
       debugging::CompilerOptions{{"fake_tensor_crossref", "3"}, {"debug_interpreter", "'yes'"}}) {
    const std::string text =
        thrownText([&] { debugging::lookUpCompiler("aot_eager", {option})(chainGraph({"aten::neg"}), {x}); });
    EXPECT_EQ(text.find("Option `" + option.name + "` is " + option.value + "; it can be "), 0u) << text;
  }
}

TEST(CompilerRegistryTest, WithoutASinkWarningsGoToStandardError) {
  testing::internal::CaptureStderr();
  debugging::reportUnknownOptions("eager", {{"size", "3"}});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "warning: eager backend ignoring extra kwargs {'size': 3}\n");
}

} // namespace
} // namespace touchstone::tests
