#include "harness/worker/Profile.h"

#include "backends/Registry.h"
#include "base/NearestName.h"
#include "generators/catalogue/Operators.h"
#include "generators/decoder/InputSpecification.h"
#include "program/parser/CaseParser.h"
#include "program/values/DefaultDevice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>

namespace touchstone::worker {

using nlohmann::json;

namespace {

using NameList = std::vector<std::string>;

bool contains(const NameList& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string listed(const NameList& names) {
  return fmt::format("`{}`", fmt::join(names, "`, `"));
}

std::string pythonText(const json& value) {
  switch (value.type()) {
    case json::value_t::null: return "None";
    case json::value_t::boolean: return value.get<bool>() ? "True" : "False";
    case json::value_t::array: {
      NameList items;
      std::transform(value.begin(), value.end(), std::back_inserter(items), pythonText);
      return fmt::format("[{}]", fmt::join(items, ", "));
    }
    case json::value_t::object: {
      NameList items;
      for (const auto& [key, item] : value.items()) {
        items.push_back(json(key).dump() + ": " + pythonText(item));
      }
      return "{" + fmt::format("{}", fmt::join(items, ", ")) + "}";
    }
    default: return value.dump(); // numbers and strings are spelled alike
  }
}

/// A value in a profile. What is wrong with it is told with the file and the key.
class Entry {
 public:
  Entry(const json& value, std::string source, std::string key)
      : value_(value), source_(std::move(source)), key_(std::move(key)) {}

  [[noreturn]] void fail(const std::string& what) const { throw std::invalid_argument(place() + what); }
  [[noreturn]] void unavailable(const std::string& what) const { throw ProfileUnavailable(place() + what); }

  const json& value() const { return value_; }
  std::string text() const { return expected(value_.is_string(), "a string"); }
  bool boolean() const { return expected(value_.is_boolean(), "true or false"); }
  const json& object(const char* type = "an object") const { return expected(value_.is_object(), type); }
  template <class T>
  T number(T least, T most) const {
    const bool whole = std::is_integral_v<T>;
    const char* type = whole ? "a whole number" : "a number";
    const T result = expected(whole ? value_.is_number_integer() : value_.is_number(), type);
    if (result < least || result > most) {
      fail(fmt::format("expected {} from {} to {}, got `{}`.", type, json(least).dump(), json(most).dump(),
                       value_.dump()));
    }
    return result;
  }
  std::string oneOf(const std::string& name, const NameList& names, const char* what) const {
    if (!contains(names, name)) {
      fail(fmt::format("there is no {} `{}`.{} Choose of {}.", what, name, base::didYouMean(name, names),
                       listed(names)));
    }
    return name;
  }
  NameList texts() const {
    NameList result;
    for (const json& item : expected(value_.is_array(), "a list of strings")) {
      result.push_back(same(item).text());
    }
    return result;
  }
  /// Items that are texts, or objects with the text under `field` and a comment under `why`.
  NameList explained(const char* field) const {
    NameList result;
    for (const json& item : expected(value_.is_array(), "a list")) {
      if (item.is_object()) {
        same(item).allow({field, "why"});
        if (!item.contains(field)) {
          fail("`" + item.dump() + "` has no `" + field + "`.");
        }
      }
      result.push_back(same(item.is_object() ? item.at(field) : item).text());
    }
    return result;
  }
  /// An object with no other keys.
  void allow(const NameList& names) const {
    for (const auto& [name, value] : value_.items()) {
      if (!contains(names, name)) {
        fail("there is no key `" + name + "`." + base::didYouMean(name, names) + " The keys are " + listed(names) +
             ".");
      }
    }
  }
  /// What is inside of an object; null counts as there.
  std::optional<Entry> find(const std::string& name) const {
    const auto found = value_.find(name);
    return found == value_.end() ? std::nullopt
                                 : std::optional(Entry(*found, source_, key_.empty() ? name : key_ + "." + name));
  }
  /// A part of the value, of which is complained under the same key.
  Entry same(const json& part) const { return {part, source_, key_}; }

 private:
  std::string place() const { return source_ + ": " + (key_.empty() ? "" : "`" + key_ + "`: "); }
  const json& expected(bool fits, const char* type) const {
    if (!fits) {
      fail(fmt::format("expected {}, got `{}`.", type, value_.dump()));
    }
    return value_;
  }

  const json& value_;
  const std::string source_, key_;
};

void note(Profile& profile, const std::string& entry) {
  if (!contains(profile.entries, entry)) {
    profile.entries.push_back(entry);
  }
}

void excludeDtype(Profile& profile, at::ScalarType dtype, const std::string& entry) {
  profile.exclusions.dtypes.emplace(dtype, entry);
  note(profile, entry);
}

void readDevice(Profile& profile, const Entry& entry) {
  profile.device = entry.text();
  try {
    if (!profile.device.empty()) {
      values::deviceNamed(profile.device);
    }
  } catch (const std::invalid_argument& error) {
    entry.fail(error.what());
  }
}

void readReference(Profile& profile, const Entry& entry) {
  if (entry.oneOf(entry.text(), {"same", "cpu"}, "place of the reference") == "cpu" && profile.isOnDevice()) {
    entry.unavailable("`cpu` is not available here: eager runs where the tensors are.");
  }
}

void readFork(Profile&, const Entry& entry) {
  if (!entry.boolean()) {
    entry.unavailable("false is not available here: a worker warms up once and forks a child for each batch of Cases.");
  }
}

void readImports(Profile& profile, const Entry& entry) {
  for (const std::string& name : profile.imports = entry.texts()) {
    const bool dotted = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char character) {
      return std::isalnum(character) || character == '_' || character == '.';
    });
    if (!dotted) {
      entry.fail("`" + name + "` is not the name of a Python module, as in `package.module`.");
    }
  }
}

void readEnvironment(Profile& profile, const Entry& entry) {
  for (const auto& [name, setting] : entry.object("an object of strings").items()) {
    if (name.empty() || name.find('=') != std::string::npos) {
      entry.fail("`" + name + "` cannot be the name of an environment variable.");
    }
    profile.environment[name] = entry.same(setting).text();
  }
}

void readRuleSet(Profile& profile, const Entry& entry) {
  const std::string name = entry.oneOf(entry.text(), {"aot", "decomp", "inductor", "strict"}, "rule set");
  profile.ruleSet = name == "decomp"     ? ir::RuleSet::kDecomposed
                    : name == "inductor" ? ir::RuleSet::kInductor
                                         : ir::RuleSet::kAot;
  if (name == "strict") { // allows nothing
    profile.rulesOff.set();
    profile.strictNumerics = true;
  }
}

void readNumerics(Profile& profile, const Entry& entry) {
  profile.strictNumerics = entry.oneOf(entry.text(), {"default", "strict"}, "choice of numerics") == "strict";
}

template <compare::Rules Profile::*kRules>
void readRules(Profile& profile, const Entry& entry) {
  for (const std::string& name : entry.texts()) {
    const std::optional<compare::Rule> rule = compare::ruleFromName(name);
    if (!rule.has_value()) {
      entry.fail(fmt::format("there is no rule `{}`. The rules are A1 to A{}; docs/rules.md explains them.", name,
                             compare::kRuleCount));
    }
    (profile.*kRules).set(static_cast<size_t>(*rule));
  }
}

void readUnsupported(Profile& profile, const Entry& entry) {
  for (const std::string& pattern : entry.explained("pattern")) {
    try {
      const std::regex checked(pattern);
    } catch (const std::regex_error& error) {
      entry.fail("`" + pattern + "` is not a regular expression: " + error.what() + ".");
    }
    profile.unsupported.push_back({pattern, "unsupported " + pattern});
    profile.entries.push_back("unsupported " + pattern);
  }
}

std::string knownDtype(const Entry& entry, const std::string& name) {
  NameList names;
  for (const at::ScalarType dtype : decoder::argumentDtypes()) {
    names.push_back(dtypeName(dtype));
  }
  return entry.oneOf(name.starts_with("torch.") ? name.substr(name.find('.') + 1) : name, names, "dtype");
}

void refuseNoDtypes(const Profile& profile, const Entry& entry) {
  const auto& all = decoder::argumentDtypes();
  if (std::all_of(std::begin(all), std::end(all),
                  [&](at::ScalarType dtype) { return profile.exclusions.excludes(dtype); })) {
    entry.fail("no dtype is left that an argument may have.");
  }
}

void readExcludedDtypes(Profile& profile, const Entry& entry) {
  for (const std::string& each : entry.explained("name")) {
    const std::string name = knownDtype(entry, each);
    excludeDtype(profile, *dtypeFromName(name), "excluded_dtypes " + name);
  }
  refuseNoDtypes(profile, entry);
}

void readDtypes(Profile& profile, const Entry& entry) {
  NameList allowed = entry.texts();
  std::transform(allowed.begin(), allowed.end(), allowed.begin(),
                 [&](const std::string& name) { return knownDtype(entry, name); });
  for (const at::ScalarType dtype : decoder::argumentDtypes()) {
    if (!contains(allowed, dtypeName(dtype))) {
      excludeDtype(profile, dtype, "dtypes: any other");
    }
  }
  refuseNoDtypes(profile, entry);
}

/// The operators that the glob fits; one that fits nothing is a mistake.
NameList operatorsLike(const Entry& entry, const std::string& glob) {
  NameList all, fitting;
  for (const catalogue::OperatorInfo& info : catalogue::operators()) {
    all.emplace_back(info.name);
  }
  std::copy_if(all.begin(), all.end(), std::back_inserter(fitting),
               [&](const std::string& name) { return fnmatch(glob.c_str(), name.c_str(), 0) == 0; });
  if (fitting.empty()) {
    entry.fail("no operator of the catalogue is called `" + glob + "`." + base::didYouMean(glob, all) +
               " `touchstone ops` lists them; `*` and `?` stand for parts of a name.");
  }
  return fitting;
}

void readExcludedOperators(Profile& profile, const Entry& entry) {
  for (const std::string& glob : entry.explained("name")) {
    note(profile, "excluded_operators " + glob);
    for (const std::string& name : operatorsLike(entry, glob)) {
      profile.exclusions.operators.emplace(name, "excluded_operators " + glob);
    }
  }
}

void readOperators(Profile& profile, const Entry& entry) {
  std::set<std::string> allowed;
  for (const std::string& glob : entry.texts()) {
    const NameList fitting = operatorsLike(entry, glob);
    allowed.insert(fitting.begin(), fitting.end());
  }
  note(profile, "operators: any other");
  for (const catalogue::OperatorInfo& info : catalogue::operators()) {
    if (!allowed.contains(std::string(info.name))) {
      profile.exclusions.operators.emplace(info.name, "operators: any other");
    }
  }
}

struct FeatureSwitch {
  const char* name;
  std::optional<Profile::Feature> feature;
  bool canBeAlways = false;
};
constexpr FeatureSwitch kFeatures[] = {
    {"backward", Profile::Feature::kBackward, true},
    {"mutation", Profile::Feature::kMutation, true},
    {"aliased_inputs", Profile::Feature::kAliasedInputs, true},
    {"rng", Profile::Feature::kRandom},
    {"dynamic", std::nullopt},
    {"complex", std::nullopt},
    {"modules", Profile::Feature::kModules},
    {"data_branches", Profile::Feature::kDataBranches},
    {"custom_operators", Profile::Feature::kCustomOperators, true},
};

void readFeatures(Profile& profile, const Entry& entry) {
  NameList names;
  for (const FeatureSwitch& each : kFeatures) {
    names.emplace_back(each.name);
  }
  entry.object("an object of true, false and \"always\"");
  entry.allow(names);
  for (const auto& [name, item] : entry.value().items()) {
    const FeatureSwitch& known = *std::find_if(std::begin(kFeatures), std::end(kFeatures),
                                               [&](const FeatureSwitch& each) { return each.name == name; });
    const Entry each = *entry.find(name);
    if (item == "always") {
      if (!known.canBeAlways) {
        entry.fail("\"always\" is for `backward`, `mutation`, `aliased_inputs` and `custom_operators`, not for `" +
                   name + "`.");
      }
      profile.always.push_back(*known.feature);
      continue;
    }
    if (!item.is_boolean()) {
      each.fail(fmt::format("expected true, false or \"always\", got `{}`.", item.dump()));
    }
    if (name == "dynamic" && item.get<bool>()) {
      each.unavailable("random Cases hold none of it, so true is not available here.");
    }
    const std::string switched = "features " + name;
    if (known.feature.has_value() && !item.get<bool>()) {
      profile.without.emplace_back(*known.feature, switched);
      note(profile, switched);
    }
    if (name == "complex" && !item.get<bool>()) {
      excludeDtype(profile, at::kComplexFloat, switched);
      excludeDtype(profile, at::kComplexDouble, switched);
    }
  }
}

void readTimeouts(Profile& profile, const Entry& entry) {
  entry.object("an object of seconds");
  entry.allow({"eager", "backend"});
  for (const auto& [name, seconds] :
       {std::pair("eager", &profile.eagerSeconds), std::pair("backend", &profile.backendSeconds)}) {
    if (const auto given = entry.find(name)) {
      *seconds = given->number(0.01, 1e6);
    }
  }
}

void readCompile(Profile& profile, const Entry& entry) {
  entry.object();
  entry.allow({"compiled_autograd", "dynamic", "fullgraph", "options"});
  if (const auto dynamic = entry.find("dynamic")) {
    profile.setsDynamic = true;
    profile.compile.dynamic = dynamic->value().is_null() ? std::nullopt : std::optional(dynamic->boolean());
  }
  if (const auto compiled = entry.find("compiled_autograd")) {
    profile.compilesBackwards = compiled->boolean();
  }
  if (const auto fullgraph = entry.find("fullgraph")) {
    profile.setsFullgraph = true;
    profile.compile.fullgraph = fullgraph->boolean();
  }
  if (const auto options = entry.find("options")) {
    for (const auto& [name, option] : options->object().items()) {
      profile.compile.options.emplace_back(name, parser::parseExpression(pythonText(option)));
    }
  }
}

void readProof(Profile& profile, const Entry& entry) {
  profile.proof = entry.text();
  const size_t colon = profile.proof.find(':');
  const bool isPath = colon != std::string::npos && colon > 0 && colon + 1 < profile.proof.size();
  if (profile.proof != "spied" && !isPath) {
    entry.fail("has to be `spied`, or `module:attribute` of a counter of the backend's own.");
  }
  if (!profile.backend.empty() && !profile.backend.starts_with("torch:")) {
    entry.fail("is for a backend of torch.compile, which `backend` has to name.");
  }
}

template <auto kField>
void readText(Profile& profile, const Entry& entry) {
  profile.*kField = entry.text();
}
template <auto kField>
void readTexts(Profile& profile, const Entry& entry) {
  profile.*kField = entry.texts();
}
template <auto kField, auto kLeast, auto kMost>
void readNumber(Profile& profile, const Entry& entry) {
  using Number = std::decay_t<decltype(profile.*kField)>::value_type;
  profile.*kField = entry.number<Number>(kLeast, kMost);
}

/// What a key is about.
enum class About { kWorker, kJudging, kGenerating };

struct ProfileKey {
  const char* name;
  void (*read)(Profile& profile, const Entry& entry);
  About about = About::kWorker;
};

/// Every key, in the order in which they are read; docs/profiles.md says what they mean.
constexpr ProfileKey kKeys[] = {
    {"comment", [](Profile&, const Entry&) {}}, // for people
    {"backend", readText<&Profile::backend>},
    {"imports", readImports},
    {"python_path", readTexts<&Profile::pythonPath>},
    {"load", readTexts<&Profile::load>},
    {"environment", readEnvironment},
    {"warm_up", [](Profile& profile, const Entry& entry) { profile.warmUp = entry.boolean(); }, About::kJudging},
    {"proof", readProof, About::kJudging},
    {"device", readDevice},
    {"reference", readReference},
    {"fork", readFork},
    {"base", readText<&Profile::base>, About::kJudging},
    {"rules", readRuleSet, About::kJudging},
    {"numerics", readNumerics, About::kJudging},
    {"rules_on", readRules<&Profile::rulesOn>, About::kJudging},
    {"rules_off", readRules<&Profile::rulesOff>, About::kJudging},
    {"unsupported", readUnsupported, About::kJudging},
    {"excluded_dtypes", readExcludedDtypes, About::kGenerating}, // before those that say which are the only ones
    {"excluded_operators", readExcludedOperators, About::kGenerating},
    {"dtypes", readDtypes, About::kGenerating},
    {"operators", readOperators, About::kGenerating},
    {"features", readFeatures, About::kGenerating},
    {"minimum_operations", readNumber<&Profile::minimumOperations, 1, 200>, About::kGenerating},
    {"maximum_operations", readNumber<&Profile::maximumOperations, 1, 200>, About::kGenerating},
    {"maximum_rank", readNumber<&Profile::maximumRank, 1, 5>, About::kGenerating},
    {"maximum_elements", readNumber<&Profile::maximumElements, 1, 4096>, About::kGenerating},
    {"timeouts", readTimeouts},
    {"memory_mebibytes", readNumber<&Profile::memoryMebibytes, 16, 1 << 20>},
    {"compile", readCompile},
};

NameList keysAbout(const std::string& text, About about) {
  const json object = text.empty() ? json::object() : json::parse(text);
  NameList names;
  for (const ProfileKey& key : kKeys) {
    if (key.about == about && object.contains(key.name)) {
      names.emplace_back(key.name);
    }
  }
  return names;
}

} // namespace

