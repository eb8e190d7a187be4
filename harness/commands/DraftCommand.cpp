#include "harness/commands/Commands.h"

#include "backends/Registry.h"
#include "base/AtomicFile.h"
#include "base/Interrupt.h"
#include "harness/drafts/Draft.h"
#include "harness/findings/FindingHeaders.h"
#include "harness/pool/CaseFiles.h"
#include "harness/report/Report.h"
#include "program/standalone/MainPart.h"
#include "program/standalone/PytestFile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
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
  bool force = false; // replace what is there
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

/// As torch.compile knows it. Throws WrongUse for a backend that the maintainers of PyTorch do not know.
std::string torchNameOf(const std::string& backend) {
  backends::backendInfo(backend); // throws, with those that there are
  const std::vector<ir::BackendInfo>& known = backends::builtInBackends();
  const auto found = std::ranges::find(known, backend, &ir::BackendInfo::name);
  if (found == known.end() || found->family != ir::Family::kTorch || !found->compiles) {
    throw base::WrongUse(fmt::format(
        "it is about `{}`, which is none of PyTorch's: its maintainers do not know it. --backend torch:NAME drafts it for "
        "a backend of PyTorch, where that shows it, too.",
        backend));
  }
  return backend.substr(standalone::kTorchFamily.size());
}

/// The files of a draft.
struct DraftFiles {
  std::filesystem::path text, test;
};

DraftFiles filesFor(const DraftOptions& options, const std::filesystem::path& file) {
  const std::filesystem::path folder =
      options.folder.empty() ? file.parent_path() : std::filesystem::path(options.folder);
  const std::string stem = file.stem().string();
  return {folder / (stem + ".md"), folder / (stem + standalone::kTestFunctionEnding)};
}

/// A person may have written in a draft; a test that is the tool's own is made anew. Throws WrongUse.
void refuseToReplace(const DraftFiles& files, const DraftOptions& options, const std::set<std::string>& written) {
  if (written.contains(files.text.string())) {
    throw base::WrongUse(fmt::format("another file of this name is drafted to {} already.", files.text.string()));
  }
  const bool isOwnTest = !std::filesystem::exists(files.test) || pool::isDraftedTest(files.test);
  const std::filesystem::path& theirs = isOwnTest ? files.text : files.test;
  if (std::filesystem::exists(theirs) && !options.force) {
    throw base::WrongUse(fmt::format("{} is there; --force replaces it.", theirs.string()));
  }
}

drafts::Drafted drafted(const DraftOptions& options, const std::filesystem::path& file, const DraftFiles& files) {
  drafts::Drafted drafted;
  drafted.theCase = pool::readGivenCase(file.string()).theCase;
  const std::string backend =
      options.backend.empty() ? pool::backendOfFinding(drafted.theCase, file.string()) : options.backend;
  drafted.backend = torchNameOf(backend);
  drafted.symptom = symptomUnder(drafted.theCase, backend);
  drafted.testFile = files.test.filename().string();
  drafted.testText =
      standalone::printTestFunction(drafted.theCase, {file.stem().string(), file.filename().string(), {backend}});
  return drafted;
}

nlohmann::json draft(const DraftOptions& options, const std::string& path, const DraftFiles& files) {
  drafts::Drafted made = drafted(options, path, files);
  base::writeFile(files.test, made.testText);
  const std::string stem = std::filesystem::path(path).stem().string();
  made.ablation =
      drafts::ablate({.file = files.test,
                      .backend = made.backend,
                      .dynamic = made.theCase.compile.dynamic,
                      .fullgraph = made.theCase.compile.fullgraph,
                      .runs = options.runs,
                      .seconds = options.seconds,
                      .bisect = !options.skipBisection,
                      .progress = [&](const std::string& what) { fmt::print(stderr, "{}: {}\n", stem, what); }});
  if (base::interruptRequested()) {
    throw base::Interrupted();
  }
  base::writeFile(files.text, drafts::draftText(made));
  const std::vector<std::string> against = drafts::reservations(made);
  if (!options.json) {
    fmt::print("{}\n", files.text.string());
    for (const std::string& each : against) {
      fmt::print("  against filing it: {}\n", each);
    }
  }
  return {{"case", path},
          {"draft", files.text.string()},
          {"test", files.test.string()},
          {"labels", drafts::proposedLabels(made)},
          {"priority", drafts::proposedPriority(made)},
          {"against", against}};
}

base::ExitStatus draftCases(const DraftOptions& options) {
  if (!options.folder.empty()) {
    base::tryToWriteInto(options.folder);
  }
  nlohmann::json written = nlohmann::json::array();
  std::vector<std::string> refusals;
  std::set<std::string> texts;
  bool isClear = true;
  for (const std::string& path : pool::findCaseFiles(options.paths)) {
    const DraftFiles files = filesFor(options, path);
    try {
      refuseToReplace(files, options, texts);
      written.push_back(draft(options, path, files));
      texts.insert(files.text.string());
      isClear = isClear && written.back().at("against").empty();
    } catch (const base::Interrupted&) {
      throw;
    } catch (const std::exception& error) {
      refusals.push_back(fmt::format("{}: {}", path, error.what()));
    }
  }
  if (options.json) {
    report::printJson({{"schema", 1}, {"written", written}, {"refused", refusals}});
  }
  for (const std::string& refusal : refusals) {
    fmt::print(stderr, "not drafted: {}\n", refusal);
  }
  return !refusals.empty() ? base::ExitStatus::kWrongUse
         : isClear         ? base::ExitStatus::kNothingNew
                           : base::ExitStatus::kFindings;
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
      {"--force", &asked->force, "Replace drafts that are there, whoever has written in them"},
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
          "Exit status: 0 all are drafted; 1 all are, and something speaks against filing one of them; 2 some are not, each named\n"
          "with the reason.\n"
          "\nExample:\n"
          "  touchstone draft findings/torch-aot_eager-gradient_values-23b35d96.py",
      .run = [asked](const options::Given&) { return draftCases(*asked); },
  };
}

} // namespace touchstone::commands
