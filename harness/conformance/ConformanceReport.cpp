#include "harness/conformance/ConformanceReport.h"

#include "base/ExitStatus.h"
#include "base/Words.h"
#include "graph/ir/Delegation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace touchstone::conformance {

namespace {

constexpr int kSchema = 1;
constexpr size_t kShownOperators = 20;

constexpr std::array<std::pair<LevelVerdict, std::string_view>, 6> kVerdicts = {{
    {LevelVerdict::kHolds, "holds"},
    {LevelVerdict::kHoldsWhereTaken, "holds where taken"},
    {LevelVerdict::kFails, "fails"},
    {LevelVerdict::kRefused, "refused"},
    {LevelVerdict::kNotShown, "not shown"},
    {LevelVerdict::kNotAsked, "not asked"},
}};

} // namespace

// By their names, which pages show, too.
static void to_json(nlohmann::json& object, const Level& level) {
  object = std::string(rowOf(level).name);
}
static void from_json(const nlohmann::json& object, Level& level) {
  level = levelFromName(object.get<std::string>()).value();
}
static void to_json(nlohmann::json& object, const LevelVerdict& verdict) {
  object = std::string(verdictName(verdict));
}
static void from_json(const nlohmann::json& object, LevelVerdict& verdict) {
  verdict = verdictFromName(object.get<std::string>());
}

// Names and members of what is an object in the file: one list for both ways.

template <class Visit>
static void membersOf(auto& cause, Visit visit)
  requires std::is_same_v<std::remove_cvref_t<decltype(cause)>, CauseReport>
{
  visit("id", cause.id);
  visit("title", cause.title);
  visit("message", cause.message);
  visit("level", cause.level);
  visit("is_refusal", cause.isRefusal);
  visit("operators", cause.operators);
  visit("dtypes", cause.dtypes);
  visit("probes", cause.probes);
  visit("cases", cause.cases);
  visit("symptom", cause.symptom);
  visit("file", cause.file);
  visit("plain_python", cause.plainPython);
}

template <class Visit>
static void membersOf(auto& level, Visit visit)
  requires std::is_same_v<std::remove_cvref_t<decltype(level)>, LevelReport>
{
  visit("level", level.level);
  visit("verdict", level.verdict);
  visit("why", level.why);
  visit("cases", level.cases);
  visit("agreed", level.agreed);
  visit("wrong", level.wrong);
  visit("refused", level.refused);
  visit("not_judged", level.notJudged);
  visit("delegations", level.delegations);
  visit("causes", level.causes);
}

template <class Visit>
static void membersOf(auto& cell, Visit visit)
  requires std::is_same_v<std::remove_cvref_t<decltype(cell)>, OperatorReport>
{
  visit("operator", cell.name);
  visit("dtype", cell.dtype);
  visit("direction", cell.pass);
  visit("status", cell.status);
  visit("delegated", cell.delegation);
}

template <class Visit>
static void membersOf(auto& report, Visit visit)
  requires std::is_same_v<std::remove_cvref_t<decltype(report)>, ConformanceReport>
{
  visit("backend", report.backend);
  visit("torch", report.torch);
  visit("processor", report.processor);
  visit("date", report.date);
  visit("versions", report.versions);
  visit("command", report.command);
  visit("seconds", report.seconds);
  visit("seed", report.seed);
  visit("is_interrupted", report.isInterrupted);
  visit("troubles", report.troubles);
  visit("levels", report.levels);
  visit("causes", report.causes);
  visit("operators", report.operators);
  visit("probes_left", report.probesLeft);
  visit("not_judged", report.notJudged);
}

template <class Type>
  requires requires(Type& value) { membersOf(value, [](const char*, auto&) {}); }
static void to_json(nlohmann::json& object, const Type& value) {
  membersOf(value, [&](const char* name, const auto& member) { object[name] = member; });
}
template <class Type>
  requires requires(Type& value) { membersOf(value, [](const char*, auto&) {}); }
static void from_json(const nlohmann::json& object, Type& value) {
  membersOf(value, [&](const char* name, auto& member) { object.at(name).get_to(member); });
}

std::string_view verdictName(LevelVerdict verdict) {
  return std::ranges::find(kVerdicts, verdict, &std::pair<LevelVerdict, std::string_view>::first)->second;
}

LevelVerdict verdictFromName(const std::string& name) {
  const auto found = std::ranges::find(kVerdicts, name, &std::pair<LevelVerdict, std::string_view>::second);
  return found == kVerdicts.end() ? throw std::invalid_argument("no verdict is called " + name) : found->first;
}

LevelVerdict verdictOf(const LevelReport& level, bool isWrong, bool isLeftOut) {
  if (isWrong) {
    return LevelVerdict::kFails;
  }
  if (level.cases == 0 && isLeftOut) {
    return LevelVerdict::kNotAsked;
  }
  if (level.agreed < kFewestCases) {
    const bool isAllRefused =
        level.agreed == 0 && level.refused > level.notJudged && level.refused + level.notJudged >= level.cases;
    return isAllRefused ? LevelVerdict::kRefused : LevelVerdict::kNotShown;
  }
  return level.refused > 0 || !level.causes.empty() ? LevelVerdict::kHoldsWhereTaken : LevelVerdict::kHolds;
}

