#include "oracles/compare/RuleDocs.h"

#include "program/language/Outcome.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace touchstone::tests {
namespace {

std::string textOf(const std::string& path) {
  std::ifstream file(std::string(TOUCHSTONE_SOURCE_DIR) + "/" + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(RuleDocsTest, ThePageIsPrintedFromTheTable) {
  EXPECT_EQ(textOf("docs/rules.md"), compare::rulesDocument())
      << "Run this test with TOUCHSTONE_REWRITE_DOCS=1 to print it anew.";
  if (std::getenv("TOUCHSTONE_REWRITE_DOCS")) {
    std::ofstream(std::string(TOUCHSTONE_SOURCE_DIR) + "/docs/rules.md") << compare::rulesDocument();
  }
}

TEST(RuleDocsTest, EveryOutcomeIsExplained) {
  const std::string page = textOf("docs/outcomes.md");
  for (int outcome = 0; outcome < language::kOutcomeCount; ++outcome) {
    const std::string name(language::outcomeName(static_cast<language::Outcome>(outcome)));
    EXPECT_NE(page.find("| `" + name), std::string::npos) << name;
  }
}

} // namespace
} // namespace touchstone::tests
