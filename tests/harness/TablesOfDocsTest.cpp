#include "backends/Registry.h"
#include "backends/faults/FaultTable.h"
#include "backends/native/NativeBackends.h"
#include "graph/ir/Stages.h"
#include "harness/commands/CommandLine.h"
#include "harness/conformance/Levels.h"
#include "oracles/compare/RuleDocs.h"
#include "program/language/Severity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace touchstone::tests {
namespace {

std::string commandRows() {
  std::string rows;
  for (const options::CommandEntry& command : commands::commandTable()) {
    rows += fmt::format("| `{}` | {} | `{}` |\n", command.name, command.summary, command.page);
  }
  return rows;
}

std::string backendRows() {
  native::registerNativeBackends();
  std::vector<ir::BackendInfo> backends = backends::builtInBackends();
  backends.push_back(backends::backendInfo("torch:package.module:attribute"));
  std::string rows;
  for (const ir::BackendInfo& backend : backends) {
    const std::vector<std::string> weaker = backends::blamedBefore(backend);
    rows += fmt::format("| `{}` | {} | {} | {} |\n", backend.name, backend.summary,
                        weaker.empty() ? "–" : fmt::format("`{}`", fmt::join(weaker, "`, `")),
                        compare::ruleSetName(backend.rules));
  }
  return rows;
}

std::string faultRows(ir::Family family) {
  std::string rows;
  for (const faults::FaultRow& row : faults::faultsOf(family)) {
    rows +=
        fmt::format("| `{}` | {} | `{}` | {} | {} |\n", faults::backendName(row),
                    row.isControl ? "control" : faults::faultClassName(row.faultClass), row.stage, row.what, row.when);
  }
  return rows;
}

std::string stageRows() {
  std::string rows;
  for (const ir::StageEntry& stage : ir::kStages) {
    rows += fmt::format("| `{}` | {} |\n", stage.name, stage.leaves);
  }
  return rows;
}

std::string propertyRows() {
  constexpr std::array<const char*, 6> kOf = {"call", "output", "arg, watched", "output, arg, watched", "leaf", "call"};
  std::string rows;
  for (const language::PropertyRow& row : language::kProperties) {
    rows += fmt::format("| `{}` | {} | {} |\n", row.name, kOf.at(static_cast<size_t>(row.of)), row.compared);
  }
  return rows;
}

/// What is in a class: outcomes, and properties that differ.
std::string membersOf(language::Severity severity) {
  std::vector<std::string> members;
  for (int i = 0; i < language::kOutcomeCount; ++i) {
    const auto outcome = static_cast<language::Outcome>(i);
    if (outcome != language::Outcome::kDiffers && language::severityOf(outcome) == severity) {
      members.push_back(fmt::format("`{}`", language::outcomeName(outcome)));
    }
  }
  for (const language::PropertyRow& row : language::kProperties) {
    if (language::severityOf(row.property) == severity) {
      members.push_back(fmt::format("`{}`", row.name));
    }
  }
  return fmt::format("{}", fmt::join(members, ", "));
}

std::string severityRows() {
  std::string rows;
  for (const language::SeverityRow& row : language::kSeverities) {
    if (row.severity != language::Severity::kNoFinding) {
      rows += fmt::format("| {} | {} | {} |\n", row.name, row.means, membersOf(row.severity));
    }
  }
  return rows;
}

/// Holds the rows below `header` on a page of docs/ against those of the code; prints them anew where that is asked for.
void expectRows(const std::string& page, const std::string& header, const std::string& rows) {
  const std::string path = std::string(TOUCHSTONE_SOURCE_DIR) + "/docs/" + page;
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const size_t found = text.find(header);
  ASSERT_NE(found, std::string::npos) << page << " has no table with the header " << header;
  const size_t begin = text.find('\n', text.find('\n', found) + 1) + 1; // behind the header and its rule
  const size_t end = text.find("\n\n", begin - 1) + 1; // of a table without rows: where it begins
  EXPECT_EQ(text.substr(begin, end - begin), rows)
      << page << ": run this test with TOUCHSTONE_REWRITE_DOCS=1 to print the table anew.";
  if (std::getenv("TOUCHSTONE_REWRITE_DOCS") != nullptr) {
    std::ofstream(path) << text.replace(begin, end - begin, rows);
  }
}

TEST(TablesOfDocsTest, CommandsArePrintedFromTheTable) {
  expectRows("commands.md", "| command | what it does | more |", commandRows());
}

TEST(TablesOfDocsTest, BackendsArePrintedFromTheTable) {
  expectRows("backends.md", "| backend | what runs | weaker pipelines, weakest first | rules |", backendRows());
}

TEST(TablesOfDocsTest, FaultsArePrintedFromTheTable) {
  expectRows("faults.md", "| native fault | class | stage | what goes wrong | when |", faultRows(ir::Family::kNative));
  expectRows("faults.md", "| fault of the torch family | class | stage | what goes wrong | when |",
             faultRows(ir::Family::kTorch));
}

TEST(TablesOfDocsTest, StagesArePrintedFromTheTable) {
  expectRows("stages.md", "| stage | what it leaves |", stageRows());
}

TEST(TablesOfDocsTest, PropertiesArePrintedFromTheTable) {
  expectRows("oracles.md", "| property | of | what is compared |", propertyRows());
}

TEST(TablesOfDocsTest, LevelsArePrintedFromTheTable) {
  std::string rows;
  for (const conformance::LevelRow& row : conformance::kLevels) {
    rows += fmt::format("| {} {} | {} |\n", row.name, row.title, row.asks);
  }
  expectRows("conformance.md", "| level | asks |", rows);
}

TEST(TablesOfDocsTest, ClassesOfFindingsArePrintedFromTheTable) {
  expectRows("triage.md", "| class | what it is | outcomes, and properties that differ |", severityRows());
}

TEST(TablesOfDocsTest, EachCommandNamesAPage) {
  for (const options::CommandEntry& command : commands::commandTable()) {
    EXPECT_TRUE(std::filesystem::exists(std::string(TOUCHSTONE_SOURCE_DIR) + "/" + command.page)) << command.name;
    EXPECT_NE(std::string(command.page), "") << command.name;
  }
}

} // namespace
} // namespace touchstone::tests
