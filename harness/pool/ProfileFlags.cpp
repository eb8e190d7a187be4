#include "harness/pool/ProfileFlags.h"

#include "backends/Registry.h"
#include "base/AtomicFile.h"
#include "base/ExitStatus.h"
#include "harness/findings/FindingHeaders.h"
#include "harness/pool/LibraryDescription.h"
#include "harness/worker/Device.h"
#include "program/parser/CaseParser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>
#include <set>
#include <string_view>
#include <utility>

namespace touchstone::pool {

using nlohmann::json;

namespace {

const char* const kGroup = "Profile (each also a key of the file, see docs/profiles.md)";

/// The value of a flag in the file's type.
enum class FlagKind { kText, kList, kSwitchOff, kAlways, kNumber, kTrue, kFalse, kTrueOrAuto, kSettings, kLiterals };

struct ProfileFlag {
  const char* name;
  const char* key; // in the file, as a JSON pointer
  FlagKind kind;
  bool generates; // steers how random Cases are made
  const char* help;
};

// Lists are not split at commas where a comma can be part of an item.
constexpr ProfileFlag kFlags[] = {
    {"--import", "/imports", FlagKind::kList, false, "Python module that the worker imports; may be repeated"},
    {"--python-path", "/python_path", FlagKind::kList, false, "Folder to look for it in; may be repeated"},
    {"--load", "/load", FlagKind::kList, false,
     "Shared library with a backend of one's own, see docs/own_backend.md; that is the one to test where no other is "
     "named. May be repeated"},
    {"--device", "/device", FlagKind::kText, false, "Where tensors live: cpu, cuda, cuda:1, …"},
    {"--reference", "/reference", FlagKind::kText, false, "Where eager runs: same or cpu"},
    {"--no-fork", "/fork", FlagKind::kFalse, false, "Not available: Cases run in forked children"},
    {"--no-warm-up", "/warm_up", FlagKind::kFalse, false, "Compile nothing before the first Case"},
    {"--proof", "/proof", FlagKind::kText, false,
     "What shows that the backend executes what it is handed: `spied`, or `module:attribute` of a counter of its own"},
    {"--base", "/base", FlagKind::kText, false, "The weaker backend on which differences are blamed first"},
    {"--rules", "/rules", FlagKind::kText, false, "Which differences are allowed: aot, decomp, inductor or strict"},
    {"--numerics", "/numerics", FlagKind::kText, false,
     "default or strict: signs of zeros, strides of size 1 and roundings to half precision count, too"},
    {"--rules-on", "/rules_on", FlagKind::kList, false, "Single rules besides, such as A6"},
    {"--rules-off", "/rules_off", FlagKind::kList, false, "Single rules that do not apply"},
    {"--unsupported", "/unsupported", FlagKind::kList, false,
     "Regular expression: a refusal with such a text is Unsupported; may be repeated"},
    {"--dynamic", "/compile/dynamic", FlagKind::kTrueOrAuto, false,
     "Compile with dynamic=True, or with false; auto: sizes that change become symbols (dynamic=None). With true and auto, "
     "Cases compute with sizes and change them (the part `dynamic`)"},
    {"--fullgraph", "/compile/fullgraph", FlagKind::kTrue, false, "Compile with fullgraph=True"},
    {"--compiled-autograd", "/compile/compiled_autograd", FlagKind::kTrue, false,
     "Run every backward under compiled autograd: the native one, or PyTorch's own for torch backends"},
    {"--dtypes", "/dtypes", FlagKind::kList, true, "The only dtypes of tensors"},
    {"--exclude-dtypes", "/excluded_dtypes", FlagKind::kList, true, "Dtypes that no tensor has"},
    {"--operators", "/operators", FlagKind::kList, true, "The only operators, as globs of `touchstone ops`"},
    {"--exclude-operators", "/excluded_operators", FlagKind::kList, true, "Operators that are not used, as globs"},
    {"--without", "/features", FlagKind::kSwitchOff, true,
     "backward, mutation, aliased_inputs, rng, dynamic, complex, modules, data_branches, custom_operators"},
    {"--with", "/features", FlagKind::kAlways, true,
     "Every Case has it: backward, mutation, aliased_inputs, custom_operators"},
    {"--min-operations", "/minimum_operations", FlagKind::kNumber, true, "Statements of a Program, at least [8]"},
    {"--max-operations", "/maximum_operations", FlagKind::kNumber, true, "And at most [16]"},
    {"--max-rank", "/maximum_rank", FlagKind::kNumber, true, "Dimensions of a tensor, at most [5]"},
    {"--max-elements", "/maximum_elements", FlagKind::kNumber, true, "Elements of a tensor, at most [64]"},
    {"--debug-interpreter", "/compile/options/debug_interpreter", FlagKind::kTrue, false,
     "Hold each value of a native backend's Graphs against what was traced: dtype, sizes, significant strides. "
     "The same as --option debug_interpreter=true"},
    {"--environment", "/environment", FlagKind::kSettings, false,
     "NAME=VALUE: variable of the worker's environment; may be repeated"},
    {"--option", "/compile/options", FlagKind::kLiterals, false,
     "NAME=VALUE: an option of torch.compile, VALUE as JSON or a plain text; may be repeated"},
};

/// What may follow a flag of kTrueOrAuto.
const std::vector<std::string> kTrueOrAutoValues = {"true", "false", "auto"};

bool isOfList(FlagKind kind) {
  return kind != FlagKind::kText && kind != FlagKind::kNumber && kind != FlagKind::kTrue && kind != FlagKind::kFalse &&
         kind != FlagKind::kTrueOrAuto;
}

/// Of a feature, by the flag that names it.
json featureValue(FlagKind kind) {
  return kind == FlagKind::kAlways ? json("always") : json(false);
}

bool isSplit(const ProfileFlag& flag) {
  const bool isOfNames =
      flag.kind == FlagKind::kList || flag.kind == FlagKind::kSwitchOff || flag.kind == FlagKind::kAlways;
  const std::string_view name = flag.name;
  return isOfNames && name != "--unsupported" && name != "--python-path" && name != "--load";
}

/// `true`, `3`, `"x"` as JSON; anything else is a string.
json literalOf(const std::string& text) {
  const json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
  return value.is_discarded() ? json(text) : value;
}

/// One item of a list, into what its flag says.
void takeItem(const ProfileFlag& flag, json& target, const std::string& item) {
  if (flag.kind == FlagKind::kSwitchOff || flag.kind == FlagKind::kAlways) {
    json& feature = target[item];
    if (!feature.is_null() && feature != featureValue(flag.kind)) {
      throw options::BadValue("`" + item + "` is given to --with and to --without");
    }
    feature = featureValue(flag.kind);
    return;
  }
  const size_t equals = item.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw options::BadValue("expected NAME=VALUE, got `" + item + "`");
  }
  const std::string value = item.substr(equals + 1);
  target[item.substr(0, equals)] = flag.kind == FlagKind::kLiterals ? literalOf(value) : json(value);
}

options::Target targetOf(const ProfileFlag& flag, const std::shared_ptr<json>& object) {
  const json::json_pointer key(flag.key);
  switch (flag.kind) {
    case FlagKind::kText: return options::Takes<std::string>{[=](const auto& value) { (*object)[key] = value; }};
    case FlagKind::kNumber: return options::Takes<int64_t>{[=](int64_t value) { (*object)[key] = value; }};
    case FlagKind::kTrue:
    case FlagKind::kFalse: return options::Takes<>{[=] { (*object)[key] = flag.kind == FlagKind::kTrue; }};
    case FlagKind::kTrueOrAuto:
      return options::Takes<std::string>{
          [=](const std::string& value) { (*object)[key] = value == "auto" ? json() : json(value == "true"); }};
    case FlagKind::kList:
      return options::Takes<std::vector<std::string>>{[=](const auto& values) { (*object)[key] = values; }};
    default: break;
  }
  return options::Takes<std::vector<std::string>>{[=](const auto& values) {
    for (const std::string& each : values) {
      takeItem(flag, (*object)[key], each);
    }
  }};
}

options::Traits traitsOf(const ProfileFlag& flag) {
  const bool isChoice = flag.kind == FlagKind::kTrueOrAuto;
  options::Traits traits = isChoice ? options::oneOf(kTrueOrAutoValues) : options::Traits();
  traits.isSplit = isSplit(flag);
  traits.isOneEach = isOfList(flag.kind);
  traits.follows = isChoice ? kTrueOrAutoValues : std::vector<std::string>();
  traits.group = kGroup;
  return traits;
}

/// Puts what was given over what is there, object by object; unlike in a merge patch, null is a value.
void overlay(json& object, const json& given) {
  if (!object.is_object() || !given.is_object()) {
    object = given;
    return;
  }
  for (const auto& [key, value] : given.items()) {
    overlay(object[key], value);
  }
}

/// `NAME=VALUE`; a text that reads as JSON must stay a text.
std::string settingText(const ProfileFlag& flag, const std::string& name, const json& value) {
  const bool isPlain =
      value.is_string() && (flag.kind == FlagKind::kSettings || !json::accept(value.get<std::string>()));
  return name + "=" + (isPlain ? value.get<std::string>() : value.dump());
}

/// The flag as often as it takes to say the value again.
std::string flagText(const ProfileFlag& flag, const json& value) {
  std::string text;
  const auto add = [&](const std::string& word) { text += fmt::format(" {} {}", flag.name, shellWord(word)); };
  if (flag.kind == FlagKind::kTrue || flag.kind == FlagKind::kFalse) {
    return fmt::format(" {}", flag.name);
  }
  if (flag.kind == FlagKind::kTrueOrAuto) {
    return fmt::format(" {}{}", flag.name, value.is_null() ? " auto" : value.get<bool>() ? "" : " false");
  }
  if (flag.kind == FlagKind::kText || flag.kind == FlagKind::kNumber) {
    add(value.is_string() ? value.get<std::string>() : value.dump());
    return text;
  }
  for (const auto& [name, item] : value.items()) {
    if (flag.kind == FlagKind::kSettings || flag.kind == FlagKind::kLiterals) {
      add(settingText(flag, name, item));
    } else if (flag.kind == FlagKind::kList) {
      add(item.get<std::string>());
    } else if (item == featureValue(flag.kind)) {
      add(name);
    }
  }
  return text;
}

/// Folders are meant from the profile's own; a worker has another one.
void makeAbsolute(json& object, const std::filesystem::path& folder) {
  for (const char* key : {"python_path", "load"}) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    if (!object.is_object() || found == object.end() || !found->is_array()) {
      continue;
    }
    for (json& each : *found) {
      if (each.is_string()) {
        each = std::filesystem::weakly_canonical(folder / each.get<std::string>()).string();
      }
    }
  }
}

