#include "backends/Registry.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace touchstone::tests {

using ir::BackendInfo;
using ir::Family;

TEST(RegistryTest, EveryLadderNamesBackendsAndLeadsUpwards) {
  std::set<std::string> seen;
  for (const BackendInfo& info : backends::builtInBackends()) {
    EXPECT_TRUE(seen.insert(info.name).second) << info.name;
    EXPECT_EQ(info.family == Family::kTorch, info.name.rfind("torch:", 0) == 0) << info.name;
    EXPECT_FALSE(info.summary.empty());
    for (const std::string& weaker : info.ladder) {
      EXPECT_TRUE(seen.count(weaker)) << info.name << " blames " << weaker << ", which is not listed before it";
      EXPECT_NE(weaker, info.name);
    }
  }
}

TEST(RegistryTest, ReferencesDoNotCompile) {
  EXPECT_FALSE(backends::backendInfo("torch:eager_python").compiles);
  EXPECT_TRUE(backends::backendInfo("torch:aot_eager").compiles);
  EXPECT_EQ(backends::backendInfo("torch:aot_eager").ladder.back(), "torch:eager");
  EXPECT_EQ(backends::backendInfo("torch:inductor").ladder.back(), "torch:aot_eager_decomp_partition");
}

TEST(RegistryTest, CustomBackendsAreNamedByModuleAndAttribute) {
  BackendInfo info = backends::backendInfo("torch:my_package.backends:compile_it");
  EXPECT_EQ(info.name, "torch:my_package.backends:compile_it");
  EXPECT_EQ(info.family, Family::kTorch);
  EXPECT_EQ(info.ladder.back(), "torch:aot_eager");
  for (const char* malformed : {"torch:", "torch::", "torch:a:", "torch::b", "torch:a:b:c", "torch:a b:c"}) {
    EXPECT_THROW(backends::backendInfo(malformed), std::invalid_argument) << malformed;
  }
}

TEST(RegistryTest, AnUnknownNameIsAnsweredWithTheNearest) {
  try {
    backends::backendInfo("torch:aot_eagre");
    FAIL();
  } catch (const std::invalid_argument& error) {
    std::string message = error.what();
    EXPECT_EQ(
        message.find(
            "There is no backend `torch:aot_eagre`. Did you mean `torch:aot_eager`? Choose one of `torch:aot_eager`,"),
        0u)
        << message;
    for (const BackendInfo& info : backends::builtInBackends()) {
      EXPECT_NE(message.find("`" + info.name + "`"), std::string::npos) << info.name;
    }
  }
}

TEST(RegistryTest, ANameWithoutItsFamilyIsNearToo) {
  const auto answerTo = [](const std::string& wrong) -> std::string {
    try {
      backends::backendInfo(wrong);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(answerTo("inductor").find("`inductor`. Did you mean `torch:inductor`?"), std::string::npos)
      << answerTo("inductor");
  EXPECT_NE(answerTo("aot_eagre").find("`aot_eagre`. Did you mean `aot_eager`?"), std::string::npos)
      << answerTo("aot_eagre");
  EXPECT_EQ(answerTo("elephant").find("Did you mean"), std::string::npos);
}

TEST(RegistryTest, AFamilyThatIsNotRegisteredIsSaid) {
  EXPECT_THROW(backends::makeBackend("torch:aot_eager"), std::invalid_argument);
  EXPECT_THROW(backends::makeBackend("no such name"), std::invalid_argument);
}

} // namespace touchstone::tests
