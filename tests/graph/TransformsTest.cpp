#include "program/standalone/CaseFile.h"
#include "tests/graph/PythonComparison.h"

#include <filesystem>
#include <string>

// `torch.func` and `torch.vmap`: each Case of tests/cases/transforms does under the Evaluator what it does under Python.

namespace touchstone::tests {
namespace {

const std::filesystem::path kFolder = TOUCHSTONE_SOURCE_DIR "/tests/cases/transforms";

std::string transformCaseText(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The classes and functions of each Case, by the folder that it is in.
comparison::PythonComparison::Groups casesByFolder() {
  comparison::PythonComparison::Groups groups;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kFolder)) {
    if (entry.is_regular_file()) {
      const std::string text = transformCaseText(entry.path());
      const std::string import = "import torch\n";
      const size_t begin = text.find(import) + import.size();
      groups[entry.path().parent_path().filename()].push_back(
          {entry.path().stem(), text.substr(begin, text.find("CALLS = ") - begin)});
    }
  }
  return groups;
}

void compare(const std::string& kind) {
  static const comparison::PythonComparison all("transforms", casesByFolder());
  all.compare(kind);
}

TEST(TransformsTest, TheGradFamilyDoesWhatPythonDoes) {
  compare("grad");
}

TEST(TransformsTest, VmapDoesWhatPythonDoes) {
  compare("vmap");
}

TEST(TransformsTest, NestedTransformsDoWhatPythonDoes) {
  compare("nested");
}

TEST(TransformsTest, TransformedClosuresDoWhatPythonDoes) {
  compare("closures");
}

TEST(TransformsTest, ThereAreTwentyOfEachKind) {
  for (const auto& [kind, cases] : casesByFolder()) {
    EXPECT_GE(cases.size(), 20u) << kind;
  }
}

TEST(TransformsTest, CasesArePrintedAsTheyAreRead) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kFolder)) {
    if (entry.is_regular_file()) {
      const std::string text = transformCaseText(entry.path());
      EXPECT_EQ(standalone::printCase(parser::parseCase(text), language::CaseForm::kShort), text) << entry.path();
    }
  }
}

} // namespace
} // namespace touchstone::tests
