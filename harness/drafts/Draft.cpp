#include "harness/drafts/Draft.h"

#include "harness/findings/FindingHeaders.h"
#include "harness/pool/PythonProcess.h"
#include "program/analysis/FlatProgram.h"
#include "program/language/CasePrinter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace touchstone::drafts {

namespace {

using language::Severity;

constexpr size_t kLongestLog = 4000; // characters

/// Wrong, and nobody is told.
bool isSilent(Severity severity) {
  return severity == Severity::kWrongValues || severity == Severity::kWrongGradients ||
         severity == Severity::kLostWrites || severity == Severity::kWrongSharing;
}

bool showsSometimes(const Drafted& drafted, const AblationRow& row) {
  return std::ranges::any_of(row.runs, [&](const PlainRun& run) { return shows(drafted, run); });
}

bool showsEachTime(const Drafted& drafted, const AblationRow& row) {
  return !row.runs.empty() && std::ranges::all_of(row.runs, [&](const PlainRun& run) { return shows(drafted, run); });
}

/// The weakest backend that shows it; empty where none does.
std::string firstShown(const Drafted& drafted) {
  const auto found = std::ranges::find_if(drafted.ablation.backends,
                                          [&](const AblationRow& row) { return showsSometimes(drafted, row); });
  return found == drafted.ablation.backends.end() ? "" : found->setting;
}

/// It shows each time, and not so.
bool isMendedBy(const Drafted& drafted, std::string_view setting) {
  const std::vector<AblationRow>& rows = drafted.ablation.settings;
  const auto found = std::ranges::find(rows, setting, &AblationRow::setting);
  return found != rows.end() && found->isRight() && showsEachTime(drafted, drafted.ablation.of(drafted.backend));
}

/// Operators whose results are places, of which equal values have several.
bool givesIndices(const language::Case& theCase) {
  static const std::set<std::string> kNames = {"argmax", "argmin", "argsort", "sort",   "msort",     "topk",
                                               "max",    "min",    "median",  "mode",   "nanmedian", "kthvalue",
                                               "cummax", "cummin", "unique",  "aminmax"};
  return std::ranges::any_of(analysis::flatten(theCase).operations, [](const analysis::FlatOperation& each) {
    return kNames.contains(each.name) || each.name.find("max_pool") != std::string::npos;
  });
}

std::string cell(const AblationRow& row) {
  std::vector<std::string> words;
  for (const PlainRun& run : row.runs) {
    words.push_back(run.word);
  }
  return words.empty() ? "not run" : fmt::format("{}", fmt::join(words, ", "));
}

std::string table(const char* head, const std::vector<AblationRow>& rows) {
  std::string text = fmt::format("| {} | each run |\n|---|---|\n", head);
  for (const AblationRow& row : rows) {
    text += fmt::format("| `{}` | {} |\n", row.setting, cell(row));
  }
  return text;
}

/// A fence that is longer than any in the text.
std::string fenced(const std::string& text, const char* language) {
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) {
    fence += '`';
  }
  return fence + language + "\n" + text + (text.ends_with('\n') ? "" : "\n") + fence + "\n";
}

std::string folded(const char* summary, const std::string& text) {
  return fmt::format("<details><summary>{}</summary>\n\n{}\n</details>\n", summary, text);
}

/// What the first run that shows it printed, or else the first that was not right.
std::string logOf(const Drafted& drafted) {
  const std::vector<PlainRun>& runs = drafted.ablation.of(drafted.backend).runs;
  auto told = std::ranges::find_if(runs, [&](const PlainRun& run) { return shows(drafted, run); });
  if (told == runs.end()) {
    told = std::ranges::find_if(runs, [](const PlainRun& run) { return run.word != "right"; });
  }
  if (told != runs.end()) {
    const std::string text = told->text.empty() ? told->word : told->text;
    return text.size() > kLongestLog ? text.substr(0, kLongestLog) + "\n[…]" : text;
  }
  return "It did not show again.";
}

std::string howOften(const Drafted& drafted) {
  const std::vector<PlainRun>& runs = drafted.ablation.of(drafted.backend).runs;
  const auto shown = std::ranges::count_if(runs, [&](const PlainRun& run) { return shows(drafted, run); });
  return fmt::format("{} of {} runs, each in a process of its own", shown, runs.size());
}

std::string sameText(const SameVerdict& same) {
  if (same.said == "nothing") {
    return fmt::format("`torch._dynamo.utils.same` was not asked: {}.", same.reference);
  }
  return fmt::format(
      "`torch._dynamo.utils.same(eager, compiled, fp64_ref, equal_nan=True)`, default tolerance: **{}** "
      "({}; reference: {}).",
      same.said, fmt::join(same.dtypes, ", "), same.reference);
}

} // namespace

bool shows(const Drafted& drafted, const PlainRun& run) {
  using language::Outcome;
  const std::string way = drafted.symptom.way();
  const auto is = [&](Outcome outcome) { return way == language::outcomeName(outcome); };
  const bool died = run.word.starts_with(pool::kEndsTheProcess);
  if (is(Outcome::kCrashed) || is(Outcome::kOutOfBounds)) {
    return died;
  }
  if (is(Outcome::kTimedOut)) {
    return run.word == pool::kOutOfTime;
  }
  if (is(Outcome::kOutOfMemory)) {
    return died || run.word == pool::kOutOfTime;
  }
  const bool isOfExceptions = is(Outcome::kBackendRejected) || is(Outcome::kInternalError) ||
                              is(Outcome::kMissingRefusal) || is(Outcome::kBackendAccepts);
  return run.word == "wrong" || (isOfExceptions && run.word == "raises");
}

