#include "harness/commands/Commands.h"

#include "backends/Registry.h"
#include "base/AtomicFile.h"
#include "harness/baseline/KnownFindings.h"
#include "harness/baseline/Retest.h"
#include "harness/pool/CaseFiles.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/pool/WorkerPool.h"
#include "harness/report/Report.h"
#include "harness/triage/StoredSuppression.h"
#include "harness/triage/SuppressionProposal.h"
#include "harness/worker/Profile.h"
#include "program/language/CasePrinter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

namespace touchstone::commands {

namespace {

/// `touchstone suppress`: proposes a pattern from a reduced finding, or checks those of a known file.
struct SuppressOptions {
  std::string path; // the Case; empty with `check`
  std::string backend; // empty: the one that the file names
  std::string check; // a known file; empty: none
  bool showsOperations = false; // only print what patterns see of the Case
  std::string known; // the file that the entry is put into, with `adds`
  bool adds = false;
  baseline::KnownEntry entry; // its id, reason, link and day
  std::string today; // empty: the clock
  size_t neighbours = triage::kNeighbours; // at most
  int workers = 1;
  worker::Profile profile = {};
  bool json = false;
};

using nlohmann::json;

constexpr int kSuppressionSchema = 1;
constexpr size_t kNeighboursShown = 3;
constexpr size_t kAskedAtOnce = 64; // neighbours, between two lines of progress

/// Tells on standard error how far it is.
triage::NeighbourJudge withProgress(triage::NeighbourJudge judge, const std::string& what) {
  return [judge = std::move(judge), what](const std::vector<language::Case>& cases) {
    std::vector<triage::NeighbourOutcome> outcomes;
    for (size_t begin = 0; begin < cases.size(); begin += kAskedAtOnce) {
      const auto first = cases.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = cases.begin() + static_cast<std::ptrdiff_t>(std::min(begin + kAskedAtOnce, cases.size()));
      const std::vector<triage::NeighbourOutcome> some = judge({first, last});
      outcomes.insert(outcomes.end(), some.begin(), some.end());
      fmt::print(stderr, "{}: {} of {} neighbours judged\n", what, outcomes.size(), cases.size());
    }
    return outcomes;
  };
}

std::string linesText(const suppressions::Pattern& pattern) {
  std::string text;
  for (const std::string& line : suppressions::patternLines(pattern)) {
    text += "  " + json(line).dump() + ",\n";
  }
  text.erase(text.size() - 2, 1); // the last comma
  return text;
}

std::string neighbourShown(const triage::JudgedNeighbour& neighbour) {
  std::string text = fmt::format("  behaves ({}):\n", neighbour.edit);
  std::istringstream program(language::printFunction(neighbour.theCase.program()));
  for (std::string line; std::getline(program, line);) {
    text += "    " + line + "\n";
  }
  return text;
}

std::string troubleText(const triage::PatternCheck& check) {
  std::string text;
  const auto show = [&](const std::vector<triage::JudgedNeighbour>& neighbours) {
    for (size_t i = 0; i < std::min(kNeighboursShown, neighbours.size()); ++i) {
      text += neighbourShown(neighbours[i]);
    }
  };
  if (!check.matchesCase) {
    text += "It does not match the Case.\n";
  }
  if (!check.loose.empty()) {
    text += fmt::format("TOO LOOSE: it matches {} neighbours that behave, and could be told from the Case:\n",
                        check.loose.size());
    show(check.loose);
  }
  if (!check.inseparable.empty()) {
    text += fmt::format("No pattern tells {} neighbours that behave from the Case:\n", check.inseparable.size());
    show(check.inseparable);
  }
  if (check.smaller > 0) {
    text += fmt::format(
        "NOT REDUCED: {} of its neighbours show the same with fewer operators, so the pattern may be about "
        "what does not matter. `{} reduce` makes it smaller.\n",
        check.smaller, report::programName());
  }
  if (check.behaving == 0) {
    text += "No neighbour behaves, so nothing is known of what the pattern may leave out.\n";
  }
  return text;
}

json checkJson(const triage::PatternCheck& check) {
  return {{"matches_case", check.matchesCase},
          {"neighbours", check.tried},
          {"behaving", check.behaving},
          {"failing", check.failing},
          {"covered", check.covered},
          {"too_loose", check.loose.size()},
          {"inseparable", check.inseparable.size()},
          {"alike", check.alike.size()},
          {"smaller", check.smaller},
          {"safe", check.isSafe()}};
}

void addEntry(const SuppressOptions& options, const language::Case& theCase, const std::string& backend,
              const triage::SuppressionProposal& proposal) {
  baseline::KnownEntry entry = options.entry;
  if (entry.id.empty()) {
    entry.id = theCase.header("cluster").value_or(std::filesystem::path(options.path).stem().string());
  }
  entry.backend = backend;
  entry.pattern = proposal.pattern;
  entry.caseFile = options.path;
  const bool isThere = std::filesystem::exists(options.known);
  base::writeFile(options.known,
                  baseline::withEntry(options.known, isThere ? base::readFile(options.known) : "", entry));
  fmt::print(stderr, "`{}` is in {} now.\n", entry.id, options.known);
}

void checkAdding(const SuppressOptions& options) {
  if (!options.adds && options.known.empty()) {
    return;
  }
  if (!options.adds || options.known.empty()) {
    throw base::WrongUse("--known FILE and --add go together: the entry is put into that file.");
  }
  if (options.entry.reason.empty() && options.entry.link.empty()) {
    throw base::WrongUse("Say why it is known with --reason or --link: whoever comes after you needs it.");
  }
  if (!baseline::isDate(options.entry.expires)) {
    throw base::WrongUse("Say with --expires until which day it is to be excused, such as `--expires 2027-03-01`.");
  }
  if (const std::string today = options.today.empty() ? baseline::todayUtc() : options.today;
      options.entry.expires < today) {
    throw base::WrongUse(fmt::format("`--expires {}` is before today, {}: the entry would excuse nothing.",
                                     options.entry.expires, today));
  }
  base::tryToWriteFile(options.known);
  if (std::filesystem::exists(options.known)) { // what cannot be added to is told before anything is judged
    baseline::withEntry(options.known, base::readFile(options.known), options.entry);
  }
}

/// The pool of one backend, for a Case.
pool::PoolOptions poolFor(const SuppressOptions& options, const std::vector<std::string>& backends,
                          const std::vector<const language::Case*>& cases) {
  pool::PoolOptions pool{options.workers, backends, pool::limitsOf(options.profile, {}), "", options.profile};
  for (const language::Case* each : cases) {
    pool.prepareFor(*each);
  }
  return pool;
}

base::ExitStatus proposeFor(const SuppressOptions& options) {
  checkAdding(options);
  const language::Case theCase = pool::readGivenCase(options.path).theCase;
  const size_t operations = analysis::flatten(theCase).operations.size();
  if (operations == 0) {
    throw base::WrongUse(
        fmt::format("The Program of {} has no operation that a pattern could tell it by; put its cluster or symptom on "
                    "the list instead.",
                    options.path));
  }
  if (operations > triage::kMostSuppressedOperations) {
    throw base::WrongUse(
        fmt::format("{} has {} operations, and a pattern would be about all of them: make it smaller with `{} reduce` "
                    "first ({} operations at most).",
                    options.path, operations, report::programName(), triage::kMostSuppressedOperations));
  }
  const std::string backend = options.backend.empty() ? pool::backendOfFinding(theCase, options.path) : options.backend;
  pool::WorkerPool pool(poolFor(options, {backend}, {&theCase}));
  const std::optional<worker::Symptom> symptom = triage::symptomUnder(pool, backend, theCase);
  if (!symptom) {
    fmt::print(stderr,
               "Under `{}` {} is no finding, so there is nothing to suppress; `touchstone run` tells its outcome.\n",
               backend, options.path);
    return base::ExitStatus::kTooLittleJudged;
  }
  const triage::SuppressionProposal proposal = triage::proposeSuppression(triage::exploreNeighbours(
      theCase, withProgress(triage::neighbourJudge(pool, *symptom), options.path), options.neighbours));
  if (options.json) {
    report::printJson({{"schema", kSuppressionSchema},
                       {"file", options.path},
                       {"backend", backend},
                       {"pattern", suppressions::patternLines(proposal.pattern)},
                       {"check", checkJson(proposal.check)}});
  } else {
    fmt::print("\"pattern\": [\n{}]\n{}\n{}", linesText(proposal.pattern), triage::checkText(proposal.check),
               troubleText(proposal.check));
  }
  if (options.adds && !proposal.isSafe()) {
    fmt::print(
        stderr,
        "It is not added to {}: it may hide what it should not. Where you know better, write it there by hand.\n",
        options.known);
  } else if (options.adds) {
    addEntry(options, theCase, backend, proposal);
  }
  return proposal.isSafe() ? base::ExitStatus::kNothingNew : base::ExitStatus::kFindings;
}

/// An entry with what it is checked by.
struct CheckedEntry {
  baseline::KnownEntry entry;
  baseline::RetestSubject subject;
};

base::ExitStatus checkFile(const SuppressOptions& options) {
  const baseline::KnownFindings known = baseline::givenKnownFindings(options.check, options.today);
  std::vector<CheckedEntry> entries;
  for (const baseline::KnownEntry& entry : known.entries()) {
    if (entry.pattern.has_value() && !entry.caseFile.empty()) {
      entries.push_back({entry, baseline::subjectOf(entry, known)});
    } else if (entry.pattern.has_value()) {
      fmt::print(stderr, "`{}` has no `case`, so its pattern cannot be checked.\n", entry.id);
    }
  }
  if (entries.empty()) {
    fmt::print(stderr, "{} has no entry with a pattern and a case: nothing was checked.\n", options.check);
    return base::ExitStatus::kTooLittleJudged;
  }
  std::vector<std::string> backends;
  std::vector<const language::Case*> cases;
  for (const CheckedEntry& each : entries) {
    backends.push_back(each.subject.backend);
    cases.push_back(&*each.subject.theCase);
  }
  pool::WorkerPool pool(poolFor(options, backends, cases));
  json list = json::array();
  bool allHold = true, allJudged = true;
  for (const auto& [entry, subject] : entries) {
    const std::optional<worker::Symptom> symptom = triage::symptomUnder(pool, subject.backend, *subject.theCase);
    if (!symptom) {
      fmt::print(stderr, "`{}` is no finding under {} any more, so its pattern cannot be checked.\n", entry.id,
                 subject.backend);
      allJudged = false;
      continue;
    }
    const triage::NeighbourJudge judge = withProgress(triage::neighbourJudge(pool, *symptom), entry.id);
    const triage::PatternCheck check =
        triage::checkPattern(*entry.pattern, triage::exploreNeighbours(*subject.theCase, judge, options.neighbours));
    allHold = allHold && check.holds();
    allJudged = allJudged && check.behaving > 0;
    json object = checkJson(check);
    object["id"] = entry.id;
    object["backend"] = subject.backend;
    list.push_back(std::move(object));
    if (!options.json) {
      fmt::print("{} {} under {}: {}\n{}", check.holds() ? "ok  " : "FAIL", entry.id, subject.backend,
                 triage::checkText(check), troubleText(check));
    }
  }
  if (options.json) {
    report::printJson({{"schema", kSuppressionSchema}, {"suppressions", std::move(list)}});
  }
  return !allHold    ? base::ExitStatus::kFindings
         : allJudged ? base::ExitStatus::kNothingNew
                     : base::ExitStatus::kTooLittleJudged;
}

base::ExitStatus proposeOrCheck(const SuppressOptions& options) {
  if (options.path.empty() == options.check.empty()) {
    throw base::WrongUse("Name either a Case to propose a suppression for, or a known file with --check.");
  }
  if (!options.check.empty()) {
    return checkFile(options);
  }
  if (options.showsOperations) {
    const analysis::FlatProgram program = analysis::flatten(pool::readGivenCase(options.path).theCase);
    fmt::print("{}calls ask for: {}\n", analysis::flatText(program),
               program.asks.empty() ? "nothing" : fmt::format("{}", fmt::join(program.asks, ", ")));
    return base::ExitStatus::kNothingNew;
  }
  return proposeFor(options);
}

} // namespace

options::Command suppressCommand() {
  const auto asked = std::make_shared<SuppressOptions>();
  const auto profile = std::make_shared<pool::ProfileFlags>();
  return {
      .options = {{"case", &asked->path, "Case file, reduced"},
                  {"--backend,-b", &asked->backend, "The backend that fails it; default: the one of a finding"},
                  {"--check", &asked->check,
                   "Known file: is each pattern that has a case true of it, and of no neighbour that behaves?"},
                  {"--operations", &asked->showsOperations, "Only show the Case as patterns see it"},
                  {"--neighbours", &asked->neighbours, "How many Cases beside it are judged at most",
                   options::between(1, 100000).shown()},
                  {"--known", &asked->known,
                   "Known file that --add puts the suppression into; made where there is none"},
                  {"--add", &asked->adds,
                   "Put the suppression into the file of --known, with the Case to retest it by"},
                  {"--id", &asked->entry.id, "Name of the entry; default: the cluster, else the Case file's name"},
                  {"--reason", &asked->entry.reason, "Why it is known"},
                  {"--link", &asked->entry.link, "Where that is told, such as an issue's address"},
                  {"--expires", &asked->entry.expires, "The last day on which it is excused", baseline::isDay()},
                  options::jobs(asked->workers, "Worker processes", false),
                  baseline::todayOption(asked->today),
                  pool::profileOptions(*profile, pool::ProfileScope::kJudging),
                  options::jsonFlag(asked->json)},
      .footer =
          "A suppression is a pattern over a Program, as loose as may be, that matches the Case and none of its neighbours\n"
          "that behave: Cases with one small edit, each of which is judged. What it matches is counted as Suppressed, whatever\n"
          "it shows. Two lines such as\n"
          "  \"y = dropout(_)\", \"'*_'(alias(y))\"\n"
          "say: something is dropped out, and later anything is done in place to memory that it shares. docs/known.md tells\n"
          "how to write and change one.\n"
          "Exit status: 0 when the pattern holds; 1 when it matches a neighbour that behaves (with --check: which could be\n"
          "told apart), or nothing is known of it; 4 when the Case is no finding, or nothing was checked.\n"
          "\nExamples:\n"
          "  touchstone suppress findings/aot_eager-values-1f3a5c7e.py\n"
          "  touchstone suppress small.py --backend torch:aot_eager --known known.json --add \\\n"
          "      --link https://github.com/pytorch/pytorch/issues/1 --expires 2027-03-01\n"
          "  touchstone suppress small.py --operations\n"
          "  touchstone suppress --check known.json",
      .run =
          [asked, profile](const options::Given&) {
            const std::vector<std::string> names = pool::namesOf(asked->backend);
            asked->profile = profile->orStoredBeside(pool::namesOf(asked->path), names).read(asked->backend);
            return proposeOrCheck(*asked);
          },
  };
}

} // namespace touchstone::commands
