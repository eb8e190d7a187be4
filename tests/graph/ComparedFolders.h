#pragma once

#include "program/language/StatementEditing.h"
#include "program/standalone/CaseFile.h"
#include "tests/graph/PythonComparison.h"

#include <algorithm>
#include <filesystem>

// Folders of `tests/cases/` whose Programs the Evaluator and Python must run alike, and whose files are in canonical form.

namespace touchstone::tests::comparison {

inline std::string textOf(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::filesystem::directory_iterator filesOf(const std::string& folder) {
  return std::filesystem::directory_iterator(std::filesystem::path(TOUCHSTONE_SOURCE_DIR "/tests/cases") / folder);
}

/// The classes and functions of each Case of the folder.
inline std::vector<ComparedCase> casesOfFolder(const std::string& folder) {
  std::vector<ComparedCase> cases;
  for (const auto& entry : filesOf(folder)) {
    const std::string text = textOf(entry.path());
    const size_t begin = text.find("\n\n\n"); // behind the imports
    cases.push_back({entry.path().stem(), text.substr(begin, text.find("CALLS = ") - begin)});
  }
  return cases;
}

inline void expectPrintedAsRead(const std::string& folder) {
  for (const auto& entry : filesOf(folder)) {
    const std::string text = textOf(entry.path());
    const language::Case theCase = parser::parseCase(text);
    EXPECT_EQ(standalone::printCase(theCase, language::CaseForm::kShort), text) << entry.path();
    EXPECT_EQ(standalone::printCase(language::withoutUnusedFunctions(theCase), language::CaseForm::kShort), text);
  }
}

} // namespace touchstone::tests::comparison
