#include "harness/report/Report.h"
#include "base/Words.h"
#include "harness/worker/KnownCause.h"

#include <torch/version.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

namespace touchstone::report {

namespace {

using nlohmann::json;

constexpr int kSchema = 2;

json effortJson(const BackendTally& tally) {
  json object{{"cases", tally.cases},
              {"calls_judged", tally.counters.judged},
              {"compiled", tally.compiled},
              {"graphs", tally.counters.graphs}};
  for (const auto& [name, member] : worker::kTimes) {
    object[name] = tally.counters.*member;
  }
  return object;
}

json backwardsJson(const worker::Counters& counters) {
  return {{"backwards", counters.backwards},
          {"captures", counters.backwardCaptures},
          {"graphs", counters.backwardGraphs},
          {"runs", counters.backwardRuns},
          {"eager_nodes", counters.backwardEagerNodes}};
}

json symbolsJson(const std::string& name, const BackendTally& tally) {
  json object{{"cases", tally.symbolic}};
  if (isNativeBackend(name)) {
    object["given_up"] = tally.givenUp;
  }
  return object;
}

/// Empty where nothing was compiled for symbols.
std::string symbolsText(const std::string& name, const BackendTally& tally) {
  if (!tally.hasSymbols()) {
    return "";
  }
  const std::string givenUp =
      isNativeBackend(name) ? fmt::format("; in {} one that was to be a symbol kept its number", tally.givenUp) : "";
  return fmt::format("  symbols: in {} of {}{}\n", tally.symbolic, base::counted(tally.compiled, "compiled Case"),
                     givenUp);
}

json delegationJson(const BackendTally& tally) {
  json operators = json::object();
  for (const auto& [name, share] : tally.operatorShares) {
    operators[name] = {{"calls", share.calls}, {"own", share.own}};
  }
  return {{"cases", tally.delegations}, {"operators", operators}};
}

/// Empty where the profile asks for no proof.
std::string delegationText(const BackendTally& tally) {
  if (tally.delegations.empty()) {
    return "";
  }
  std::string text = "  proof:";
  for (const auto& [kind, cases] : tally.delegations) {
    text += fmt::format(" {} {}", kind, cases);
  }
  ir::OperatorShare all;
  std::vector<std::pair<std::string, ir::OperatorShare>> left; // to PyTorch, in part at least
  for (const auto& [name, share] : tally.operatorShares) {
    all += share;
    if (share.own < share.calls) {
      left.emplace_back(name, share);
    }
  }
  text += fmt::format("; the backend executed {} of {} itself\n", all.own, base::counted(all.calls, "operator call"));
  std::ranges::stable_sort(left, std::ranges::greater(),
                           [](const auto& row) { return row.second.calls - row.second.own; });
  std::string rows;
  for (const auto& [name, share] : left) {
    rows += fmt::format("{}{} {}/{}", rows.empty() ? "" : ", ", name, share.own, share.calls);
  }
  return rows.empty() ? text : text + "  left to PyTorch (own/all calls): " + rows + "\n";
}

json findingJson(const Finding& finding) {
  return {{"id", finding.id},
          {"symptom", finding.symptom.text},
          {"class", language::severityName(worker::severityOf(finding.symptom))},
          {"cluster", finding.id},
          {"backend", finding.symptom.backend},
          {"base", finding.symptom.baseOutcome},
          {"origin", finding.symptom.origin},
          {"stage", finding.stage ? finding.stage->adds : ""},
          {"stage_backend", finding.stage ? finding.stage->backend : ""},
          {"phase", language::isFinding(finding.result.outcome) ? finding.result.detail : ""},
          {"oracle", finding.result.text},
          {"file", finding.file},
          {"operations", finding.operations},
          {"hits", finding.hits},
          {"found_by", finding.foundBy},
          {"regression", finding.regression},
          {"message", finding.result.message},
          {"command", replayCommand(finding)}};
}

std::string outcomesText(const BackendTally& tally) {
  std::string text;
  for (int i = language::kOutcomeCount - 1; i >= 0; --i) {
    if (const int64_t count = tally.outcomes[static_cast<size_t>(i)]; count > 0) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", language::outcomeName(static_cast<language::Outcome>(i)),
                          count);
    }
  }
  return text;
}

/// `Known(A and B)`: where a reader finds what A and B are, which are defects of TorchScript; empty: it is something else.
std::string knownText(const std::string& detail) {
  const std::string prefix = fmt::format("{}(", language::outcomeName(language::Outcome::kKnown));
  return detail.starts_with(prefix)
             ? worker::whereDefectsAre(detail.substr(prefix.size(), detail.size() - prefix.size() - 1))
             : "";
}

