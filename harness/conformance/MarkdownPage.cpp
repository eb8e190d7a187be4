#include "harness/conformance/Pages.h"

#include "base/Words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace touchstone::conformance {

namespace {

/// A text as a cell of a table.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char each : base::oneLine(text)) {
    escaped += each == '|' ? "\\|" : std::string(1, each);
  }
  return escaped;
}

std::string levelsText(const ConformanceReport& report) {
  std::string text =
      "| level | asks | verdict | Cases | executed by the backend | causes |\n|---|---|---|---|---|---:|\n";
  for (const LevelReport& level : report.levels) {
    const LevelRow& row = rowOf(level.level);
    const std::string counts = countsText(level);
    text += fmt::format("| {} {} | {} | **{}** | {} | {} | {} |\n", row.name, row.title, row.asks,
                        verdictName(level.verdict), counts.empty() ? cell(level.why) : counts, proofText(level),
                        level.causes.size());
  }
  return text;
}

std::string causeText(const CauseReport& cause, size_t number) {
  std::string text = fmt::format("### {}. {}\n\n{}{}; {}.\n", number, cause.title, cause.isRefusal ? "A refusal; " : "",
                                 rowOf(cause.level).name, placesText(cause));
  if (!cause.message.empty()) {
    text += fmt::format("\n````\n{}\n````\n", cause.message);
  }
  if (!cause.file.empty()) {
    text += fmt::format("\n[{}]({}): `{}`{}.\n", cause.file, cause.file, cause.symptom,
                        cause.plainPython.empty() ? "" : "; in plain Python it " + cause.plainPython);
  }
  return text + "\n";
}

std::string operatorsText(const ConformanceReport& report) {
  const OperatorTable table = operatorTableOf(report);
  if (table.rows.empty()) {
    return "";
  }
  std::string text = fmt::format("| operator | {} |\n|---|{}\n", fmt::join(table.dtypes, " | "), [&] {
    std::string line;
    for (size_t i = 0; i < table.dtypes.size(); ++i) {
      line += "---|";
    }
    return line;
  }());
  int64_t hidden = 0;
  for (const OperatorTable::Row& row : table.rows) {
    if (row.isSupported) {
      ++hidden;
      continue;
    }
    text += fmt::format("| {} | {} |\n", row.name, fmt::join(row.cells, " | "));
  }
  text += fmt::format("\nAs eager wherever eager has a Case: {}. [operators.csv](operators.csv) has all.\n\n",
                      base::counted(hidden, "more operator"));
  for (const std::string& line : legendOf(report)) {
    text += fmt::format("- `{}`{}\n", line.substr(0, 1), line.substr(1));
  }
  return text;
}

} // namespace

std::string markdownPage(const Page& page) {
  const ConformanceReport& report = page.report;
  std::string text =
      fmt::format("# `{}` held against eager\n\n{}; {}, {}; {:.0f} minutes, seed {}{}.\n\n```\n{}\n```\n\n",
                  report.backend, report.date, versionsText(report), report.processor, report.seconds / 60, report.seed,
                  report.isInterrupted ? "; interrupted" : "", report.command);
  for (const std::string& line : report.troubles) {
    text += line + "\n\n";
  }
  text += "## Levels\n\n" + levelsText(report);
  if (page.isCompared) {
    text += "\n## Changes since the older report\n\n";
    text += page.changes.empty() ? "None.\n" : "";
    for (const std::string& line : page.changes) {
      text += "- " + line + "\n";
    }
  }
  text += fmt::format("\n## Causes\n\n{}", report.causes.empty() ? "None was seen.\n\n" : "");
  for (size_t i = 0; i < report.causes.size(); ++i) {
    text += causeText(report.causes[i], i + 1);
  }
  text += "## Operators\n\nOf each dtype the forward and the backward.\n\n" + operatorsText(report);
  if (report.probesLeft > 0) {
    text += fmt::format("\nNot tried, as the time was up: {}.\n", base::counted(report.probesLeft, "probe"));
  }
  text += "\n## Not judged\n\n";
  text += report.notJudged.empty() ? "Nothing.\n" : "| why | Cases |\n|---|---:|\n";
  for (const auto& [why, count] : report.notJudged) {
    text += fmt::format("| {} | {} |\n", cell(why), count);
  }
  return text;
}

} // namespace touchstone::conformance
