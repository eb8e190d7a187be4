#include "backends/Registry.h"

#include "base/NearestName.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>

namespace touchstone::backends {

namespace {

using ir::BackendInfo;
using ir::Family;
using ir::RuleSet;

constexpr const char* kTorchPrefix = "torch:";

struct TorchBackend {
  const char* name;
  const char* summary;
  RuleSet rules;
  const char* base;
  const char* adds;
  bool continuesBase = false;
};

/// What the installed PyTorch has. A difference that `torch:eager_python` shows already is the printer's or the evaluator's.
constexpr std::array kTorchBackends{
    TorchBackend{"torch:eager_python", "the Program in Python, not compiled: checks Touchstone's own printer",
                 RuleSet::kReference, "", "the Program printed as Python; not compiled"},
    TorchBackend{"torch:eager", "torch.compile: Dynamo alone", RuleSet::kAot, "torch:eager_python", "Dynamo"},
    TorchBackend{"torch:aot_function", "AOTAutograd without Dynamo, graphs run as they are", RuleSet::kAot,
                 "torch:eager_python", ""},
    TorchBackend{"torch:aot_eager_default_partitioner",
                 "torch.compile: Dynamo and AOTAutograd with the default partition, graphs run as they are",
                 RuleSet::kAot, "torch:eager", "AOTAutograd, with the default partition"},
    TorchBackend{"torch:aot_eager", "torch.compile: Dynamo and AOTAutograd, graphs run as they are", RuleSet::kAot,
                 "torch:aot_eager_default_partitioner", "the min-cut partition", /*continuesBase=*/true},
    TorchBackend{"torch:aot_eager_decomp_partition",
                 "torch.compile: AOTAutograd with Inductor's decompositions and partitioner", RuleSet::kDecomposed,
                 "torch:aot_eager", "decompositions"},
    TorchBackend{"torch:inductor", "torch.compile as its users run it", RuleSet::kInductor,
                 "torch:aot_eager_decomp_partition", "Inductor"},
};

std::vector<BackendInfo> torchBackends() {
  std::vector<BackendInfo> infos;
  for (const TorchBackend& row : kTorchBackends) {
    const bool compiles = row.rules != RuleSet::kReference;
    infos.push_back(
        {row.name, Family::kTorch, row.summary, row.rules, compiles, row.base, row.adds, row.continuesBase});
  }
  return infos;
}

std::vector<BackendInfo>& builtIn() {
  static std::vector<BackendInfo> table = torchBackends();
  return table;
}

BackendInfo customBackend(const std::string& name) {
  return {name, Family::kTorch, "torch.compile with a backend of one's own", RuleSet::kAot, true, "torch:aot_eager"};
}

// `torch:package.module:attribute`
bool namesCustomBackend(const std::string& name) {
  if (name.rfind(kTorchPrefix, 0) != 0) {
    return false;
  }
  std::string path = name.substr(std::string(kTorchPrefix).size());
  size_t colon = path.find(':');
  bool wellFormed = colon != std::string::npos && colon > 0 && colon + 1 < path.size() &&
                    path.find(':', colon + 1) == std::string::npos;
  return wellFormed && std::all_of(path.begin(), path.end(), [](unsigned char character) {
           return std::isalnum(character) || character == '_' || character == '.' || character == ':';
         });
}

std::vector<BackendNames>& furtherNames() {
  static std::vector<BackendNames> further;
  return further;
}

/// Those that a name belongs to by its beginning, whether it is one of them or not; null: it belongs to none.
const BackendNames* furtherNamesOf(const std::string& name) {
  for (const BackendNames& further : furtherNames()) {
    if (std::any_of(further.prefixes.begin(), further.prefixes.end(),
                    [&](const std::string& prefix) { return name.starts_with(prefix); })) {
      return &further;
    }
  }
  return nullptr;
}

[[noreturn]] void throwUnknown(const std::string& name) {
  std::vector<std::string> names;
  for (const BackendInfo& info : builtInBackends()) {
    names.push_back(info.name);
  }
  if (const BackendNames* further = furtherNamesOf(name)) {
    throw std::invalid_argument("There is no backend `" + name + "`." + base::didYouMean(name, further->all()) +
                                " `touchstone backends --faults` lists those that are planted.");
  }
  std::string message = "There is no backend `" + name + "`." + base::didYouMean(name, names) + " Choose one of";
  for (const std::string& valid : base::nearestFirst(name, names)) {
    message += " `" + valid + "`,";
  }
  throw std::invalid_argument(
      message +
      " `fault:NAME` of docs/faults.md, or `torch:package.module:attribute` for one of your own; one that a module "
      "registers by name needs a profile that imports the module, see docs/profiles.md.");
}

// `torch:name`
bool namesRegisteredBackend(const std::string& name) {
  const std::string prefix = kTorchPrefix;
  return name.rfind(prefix, 0) == 0 && name.size() > prefix.size() &&
         std::all_of(name.begin() + static_cast<std::ptrdiff_t>(prefix.size()), name.end(),
                     [](unsigned char character) {
                       return std::isalnum(character) || character == '_' || character == '-' || character == '.';
                     });
}

std::vector<BackendInfo>& declaredBackends() {
  static std::vector<BackendInfo> declared;
  return declared;
}

std::optional<BackendInfo> entryOf(const std::string& name) {
  const std::vector<BackendInfo>& declared = declaredBackends();
  for (const std::vector<BackendInfo>* table : {&declared, &builtInBackends()}) {
    for (const BackendInfo& info : *table) {
      if (info.name == name) {
        return info;
      }
    }
  }
  if (const BackendNames* further = furtherNamesOf(name)) {
    return further->info(name);
  }
  return namesCustomBackend(name) ? std::optional(customBackend(name)) : std::nullopt;
}

std::map<Family, BackendFactory>& factories() {
  static std::map<Family, BackendFactory> registered;
  return registered;
}

} // namespace

const std::vector<BackendInfo>& builtInBackends() {
  return builtIn();
}

void addBackendNames(BackendNames names) {
  furtherNames().push_back(std::move(names));
}

void addNativeBackends(std::vector<BackendInfo> rows) {
  std::erase_if(builtIn(), [](const BackendInfo& each) { return each.family == Family::kNative; });
  builtIn().insert(builtIn().begin(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
}

bool isOfOnesOwn(const std::string& name) {
  return !name.starts_with("torch:fault:") &&
         std::ranges::none_of(builtInBackends(), [&](const BackendInfo& known) { return known.name == name; });
}

BackendInfo builtInBackend(const std::string& name) {
  const auto found =
      std::find_if(builtIn().begin(), builtIn().end(), [&](const BackendInfo& each) { return each.name == name; });
  return found != builtIn().end() ? *found : backendInfo(name);
}

BackendInfo importedBackendInfo(const std::string& name) {
  const auto isNamed = [&](const BackendInfo& info) { return info.name == name; };
  const bool builtIn = std::any_of(builtInBackends().begin(), builtInBackends().end(), isNamed);
  return !builtIn && namesRegisteredBackend(name) ? customBackend(name) : backendInfo(name);
}

void declareBackend(BackendInfo info) {
  std::erase_if(declaredBackends(), [&](const BackendInfo& known) { return known.name == info.name; });
  declaredBackends().push_back(std::move(info));
}

BackendInfo backendInfo(const std::string& name) {
  if (const std::optional<BackendInfo> info = entryOf(name)) {
    return *info;
  }
  throwUnknown(name);
}

bool isBackend(const std::string& name) {
  return entryOf(name).has_value();
}

std::vector<BackendInfo> ladderTo(const BackendInfo& info) {
  std::vector<BackendInfo> ladder{info};
  while (!ladder.back().base.empty()) {
    ladder.push_back(builtInBackend(ladder.back().base)); // a base that a profile gives it is no matter of those above
  }
  std::reverse(ladder.begin(), ladder.end());
  return ladder;
}

std::vector<std::string> blamedBefore(const BackendInfo& info) {
  std::vector<BackendInfo> ladder = ladderTo(info);
  while (ladder.back().continuesBase) {
    ladder.pop_back();
  }
  ladder.pop_back();
  std::vector<std::string> names;
  std::transform(ladder.begin(), ladder.end(), std::back_inserter(names),
                 [](const BackendInfo& each) { return each.name; });
  return names;
}

void registerFactory(Family family, BackendFactory factory) {
  factories()[family] = std::move(factory);
}

bool hasFactory(Family family) {
  return factories().contains(family);
}

std::unique_ptr<Backend> makeBackend(const std::string& name) {
  BackendInfo info = backendInfo(name);
  auto factory = factories().find(info.family);
  if (factory == factories().end()) {
    throw std::invalid_argument("Backend `" + name + "` belongs to the " +
                                (info.family == Family::kTorch ? "torch family, which only the worker that embeds "
                                                                 "Python can run."
                                                               : "native family, which this process has not "
                                                                 "registered."));
  }
  return factory->second(info);
}

} // namespace touchstone::backends
