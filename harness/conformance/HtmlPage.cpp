#include "harness/conformance/Pages.h"

#include "base/Words.h"
#include "harness/report/JUnit.h"

#include <fmt/format.h>

#include <string_view>

namespace touchstone::conformance {

namespace {

using report::escapeXml;

constexpr std::string_view kStyle = R"(
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #1c2330; background: #fff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; } th, td { padding: .25rem .6rem; text-align: left; border-bottom: 1px solid #dfe3ea; vertical-align: top; }
.levels td:nth-child(3) { font-weight: 600; white-space: nowrap; }
.badge { display: inline-block; border-radius: .3rem; padding: .05rem .5rem; color: #fff; }
.holds { background: #24803f; } .holds-where-taken { background: #66862a; } .fails { background: #b3261e; }
.refused { background: #9a5b00; } .not-shown { background: #66707f; } .not-asked { background: #a9b1bd; }
.operators td, .operators th { padding: .1rem .3rem; font-size: .85rem; } .operators td span { display: inline-block; width: 1.1rem; text-align: center; font-family: monospace; border-radius: .2rem; margin-right: 1px; }
.s-ok { background: #cdeed6; } .s-left { background: #e3e6eb; } .s-refused { background: #ffe0b0; } .s-wrong { background: #f4b0ab; } .s-other { background: #eef0f4; }
pre { background: #f4f6f9; padding: .6rem; overflow-x: auto; white-space: pre-wrap; } details { margin: .4rem 0; } summary { cursor: pointer; }
.muted { color: #66707f; }
)";

std::string badge(LevelVerdict verdict) {
  std::string name(verdictName(verdict)), style = name;
  for (char& each : style) {
    each = each == ' ' ? '-' : each;
  }
  return fmt::format("<span class=\"badge {}\">{}</span>", style, name);
}

std::string_view styleOf(char symbol) {
  switch (symbol) {
    case '+': return "s-ok";
    case '-':
    case '~': return "s-left";
    case 'R': return "s-refused";
    case 'W':
    case 'C':
    case 'T': return "s-wrong";
    default: return "s-other";
  }
}

std::string levelsTable(const ConformanceReport& report) {
  std::string text =
      "<table class=\"levels\"><tr><th>level</th><th>asks</th><th>verdict</th><th>Cases</th><th>executed by "
      "the backend</th><th>causes</th></tr>\n";
  for (const LevelReport& level : report.levels) {
    const LevelRow& row = rowOf(level.level);
    const std::string counts = countsText(level);
    std::string links;
    for (const std::string& id : level.causes) {
      links +=
          fmt::format("{}<a href=\"#{}\">{}</a>", links.empty() ? "" : ", ", id, escapeXml(report.cause(id)->title));
    }
    text += fmt::format("<tr><td>{} {}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", row.name,
                        row.title, row.asks, badge(level.verdict), escapeXml(counts.empty() ? level.why : counts),
                        proofText(level), links);
  }
  return text + "</table>\n";
}

std::string causeSection(const CauseReport& cause) {
  const std::string file =
      cause.file.empty()
          ? ""
          : fmt::format("<p><a href=\"{0}\">{0}</a>: <code>{1}</code>{2}</p>", escapeXml(cause.file),
                        escapeXml(cause.symptom),
                        cause.plainPython.empty() ? "" : "; in plain Python it " + escapeXml(cause.plainPython));
  return fmt::format(
      "<details id=\"{}\"><summary><b>{}</b> {} <span class=\"muted\">{}{}</span></summary><pre>{}</pre>{}</details>\n",
      cause.id, rowOf(cause.level).name, escapeXml(cause.title), cause.isRefusal ? "a refusal; " : "",
      escapeXml(placesText(cause)), escapeXml(cause.message), file);
}

std::string operatorsTable(const ConformanceReport& report) {
  const OperatorTable table = operatorTableOf(report);
  std::string text = "<table class=\"operators\"><tr><th>operator</th>";
  for (const std::string& dtype : table.dtypes) {
    text += fmt::format("<th>{}</th>", dtype);
  }
  text += "</tr>\n";
  for (const OperatorTable::Row& row : table.rows) {
    text += fmt::format("<tr><td>{}</td>", escapeXml(row.name));
    for (const std::string& cell : row.cells) {
      text += "<td>";
      for (const char symbol : cell) {
        text += fmt::format("<span class=\"{}\">{}</span>", styleOf(symbol), symbol);
      }
      text += "</td>";
    }
    text += "</tr>\n";
  }
  text += "</table>\n<ul>";
  for (const std::string& line : legendOf(report)) {
    text += fmt::format("<li><code>{}</code>{}</li>", line[0], escapeXml(line.substr(1)));
  }
  return text + "</ul>\n";
}

std::string list(const std::vector<std::string>& lines, const char* none) {
  std::string text;
  for (const std::string& line : lines) {
    text += "<li>" + escapeXml(line) + "</li>";
  }
  return text.empty() ? fmt::format("<p>{}</p>\n", none) : "<ul>" + text + "</ul>\n";
}

} // namespace

std::string htmlPage(const Page& page) {
  const ConformanceReport& report = page.report;
  std::string text = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\n"
      "<title>{0} held against eager</title><style>{1}</style>\n<h1><code>{0}</code> held against eager</h1>\n"
      "<p class=\"muted\">{2}; {3}; {4}; {5:.0f} minutes, seed {6}{7}</p>\n<pre>{8}</pre>\n",
      escapeXml(report.backend), kStyle, report.date, escapeXml(versionsText(report)), escapeXml(report.processor),
      report.seconds / 60, report.seed, report.isInterrupted ? "; interrupted" : "", escapeXml(report.command));
  for (const std::string& line : report.troubles) {
    text += "<p>" + escapeXml(line) + "</p>\n";
  }
  text += "<h2>Levels</h2>\n" + levelsTable(report);
  if (page.isCompared) {
    text += "<h2>Changes since the older report</h2>\n" + list(page.changes, "None.");
  }
  text += "<h2>Causes</h2>\n";
  for (const CauseReport& cause : report.causes) {
    text += causeSection(cause);
  }
  text += report.causes.empty() ? "<p>None was seen.</p>\n" : "";
  text += "<h2>Operators</h2>\n<p>Of each dtype the forward and the backward.</p>\n" + operatorsTable(report);
  std::vector<std::string> left;
  if (report.probesLeft > 0) {
    left.push_back(fmt::format("{} were not tried: the time was up", base::counted(report.probesLeft, "probe")));
  }
  for (const auto& [why, count] : report.notJudged) {
    left.push_back(fmt::format("{}: {}", base::counted(count, "Case"), why));
  }
  return text + "<h2>Not judged</h2>\n" + list(left, "Nothing.") + "</html>\n";
}

} // namespace touchstone::conformance
