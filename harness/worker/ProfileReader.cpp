#include "harness/worker/Profile.h"

#include "backends/Registry.h"
#include "base/NearestName.h"
#include "generators/catalogue/Operators.h"
#include "generators/decoder/InputSpecification.h"
#include "program/parser/CaseParser.h"
#include "program/values/DefaultDevice.h"

#include <fnmatch.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>

namespace touchstone::worker {

using nlohmann::json;

namespace {

// `strict` allows nothing, by the rules that are off.
constexpr std::pair<const char*, ir::RuleSet> kRuleSets[] = {{"aot", ir::RuleSet::kAot},
                                                             {"decomp", ir::RuleSet::kDecomposed},
                                                             {"inductor", ir::RuleSet::kInductor},
                                                             {"strict", ir::RuleSet::kAot}};

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "`" : ", `") + name + "`";
  }
  return text;
}

std::string pythonText(const json& value) {
  switch (value.type()) {
    case json::value_t::null: return "None";
    case json::value_t::boolean: return value.get<bool>() ? "True" : "False";
    case json::value_t::array: {
      std::string text;
      for (const json& item : value) {
        text += (text.empty() ? "" : ", ") + pythonText(item);
      }
      return "[" + text + "]";
    }
    case json::value_t::object: {
      std::string text;
      for (const auto& [key, item] : value.items()) {
        text += (text.empty() ? "" : ", ") + json(key).dump() + ": " + pythonText(item);
      }
      return "{" + text + "}";
    }
    default: return value.dump(); // numbers and strings are spelled alike
  }
}

/// Reads one object; each method one key.
class ProfileReader {
 public:
  ProfileReader(const json& object, std::string source) : object_(object), source_(std::move(source)) {}