std::string backendText(const std::string& name, const BackendTally& tally) {
  const worker::Counters& counters = tally.counters;
  std::string text = fmt::format("{}: {}\n", name, outcomesText(tally));
  const double perCompile =
      tally.compiled > 0 ? static_cast<double>(tally.counters.judged) / static_cast<double>(tally.compiled) : 0;
  text += fmt::format(
      "  {} calls judged, {} of them by code compiled before; {:.1f} a compiled Case; {} graphs, {} operations, "
      "{} breaks, {} recompiles\n",
      counters.judged, counters.fresh, perCompile, counters.graphs, counters.operations, counters.breaks,
      counters.recompiles);
  if (counters.backwards > 0) {
    text += fmt::format(
        "  compiled autograd: {} backwards, {} of them captured; Graphs ran {} times; {} nodes ran eagerly\n",
        counters.backwards, counters.backwardCaptures, counters.backwardRuns, counters.backwardEagerNodes);
  }
  text += symbolsText(name, tally);
  text += delegationText(tally);
  for (const auto& [detail, count] : tally.details) {
    text += fmt::format("  {} {}{}\n", detail, count, knownText(detail));
  }
  if (tally.skipped > 0) {
    text += fmt::format("  {} of the Suppressed were not compiled: their suppressions say `skip`\n", tally.skipped);
  }
  return text;
}

std::string expiredText(const Report& report) {
  std::string text;
  for (const auto& [id, day] : report.expired) {
    text +=
        fmt::format("EXPIRED: the known entry `{}` excused it until {}: mend it, or give it another day.\n", id, day);
  }
  return text;
}

std::string derivedText(const Report& report) {
  std::string text;
  if (!report.tally.derivations.empty()) {
    text += "derived from stored Cases:";
    for (const auto& [how, count] : report.tally.derivations) {
      text += fmt::format(" {} {}", count, how);
    }
    text += fmt::format("; {} of them from Cases that this campaign kept\n", report.derivedFromKept);
  }
  if (report.coverage.has_value()) {
    text +=
        fmt::format("features seen: {}{} (", report.coverage->seen, report.coverage->full ? ", as many as fit" : "");
    std::string kinds;
    for (const auto& [kind, count] : report.coverage->byKind) {
      kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", kind, count);
    }
    text += fmt::format("{}); {} Cases kept that showed new ones\n", kinds, report.coverage->kept);
  }
  return text;
}

} // namespace

std::string exclusionsText(const Tally& tally) {
  std::string text;
  for (const auto& [entry, count] : tally.exclusions) {
    text +=
        fmt::format("{}  {}: {}\n", text.empty() ? "Cases that entries of the profile changed:\n" : "", entry, count);
  }
  return text;
}

void sortBySeverity(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& left, const Finding& right) {
    return worker::severityOf(left.symptom) < worker::severityOf(right.symptom);
  });
}

std::string torchVersion() {
  return TORCH_VERSION;
}

std::string dumpJson(const json& object, int indent) {
  return object.dump(indent, ' ', false, json::error_handler_t::replace);
}

void printJson(const nlohmann::json& object) {
  fmt::print("{}\n", dumpJson(object, 1));
}

std::string programName() {
  const char* name = std::getenv("TOUCHSTONE_COMMAND"); // of the script that started this
  return name != nullptr ? name : "touchstone";
}

std::string stageText(const std::optional<Rung>& stage) {
  return stage ? fmt::format("{} ({})", stage->backend, stage->adds) : "";
}

std::string regressionText(const Finding& finding) {
  return finding.regression.empty() ? "" : "\n  REGRESSION: " + finding.regression;
}

std::string replayCommand(const Finding& finding) {
  if (finding.file.empty()) {
    return "";
  }
  return fmt::format("{} run {} --backends {}{}", programName(), finding.file, finding.symptom.backend,
                     finding.profileFlags);
}

