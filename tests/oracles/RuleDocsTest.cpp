#include "oracles/compare/RuleDocs.h"

#include "program/language/Outcome.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
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

/// The table of properties in docs/oracles.md.
std::string propertyTable() {
  constexpr std::array<const char*, 6> kOf = {"call", "output", "arg, watched", "output, arg, watched", "leaf", "call"};
  std::string table = "| property | of | what is compared |\n|---|---|---|\n";
  for (const language::PropertyRow& row : language::kProperties) {
    table += fmt::format("| `{}` | {} | {} |\n", row.name, kOf.at(static_cast<size_t>(row.of)), row.compared);
  }
  return table;
}

TEST(RuleDocsTest, TheTableOfPropertiesIsPrintedFromTheCodes) {
  std::string page = textOf("docs/oracles.md");
  const size_t begin = page.find("| property | of |"), end = page.find("\n\n", begin) + 1;
  ASSERT_LT(begin, end);
  EXPECT_EQ(page.substr(begin, end - begin), propertyTable())
      << "Run this test with TOUCHSTONE_REWRITE_DOCS=1 to print it anew.";
  if (std::getenv("TOUCHSTONE_REWRITE_DOCS")) {
    std::ofstream(std::string(TOUCHSTONE_SOURCE_DIR) + "/docs/oracles.md")
        << page.replace(begin, end - begin, propertyTable());
  }
}

} // namespace
} // namespace touchstone::tests
