#include "harness/commands/Commands.h"

#include "backends/Registry.h"
#include "base/AtomicFile.h"
#include "harness/findings/FindingHeaders.h"
#include "harness/pool/CaseFiles.h"
#include "harness/report/Report.h"
#include "program/standalone/CaseFile.h"
#include "program/standalone/PytestFile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace touchstone::commands {

namespace {

/// `touchstone export --pytest`: Cases as files that need PyTorch and pytest only.
struct ExportOptions {
  std::string folder; // that the files go to
  std::vector<std::string> paths; // case files, or folders of them
  std::vector<std::string> backends; // of the torch family; empty: those that a file expects something of
  bool force = false; // overwrite files that were not exported
  bool json = false;
};

constexpr const char* kDefaultBackend = "torch:aot_eager";
constexpr const char* kReference = "torch:eager_python"; // compiles nothing

/// The names that the user gave, each of the installed PyTorch.
std::vector<std::string> checkedBackends(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (!name.starts_with("torch:")) {
      throw base::WrongUse(
          fmt::format("`{}` is Touchstone's own, and pytest has PyTorch only; say `torch:{}` for PyTorch's "
                      "backend of a like name, where there is one.",
                      name, name));
    }
    backends::backendInfo(name); // throws, with those that there are
  }
  return names;
}

/// What the file is to be tested with, or why it cannot be.
struct Choice {
  std::vector<std::string> backends;
  std::string refusal;
};

Choice backendsFor(const language::Case& theCase, const std::vector<std::string>& given) {
  Choice choice{given, ""};
  if (!given.empty()) {
    return choice;
  }
  std::vector<std::string> native;
  for (const language::Expectation& each : theCase.expectations) {
    std::vector<std::string>& names = each.backend.starts_with("torch:") ? choice.backends : native;
    if (each.backend != kReference && std::find(names.begin(), names.end(), each.backend) == names.end()) {
      names.push_back(each.backend);
    }
  }
  const std::string found = findings::headersOf(theCase).symptom.backend;
  if (choice.backends.empty() && found.starts_with("torch:")) {
    choice.backends.push_back(found);
  } else if (choice.backends.empty() && !native.empty()) {
    choice.refusal = fmt::format(
        "it is about {}, which pytest does not have: it is Touchstone's own. --backends {} tests "
        "the same Program under PyTorch's compiler.",
        fmt::join(native, ", "), kDefaultBackend);
  } else if (choice.backends.empty()) {
    choice.backends.push_back(kDefaultBackend);
  }
  return choice;
}

/// `test_NAME.py` of a file, other than all before it.
std::string testNameOf(const std::string& path, std::set<std::string>& taken) {
  std::string name = std::filesystem::path(path).stem();
  for (char& character : name) {
    character = std::isalnum(static_cast<unsigned char>(character)) != 0 ? character : '_';
  }
  std::string unique = name;
  for (int number = 2; !taken.insert(unique).second; ++number) {
    unique = name + "_" + std::to_string(number);
  }
  return unique;
}

bool wasExported(const std::filesystem::path& file) {
  return base::readFile(file).starts_with(standalone::kPytestMarker);
}

base::ExitStatus exportCases(const ExportOptions& options) {
  const std::vector<std::string> backends = checkedBackends(options.backends);
  std::vector<std::string> refusals;
  const std::vector<pool::CaseFile> cases =
      pool::readCaseFiles(pool::findCaseFiles(options.paths), pool::OtherMainPart::kAccept, refusals);
  if (cases.empty() && refusals.empty()) {
    throw base::WrongUse(
        fmt::format("There is no case file in {}, so there is nothing to export.", fmt::join(options.paths, ", ")));
  }
  base::tryToWriteInto(options.folder);
  std::set<std::string> names;
  nlohmann::json written = nlohmann::json::array();
  for (const pool::CaseFile& each : cases) {
    const Choice choice = backendsFor(each.content, backends);
    if (!choice.refusal.empty()) {
      refusals.push_back(each.path + ": " + choice.refusal);
      continue;
    }
    const std::string name = testNameOf(each.path, names);
    const std::filesystem::path file = std::filesystem::path(options.folder) / ("test_" + name + ".py");
    if (std::filesystem::exists(file) && !options.force && !wasExported(file)) {
      refusals.push_back(
          fmt::format("{}: {} is there and was not exported; --force overwrites it.", each.path, file.string()));
      continue;
    }
    base::writeFile(file, standalone::printPytest(each.content, {name, each.path, choice.backends}));
    written.push_back({{"case", each.path}, {"file", file.string()}, {"backends", choice.backends}});
    if (!options.json) {
      fmt::print("{} ({})\n", file.string(), fmt::join(choice.backends, ", "));
    }
  }
  if (options.json) {
    report::printJson({{"schema", 1}, {"written", written}, {"refused", refusals}});
  }
  for (const std::string& refusal : refusals) {
    fmt::print(stderr, "not exported: {}\n", refusal);
  }
  return refusals.empty() ? base::ExitStatus::kNothingNew : base::ExitStatus::kWrongUse;
}

} // namespace

options::Command exportCommand() {
  const auto asked = std::make_shared<ExportOptions>();
  return {
      .options = {{"--pytest", &asked->folder, "Folder for the files, test_NAME.py each", options::required()},
                  options::caseFiles(asked->paths),
                  {"--backends,-b", &asked->backends,
                   "Backends of torch.compile, separated by commas; by default those that a file expects something of, "
                   "else torch:aot_eager",
                   options::split().oneEach()},
                  {"--force", &asked->force, "Overwrite files that were not exported by this command"},
                  options::jsonFlag(asked->json)},
      .footer =
          "A file has a test for each backend: it makes the Case's calls eagerly and compiled, and asserts what the `__main__`\n"
          "part of the case file compares. Where a line `# expect:` says that the backend fails, the test is marked\n"
          "xfail(strict=True) with that line and the Case's note: once the bug is mended, pytest says XPASS and fails.\n"
          "Cases about Touchstone's native backends alone are refused. What was exported before is replaced.\n"
          "Exit status: 0 all are written; 2 some are not, each named with the reason.\n"
          "\nExamples:\n"
          "  touchstone export --pytest tests/compiler findings && pytest tests/compiler\n"
          "  touchstone export --pytest tests case.py --backends torch:aot_eager,torch:inductor",
      .run = [asked](const options::Given&) { return exportCases(*asked); },
  };
}

} // namespace touchstone::commands
