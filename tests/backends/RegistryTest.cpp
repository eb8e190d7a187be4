#include "backends/Registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace touchstone::tests {

using ir::BackendInfo;
using ir::Family;

std::vector<std::string> namesOfLadder(const std::string& backend) {
  std::vector<std::string> names;
  for (const BackendInfo& info : backends::ladderTo(backends::backendInfo(backend))) {
    names.push_back(info.name);
  }
  return names;
}

TEST(RegistryTest, EachRowAddsToOneThatIsListedBeforeIt) {
  std::set<std::string> seen;
  for (const BackendInfo& info : backends::builtInBackends()) {
    EXPECT_EQ(info.family == Family::kTorch, info.name.rfind("torch:", 0) == 0) << info.name;
    EXPECT_FALSE(info.summary.empty());
    EXPECT_TRUE(info.base.empty() || seen.count(info.base)) << info.name << " adds to " << info.base;
    EXPECT_FALSE(info.base.empty() && info.continuesBase) << info.name;
    EXPECT_TRUE(seen.insert(info.name).second) << info.name;
  }
  EXPECT_TRUE(seen.count("aot_eager") && seen.count("torch:inductor"));
}

TEST(RegistryTest, EveryLadderBeginsWithEagerAndHasOneFamily) {
  for (const BackendInfo& info : backends::builtInBackends()) {
    const std::vector<BackendInfo> ladder = backends::ladderTo(info);
    EXPECT_EQ(ladder.front().name, info.family == Family::kNative ? "eager" : "torch:eager_python") << info.name;
    EXPECT_EQ(ladder.back().name, info.name);
    for (const BackendInfo& rung : ladder) {
      EXPECT_EQ(rung.family, info.family) << info.name << ": " << rung.name;
    }
  }
}

TEST(RegistryTest, BlameAsksTheLadderBelowTheBackendsOwnPipeline) {
  for (const BackendInfo& info : backends::builtInBackends()) {
    std::vector<std::string> ladder = namesOfLadder(info.name);
    const std::vector<std::string> blamed = backends::blamedBefore(info);
    ASSERT_LE(blamed.size(), ladder.size() - (info.base.empty() ? 0 : 1)) << info.name;
    EXPECT_TRUE(std::equal(blamed.begin(), blamed.end(), ladder.begin())) << info.name;
    for (size_t i = blamed.size() + 1; i < ladder.size(); ++i) {
      EXPECT_TRUE(backends::backendInfo(ladder[i]).continuesBase) << info.name << " does not ask " << ladder[i - 1];
    }
  }
  using Names = std::vector<std::string>;
  const auto blamedBefore = [](const char* name) { return backends::blamedBefore(backends::backendInfo(name)); };
  const Names traced{"eager", "aot_joint", "aot_functional", "aot_eager_default_partitioner", "aot_eager"};
  EXPECT_EQ(blamedBefore("eager"), Names{});
  EXPECT_EQ(blamedBefore("aot_functional"), Names{"eager"});
  EXPECT_EQ(blamedBefore("aot_eager"), Names{"eager"}) << "its stages are no excuse";
  EXPECT_EQ(blamedBefore("debug_nop"), Names(traced.begin(), traced.end() - 1));
  EXPECT_EQ(blamedBefore("aot_eager_decomp_partition"), traced);
  EXPECT_EQ(blamedBefore("ts_compile"), (Names{"eager", "ts", "simple_ts_compile"}));
  EXPECT_EQ(blamedBefore("torch:aot_eager"), (Names{"torch:eager_python", "torch:eager"}));
  EXPECT_EQ(blamedBefore("torch:inductor"),
            (Names{"torch:eager_python", "torch:eager", "torch:aot_eager_default_partitioner", "torch:aot_eager",
                   "torch:aot_eager_decomp_partition"}))
      << "each rung that its ladder climbs";
}

TEST(RegistryTest, ABaseThatIsDeclaredHoldsForThatBackendAlone) {
  const BackendInfo before = backends::backendInfo("aot_eager_default_partitioner");
  BackendInfo declared = before;
  declared.base = "eager";
  declared.continuesBase = false;
  backends::declareBackend(declared);
  EXPECT_EQ(namesOfLadder(before.name), (std::vector<std::string>{"eager", before.name}));
  EXPECT_EQ(namesOfLadder("aot_eager").size(), 5U);
  backends::declareBackend(before);
}

TEST(RegistryTest, ReferencesDoNotCompile) {
  EXPECT_FALSE(backends::backendInfo("torch:eager_python").compiles);
  EXPECT_TRUE(backends::backendInfo("torch:aot_eager").compiles);
}

TEST(RegistryTest, CustomBackendsAreNamedByModuleAndAttribute) {
  BackendInfo info = backends::backendInfo("torch:my_package.backends:compile_it");
  EXPECT_EQ(info.name, "torch:my_package.backends:compile_it");
  EXPECT_EQ(info.family, Family::kTorch);
  EXPECT_EQ(info.base, "torch:aot_eager");
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

TEST(RegistryTest, AFaultThatThereIsNotIsNoBackendOfOnesOwn) {
  for (const std::string prefix : {"fault:", "torch:fault:"}) {
    const std::string wrong = prefix + (prefix == "fault:" ? "alias_of_view_losd" : "draws_are_mergd");
    const std::string right = prefix + (prefix == "fault:" ? "alias_of_view_lost" : "draws_are_merged");
    EXPECT_TRUE(backends::isBackend(right));
    EXPECT_FALSE(backends::isBackend(wrong));
    EXPECT_FALSE(backends::isBackend(right + "@nowhere"));
    try {
      backends::backendInfo(wrong);
      FAIL() << wrong;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("`" + wrong + "`. Did you mean `" + right + "`?"), std::string::npos)
          << error.what();
    }
  }
}

TEST(RegistryTest, AFamilyThatIsNotRegisteredIsSaid) {
  EXPECT_THROW(backends::makeBackend("torch:aot_eager"), std::invalid_argument);
  EXPECT_THROW(backends::makeBackend("no such name"), std::invalid_argument);
}

} // namespace touchstone::tests
