#include "harness/commands/Commands.h"

#include "backends/Registry.h"
#include "base/AtomicFile.h"
#include "base/Interrupt.h"
#include "harness/drafts/Draft.h"
#include "harness/findings/FindingHeaders.h"
#include "harness/pool/CaseFiles.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/report/Report.h"
#include "program/standalone/MainPart.h"
#include "program/standalone/PytestFile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace touchstone::commands {

namespace {

/// `touchstone draft`: what a maintainer of PyTorch asks of a report, as files that a person reads.
struct DraftOptions {
  std::vector<std::string> paths; // files of findings, or folders of them
  std::string backend; // empty: the one that each was found under
  std::string folder; // that the files go to; empty: beside the Case
  int runs = 3;
  double seconds = 120;
  bool skipBisection = false;
  pool::ProfileFlags profile;
  bool json = false;
};

/// As it was found, or, of a Case that somebody wrote, as it expects to be.
worker::Symptom symptomUnder(const language::Case& theCase, const std::string& backend) {
  worker::Symptom symptom = findings::headersOf(theCase).symptom;
  if (symptom.text.empty() || symptom.backend != backend) {
    symptom = {.backend = backend, .text = "Differs", .origin = {}, .baseOutcome = {}};
    for (const language::Expectation& each : theCase.expectations) {
      if (each.backend == backend && language::isFinding(each.outcome)) {
        symptom.text = worker::symptomText(each.text().substr(backend.size() + 1));
        break;
      }
    }
  }
  return symptom;
}

std::string torchNameOf(const std::string& backend, const std::string& path) {
  if (!backend.starts_with(standalone::kTorchFamily)) {
    throw base::WrongUse(
        fmt::format("{} is about `{}`, which is Touchstone's own: its maintainers do not know it. "
                    "--backend torch:NAME drafts it for a backend of the installed PyTorch.",
                    path, backend));
  }
  return backend.substr(standalone::kTorchFamily.size());
}

nlohmann::json draft(const DraftOptions& options, const std::string& path) {
  const std::filesystem::path file = path;
  const std::filesystem::path folder =
      options.folder.empty() ? file.parent_path() : std::filesystem::path(options.folder);
  drafts::Drafted drafted;
  drafted.theCase = pool::readGivenCase(path).theCase;
  const std::string backend = options.backend.empty() ? pool::backendOfFinding(drafted.theCase, path) : options.backend;
  drafted.backend = torchNameOf(backend, path);
  drafted.symptom = symptomUnder(drafted.theCase, backend);
  const std::string stem = file.stem().string();
  drafted.testFile = stem + "_test_fn.py";
  drafted.testText = standalone::printTestFunction(drafted.theCase, {stem, file.filename().string(), {backend}});
  const std::filesystem::path testFile = folder / drafted.testFile;
  base::writeFile(testFile, drafted.testText);
  drafted.ablation =
      drafts::ablate({.file = testFile,
                      .backend = drafted.backend,
                      .runs = options.runs,
                      .seconds = options.seconds,
                      .bisect = !options.skipBisection,
                      .environment = options.profile.read(backend).environment,
                      .progress = [&](const std::string& what) { fmt::print(stderr, "{}: {}\n", stem, what); }});
  const std::filesystem::path text = folder / (stem + ".md");
  base::writeFile(text, drafts::draftText(drafted));
  const std::vector<std::string> against = drafts::reservations(drafted);
  if (!options.json) {
    fmt::print("{}\n", text.string());
    for (const std::string& each : against) {
      fmt::print("  against filing it: {}\n", each);
    }
  }
  return {{"case", path},
          {"draft", text.string()},
          {"test", testFile.string()},
          {"labels", drafts::proposedLabels(drafted)},
          {"priority", drafts::proposedPriority(drafted)},
          {"against", against}};
}

base::ExitStatus draftCases(const DraftOptions& options) {
  if (!options.folder.empty()) {
    base::tryToWriteInto(options.folder);
  }
  nlohmann::json written = nlohmann::json::array();
  bool isClear = true;
  for (const std::string& path : pool::findCaseFiles(options.paths)) {
    if (base::interruptRequested()) {
      break;
    }
    written.push_back(draft(options, path));
    isClear = isClear && written.back().at("against").empty();
  }
  if (options.json) {
    report::printJson({{"schema", 1}, {"written", written}});
  }
  if (base::interruptRequested()) {
    throw base::Interrupted();
  }
  return isClear ? base::ExitStatus::kNothingNew : base::ExitStatus::kFindings;
}

} // namespace

options::Command draftCommand() {
  const auto asked = std::make_shared<DraftOptions>();
  options::OptionList list = {
      options::caseFiles(asked->paths),
      {"--backend,-b", &asked->backend, "Backend of the installed PyTorch; by default that of the finding"},
      {"--to", &asked->folder, "Folder for the files; by default they are put beside the Case"},
      {"--runs", &asked->runs, "Runs under the finding's backend, each in a process of its own",
       options::aboveZero().shown()},
      {"--seconds", &asked->seconds, "Limit of each process; CompilerBisector has four times as long",
       options::aboveZero().shown()},
      {"--no-bisection", &asked->skipBisection, "Leave CompilerBisector out, which runs the program some fifty times"},
      options::jsonFlag(asked->json)};
  return {
      .options = list,
      .footer =
          "Writes NAME.md and NAME_test_fn.py for a finding NAME.py. The first has what PyTorch's form for torch.compile and its\n"
          "rules for fuzzers ask for: the program, which backends and settings show it (plain Python, a process each), what\n"
          "torch._dynamo.utils.same says beside a run in double precision, logs, versions, and the labels that its triage\n"
          "would give. The second has `test_fn() -> bool` for CompilerBisector and needs PyTorch alone.\n"
          "Nothing is sent: a person reads the draft, writes it in their own words, and files it, or not.\n"
          "Exit status: 0 drafted; 1 drafted, and something speaks against filing one of them.\n"
          "\nExample:\n"
          "  touchstone draft findings/torch-aot_eager-gradient_values-23b35d96.py",
      .run = [asked](const options::Given&) { return draftCases(*asked); },
  };
}

} // namespace touchstone::commands
