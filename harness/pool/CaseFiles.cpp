#include "harness/pool/CaseFiles.h"

#include "backends/graph_files/GraphFolder.h"
#include "base/AtomicFile.h"
#include "base/ExitStatus.h"
#include "harness/findings/FindingHeaders.h"
#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"
#include "program/standalone/PytestFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace touchstone::pool {

namespace {

/// Devices and pipes may never end: `--json /dev/stdout` would read what it prints.
void refuseOtherThanFile(const std::string& path) {
  if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path)) {
    throw base::WrongUse(fmt::format(
        "`{}` is no file with an end but {}, so it cannot be a case file.{}", path,
        std::filesystem::is_directory(path) ? "a folder" : "a device or a pipe",
        path.starts_with("/dev/") ? " Flags such as --json take no value: they print on standard output." : ""));
  }
}

} // namespace

bool isDraftedTest(const std::filesystem::path& file) {
  return file.filename().string().ends_with(standalone::kTestFunctionEnding) &&
         base::readFile(file).starts_with(standalone::kTestFunctionMarker);
}

std::vector<std::string> findCaseFiles(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (std::filesystem::is_directory(path)) {
      const auto begin = static_cast<std::ptrdiff_t>(files.size());
      for (auto entry = std::filesystem::recursive_directory_iterator(path); entry != end(entry); ++entry) {
        if (graph_files::GraphFolder::isOne(entry->path())) {
          entry.disable_recursion_pending(); // its Python is no Case
        } else if (entry->is_regular_file() && entry->path().extension() == ".py" && !isDraftedTest(entry->path())) {
          files.push_back(entry->path());
        }
      }
      std::sort(files.begin() + begin, files.end());
    } else if (std::filesystem::exists(path)) {
      refuseOtherThanFile(path);
      if (!isDraftedTest(path)) {
        files.push_back(path);
      } else if (paths.size() == 1) {
        throw base::WrongUse("`" + path + "` is the test that `touchstone draft` made of a Case: name that one.");
      }
    } else {
      throw base::WrongUse("There is no case file or folder `" + path + "`.");
    }
  }
  return files;
}

GivenCase readGivenCase(const std::string& path) {
  refuseOtherThanFile(path);
  try {
    return {parser::readCase(path), base::readFile(path)};
  } catch (const parser::ParseError&) {
    throw;
  } catch (const std::exception& error) {
    throw base::WrongUse(error.what());
  }
}

std::vector<CaseFile> readCaseFiles(const std::vector<std::string>& files, OtherMainPart other,
                                    std::vector<std::string>& errors, language::CaseForm form) {
  std::vector<CaseFile> result;
  for (const std::string& path : files) {
    try {
      parser::ParseOptions options;
      options.checkMainPart = other == OtherMainPart::kRefuse;
      result.push_back({path, parser::readCase(path, options)});
      if (other == OtherMainPart::kRewrite) {
        const std::string text = standalone::printCase(result.back().content, form);
        if (text != base::readFile(path)) {
          base::writeFile(path, text);
        }
      }
    } catch (const std::exception& error) {
      errors.emplace_back(error.what());
    }
  }
  return result;
}

std::string backendOfFinding(const language::Case& theCase, const std::string& path) {
  std::set<std::string> backends = {findings::headersOf(theCase).symptom.backend};
  if (backends.contains("")) { // of a file that somebody wrote, what it expects to fail
    backends.clear();
    for (const language::Expectation& expected : theCase.expectations) {
      if (language::isFinding(expected.outcome)) {
        backends.insert(expected.backend);
      }
    }
  }
  if (backends.size() != 1) {
    throw base::WrongUse(fmt::format("{} {}. Give one with --backend.", path,
                                     backends.empty()
                                         ? "does not say under which backend it was found"
                                         : fmt::format("expects failures under {} backends", backends.size())));
  }
  return *backends.begin();
}

} // namespace touchstone::pool