json readFileAsJson(const std::string& path) {
  std::string text;
  try {
    text = base::readFile(path);
  } catch (const std::exception& error) {
    throw base::WrongUse("The profile `" + path + "` cannot be read: " + error.what());
  }
  try {
    json object = json::parse(text);
    makeAbsolute(object, std::filesystem::absolute(path).parent_path());
    return object;
  } catch (const json::parse_error& error) {
    throw base::WrongUse(path + ": this is not JSON: " + error.what());
  }
}

} // namespace

std::string shellWord(const std::string& text) {
  const bool isPlain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_-+=./:,@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (isPlain) {
    return text;
  }
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

worker::Profile ProfileFlags::read(std::vector<std::string>& backends) const {
  json object = json::object();
  std::string source = "the flags of the profile";
  if (!file.empty()) {
    object = readFileAsJson(file);
    worker::readProfile(object, file); // complaints about the file name the file
    source = file + " and the flags";
  }
  json given = *flags;
  makeAbsolute(given, std::filesystem::current_path());
  overlay(object, given);
  if (object.empty()) {
    return {};
  }
  const std::vector<std::string> loaded = declareLibraries(worker::readProfile(object, source), source);
  if (backends.empty() && !object.contains("backend")) {
    backends = loaded;
  }
  if (backends.size() == 1) {
    object["backend"] = backends[0];
  }
  worker::Profile profile = worker::readProfile(object, source);
  profile.loaded = loaded;
  for (const std::string& folder : profile.pythonPath) {
    if (!std::filesystem::is_directory(folder)) {
      throw base::WrongUse(fmt::format("{}: `python_path`: there is no folder `{}`.", source, folder));
    }
  }
  if (backends.empty() && !profile.backend.empty()) {
    backends = {profile.backend};
  }
  if (!profile.backend.empty() && std::find(backends.begin(), backends.end(), profile.backend) == backends.end()) {
    throw base::WrongUse(fmt::format("{}: its backend `{}` is not among those of the command line: {}.", source,
                                     profile.backend, fmt::join(backends, ", ")));
  }
  if (const std::vector<std::string> judging = profile.judging(); profile.backend.empty() && !judging.empty()) {
    throw base::WrongUse(
        fmt::format("{}: `{}` is about one backend; say which in `backend`.", source, fmt::join(judging, "`, `")));
  }
  if (const std::string trouble = profile.isOnDevice() ? worker::troubleWithDevice(profile.device) : "";
      !trouble.empty()) {
    throw worker::ProfileUnavailable(
        fmt::format("{}: the device `{}` is not available here: {}", source, profile.device, trouble));
  }
  worker::declareBackend(profile);
  const auto isNative = [](const std::string& name) {
    return backends::backendInfo(name).family == ir::Family::kNative;
  };
  if (!profile.imports.empty() && !backends.empty() && std::all_of(backends.begin(), backends.end(), isNative)) {
    throw base::WrongUse(source +
                         ": `imports` is not available for native backends: there is no Python in their worker.");
  }
  return profile;
}

worker::Profile ProfileFlags::read(const std::string& backend) const {
  std::vector<std::string> names = namesOf(backend);
  return read(names);
}

worker::Profile ProfileFlags::read(std::vector<std::string>& backends, bool areGiven) const {
  std::vector<std::string> names = areGiven ? withoutRepeats(backends) : std::vector<std::string>();
  worker::Profile profile = read(names);
  backends = names.empty() ? backends : names;
  return profile;
}

std::vector<std::string> namesOf(const std::string& backend) {
  return backend.empty() ? std::vector<std::string>() : std::vector{backend};
}

std::vector<std::string> withoutRepeats(const std::vector<std::string>& names) {
  std::vector<std::string> result;
  for (const std::string& name : names) {
    if (std::find(result.begin(), result.end(), name) == result.end()) {
      result.push_back(name);
    }
  }
  return result;
}

std::string ProfileFlags::commandLine() const {
  std::string text = file.empty() ? "" : " --profile " + shellWord(file);
  for (const ProfileFlag& flag : kFlags) {
    const json::json_pointer key(flag.key);
    const bool isSaidByOption = std::string_view(flag.key).starts_with("/compile/options/");
    text += isSaidByOption || !flags->contains(key) ? "" : flagText(flag, flags->at(key));
  }
  return text;
}

bool isStoredProfile(const std::string& fileName) {
  static const std::regex stored(std::string(kStoredProfile) + "[0-9a-f]+\\.json");
  return std::regex_match(fileName, stored);
}

/// What a finding's file says in its headers; empty: nothing.
static std::string profileNamedBy(const std::string& caseFile) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(caseFile, none)) { // what has no end is refused later, by who reads it
    return "";
  }
  try {
    parser::ParseOptions options;
    options.checkMainPart = false;
    return std::filesystem::path(findings::headersOf(parser::readCase(caseFile, options)).profile).filename();
  } catch (const std::exception&) { // told later, by who reads it
    return "";
  }
}

