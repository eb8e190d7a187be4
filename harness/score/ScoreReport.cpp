#include "harness/score/ScoreReport.h"

#include "base/Words.h"
#include "harness/score/FaultSelection.h"
#include "harness/score/ScoreRecord.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <iterator>

namespace touchstone::score {

using nlohmann::json;

namespace {

std::optional<double> medianOf(std::vector<double> values) {
  if (values.empty()) {
    return std::nullopt;
  }
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

using Chosen = std::function<bool(const faults::FaultRow&)>;

ScoreRow rowOf(std::string name, const std::vector<const FamilyReport*>& families, const Chosen& isChosen) {
  ScoreRow row{.name = std::move(name)};
  std::vector<double> cases, seconds;
  for (const FamilyReport* family : families) {
    for (size_t i = 0; i < family->rows.size(); ++i) {
      const FaultScore& score = family->score.faults[i];
      if (family->rows[i].isControl || !isChosen(family->rows[i])) {
        continue;
      }
      ++row.faults;
      if (score.kill) {
        ++row.killed;
        cases.push_back(static_cast<double>(score.cases));
        seconds.push_back(score.seconds);
        ++row.attributions[static_cast<size_t>(score.kill->attribution)];
      }
    }
  }
  row.medianCases = medianOf(std::move(cases));
  row.medianSeconds = medianOf(std::move(seconds));
  return row;
}

std::string percent(int64_t part, int64_t whole) {
  return whole == 0 ? "–" : fmt::format("{:.0f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

bool isShown(const faults::FaultRow& row, ReportOptions options) {
  return row.isControl || options.showUnseen || isSeen(row.name);
}

std::string tableText(const FamilyReport& family) {
  constexpr const char* kLine = "  {:13} {:>6}  {:>6} {:>6}  {:>12}  {:>14}  {:>6}  {:>9}  {:>9}\n";
  std::string text = fmt::format("{}: Cases 0 to {}\n", ir::familyName(family.score.family), family.score.next) +
                     fmt::format(kLine, "class", "faults", "killed", "", "median Cases", "median seconds", "right",
                                 "ambiguous", "elsewhere");
  for (const ScoreRow& row : scoreRows(family)) {
    text += fmt::format(kLine, row.name, row.faults, row.killed, percent(row.killed, row.faults),
                        row.medianCases ? fmt::format("{:g}", *row.medianCases) : "–",
                        row.medianSeconds ? fmt::format("{:.2f}", *row.medianSeconds) : "–",
                        percent(row.count(Attribution::kRight), row.killed),
                        percent(row.count(Attribution::kAmbiguous), row.killed),
                        percent(row.count(Attribution::kElsewhere), row.killed));
  }
  return text;
}

std::string survivorsText(const FamilyReport& family, ReportOptions options) {
  std::string text;
  int64_t hidden = 0;
  for (size_t i = 0; i < family.rows.size(); ++i) {
    const faults::FaultRow& row = family.rows[i];
    const FaultScore& score = family.score.faults[i];
    if (row.isControl || score.kill) {
      continue;
    }
    if (!isShown(row, options)) {
      ++hidden;
      continue;
    }
    text += fmt::format("  {} ({}, {}): {}; {}\n    {}, {} judged, {:.1f} seconds{}{}\n", faults::backendName(row),
                        faults::faultClassName(row.faultClass), row.stage, row.what, row.when,
                        base::counted(static_cast<int64_t>(score.cases), "Case"), score.judged, score.seconds,
                        score.shadowed > 0 ? fmt::format(", {} shadowed", score.shadowed) : "",
                        score.unconfirmed > 0 ? fmt::format(", {} did not recur", score.unconfirmed) : "");
  }
  text = text.empty() ? "" : "Survivors\n" + text;
  return text + (hidden > 0 ? fmt::format("{} of the unseen half survived; --show-unseen names them.\n", hidden) : "");
}

std::string controlsText(const FamilyReport& family) {
  std::string text;
  int64_t controls = 0, silent = 0;
  for (size_t i = 0; i < family.rows.size(); ++i) {
    const FaultScore& score = family.score.faults[i];
    if (!family.rows[i].isControl) {
      continue;
    }
    ++controls;
    silent += score.shown.empty() ? 1 : 0;
    for (const Showing& each : score.shown) {
      text += fmt::format("  {} Case {}: {}: {}\n", faults::backendName(family.rows[i]), each.index, each.outcome,
                          base::oneLine(each.message));
    }
  }
  return controls == 0 ? "" : fmt::format("Controls: {} of {} are silent\n{}", silent, controls, text);
}

json medianJson(const std::optional<double>& median) {
  return median ? json(*median) : json();
}

json rowJson(const ScoreRow& row) {
  return {{"name", row.name},
          {"faults", row.faults},
          {"killed", row.killed},
          {"median_cases", medianJson(row.medianCases)},
          {"median_seconds", medianJson(row.medianSeconds)},
          {"right", row.count(Attribution::kRight)},
          {"ambiguous", row.count(Attribution::kAmbiguous)},
          {"elsewhere", row.count(Attribution::kElsewhere)},
          {"no_stage", row.count(Attribution::kNone)}};
}

json faultJson(const faults::FaultRow& row, const FaultScore& score) {
  json object{{"name", row.name},
              {"backend", faults::backendName(row)},
              {"class", faults::faultClassName(row.faultClass)},
              {"stage", row.stage},
              {"what", row.what},
              {"when", row.when},
              {"half", isSeen(row.name) ? "seen" : "unseen"},
              {"killed", score.kill.has_value()},
              {"cases", score.cases},
              {"seconds", score.seconds},
              {"compiled", score.compiled},
              {"judged", score.judged},
              {"shadowed", score.shadowed},
              {"unconfirmed", score.unconfirmed}};
  if (score.kill) {
    object.update({{"case", score.kill->index},
                   {"outcome", score.kill->outcome},
                   {"shows", score.kill->shows},
                   {"rung", score.kill->rung},
                   {"blamed", score.kill->stages},
                   {"attribution", attributionName(score.kill->attribution)}});
  }
  return object;
}

json controlJson(const faults::FaultRow& row, const FaultScore& score) {
  json shown = json::array();
  for (const Showing& each : score.shown) {
    shown.push_back({{"case", each.index}, {"outcome", each.outcome}, {"message", each.message}});
  }
  return {{"name", row.name},         {"backend", faults::backendName(row)},
          {"what", row.what},         {"cases", score.cases},
          {"judged", score.judged},   {"shadowed", score.shadowed},
          {"seconds", score.seconds}, {"unconfirmed", score.unconfirmed},
          {"shown", std::move(shown)}};
}

} // namespace

std::vector<ScoreRow> scoreRows(const FamilyReport& family) {
  std::vector<ScoreRow> rows;
  for (int i = 0; i < faults::kFaultClassCount; ++i) {
    const auto faultClass = static_cast<faults::FaultClass>(i);
    rows.push_back(rowOf(std::string(faults::faultClassName(faultClass)), {&family},
                         [&](const faults::FaultRow& row) { return row.faultClass == faultClass; }));
  }
  std::erase_if(rows, [](const ScoreRow& row) { return row.faults == 0; });
  rows.push_back(rowOf("all", {&family}, [](const faults::FaultRow&) { return true; }));
  return rows;
}

ScoreRow wholeScore(const std::vector<FamilyReport>& families) {
  std::vector<const FamilyReport*> all;
  std::transform(families.begin(), families.end(), std::back_inserter(all),
                 [](const FamilyReport& each) { return &each; });
  return rowOf("all", all, [](const faults::FaultRow&) { return true; });
}

int64_t loudControls(const std::vector<FamilyReport>& families) {
  int64_t loud = 0;
  for (const FamilyReport& family : families) {
    loud += std::count_if(family.score.faults.begin(), family.score.faults.end(),
                          [](const FaultScore& score) { return !score.shown.empty(); });
  }
  return loud;
}

std::string scoreText(const std::vector<FamilyReport>& families, ReportOptions options) {
  std::string text;
  for (const FamilyReport& family : families) {
    text += tableText(family) + survivorsText(family, options) + controlsText(family);
    if (family.score.notMade > 0) {
      text += fmt::format("Touchstone itself failed on {}.\n", base::counted(family.score.notMade, "Case"));
    }
  }
  return text;
}

json scoreJson(const std::vector<FamilyReport>& families, ReportOptions options) {
  json list = json::array();
  for (const FamilyReport& family : families) {
    json classes = json::array(), faults = json::array(), controls = json::array();
    int64_t hidden = 0;
    for (const ScoreRow& row : scoreRows(family)) {
      classes.push_back(rowJson(row));
    }
    for (size_t i = 0; i < family.rows.size(); ++i) {
      const faults::FaultRow& row = family.rows[i];
      if (row.isControl) {
        controls.push_back(controlJson(row, family.score.faults[i]));
      } else if (isShown(row, options)) {
        faults.push_back(faultJson(row, family.score.faults[i]));
      } else {
        ++hidden;
      }
    }
    list.push_back({{"family", ir::familyName(family.score.family)},
                    {"cases", family.score.next},
                    {"not_made", family.score.notMade},
                    {"classes", std::move(classes)},
                    {"faults", std::move(faults)},
                    {"hidden", hidden},
                    {"controls", std::move(controls)}});
  }
  return list;
}

} // namespace touchstone::score