  Profile read() {
    if (!object_.is_object()) {
      fail("", "a profile is a JSON object, `{\"backend\": …}`.");
    }
    checkKeys();
    readBackend();
    readWorker();
    readRules();
    readExclusions();
    readBounds();
    readCompile();
    profile_.text = object_.dump(-1, ' ', false, json::error_handler_t::replace);
    return std::move(profile_);
  }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& what) const {
    throw std::invalid_argument(source_ + ": " + (key.empty() ? "" : "`" + key + "`: ") + what);
  }
  [[noreturn]] void unavailable(const std::string& key, const std::string& what) const {
    throw ProfileUnavailable(source_ + ": `" + key + "`: " + what);
  }

  void checkKeys() const {
    std::vector<std::string> names;
    for (const ProfileKey& key : profileKeys()) {
      names.emplace_back(key.name);
    }
    checkNames("", object_, names);
  }

  void checkNames(const std::string& key, const json& object, const std::vector<std::string>& names) const {
    for (const auto& [name, value] : object.items()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        fail(key, "there is no key `" + name + "`." + base::didYouMean(name, names) + " The keys are " + listed(names) +
                      ".");
      }
    }
  }

  const json* find(const char* key) const {
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }

  template <class T>
  T typed(const std::string& key, const json& value, bool fits, const char* type) const {
    if (!fits) {
      fail(key, std::string("expected ") + type + ", got `" + value.dump() + "`.");
    }
    return value.get<T>();
  }
  std::string textOf(const std::string& key, const json& value) const {
    return typed<std::string>(key, value, value.is_string(), "a string");
  }
  std::string text(const char* key) const {
    const json* value = find(key);
    return value == nullptr ? "" : textOf(key, *value);
  }
  bool boolean(const std::string& key, const json& value) const {
    return typed<bool>(key, value, value.is_boolean(), "true or false");
  }
  std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> result;
    if (const json* value = find(key)) {
      typed<json>(key, *value, value->is_array(), "a list of strings");
      for (const json& item : *value) {
        result.push_back(textOf(key, item));
      }
    }
    return result;
  }
  /// Items that are texts, or objects with the text under `field` and a comment under `why`.
  std::vector<std::string> explained(const char* key, const char* field) const {
    std::vector<std::string> result;
    const json* value = find(key);
    if (value == nullptr) {
      return result;
    }
    typed<json>(key, *value, value->is_array(), "a list");
    for (const json& item : *value) {
      if (item.is_object()) {
        checkNames(key, item, {field, "why"});
        if (!item.contains(field)) {
          fail(key, "`" + item.dump() + "` has no `" + field + "`.");
        }
        result.push_back(textOf(key, item.at(field)));
      } else {
        result.push_back(textOf(key, item));
      }
    }
    return result;
  }
  template <class T>
  std::optional<T> number(const std::string& key, const json* value, double least, double most) const {
    if (value == nullptr) {
      return std::nullopt;
    }
    const bool whole = std::is_integral_v<T>;
    const char* type = whole ? "a whole number" : "a number";
    const T result = typed<T>(key, *value, whole ? value->is_number_integer() : value->is_number(), type);
    if (static_cast<double>(result) < least || static_cast<double>(result) > most) {
      fail(key, "expected " + std::string(type) + " from " + json(static_cast<T>(least)).dump() + " to " +
                    json(static_cast<T>(most)).dump() + ", got `" + value->dump() + "`.");
    }
    return result;
  }
  std::string chosen(const std::string& key, const std::string& value, const std::vector<std::string>& names,
                     const char* what) const {
    if (std::find(names.begin(), names.end(), value) == names.end()) {
      fail(key, "there is no " + std::string(what) + " `" + value + "`." + base::didYouMean(value, names) +
                    " Choose of " + listed(names) + ".");
    }
    return value;
  }

  void readBackend() {
    profile_.backend = text("backend");
    profile_.base = text("base");
    if (const json* reference = find("reference")) {
      chosen("reference", textOf("reference", *reference), {"same", "cpu"}, "place of the reference");
    }
    readDevice();
    if (const json* fork = find("fork"); fork != nullptr && !boolean("fork", *fork)) {
      unavailable("fork",
                  "false is not available here: a worker warms up once and forks a child for each batch of Cases.");
    }
  }

  void readDevice() {
    profile_.device = text("device");
    if (profile_.device.empty()) {
      return;
    }
    try {
      values::deviceNamed(profile_.device);
    } catch (const std::invalid_argument& error) {
      fail("device", error.what());
    }
    if (profile_.isOnDevice() && text("reference") == "cpu") {
      unavailable("reference", "`cpu` is not available here: eager runs where the tensors are.");
    }
  }

  void readWorker() {
    profile_.imports = texts("imports");
    profile_.pythonPath = texts("python_path");
    profile_.load = texts("load");
    for (const std::string& name : profile_.imports) {
      const bool dotted = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char character) {
        return std::isalnum(character) || character == '_' || character == '.';
      });
      if (!dotted) {
        fail("imports", "`" + name + "` is not the name of a Python module, as in `package.module`.");
      }
    }
    if (const json* value = find("environment")) {
      typed<json>("environment", *value, value->is_object(), "an object of strings");
      for (const auto& [name, setting] : value->items()) {
        if (name.empty() || name.find('=') != std::string::npos) {
          fail("environment", "`" + name + "` cannot be the name of an environment variable.");
        }
        profile_.environment[name] = textOf("environment", setting);
      }
    }
    if (const json* value = find("warm_up")) {
      profile_.warmUp = boolean("warm_up", *value);
    }
  }

  void readRules() {
    if (const json* value = find("rules")) {
      std::vector<std::string> names;
      for (const auto& [name, set] : kRuleSets) {
        names.emplace_back(name);
      }
      const std::string name = chosen("rules", textOf("rules", *value), names, "rule set");
      profile_.ruleSet = std::find_if(std::begin(kRuleSets), std::end(kRuleSets), [&](const auto& each) {
                           return each.first == name;
                         })->second;
      if (name == "strict") {
        profile_.rulesOff.set();
      }
    }
    for (const auto& [key, rules] : {std::pair("rules_on", &profile_.rulesOn), {"rules_off", &profile_.rulesOff}}) {
      for (const std::string& name : texts(key)) {
        const std::optional<compare::Rule> rule = compare::ruleFromName(name);
        if (!rule.has_value()) {
          fail(key, "there is no rule `" + name + "`. The rules are A1 to A" + std::to_string(compare::kRuleCount) +
                        "; docs/rules.md explains them.");
        }
        rules->set(static_cast<size_t>(*rule));
      }
    }
    for (const std::string& pattern : explained("unsupported", "pattern")) {
      try {
        const std::string entry = "unsupported " + pattern;
        const std::regex checked(pattern);
        profile_.unsupported.push_back({pattern, entry});
        profile_.entries.push_back(entry);
      } catch (const std::regex_error& error) {
        fail("unsupported", "`" + pattern + "` is not a regular expression: " + error.what() + ".");
      }
    }
  }

  void readExclusions() {
    readDtypes();
    readOperators();
    readFeatures();
  }

  void excludeDtype(at::ScalarType dtype, const std::string& entry) {
    profile_.exclusions.dtypes.emplace(dtype, entry);
    note(entry);
  }
  void note(const std::string& entry) {
    if (std::find(profile_.entries.begin(), profile_.entries.end(), entry) == profile_.entries.end()) {
      profile_.entries.push_back(entry);
    }
  }

  std::string knownDtype(const char* key, std::string name) const {
    std::vector<std::string> names;
    for (const at::ScalarType dtype : decoder::argumentDtypes()) {
      names.push_back(dtypeName(dtype));
    }
    constexpr const char* kPrefix = "torch.";
    if (name.rfind(kPrefix, 0) == 0) {
      name = name.substr(std::string(kPrefix).size());
    }
    return chosen(key, name, names, "dtype");
  }

  void readDtypes() {
    std::vector<std::string> allowed;
    for (const std::string& name : texts("dtypes")) {
      allowed.push_back(knownDtype("dtypes", name));
    }
    for (const std::string& each : explained("excluded_dtypes", "name")) {
      const std::string name = knownDtype("excluded_dtypes", each);
      excludeDtype(*dtypeFromName(name), "excluded_dtypes " + name);
    }
    const auto& arguments = decoder::argumentDtypes();
    for (const at::ScalarType dtype : arguments) {
      if (find("dtypes") != nullptr && std::find(allowed.begin(), allowed.end(), dtypeName(dtype)) == allowed.end()) {
        excludeDtype(dtype, "dtypes: any other");
      }
    }
    if (std::all_of(std::begin(arguments), std::end(arguments),
                    [&](at::ScalarType dtype) { return profile_.exclusions.excludes(dtype); })) {
      fail("dtypes", "no dtype is left that an argument may have.");
    }
  }

  /// Whether the glob fits; one that fits nothing is a mistake.
  std::vector<std::string> namesLike(const char* key, const std::string& glob) const {
    std::vector<std::string> all, fitting;
    for (const catalogue::OperatorInfo& info : catalogue::operators()) {
      all.emplace_back(info.name);
      if (fnmatch(glob.c_str(), all.back().c_str(), 0) == 0) {
        fitting.push_back(all.back());
      }
    }
    if (fitting.empty()) {
      fail(key, "no operator of the catalogue is called `" + glob + "`." + base::didYouMean(glob, all) +
                    " `touchstone ops` lists them; `*` and `?` stand for parts of a name.");
    }
    return fitting;
  }

  void readOperators() {
    std::set<std::string> allowed;
    for (const std::string& glob : texts("operators")) {
      for (const std::string& name : namesLike("operators", glob)) {
        allowed.insert(name);
      }
    }
    for (const std::string& glob : explained("excluded_operators", "name")) {
      const std::string entry = "excluded_operators " + glob;
      note(entry);
      for (const std::string& name : namesLike("excluded_operators", glob)) {
        profile_.exclusions.operators.emplace(name, entry);
      }
    }
    if (find("operators") != nullptr) {
      const std::string entry = "operators: any other";
      note(entry);
      for (const catalogue::OperatorInfo& info : catalogue::operators()) {
        if (allowed.count(std::string(info.name)) == 0) {
          profile_.exclusions.operators.emplace(info.name, entry);
        }
      }
    }
  }

  void readFeatures() {
    const json* value = find("features");
    if (value == nullptr) {
      return;
    }
    typed<json>("features", *value, value->is_object(), "an object of true, false and \"always\"");
    checkNames("features", *value,
               {"backward", "mutation", "aliased_inputs", "rng", "dynamic", "complex", "modules", "data_branches"});
    struct Switch {
      const char* name;
      Profile::Feature feature;
      bool canBeAlways = false;
    };
    constexpr Switch kSwitches[] = {
        {"backward", Profile::Feature::kBackward, true},
        {"mutation", Profile::Feature::kMutation, true},
        {"aliased_inputs", Profile::Feature::kAliasedInputs, true},
        {"rng", Profile::Feature::kRandom},
        {"modules", Profile::Feature::kModules},
        {"data_branches", Profile::Feature::kDataBranches},
    };
    for (const auto& [name, item] : value->items()) {
      const auto known = std::find_if(std::begin(kSwitches), std::end(kSwitches),
                                      [&](const Switch& each) { return each.name == name; });
      if (item == "always") {
        if (known == std::end(kSwitches) || !known->canBeAlways) {
          fail("features", "\"always\" is for `backward`, `mutation` and `aliased_inputs`, not for `" + name + "`.");
        }
        profile_.always.push_back(known->feature);
        continue;
      }
      const bool wanted = typed<bool>("features." + name, item, item.is_boolean(), "true, false or \"always\"");
      if (name == "dynamic" && wanted) {
        unavailable("features." + name, "random Cases hold none of it, so true is not available here.");
      }
      const std::string entry = "features " + name;
      if (known != std::end(kSwitches) && !wanted) {
        profile_.without.emplace_back(known->feature, entry);
        note(entry);
      }
      if (name == "complex" && !wanted) {
        excludeDtype(at::kComplexFloat, entry);
        excludeDtype(at::kComplexDouble, entry);
      }
    }
  }

  void readBounds() {
    profile_.minimumOperations = number<int>("minimum_operations", find("minimum_operations"), 1, 200);
    profile_.maximumOperations = number<int>("maximum_operations", find("maximum_operations"), 1, 200);
    if (profile_.minimumOperations.value_or(1) > profile_.maximumOperations.value_or(200)) {
      fail("minimum_operations", "it is larger than `maximum_operations`.");
    }
    profile_.maximumRank = number<int>("maximum_rank", find("maximum_rank"), 1, 5);
    profile_.maximumElements = number<int64_t>("maximum_elements", find("maximum_elements"), 1, 4096);
    if (const json* value = find("timeouts")) {
      typed<json>("timeouts", *value, value->is_object(), "an object of seconds");
      checkNames("timeouts", *value, {"eager", "backend"});
      const auto seconds = [&](const char* name) {
        const auto found = value->find(name);
        return number<double>(std::string("timeouts.") + name, found == value->end() ? nullptr : &*found, 0.01, 1e6);
      };
      profile_.eagerSeconds = seconds("eager");
      profile_.backendSeconds = seconds("backend");
    }
    profile_.memoryMebibytes = number<int64_t>("memory_mebibytes", find("memory_mebibytes"), 16, 1 << 20);
  }

  void readCompile() {
    const json* value = find("compile");
    if (value == nullptr) {
      return;
    }
    typed<json>("compile", *value, value->is_object(), "an object");
    checkNames("compile", *value, {"compiled_autograd", "dynamic", "fullgraph", "options"});
    if (const auto dynamic = value->find("dynamic"); dynamic != value->end()) {
      profile_.setsDynamic = true;
      profile_.compile.dynamic =
          dynamic->is_null() ? std::nullopt : std::optional<bool>(boolean("compile.dynamic", *dynamic));
    }
    if (const auto compiled = value->find("compiled_autograd"); compiled != value->end()) {
      profile_.compilesBackwards = boolean("compile.compiled_autograd", *compiled);
    }
    if (const auto fullgraph = value->find("fullgraph"); fullgraph != value->end()) {
      profile_.setsFullgraph = true;
      profile_.compile.fullgraph = boolean("compile.fullgraph", *fullgraph);
    }
    if (const auto options = value->find("options"); options != value->end()) {
      typed<json>("compile.options", *options, options->is_object(), "an object");
      for (const auto& [name, option] : options->items()) {
        profile_.compile.options.emplace_back(name, parser::parseExpression(pythonText(option)));
      }
    }
  }

  const json& object_;
  const std::string source_;
  Profile profile_;
};

} // namespace

Profile readProfile(const json& object, const std::string& source) {
  return ProfileReader(object, source).read();
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
