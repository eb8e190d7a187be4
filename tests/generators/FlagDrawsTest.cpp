#include "generators/decoder/FlagDraws.h"

#include "generators/decoder/Decoder.h"
#include "program/language/CompileFlags.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <gtest/gtest.h>

#include <set>

namespace touchstone::tests {
namespace {

TEST(FlagDrawsTest, OneOrTwoFlagsOfTheTableWithValuesThatTheyTake) {
  std::set<std::string> seen;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    language::CompileSpec compile;
    catalogue::Draw draw(seed, "flags");
    decoder::drawFlags(compile, draw);
    ASSERT_GE(compile.config.size(), 1u);
    ASSERT_LE(compile.config.size(), 2u);
    for (const auto& [name, value] : compile.config) {
      const language::CompileFlag* flag = language::findCompileFlag(name);
      ASSERT_NE(flag, nullptr) << name;
      EXPECT_TRUE(language::takes(*flag, *value)) << name;
      seen.insert(name);
    }
  }
  for (const language::CompileFlag& flag : language::compileFlags()) {
    EXPECT_EQ(seen.contains(std::string(flag.name)), !flag.drawn.front().empty()) << flag.name;
  }
}

TEST(FlagDrawsTest, CasesHaveFlagsWhereTheirPartIsOn) {
  const auto withFlags = [](catalogue::Parts parts) {
    int count = 0;
    for (uint64_t index = 0; index < 60; ++index) {
      decoder::DecodeOptions options;
      options.features = catalogue::featuresOf(3, index, parts);
      const language::Case theCase = decoder::decode(catalogue::makeRecipe(3, index, options.features), options);
      count += theCase.compile.config.empty() ? 0 : 1;
      const language::Case again = parser::parseCase(standalone::printCase(theCase));
      EXPECT_EQ(again.compile.config.size(), theCase.compile.config.size());
    }
    return count;
  };
  catalogue::Parts parts = catalogue::kDefaultParts;
  EXPECT_EQ(withFlags(parts), 0);
  parts.set(catalogue::Part::kFlags, true);
  EXPECT_GT(withFlags(parts), 2);
  EXPECT_LT(withFlags(parts), 20);
}

} // namespace
} // namespace touchstone::tests
