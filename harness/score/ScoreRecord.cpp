#include "harness/score/ScoreRecord.h"

#include "base/AtomicFile.h"
#include "base/ExitStatus.h"
#include "generators/catalogue/Operators.h"
#include "harness/report/Report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace touchstone::score {

namespace {

using nlohmann::json;

constexpr int kRecordSchema = 1;

template <class Value>
json orNull(const std::optional<Value>& value) {
  return value ? json(*value) : json();
}

template <class Value>
std::optional<Value> optionalOf(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<Value>());
}

/// By the names on the command line.
json optionsJson(const ScoreOptions& options) {
  return {{"family", options.family},
          {"half", options.half},
          {"faults", options.faults},
          {"seed", options.seed},
          {"cases", orNull(options.cases)},
          {"cpu-seconds", orNull(options.processorSeconds)},
          {"control-cases", options.controlCases},
          {"part", options.parts}};
}

ScoreOptions optionsOf(const json& object) {
  return {.family = object.at("family"),
          .half = object.at("half"),
          .faults = object.at("faults"),
          .seed = object.at("seed"),
          .cases = optionalOf<uint64_t>(object.at("cases")),
          .processorSeconds = optionalOf<double>(object.at("cpu-seconds")),
          .controlCases = object.at("control-cases"),
          .parts = object.at("part")};
}

json storedFault(const FaultScore& score) {
  json object{{"name", score.name},
              {"cases", score.cases},
              {"seconds", score.seconds},
              {"compiled", score.compiled},
              {"judged", score.judged},
              {"shadowed", score.shadowed},
              {"unconfirmed", score.unconfirmed},
              {"shown", json::array()}};
  for (const Showing& each : score.shown) {
    object["shown"].push_back({{"case", each.index}, {"outcome", each.outcome}, {"message", each.message}});
  }
  if (score.kill) {
    object["kill"] = {{"case", score.kill->index},    {"outcome", score.kill->outcome},
                      {"shows", score.kill->shows},   {"rung", score.kill->rung},
                      {"stages", score.kill->stages}, {"attribution", score.kill->attribution}};
  }
  return object;
}

FaultScore faultOf(const json& object) {
  FaultScore score{.name = object.at("name"),
                   .cases = object.at("cases"),
                   .compiled = object.at("compiled"),
                   .seconds = object.at("seconds"),
                   .judged = object.at("judged"),
                   .shadowed = object.at("shadowed"),
                   .unconfirmed = object.at("unconfirmed")};
  for (const json& each : object.at("shown")) {
    score.shown.push_back({each.at("case"), each.at("outcome"), each.at("message")});
  }
  if (const auto kill = object.find("kill"); kill != object.end()) {
    score.kill = Kill{.index = kill->at("case"),
                      .outcome = kill->at("outcome"),
                      .shows = kill->at("shows"),
                      .rung = kill->at("rung"),
                      .stages = kill->at("stages"),
                      .attribution = static_cast<Attribution>(kill->at("attribution").get<int>())};
  }
  return score;
}

} // namespace

Budget budgetOf(const ScoreOptions& options, ir::Family family) {
  constexpr double kNativeSeconds = 10, kTorchSeconds = 60;
  return {.cases = options.cases,
          .seconds = options.processorSeconds.value_or(family == ir::Family::kNative ? kNativeSeconds : kTorchSeconds),
          .controlCases = options.controlCases};
}

std::string recordText(const ScoreRecord& record) {
  json families = json::array();
  for (const FamilyScore& each : record.families) {
    json faults = json::array();
    std::transform(each.faults.begin(), each.faults.end(), std::back_inserter(faults), storedFault);
    families.push_back({{"family", ir::familyName(each.family)},
                        {"next", each.next},
                        {"not_made", each.notMade},
                        {"faults", std::move(faults)}});
  }
  return report::dumpJson({{"schema", kRecordSchema},
                           {"torch", record.torch},
                           {"catalogue", record.catalogue},
                           {"options", optionsJson(record.options)},
                           {"seconds", record.seconds},
                           {"families", std::move(families)}},
                          1) +
         "\n";
}

ScoreRecord recordFromText(const std::string& text, const std::string& name) {
  try {
    const json object = json::parse(text);
    if (object.at("schema") != kRecordSchema) {
      throw base::WrongUse(fmt::format("`{}` is the state of a score of another version of Touchstone.", name));
    }
    ScoreRecord record{.options = optionsOf(object.at("options")),
                       .torch = object.at("torch"),
                       .catalogue = object.at("catalogue"),
                       .seconds = object.at("seconds")};
    for (const json& each : object.at("families")) {
      FamilyScore& family = record.families.emplace_back();
      family.family = each.at("family") == "native" ? ir::Family::kNative : ir::Family::kTorch;
      family.next = each.at("next");
      family.notMade = each.at("not_made");
      std::transform(each.at("faults").begin(), each.at("faults").end(), std::back_inserter(family.faults), faultOf);
    }
    return record;
  } catch (const json::exception& error) {
    throw base::WrongUse(
        fmt::format("`{}` is no state of a score, so it is left alone: {}. Name another file with "
                    "--go-on, or one that is not there yet.",
                    name, error.what()));
  }
}

std::optional<ScoreRecord> recordToGoOnWith(const std::filesystem::path& file, const ScoreOptions& asked,
                                            const options::Given& given) {
  if (!std::filesystem::exists(file)) {
    return std::nullopt;
  }
  ScoreRecord record = recordFromText(base::readFile(file), file);
  if (record.torch != report::torchVersion() || record.catalogue != catalogue::kCatalogueVersion) {
    throw base::WrongUse(fmt::format(
        "The score in `{}` was begun with torch {} and catalogue {}; here are torch {} and catalogue {}, "
        "which make other Cases. Begin another with a file that is not there yet.",
        file.string(), record.torch, record.catalogue, report::torchVersion(), catalogue::kCatalogueVersion));
  }
  const json stored = optionsJson(record.options), wanted = optionsJson(asked);
  std::string others;
  for (const auto& [name, value] : stored.items()) {
    if (given.contains("--" + name) && value != wanted.at(name)) {
      others += fmt::format("{}--{} is {} there and {} here", others.empty() ? "" : "; ", name, value.dump(),
                            wanted.at(name).dump());
    }
  }
  if (!others.empty()) {
    throw base::WrongUse(
        fmt::format("The score in `{}` is another: {}. Leave these options out to go on with it, or "
                    "begin another with a file that is not there yet.",
                    file.string(), others));
  }
  return record;
}

} // namespace touchstone::score