std::vector<std::string> proposedLabels(const Drafted& drafted) {
  std::vector<std::string> labels = {"oncall: pt2"};
  const std::string first = firstShown(drafted);
  if (isMendedBy(drafted, "dynamic=False")) {
    labels.emplace_back("module: dynamic shapes");
  } else if (first == "eager") {
    labels.emplace_back("module: dynamo");
  } else if (first == "inductor") {
    labels.emplace_back("module: inductor");
  } else if (first == "aot_eager" || first == "aot_eager_decomp_partition") {
    labels.emplace_back("module: pt2-dispatcher");
  }
  if (isSilent(severityOf(drafted.symptom))) {
    labels.emplace_back("module: correctness (silent)");
  }
  if (reservations(drafted).empty()) {
    labels.emplace_back("topic: fuzzer");
  }
  return labels;
}

std::string proposedPriority(const Drafted& drafted) {
  const Severity severity = severityOf(drafted.symptom);
  if (severity == Severity::kCrashAndMemory) {
    return "high: the process dies, hangs, or reads memory that it should not";
  }
  if (isSilent(severity)) {
    return "high: silently wrong";
  }
  return fmt::format("not high by itself ({})", language::severityName(severity));
}

std::vector<std::string> reservations(const Drafted& drafted) {
  std::vector<std::string> found;
  const AblationRow& own = drafted.ablation.of(drafted.backend);
  if (!showsEachTime(drafted, own)) {
    found.emplace_back("It does not show in every run of plain Python.");
  }
  const SameVerdict& same = drafted.ablation.same;
  if (own.runs.empty() || own.runs[0].word != "wrong") {
    return found; // there was nothing that `same` could have been asked about
  }
  if (same.said == "True") {
    found.emplace_back(
        "`same` takes it for equal at the default tolerance. Values that are this close are not to be reported.");
  } else if (same.said == "False" && same.reference != "double precision") {
    found.push_back("`same` had no reference in double precision: " + same.reference + ".");
  }
  if (std::ranges::count(same.dtypes, "torch.int64") > 0 && givesIndices(drafted.theCase)) {
    found.emplace_back(
        "Integers differ, and the program sorts or takes a maximum: indices of equal values are not to be compared.");
  }
  return found;
}

std::string draftText(const Drafted& drafted) {
  const std::string backend = fmt::format("`torch.compile(backend=\"{}\")`", drafted.backend);
  const std::vector<std::string> against = reservations(drafted);
  const std::vector<std::string> labels = proposedLabels(drafted);
  std::string text =
      "> **Drafted by a machine, and read by nobody yet.** Touchstone made the program and wrote this text; nothing was sent "
      "anywhere.\n"
      "> Before it is filed, a person runs the program, looks for reports of the same cause, reads PyTorch's contribution "
      "guide and its\n> policy on AI-assisted development, writes the description in their own words, and takes this "
      "paragraph away.\n\n";
  text += fmt::format("- Title: `[{}] {}: {}`\n", drafted.backend, severityName(severityOf(drafted.symptom)),
                      drafted.symptom.text);
  text += fmt::format("- Labels: `{}`\n- Priority: {}\n", fmt::join(labels, "`, `"), proposedPriority(drafted));
  for (const std::string& each : against) {
    text += "- **Against filing it**: " + each + "\n";
  }
  const std::string note = findings::headersOf(drafted.theCase).message();
  text += fmt::format(
      "\n### 🐛 Describe the bug\n\nUnder {} the following program does not do what it does in eager mode: {}.{}\n"
      "It shows in {}.\n\n",
      backend, drafted.symptom.text, note.empty() ? "" : " (" + note + ")", howOften(drafted));
  text += fenced(language::printDefinitions(drafted.theCase, language::CaseForm::kShort), "python");
  text += fmt::format(
      "\n`{}` is the whole of it, with inputs and comparison, and needs PyTorch alone: `python {}` runs "
      "CompilerBisector with its `test_fn() -> bool`, which is True where nothing differs.\n\n",
      drafted.testFile, drafted.testFile);
  text += folded(drafted.testFile.c_str(), fenced(drafted.testText, "python"));
  text += "\n#### Ablation\n\n" + table("backend", drafted.ablation.backends) + "\n" +
          table(("setting under " + drafted.backend).c_str(), drafted.ablation.settings) + "\n" +
          sameText(drafted.ablation.same) +
          "\nRandom numbers: `fallback_random=True`, and the generator is seeded before each call.\n";
  if (!drafted.ablation.bisected.empty()) {
    text += "\nCompilerBisector: `" + drafted.ablation.bisected + "`\n";
  }
  text += "\n### Error logs\n\n" + fenced(logOf(drafted), "");
  return text + "\n### Versions\n\n" + folded("collect_env", fenced(drafted.ablation.environment, ""));
}

} // namespace touchstone::drafts