ProfileFlags ProfileFlags::orStoredBeside(const std::vector<std::string>& findings,
                                          const std::vector<std::string>& backends) const {
  ProfileFlags found = *this;
  if (!file.empty()) {
    return found;
  }
  std::set<std::string> profiles;
  std::set<std::filesystem::path> folders;
  for (const std::string& path : findings) {
    std::error_code none;
    const bool isFolder = std::filesystem::is_directory(path, none);
    const std::filesystem::path folder =
        isFolder ? std::filesystem::path(path) : std::filesystem::path(path).parent_path();
    folders.insert(std::filesystem::weakly_canonical(folder.empty() ? "." : folder, none));
    if (const std::string own = isFolder ? "" : profileNamedBy(path); !own.empty()) {
      if (std::filesystem::exists(folder / own)) {
        profiles.insert(folder / own);
      }
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(folder.empty() ? "." : folder, none)) {
      const std::string name = entry.path().filename();
      if (isStoredProfile(name)) {
        profiles.insert(folder / name);
      }
    }
  }
  if (folders.size() > 1) {
    return found; // it is not about all of them
  }
  if (profiles.size() == 1) {
    const json profile = readFileAsJson(*profiles.begin());
    const auto named = profile.is_object() ? profile.find("backend") : profile.end();
    const std::string backend = named != profile.end() && named->is_string() ? named->get<std::string>() : "";
    if (!backend.empty() && !backends.empty() &&
        std::find(backends.begin(), backends.end(), backend) == backends.end()) {
      return found;
    }
    for (const char* key : {"imports", "python_path", "load", "environment"}) {
      if (profile.is_object() && profile.contains(key)) { // code: a folder from a stranger may hold it
        fmt::print(stderr,
                   "the profile `{0}` lies beside the findings; its `{1}` may run code, so it is taken only with "
                   "--profile {0}\n",
                   *profiles.begin(), key);
        return found;
      }
    }
    found.file = *profiles.begin();
    fmt::print(stderr, "with the profile `{}`, which lies beside the findings (--profile takes another)\n", found.file);
  } else if (!profiles.empty()) {
    fmt::print(stderr,
               "{} profiles lie beside the findings, and none is taken; say with --profile which one is to be: {}\n",
               profiles.size(), fmt::join(profiles, ", "));
  }
  return found;
}