json reportJson(const Report& report) {
  json backends = json::object(), effort = json::object(), backwards = json::object(), symbols = json::object(),
       delegation = json::object();
  for (const auto& [name, tally] : report.tally.backends) {
    backends[name] = tally.outcomesByName();
    effort[name] = effortJson(tally);
    if (tally.counters.backwards > 0) {
      backwards[name] = backwardsJson(tally.counters);
    }
    if (tally.hasSymbols()) {
      symbols[name] = symbolsJson(name, tally);
    }
    if (!tally.delegations.empty()) {
      delegation[name] = delegationJson(tally);
    }
  }
  json findings = json::array();
  for (const Finding& finding : report.findings) {
    findings.push_back(findingJson(finding));
  }
  json validity = json::array();
  for (const ValidityFigure& figure : validityFigures(report.tally)) {
    validity.push_back(
        {{"name", figure.name}, {"value", figure.value}, {"bound", figure.bound}, {"holds", figure.holds}});
  }
  json object{{"schema", kSchema},
              {"torch", torchVersion()},
              {"cases", report.tally.cases},
              {"not_judged", report.tally.unreadable},
              {"interrupted", report.interrupted},
              {"waiting", report.waiting},
              {"seconds", report.seconds},
              {"calls_judged", report.tally.callsJudged()},
              {"backends", backends},
              {"generate_seconds", report.tally.generateSeconds},
              {"eager_seconds", report.tally.eagerSeconds},
              {"effort", effort},
              {"compiled_autograd", backwards},
              {"symbols", symbols},
              {"delegation", delegation},
              {"allowed", report.tally.allowed()},
              {"exclusions", report.tally.exclusions},
              {"validity", validity},
              {"findings", findings}};
  object["known"] = report.tally.excused(language::Outcome::kKnown);
  object["suppressed"] = report.tally.excused(language::Outcome::kSuppressed);
  object["expired"] = json::array();
  for (const auto& [id, day] : report.expired) {
    object["expired"].push_back({{"id", id}, {"expires", day}});
  }
  if (!report.tally.derivations.empty()) {
    object["derived"] = report.tally.derivations;
    object["derived_from_kept"] = report.derivedFromKept;
  }
  if (report.coverage.has_value()) {
    object["features"] = {{"seen", report.coverage->seen},
                          {"by_kind", report.coverage->byKind},
                          {"kept_cases", report.coverage->kept},
                          {"full", report.coverage->full}};
  }
  object["seed"] = report.seed.has_value() ? json(*report.seed) : json();
  return object;
}

/// What does not hold; what holds is counted.
static std::string validityText(const Tally& tally) {
  const std::vector<ValidityFigure> figures = validityFigures(tally);
  std::string text;
  size_t held = 0;
  for (const ValidityFigure& figure : figures) {
    held += figure.holds ? 1 : 0;
    if (!figure.holds) {
      text += fmt::format("  {} {}: {} ({})\n", figure.bound.rfind("at most", 0) == 0 ? "HIGH" : "LOW ", figure.name,
                          figure.value, figure.bound);
    }
  }
  return figures.empty() ? "" : fmt::format("validity: {} of {} figures hold\n", held, figures.size()) + text;
}

std::string summaryText(const Report& report, bool withValidity) {
  const Tally& tally = report.tally;
  std::string text = fmt::format("{} Cases in {:.1f} seconds\n", tally.cases, report.seconds);
  worker::Counters all;
  for (const auto& [name, backend] : tally.backends) {
    text += backendText(name, backend);
    all += backend.counters;
    if (backend.cases > 0 && backend.count(language::Outcome::kVacuous) * 20 > backend.cases) {
      text += fmt::format(
          "  WARNING: {} of {} Cases are Vacuous under `{}`: nothing was compiled, or compiled code was never "
          "called again with other values. They show nothing.\n",
          backend.count(language::Outcome::kVacuous), backend.cases, name);
    }
  }
  if (report.interrupted) {
    text += "Interrupted: a finding that was being reduced is stored as far as that got.\n";
  }
  if (report.waiting > 0) {
    text += fmt::format("{} {} to be reduced: {} fuzz --resume {} goes on with {}.\n",
                        base::counted(static_cast<int64_t>(report.waiting), "failing Case"),
                        report.waiting == 1 ? "waits" : "wait", programName(), report.folder,
                        report.waiting == 1 ? "it" : "them");
  }
  if (tally.unreadable > 0) {
    text += fmt::format("WARNING: Touchstone itself failed on {} of {} Cases, which no outcome counts; see above.\n",
                        tally.unreadable, tally.cases);
  }
  if (const auto allowed = tally.allowed(); !allowed.empty()) {
    text += "excused by rule:";
    for (const auto& [rule, count] : allowed) {
      text += fmt::format(" {} {}", rule, count);
    }
    text += "\n";
  }
  text += exclusionsText(tally);
  text += expiredText(report);
  text += fmt::format(
      "time of the workers: generate {:.1f} s, eager {:.1f} s, compile {:.1f} s, run {:.1f} s, judge {:.1f} s, "
      "blame {:.1f} s\n",
      tally.generateSeconds, tally.eagerSeconds, all.compileSeconds, all.runSeconds, all.judgeSeconds,
      all.blameSeconds);
  text += derivedText(report);
  text += withValidity ? validityText(tally) : "";
  for (const Finding& finding : report.findings) {
    text += fmt::format("\nFINDING {} ({}, {})\n  {}\n  {}, first in {}\n  {}\n", finding.id,
                        language::severityName(worker::severityOf(finding.symptom)), base::counted(finding.hits, "hit"),
                        finding.symptom.line() + regressionText(finding),
                        base::counted(finding.operations, "operation"), finding.foundBy, finding.result.message);
    if (finding.stage) {
      text += "  stage: " + stageText(finding.stage) + "\n";
    }
    if (!finding.file.empty()) {
      text += "  " + replayCommand(finding) + "\n";
    }
  }
  return text;
}

} // namespace touchstone::report