std::vector<std::string> Profile::generating() const {
  return keysAbout(text, About::kGenerating);
}

std::vector<std::string> Profile::judging() const {
  NameList names = keysAbout(text, About::kJudging);
  if (!compile.options.empty()) {
    names.emplace_back("compile.options");
  }
  return names;
}

Profile readProfile(const json& object, const std::string& source) {
  const Entry whole(object, source, "");
  if (!object.is_object()) {
    whole.fail("a profile is a JSON object, `{\"backend\": …}`.");
  }
  NameList names;
  for (const ProfileKey& key : kKeys) {
    names.emplace_back(key.name);
  }
  whole.allow(names);
  Profile profile;
  for (const ProfileKey& key : kKeys) {
    if (const std::optional<Entry> entry = whole.find(key.name)) {
      key.read(profile, *entry);
    }
  }
  if (profile.minimumOperations.value_or(1) > profile.maximumOperations.value_or(200)) {
    whole.find("minimum_operations")->fail("it is larger than `maximum_operations`.");
  }
  profile.text = object.dump(-1, ' ', false, json::error_handler_t::replace);
  return profile;
}

Profile readProfile(const std::string& text, const std::string& source) {
  try {
    const json object = json::parse(text);
    return readProfile(object, source);
  } catch (const json::parse_error& error) {
    throw std::invalid_argument(source + ": this is not JSON: " + error.what());
  }
}

} // namespace touchstone::worker
