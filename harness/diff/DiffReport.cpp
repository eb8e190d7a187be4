#include "harness/diff/DiffReport.h"

#include "base/Words.h"
#include "harness/report/Report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace touchstone::diff {

namespace {

using nlohmann::json;

constexpr size_t kShownObserved = 20;
constexpr size_t kShownOfUnconfirmed = 10;
constexpr ChangeKind kKinds[] = {ChangeKind::kWorse, ChangeKind::kOther, ChangeKind::kBetter};

/// `gradient 0 of arg 1` → `gradient`.
std::string roleOf(const std::string& where) {
  const size_t digit = where.find_first_of("0123456789");
  std::string role = where.substr(0, digit == std::string::npos ? where.size() : digit);
  role.erase(role.find_last_not_of(' ') + 1);
  const bool isStorage = where.ends_with("in storage");
  return isStorage ? role + " in storage" : role;
}

std::string propertyOf(const ObservedChange& change) {
  std::string text = roleOf(change.where);
  if (change.property != "text") {
    text += (text.empty() ? "" : " ") + change.property;
  }
  return change.rules.empty() ? text : fmt::format("{} ({})", text, fmt::join(change.rules, ", "));
}

/// What changes between these two classes are called.
std::string kindsOf(const DiffReport& report, const std::pair<std::string, std::string>& classes) {
  std::set<std::string> kinds;
  for (const ChangeCluster& cluster : report.clusters) {
    if (cluster.leftClass == classes.first && cluster.rightClass == classes.second) {
      kinds.insert(std::string(changeKindName(cluster.kind)));
    }
  }
  return fmt::format("{}", fmt::join(kinds, ", "));
}

std::string transitionsText(const DiffReport& report) {
  size_t leftWidth = 4, rightWidth = 5;
  for (const auto& [classes, count] : report.transitions) {
    leftWidth = std::max(leftWidth, classes.first.size());
    rightWidth = std::max(rightWidth, classes.second.size());
  }
  std::string text = fmt::format("  {:{}}  {:{}}  Cases\n", "left", leftWidth, "right", rightWidth);
  for (const auto& [classes, count] : report.transitions) {
    text += fmt::format("  {:{}}  {:{}}  {:5}  {}", classes.first, leftWidth, classes.second, rightWidth, count,
                        kindsOf(report, classes));
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

std::string observedText(const ObservedSummary& observed) {
  std::string text = fmt::format(
      "Of {} with the same outcome, {} show the same to the bit, {} something else that a rule allows, {} something "
      "else as their eager does; {} were compiled otherwise.\n",
      base::counted(observed.compared, "Case"), observed.compared - observed.withinRules - observed.beyondRules,
      observed.withinRules, observed.beyondRules, observed.otherCounts);
  for (const auto& [property, count] : observed.properties) {
    text += fmt::format("  {:5}  {}\n", count, property);
  }
  for (size_t i = 0; i < std::min(observed.cases.size(), kShownObserved); ++i) {
    const ObservedCase& each = observed.cases[i];
    text += fmt::format("  {}\n", each.name);
    for (const ObservedChange& change : each.changes) {
      const std::string place =
          change.where.empty() ? std::string("compiled:") : fmt::format("call {} {}:", change.call, change.where);
      text += fmt::format("    {} {} {} → {}\n", place, change.property, change.left, change.right);
    }
  }
  if (observed.cases.size() > kShownObserved) {
    text += fmt::format("  … and {} more; --json lists all\n", observed.cases.size() - kShownObserved);
  }
  return text;
}

std::string clusterText(const ChangeCluster& cluster) {
  std::string text =
      fmt::format("  {}: {}, {}, reduced to {} and {}\n    {} → {}\n", cluster.id,
                  base::counted(static_cast<int64_t>(cluster.cases.size()), "Case"), cluster.cases.front(),
                  base::counted(static_cast<int64_t>(cluster.signature.operators.size()), "operator"),
                  base::counted(static_cast<int64_t>(cluster.calls), "call"), outcomeTextOf(cluster.left),
                  outcomeTextOf(cluster.right));
  for (const worker::BackendResult* result : {&cluster.left, &cluster.right}) {
    if (!result->message.empty()) {
      text += fmt::format("    {}: {}\n", result == &cluster.left ? "left" : "right",
                          result->message.substr(0, result->message.find('\n')));
    }
  }
  text += fmt::format("    both:  {}\n    left:  {}\n    right: {}\n", cluster.command, cluster.leftCommand,
                      cluster.rightCommand);
  return text;
}

json sideJson(const DiffReport& report, size_t side) {
  json outcomes = json::object();
  for (const auto& [name, tally] : report.tallies[side].backends) {
    outcomes.update(tally.outcomesByName());
  }
  return {{"name", report.names[side]},
          {"torch", report.torch[side]},
          {"calls_judged", report.tallies[side].callsJudged()},
          {"outcomes", std::move(outcomes)}};
}

json observedJson(const ObservedSummary& observed) {
  json cases = json::array();
  for (const ObservedCase& each : observed.cases) {
    for (const ObservedChange& change : each.changes) {
      cases.push_back({{"case", each.name},
                       {"call", change.call},
                       {"where", change.where},
                       {"property", change.property},
                       {"left", change.left},
                       {"right", change.right},
                       {"rules", change.rules}});
    }
  }
  return {
      {"compared", observed.compared},        {"same", observed.compared - observed.withinRules - observed.beyondRules},
      {"within_rules", observed.withinRules}, {"beyond_rules", observed.beyondRules},
      {"other_counts", observed.otherCounts}, {"properties", observed.properties},
      {"changes", std::move(cases)}};
}

json clusterJson(const ChangeCluster& cluster) {
  return {{"id", cluster.id},
          {"kind", changeKindName(cluster.kind)},
          {"left", outcomeTextOf(cluster.left)},
          {"right", outcomeTextOf(cluster.right)},
          {"left_message", cluster.left.message},
          {"right_message", cluster.right.message},
          {"cases", cluster.cases},
          {"operations", cluster.signature.operators.size()},
          {"operators", cluster.signature.operators},
          {"calls", cluster.calls},
          {"file", cluster.file},
          {"command", cluster.command},
          {"left_command", cluster.leftCommand},
          {"right_command", cluster.rightCommand}};
}

} // namespace

void ObservedSummary::add(const std::string& name, const std::vector<ObservedChange>& changes, bool keep) {
  ++compared;
  const auto count = [&](auto holds) { return std::count_if(changes.begin(), changes.end(), holds) > 0 ? 1 : 0; };
  const int beyond = count([](const ObservedChange& each) { return !each.where.empty() && each.rules.empty(); });
  const int within = count([](const ObservedChange& each) { return !each.where.empty() && !each.rules.empty(); });
  beyondRules += beyond;
  withinRules += beyond == 0 ? within : 0;
  otherCounts += count([](const ObservedChange& each) { return each.where.empty(); });
  std::set<std::string> found;
  for (const ObservedChange& change : changes) {
    found.insert(propertyOf(change));
  }
  for (const std::string& property : found) {
    ++properties[property];
  }
  if (keep && !changes.empty()) {
    cases.push_back({name, changes});
  }
}

int64_t DiffReport::changed(ChangeKind kind) const {
  int64_t count = 0;
  for (const ChangeCluster& cluster : clusters) {
    count += cluster.kind == kind ? static_cast<int64_t>(cluster.cases.size()) : 0;
  }
  return count;
}

double DiffReport::unjudgedShare() const {
  if (cases == 0) {
    return 1;
  }
  int64_t judged = cases;
  for (const report::Tally& tally : tallies) {
    int64_t ofSide = 0;
    for (const auto& [name, backend] : tally.backends) {
      ofSide += backend.judgedCases();
    }
    judged = std::min(judged, ofSide);
  }
  return 1 - static_cast<double>(judged) / static_cast<double>(cases);
}

std::string diffText(const DiffReport& report) {
  std::string text =
      fmt::format("{}{}, {:.1f} seconds\n", base::counted(report.cases, "Case"),
                  report.seed.has_value() ? fmt::format(" of seed {}", *report.seed) : "", report.seconds);
  for (size_t side = 0; side < 2; ++side) {
    text += fmt::format("  {} {}, torch {}, {} calls judged\n", side == 0 ? "left: " : "right:", report.names[side],
                        report.torch[side], report.tallies[side].callsJudged());
  }
  text += "\n" + transitionsText(report) + "\n" + observedText(report.observed) + "\n";
  for (const ChangeKind kind : kKinds) {
    const int64_t count = report.changed(kind);
    if (count == 0) {
      continue;
    }
    std::string clusters;
    int64_t number = 0;
    for (const ChangeCluster& cluster : report.clusters) {
      if (cluster.kind == kind) {
        clusters += clusterText(cluster);
        ++number;
      }
    }
    text += fmt::format("{}: {}, {}\n{}", changeKindName(kind), base::counted(count, "Case"),
                        base::counted(number, "cluster"), clusters);
  }
  if (report.clusters.empty()) {
    text += "No outcome has changed.\n";
  }
  if (!report.unconfirmed.empty()) {
    text += fmt::format("{} did not change again when they ran alone:\n",
                        base::counted(static_cast<int64_t>(report.unconfirmed.size()), "Case"));
    for (size_t i = 0; i < std::min(report.unconfirmed.size(), kShownOfUnconfirmed); ++i) {
      text += "  " + report.unconfirmed[i] + "\n";
    }
  }
  if (report.notMade + report.notJudged > 0) {
    text += fmt::format("{} Cases could not be made, {} could not be read on one side; see standard error.\n",
                        report.notMade, report.notJudged);
  }
  return text;
}

json diffJson(const DiffReport& report) {
  json transitions = json::array(), clusters = json::array();
  for (const auto& [classes, count] : report.transitions) {
    transitions.push_back({{"left", classes.first}, {"right", classes.second}, {"cases", count}});
  }
  for (const ChangeCluster& cluster : report.clusters) {
    clusters.push_back(clusterJson(cluster));
  }
  json object{{"schema", 1},
              {"torch", report::torchVersion()},
              {"left", sideJson(report, 0)},
              {"right", sideJson(report, 1)},
              {"cases", report.cases},
              {"not_made", report.notMade},
              {"not_judged", report.notJudged},
              {"interrupted", report.interrupted},
              {"seconds", report.seconds},
              {"seed", nullptr},
              {"transitions", std::move(transitions)},
              {"worse", report.changed(ChangeKind::kWorse)},
              {"better", report.changed(ChangeKind::kBetter)},
              {"other", report.changed(ChangeKind::kOther)},
              {"unconfirmed", report.unconfirmed},
              {"changes", std::move(clusters)},
              {"observed", observedJson(report.observed)}};
  if (report.seed.has_value()) {
    object["seed"] = *report.seed;
  }
  return object;
}

std::vector<report::JUnitCase> diffJUnit(const DiffReport& report, bool allowBetter) {
  std::vector<report::JUnitCase> cases;
  for (const ChangeCluster& cluster : report.clusters) {
    const bool passes = allowBetter && cluster.kind == ChangeKind::kBetter;
    const std::string change = fmt::format("{} → {}", outcomeTextOf(cluster.left), outcomeTextOf(cluster.right));
    cases.push_back(
        {cluster.id, std::string(changeKindName(cluster.kind)), passes ? "" : change, clusterText(cluster)});
  }
  if (cases.empty()) {
    cases.push_back({fmt::format("{} Cases, {} → {}", report.cases, report.names[0], report.names[1]), "diff", "", ""});
  }
  return cases;
}

} // namespace touchstone::diff