std::string whyNotShown(const LevelReport& level, bool isInterrupted) {
  const auto left = level.delegations.find(std::string(ir::delegationName(ir::DelegationKind::kUndelegated)));
  if (left != level.delegations.end() && left->second > 0 && 2 * left->second >= level.cases) {
    return "the backend left what it was handed to PyTorch";
  }
  if (level.agreed > 0) {
    return fmt::format("only {} agreed; fewer than {} show nothing", base::counted(level.agreed, "Case"), kFewestCases);
  }
  if (level.cases == 0) {
    return isInterrupted ? "interrupted" : "there was no time";
  }
  return level.notJudged + level.refused < level.cases ? "no Case agreed: those that were judged fail at another level"
                                                       : "no Case was judged";
}

const CauseReport* ConformanceReport::cause(const std::string& id) const {
  const auto found = std::ranges::find(causes, id, &CauseReport::id);
  return found == causes.end() ? nullptr : &*found;
}

std::string reportText(const ConformanceReport& report) {
  nlohmann::json object = report;
  object["schema"] = kSchema;
  for (nlohmann::json& level : object["levels"]) { // for who reads the file alone
    level["title"] = rowOf(level["level"].get<Level>()).title;
  }
  return object.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

ConformanceReport reportFromText(const std::string& text, const std::string& name) {
  try {
    const nlohmann::json object = nlohmann::json::parse(text);
    if (object.value("schema", 0) != kSchema) {
      throw std::invalid_argument(fmt::format("its `schema` is not {}", kSchema));
    }
    return object.get<ConformanceReport>();
  } catch (const std::exception& error) {
    throw base::WrongUse(fmt::format("`{}` is no report of `touchstone conform`: {}", name, error.what()));
  }
}

namespace {

bool wasAsked(const LevelReport& level) {
  return level.verdict != LevelVerdict::kNotAsked && level.verdict != LevelVerdict::kNotShown;
}

const LevelReport* levelIn(const ConformanceReport& report, Level level) {
  const auto found = std::ranges::find(report.levels, level, &LevelReport::level);
  return found == report.levels.end() ? nullptr : &*found;
}

std::string named(const CauseReport& cause) {
  return fmt::format("{} ({}, {})", cause.title, rowOf(cause.level).name, cause.id);
}

std::vector<std::string> changesOfOperators(const ConformanceReport& before, const ConformanceReport& now) {
  std::map<std::tuple<std::string, std::string, std::string>, std::string> old;
  for (const OperatorReport& each : before.operators) {
    old[{each.name, each.dtype, each.pass}] = each.status;
  }
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> changed; // places by both statuses
  for (const OperatorReport& each : now.operators) {
    const auto found = old.find({each.name, each.dtype, each.pass});
    if (found != old.end() && found->second != each.status) {
      changed[{found->second, each.status}].push_back(fmt::format("{} {} {}", each.name, each.dtype, each.pass));
    }
  }
  std::vector<std::string> lines;
  for (auto& [statuses, places] : changed) {
    const size_t all = places.size();
    places.resize(std::min(all, kShownOperators));
    lines.push_back(fmt::format("{} of the operators {} → {}: {}{}", all, statuses.first, statuses.second,
                                fmt::join(places, ", "), all > places.size() ? ", …" : ""));
  }
  return lines;
}

} // namespace

std::vector<std::string> changesSince(const ConformanceReport& before, const ConformanceReport& now) {
  std::vector<std::string> lines;
  for (const LevelReport& level : now.levels) {
    const LevelReport* old = levelIn(before, level.level);
    if (old != nullptr && wasAsked(*old) && wasAsked(level) && old->verdict != level.verdict) {
      lines.push_back(fmt::format("{} {}: {} → {}", rowOf(level.level).name, rowOf(level.level).title,
                                  verdictName(old->verdict), verdictName(level.verdict)));
    }
  }
  const auto isComparable = [&](const CauseReport& cause) { // its level was asked in both
    const LevelReport *then = levelIn(before, cause.level), *later = levelIn(now, cause.level);
    return then != nullptr && later != nullptr && wasAsked(*then) && wasAsked(*later);
  };
  for (const CauseReport& each : now.causes) {
    if (before.cause(each.id) == nullptr && isComparable(each)) {
      lines.push_back("new: " + named(each));
    }
  }
  for (const CauseReport& each : before.causes) {
    if (now.cause(each.id) == nullptr && isComparable(each)) {
      lines.push_back("not seen again: " + named(each));
    }
  }
  for (std::string& line : changesOfOperators(before, now)) {
    lines.push_back(std::move(line));
  }
  return lines;
}

} // namespace touchstone::conformance
