#include "harness/commands/OperatorsCommand.h"

#include "generators/catalogue/Operators.h"
#include "harness/commands/Commands.h"
#include "harness/pool/GeneratedJobs.h"
#include "harness/report/Report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace touchstone::commands {

namespace {

struct UseColumn {
  catalogue::OperatorUse use;
  const char* name; // in JSON and as the head of a column
};

constexpr UseColumn kUseColumns[] = {
    {catalogue::kAccepted, "accepted"}, {catalogue::kForward, "forward"},
    {catalogue::kBackward, "backward"}, {catalogue::kNonContiguous, "non_contiguous"},
    {catalogue::kEmpty, "empty"},       {catalogue::kAliased, "aliased"},
};

/// How often Cases use the catalogue.
struct CatalogueUse {
  std::map<std::string, std::map<std::string, int64_t>> counts; // by entry and column; `tried` counts as one
  std::set<std::string> overloads;
  int64_t tried = 0, precluded = 0, accepted = 0, cases = 0;
  int64_t failed = 0; // Cases that could not be made
  std::string firstFailure;

  void add(const worker::JobResult& result) {
    if (!result.error.empty()) {
      firstFailure = failed == 0 ? fmt::format("Case {}: {}", result.id, result.error) : firstFailure;
      ++failed;
      return;
    }
    ++cases;
    const auto* uses = result.as<worker::CatalogueUses>();
    if (uses == nullptr) {
      return;
    }
    for (const auto& [name, what] : uses->operators) {
      ++counts[name]["tried"];
      ++tried;
      precluded += (what & catalogue::kPrecluded) != 0 ? 1 : 0;
      accepted += (what & catalogue::kAccepted) != 0 ? 1 : 0;
      for (const UseColumn& column : kUseColumns) {
        counts[name][column.name] += (what & column.use) != 0 ? 1 : 0;
      }
    }
    overloads.insert(uses->overloads.begin(), uses->overloads.end());
  }

  void printSummary() const {
    fmt::print(
        "\n{} statements tried in {} Cases: {} accepted, {} ruled out before eager saw them, {} rejected by eager\n",
        tried, cases, accepted, precluded, tried - accepted - precluded);
    fmt::print("accepted of those that eager saw: {:.2f}\n",
               static_cast<double>(accepted) / static_cast<double>(std::max<int64_t>(tried - precluded, 1)));
    const std::vector<catalogue::OperatorInfo> infos = catalogue::operators();
    fmt::print("{} entries, which call {} overloads of ATen\n", infos.size(), overloads.size());
    for (const UseColumn& column : kUseColumns) {
      std::vector<std::string> never;
      for (const catalogue::OperatorInfo& info : infos) {
        const auto found = counts.find(std::string(info.name));
        if (found == counts.end() || found->second.at(column.name) == 0) {
          never.emplace_back(info.name);
        }
      }
      fmt::print("{:15} {} entries{}{}\n", column.name, infos.size() - never.size(),
                 never.empty() ? "" : "; never: ", fmt::join(never, " "));
    }
  }
};

} // namespace

/// The catalogue, and what so many Cases of a campaign use of it.
static base::ExitStatus listOperators(bool json, uint64_t seed, uint64_t cases) {
  return listOperators(json, cases == 0 ? std::vector<worker::JobResult>()
                                        : pool::generateJobs({.seed = seed, .cases = cases, .wantUses = true}));
}

base::ExitStatus listOperators(bool json, const std::vector<worker::JobResult>& made) {
  const size_t cases = made.size();
  CatalogueUse use;
  for (const worker::JobResult& result : made) {
    use.add(result);
  }
  nlohmann::json list = nlohmann::json::array();
  if (!json) {
    fmt::print("{:22} {:14} {:5} {:7}", "entry", "family", "", "");
    for (const UseColumn& column : kUseColumns) {
      fmt::print("{}", cases > 0 ? fmt::format(" {:>{}}", column.name, std::max<size_t>(8, strlen(column.name))) : "");
    }
    fmt::print("\n");
  }
  for (const catalogue::OperatorInfo& info : catalogue::operators()) {
    const std::string_view family = catalogue::familyName(info.family);
    std::map<std::string, int64_t>& counts = use.counts[std::string(info.name)];
    if (json) {
      nlohmann::json entry = {
          {"name", info.name}, {"family", family}, {"exact", info.exact}, {"mutates", info.mutates}};
      entry["tried"] = counts["tried"];
      for (const UseColumn& column : kUseColumns) {
        entry[column.name] = counts[column.name];
      }
      list.push_back(std::move(entry));
      continue;
    }
    fmt::print("{:22} {:14} {:5} {:7}", info.name, family, info.exact ? "exact" : "", info.mutates ? "mutates" : "");
    for (const UseColumn& column : kUseColumns) {
      fmt::print(
          "{}", cases > 0 ? fmt::format(" {:>{}}", counts[column.name], std::max<size_t>(8, strlen(column.name))) : "");
    }
    fmt::print("\n");
  }
  if (json) {
    report::printJson(list);
  } else if (cases > 0) {
    use.printSummary();
  }
  if (use.failed > 0) {
    fmt::print(stderr, "Touchstone itself failed on {} of {} Cases, which are not counted; the first: {}\n", use.failed,
               cases, use.firstFailure);
    return base::ExitStatus::kFailed;
  }
  return base::ExitStatus::kNothingNew;
}

options::Command operatorsCommand() {
  struct Asked {
    bool json = false;
    uint64_t seed = 0, cases = 0;
  };
  const auto asked = std::make_shared<Asked>();
  return {
      .options = {options::jsonFlag(asked->json, "Print a JSON list on standard output; see docs/json.md"),
                  options::seed(&asked->seed, "Seed of the Cases that are counted", false),
                  {"--cases", &asked->cases, "Generate so many Cases and count; 0: only list", options::shown()}},
      .footer = "",
      .run = [asked](const options::Given&) { return listOperators(asked->json, asked->seed, asked->cases); },
  };
}

} // namespace touchstone::commands
