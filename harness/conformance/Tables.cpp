// What several pages have in common, and those for other programs.
#include "harness/conformance/Pages.h"

#include "base/Words.h"
#include "graph/ir/Delegation.h"
#include "harness/probing/ProbeResults.h"
#include "harness/report/JUnit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace touchstone::conformance {

namespace {

constexpr size_t kNamedOperators = 8;
constexpr char kLeft = '-', kLeftInPart = '~';

bool isLeft(const OperatorReport& cell) {
  return cell.delegation == ir::delegationName(ir::DelegationKind::kUndelegated);
}

bool mayBeLeft(const OperatorReport& cell) {
  return cell.status == probing::probeStatusName(probing::ProbeStatus::kSupported) ||
         cell.status == probing::probeStatusName(probing::ProbeStatus::kNotJudged);
}

char symbolOf(const OperatorReport& cell) {
  if (mayBeLeft(cell) && isLeft(cell)) {
    return kLeft;
  }
  if (mayBeLeft(cell) && cell.delegation == ir::delegationName(ir::DelegationKind::kPartly)) {
    return kLeftInPart;
  }
  return probing::probeSymbolOf(cell.status).symbol;
}

} // namespace

std::string versionsText(const ConformanceReport& report) {
  std::string text = "torch " + report.torch;
  for (const auto& [name, version] : report.versions) {
    text += fmt::format(", {} {}", name, version);
  }
  return text;
}

std::string countsText(const LevelReport& level) {
  std::vector<std::string> parts;
  const auto add = [&](int64_t count, const char* word) {
    if (count > 0) {
      parts.push_back(fmt::format("{} {}", count, word));
    }
  };
  add(level.agreed, "agreed");
  add(level.wrong, "wrong");
  add(level.refused, "refused");
  add(level.notJudged, "not judged");
  return parts.empty() ? "" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string proofText(const LevelReport& level) {
  int64_t all = 0;
  for (const auto& [kind, cases] : level.delegations) {
    all += cases;
  }
  std::vector<std::string> parts;
  for (const auto& [kind, cases] : level.delegations) {
    parts.push_back(fmt::format("{} {:.0f} %", kind, 100.0 * static_cast<double>(cases) / static_cast<double>(all)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string placesText(const CauseReport& cause) {
  std::vector<std::string> parts;
  if (cause.probes > 0) {
    parts.push_back(base::counted(cause.probes, "probe"));
  }
  if (cause.cases > 0) {
    parts.push_back(base::counted(cause.cases, "Program"));
  }
  std::string text = fmt::format("{}", fmt::join(parts, ", "));
  std::vector<std::string> names = cause.operators;
  names.resize(std::min(names.size(), kNamedOperators));
  if (!names.empty()) {
    text += fmt::format("{}{}{}", text.empty() ? "" : ": ", fmt::join(names, ", "),
                        names.size() < cause.operators.size()
                            ? fmt::format(" and {} more", cause.operators.size() - names.size())
                            : "");
  }
  return text + (cause.dtypes.empty() ? "" : fmt::format(" with {}", fmt::join(cause.dtypes, ", ")));
}

OperatorTable operatorTableOf(const ConformanceReport& report) {
  OperatorTable table;
  std::map<std::string, std::map<std::string, std::map<std::string, char>>> cells;
  std::map<std::string, bool> supported;
  std::vector<std::string> names;
  for (const OperatorReport& each : report.operators) {
    if (std::ranges::find(table.dtypes, each.dtype) == table.dtypes.end()) {
      table.dtypes.push_back(each.dtype);
    }
    if (supported.try_emplace(each.name, true).second) {
      names.push_back(each.name);
    }
    const char symbol = symbolOf(each);
    cells[each.name][each.dtype][each.pass] = symbol;
    supported[each.name] = supported[each.name] && symbol == '+';
  }
  for (const std::string& name : names) {
    OperatorTable::Row row{.name = name, .cells = {}, .isSupported = supported[name]};
    for (const std::string& dtype : table.dtypes) {
      std::string cell;
      for (const char* pass : {"forward", "backward"}) {
        const auto& passes = cells[name][dtype];
        const auto found = passes.find(pass);
        cell += found == passes.end() ? std::string() : std::string(1, found->second);
      }
      row.cells.push_back(cell);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> legendOf(const ConformanceReport& report) {
  std::map<char, std::string> meanings;
  for (const OperatorReport& each : report.operators) {
    const char symbol = symbolOf(each);
    meanings[symbol] = symbol == kLeft ? "left to PyTorch: the backend executed none of it"
                       : symbol == kLeftInPart
                           ? "left to PyTorch in part"
                           : fmt::format("{}: {}", each.status, probing::probeSymbolOf(each.status).meaning);
  }
  std::vector<std::string> lines;
  for (const auto& [symbol, meaning] : meanings) {
    lines.push_back(fmt::format("{} {}", symbol, meaning));
  }
  return lines;
}

std::string csvTable(const ConformanceReport& report) {
  std::string text = "operator,dtype,direction,status,delegated\n";
  for (const OperatorReport& each : report.operators) {
    text += fmt::format("{},{},{},{},{}\n", each.name, each.dtype, each.pass, each.status, each.delegation);
  }
  return text;
}

std::string junitPage(const ConformanceReport& report) {
  std::vector<report::JUnitCase> tests;
  for (const LevelReport& level : report.levels) {
    if (level.verdict == LevelVerdict::kNotAsked) {
      continue;
    }
    const LevelRow& row = rowOf(level.level);
    report::JUnitCase test{
        .name = fmt::format("{} {}", row.name, row.title), .className = report.backend, .failure = {}, .details = {}};
    if (level.verdict == LevelVerdict::kFails) {
      test.failure = fmt::format("{}: {}", verdictName(level.verdict), countsText(level));
    } else if (level.verdict != LevelVerdict::kHolds) { // no error, and nobody shall think that it holds
      test.name += fmt::format(" ({})", verdictName(level.verdict));
    }
    for (const std::string& id : level.causes) {
      const CauseReport& cause = *report.cause(id);
      test.details += fmt::format("{} ({})\n{}\n{}\n", cause.title, placesText(cause), cause.message, cause.file);
    }
    tests.push_back(std::move(test));
  }
  return report::junitText("touchstone conform " + report.backend, tests);
}

std::string summaryText(const Page& page) {
  std::string text;
  for (const LevelReport& level : page.report.levels) {
    const LevelRow& row = rowOf(level.level);
    const std::string counts = countsText(level);
    text += fmt::format(
        "{} {:24} {:18} {}{}\n", row.name, row.title, verdictName(level.verdict), counts.empty() ? level.why : counts,
        level.causes.empty() ? ""
                             : fmt::format("; {}", base::counted(static_cast<int64_t>(level.causes.size()), "cause")));
  }
  for (const CauseReport& cause : page.report.causes) {
    text += fmt::format("\n{} {}\n   {}\n", rowOf(cause.level).name, cause.title, placesText(cause));
    if (!cause.file.empty()) {
      text +=
          fmt::format("   {}{}\n", cause.file, cause.plainPython.empty() ? "" : "; plain Python: " + cause.plainPython);
    }
  }
  if (page.isCompared) {
    text += page.changes.empty() ? "\nNothing has changed since the older report.\n"
                                 : "\nChanged since the older report:\n";
    for (const std::string& line : page.changes) {
      text += "  " + line + "\n";
    }
  }
  return text;
}

} // namespace touchstone::conformance
