#include "harness/baseline/KnownFindings.h"

#include "base/AtomicFile.h"
#include "base/ExitStatus.h"
#include "base/NearestName.h"
#include "program/language/Outcome.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>
#include <sstream>
#include <utility>

namespace touchstone::baseline {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int kKnownSchema = 1;

/// Throws `FILE, entry 2 (\`id\`): …`.
struct EntryPlace {
  std::string file;
  size_t number = 0;
  std::string id;

  [[noreturn]] void refuse(const std::string& why) const {
    throw base::WrongUse(fmt::format("{}, entry {}{}: {}", file, number, id.empty() ? "" : " (`" + id + "`)", why));
  }
};

std::string listedNearestFirst(const std::string& wrong, std::vector<std::string> names) {
  return fmt::format("`{}`", fmt::join(base::nearestFirst(wrong, std::move(names)), "`, `"));
}

std::string asString(const EntryPlace& place, const std::string& key, const json& value) {
  if (!value.is_string() || value.get<std::string>().empty()) {
    place.refuse(fmt::format("`{}` has to be a text that is not empty.", key));
  }
  return value;
}

std::vector<std::string> asStrings(const EntryPlace& place, const std::string& key, const json& value) {
  if (!value.is_array() || value.empty()) {
    place.refuse(fmt::format("`{}` has to be a list of texts.", key));
  }
  std::vector<std::string> texts;
  for (const json& each : value) {
    texts.push_back(asString(place, key, each));
  }
  return texts;
}

/// What `oracles` may name: properties, and outcomes that are findings.
std::vector<std::string> oracleNames() {
  std::vector<std::string> names;
  for (int i = 0; i < language::kPropertyCount; ++i) {
    names.emplace_back(language::propertyName(static_cast<language::Property>(i)));
  }
  for (int i = 0; i < language::kOutcomeCount; ++i) {
    const auto outcome = static_cast<language::Outcome>(i);
    if (language::isFinding(outcome) && outcome != language::Outcome::kDiffers) {
      names.emplace_back(language::outcomeName(outcome));
    }
  }
  return names;
}

struct EntryKey {
  const char* name;
  std::function<void(const EntryPlace&, const json&, KnownEntry&)> read;
};

EntryKey textKey(const char* name, std::string KnownEntry::*member) {
  return {name, [=](const auto& place, const json& value, KnownEntry& entry) {
            entry.*member = asString(place, name, value);
          }};
}

const std::vector<EntryKey>& entryKeys() {
  static const std::vector<EntryKey> kKeys{
      textKey("id", &KnownEntry::id),
      textKey("backend", &KnownEntry::backend),
      textKey("cluster", &KnownEntry::cluster),
      textKey("symptom", &KnownEntry::symptom),
      {"pattern",
       [](const auto& place, const json& value, KnownEntry& entry) {
         try {
           entry.pattern = suppressions::readPattern(asStrings(place, "pattern", value));
         } catch (const std::invalid_argument& error) {
           place.refuse(std::string("its pattern cannot be read. ") + error.what());
         }
       }},
      {"oracles",
       [](const auto& place, const json& value, KnownEntry& entry) {
         const std::vector<std::string> names = oracleNames();
         entry.oracles = asStrings(place, "oracles", value);
         for (const std::string& each : entry.oracles) {
           if (std::find(names.begin(), names.end(), each) == names.end()) {
             place.refuse(
                 fmt::format("there is no oracle `{}`; choose one of {}.", each, listedNearestFirst(each, names)));
           }
         }
       }},
      textKey("reason", &KnownEntry::reason),
      textKey("link", &KnownEntry::link),
      {"expires",
       [](const auto& place, const json& value, KnownEntry& entry) {
         entry.expires = asString(place, "expires", value);
         if (!isDate(entry.expires)) {
           place.refuse(fmt::format("`expires` is `{}`, which is no date; write one as `2027-03-01`.", entry.expires));
         }
       }},
      textKey("case", &KnownEntry::caseFile),
      {"skip",
       [](const auto& place, const json& value, KnownEntry& entry) {
         if (!value.is_boolean()) {
           place.refuse("`skip` has to be true or false.");
         }
         entry.skips = value;
       }},
  };
  return kKeys;
}

KnownEntry readEntry(EntryPlace place, const json& object) {
  if (!object.is_object()) {
    place.refuse("it has to be an object, such as {\"id\": …, \"pattern\": […], \"reason\": …, \"expires\": …}.");
  }
  if (const auto id = object.find("id"); id != object.end() && id->is_string()) {
    place.id = *id;
  }
  KnownEntry entry;
  for (const auto& [name, value] : object.items()) {
    const auto key = std::find_if(entryKeys().begin(), entryKeys().end(),
                                  [&, &name = name](const EntryKey& each) { return each.name == name; });
    if (name == "mask") {
      place.refuse(
          "`mask` is the pattern of an older Touchstone, in another form. Write it as `pattern`, as docs/known.md tells, or let "
          "`touchstone suppress CASE` propose it anew.");
    }
    if (key == entryKeys().end()) {
      std::vector<std::string> names;
      for (const EntryKey& each : entryKeys()) {
        names.emplace_back(each.name);
      }
      place.refuse(fmt::format("there is no key `{}`; choose one of {}.", name, listedNearestFirst(name, names)));
    }
    key->read(place, value, entry);
  }
  const int ways = (entry.cluster.empty() ? 0 : 1) + (entry.symptom.empty() ? 0 : 1) + (entry.pattern ? 1 : 0);
  if (entry.id.empty()) {
    place.refuse("it has no `id`: a short name by which it is counted.");
  }
  if (ways != 1) {
    place.refuse(
        fmt::format("it has {} of `cluster`, `symptom` and `pattern`; it needs just one, which says what is known.",
                    ways == 0 ? "none" : "several"));
  }
  if (entry.reason.empty() && entry.link.empty()) {
    place.refuse("it has neither `reason` nor `link`: whoever comes after you needs to know why.");
  }
  if (entry.expires.empty()) {
    place.refuse("it has no `expires`: the last day, such as `2027-03-01`, on which it excuses anything.");
  }
  if (!entry.pattern && (entry.skips || !entry.oracles.empty())) {
    place.refuse(fmt::format("`{}` is for patterns.", entry.skips ? "skip" : "oracles"));
  }
  if (entry.skips && !entry.oracles.empty()) {
    place.refuse("`oracles` needs what was observed, which there is none of with `skip`: leave out one of them.");
  }
  if (!entry.caseFile.empty()) {
    const auto folder = std::filesystem::path(place.file).parent_path();
    entry.caseFile = (folder / entry.caseFile).lexically_normal().string();
  }
  return entry;
}

std::vector<KnownEntry> readJson(const std::string& file, const std::string& text) {
  json object;
  try {
    object = json::parse(text);
  } catch (const json::exception& error) {
    throw base::WrongUse(fmt::format("{} is no JSON: {}", file, error.what()));
  }
  const std::set<std::string> allowed{"schema", "known"};
  for (const auto& [name, value] : object.items()) {
    if (!allowed.contains(name)) {
      throw base::WrongUse(fmt::format("{}: there is no key `{}`; the file has `schema` and `known`.", file, name));
    }
  }
  if (!object.contains("schema") || object["schema"] != kKnownSchema) {
    throw base::WrongUse(
        fmt::format("{}: `schema` has to be {}{}.", file, kKnownSchema,
                    object.contains("schema") && object["schema"].is_number_integer() && object["schema"] > kKnownSchema
                        ? "; this file is of a newer Touchstone"
                        : ""));
  }
  if (!object.contains("known") || !object["known"].is_array()) {
    throw base::WrongUse(fmt::format("{}: `known` has to be the list of entries.", file));
  }
  std::vector<KnownEntry> entries;
  std::set<std::string> ids;
  for (const json& each : object["known"]) {
    EntryPlace place{file, entries.size() + 1, ""};
    entries.push_back(readEntry(place, each));
    if (!ids.insert(entries.back().id).second) {
      place.refuse(fmt::format("another entry has the id `{}`, too.", entries.back().id));
    }
  }
  return entries;
}

/// `torch-aot_eager-values-1f3a5c7e`, as clusterId() makes it.
bool isClusterId(const std::string& line) {
  constexpr size_t kHash = 8;
  constexpr const char* kDigits = "0123456789abcdef";
  const auto isPlain = [](unsigned char character) {
    return std::isalnum(character) != 0 || character == '_' || character == '.' || character == '-';
  };
  return line.size() > kHash + 1 && line[line.size() - kHash - 1] == '-' &&
         line.find_first_not_of(kDigits, line.size() - kHash) == std::string::npos &&
         std::all_of(line.begin(), line.end(), isPlain);
}

/// `torch:aot_eager Differs/strides/output base Agreed`, as Symptom::line() has it: a backend, then an outcome.
bool isSymptomLine(const std::string& line) {
  const size_t space = line.find(' ');
  if (space == std::string::npos || space == 0) {
    return false;
  }
  const std::string symptom = line.substr(space + 1);
  return language::outcomeFromName(symptom.substr(0, symptom.find_first_of("/ "))).has_value();
}

/// A cluster id or a symptom a line; it is asked as both.
std::vector<KnownEntry> readLines(const std::string& file, const std::string& text) {
  constexpr size_t kShown = 60; // of a line that is refused
  std::vector<KnownEntry> entries;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line.erase(std::min(line.find('#'), line.size()));
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (line.empty()) {
      continue;
    }
    if (!isClusterId(line) && !isSymptomLine(line)) {
      throw base::WrongUse(fmt::format(
          "{}:{}: `{}` is neither the id of a cluster nor a symptom, so this is no known file. One is JSON, "
          "{{\"schema\": {}, \"known\": [{{\"id\": …, \"pattern\": […], \"reason\": …, \"expires\": …}}]}}, as "
          "docs/known.md describes it, or in the old form a line an entry, such as `eager-values-1f3a5c7e` or "
          "`eager Differs/values/output`.",
          file, number, line.size() <= kShown ? line : line.substr(0, kShown) + "…", kKnownSchema));
    }
    KnownEntry entry;
    entry.id = entry.cluster = entry.symptom = line;
    entries.push_back(std::move(entry));
  }
  return entries;
}

