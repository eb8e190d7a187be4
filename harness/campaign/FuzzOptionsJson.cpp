#include "harness/campaign/FuzzOptionsJson.h"

#include <nlohmann/json.hpp>

#include <optional>

namespace touchstone::campaign {

namespace {

using nlohmann::json;

template <class T>
json asJson(const T& value) {
  return value;
}
template <class T>
json asJson(const std::optional<T>& value) {
  return value.has_value() ? json(*value) : json();
}

template <class T>
void fromJson(const json& object, T& value) {
  object.get_to(value);
}
template <class T>
void fromJson(const json& object, std::optional<T>& value) {
  value = object.is_null() ? std::nullopt : std::optional<T>(object.get<T>());
}

/// One walk for both directions; `visit(name, field)`.
template <class Options, class Visit>
void walkOptions(Options& options, Visit visit) {
  visit("--seconds", options.seconds);
  visit("--cases", options.cases);
  visit("--seed", options.seed);
  visit("--start", options.start);
  visit("--sequences", options.sequences);
  visit("--calls", options.calls);
  visit("--backends", options.backends);
  visit("--findings", options.findings);
  visit("--max-findings", options.maximumFindings);
  visit("--known", options.known);
  visit("--masks", options.masks);
  visit("--require-valid", options.requireValid);
  visit("--max-unjudged", options.maximumUnjudged);
  visit("--reduce-seconds", options.reduceSeconds);
  visit("--judge-only", options.judgeOnly);
  visit("--corpus", options.corpus);
  visit("--corpus-share", options.corpusShare);
  visit("--eager-seconds", options.limits.eagerSeconds);
  visit("--backend-seconds", options.limits.backendSeconds);
  visit("--memory-mib", options.limits.memoryMebibytes);
}

} // namespace

json optionsJson(const FuzzOptions& options) {
  json object;
  walkOptions(options, [&](const char* name, const auto& value) { object[name] = asJson(value); });
  object["--shard"] = {options.shard, options.shards};
  object["--no-feedback"] = !options.feedback;
  object["--profile"] = options.profile.text;
  object["--store"] = options.store;
  return object;
}

FuzzOptions optionsFromJson(const json& object) {
  FuzzOptions options;
  walkOptions(options, [&](const char* name, auto& value) { fromJson(object.at(name), value); });
  options.shard = object.at("--shard").at(0);
  options.shards = object.at("--shard").at(1);
  options.feedback = !object.at("--no-feedback").get<bool>();
  options.store = object.value("--store", "");
  if (const std::string text = object.at("--profile"); !text.empty()) {
    options.profile = worker::readProfile(text, "the profile of the campaign");
  }
  return options;
}

} // namespace touchstone::campaign