ProfileFlags ProfileFlags::withoutGeneratingFlags() const {
  ProfileFlags kept{file, std::make_shared<json>(*flags)};
  for (const ProfileFlag& flag : kFlags) {
    if (flag.generates) {
      kept.flags->erase(flag.key + 1); // none of them is inside of another
    }
  }
  return kept;
}

options::OptionList profileOptions(ProfileFlags& flags, ProfileScope scope) {
  options::OptionList list{"--profile", &flags.file,
                           "JSON file that says how to test one backend; see docs/profiles.md",
                           options::Traits().inGroup(kGroup)};
  for (const ProfileFlag& flag : kFlags) {
    if (scope == ProfileScope::kEverything || !flag.generates) {
      list = {list, options::Option{flag.name, targetOf(flag, flags.flags), flag.help, traitsOf(flag)}};
    }
  }
  return list;
}

options::Option dynamicOption(std::string& value) {
  options::Traits traits = options::oneOf(kTrueOrAutoValues);
  traits.follows = kTrueOrAutoValues;
  return {"--dynamic", &value,
          "Compile with dynamic=True, or with false, or with auto (dynamic=None), whatever the Case says", traits};
}

options::OptionList limitOptions(LimitOptions& limits) {
  return {
      {"--eager-seconds", &limits.eagerSeconds,
       "Processor time for each Case, to make or read it and to run it eagerly; four times as long on the clock [30]",
       options::aboveZero()},
      {"--backend-seconds", &limits.backendSeconds,
       "The same for each backend, to compile and to make the calls [30; with Inductor 120]", options::aboveZero()},
      {"--memory-mib", &limits.memoryMebibytes, "Memory for each Case, three quarters of it tensors [3072]",
       options::between(16, 1 << 20)}};
}

LimitOptions limitsOf(const worker::Profile& profile, LimitOptions given) {
  const auto orElse = [](auto& value, const auto& other) { value = value.has_value() ? value : other; };
  orElse(given.eagerSeconds, profile.eagerSeconds);
  orElse(given.backendSeconds, profile.backendSeconds);
  orElse(given.memoryMebibytes, profile.memoryMebibytes);
  given.limitsAddressSpace = !profile.isOnDevice();
  return given;
}

} // namespace touchstone::pool