bool isJson(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{';
}

} // namespace

KnownFindings readKnownFindings(const std::string& file, const std::string& today) {
  std::string text;
  try {
    text = base::readFile(file);
  } catch (const std::exception&) {
    throw base::WrongUse("The list of known findings `" + file +
                         "` is not there, or cannot be read. `touchstone suppress CASE --known " + file +
                         " --add …` makes one.");
  }
  return {file, isJson(text) ? readJson(file, text) : readLines(file, text), today};
}

KnownFindings givenKnownFindings(const std::string& file, const std::string& today) {
  return file.empty() ? KnownFindings() : readKnownFindings(file, today.empty() ? todayUtc() : today);
}

std::string withEntry(const std::string& file, const std::string& text, const KnownEntry& entry) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] != '{') {
    throw base::WrongUse(
        fmt::format("{} is a list in the old form, a line an entry, which nothing can be added to. Name "
                    "another file, or write its lines as JSON entries (docs/known.md).",
                    file));
  }
  ordered_json object{{"schema", kKnownSchema}, {"known", ordered_json::array()}};
  if (!text.empty()) {
    const std::vector<KnownEntry> entries = readJson(file, text); // which says what is wrong with the file
    object = ordered_json::parse(text);
    for (const KnownEntry& each : entries) {
      if (each.id == entry.id) {
        throw base::WrongUse(fmt::format(
            "{} has an entry `{}` already: give this one another name, or change that one.", file, entry.id));
      }
    }
  }
  ordered_json added{{"id", entry.id}, {"backend", entry.backend}};
  const auto put = [&](const char* key, const std::string& value) {
    if (!value.empty()) {
      added[key] = value;
    }
  };
  put("cluster", entry.cluster);
  put("symptom", entry.symptom);
  if (entry.pattern.has_value()) {
    added["pattern"] = suppressions::patternLines(*entry.pattern);
  }
  if (!entry.oracles.empty()) {
    added["oracles"] = entry.oracles;
  }
  put("reason", entry.reason);
  put("link", entry.link);
  put("expires", entry.expires);
  if (!entry.caseFile.empty()) {
    const auto folder = std::filesystem::absolute(file).parent_path();
    added["case"] = std::filesystem::absolute(entry.caseFile).lexically_normal().lexically_relative(folder).string();
  }
  if (entry.skips) {
    added["skip"] = true;
  }
  object["known"].push_back(std::move(added));
  return object.dump(2) + "\n";
}

} // namespace touchstone::baseline
