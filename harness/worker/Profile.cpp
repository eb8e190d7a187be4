#include "harness/worker/Profile.h"

#include "backends/Registry.h"
#include "generators/catalogue/Operators.h"
#include "generators/decoder/InputSpecification.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <regex>

namespace touchstone::worker {

using nlohmann::json;

namespace {

constexpr size_t kReadOfMessage = 4000; // characters of a text that patterns are looked for in

} // namespace

const std::vector<ProfileKey>& profileKeys() {
  static const std::vector<ProfileKey> keys = {
      {"comment", "anything", "for people; not read"},
      {"backend", "string", "the backend to test"},
      {"imports", "list of strings", "Python modules that the worker imports before it compiles"},
      {"python_path", "list of strings", "folders to look for them in, from the profile's own folder"},
      {"load", "list of strings", "shared libraries, each with a backend of one's own, from the profile's own folder"},
      {"environment", "object of strings", "environment variables of the worker"},
      {"warm_up", "true or false", "compile a small program before the first Case"},
      {"device", "string", "where tensors live: `cpu`, `cuda`, `cuda:1`, …"},
      {"reference", "`same` or `cpu`", "where eager runs"},
      {"fork", "true or false", "run Cases in forked children; false is not available"},
      {"base", "string", "the weaker backend on which differences are blamed first"},
      {"rules", "`aot`, `decomp`, `inductor` or `strict`", "which differences from eager are allowed"},
      {"rules_on", "list of strings", "single rules besides, `A6`"},
      {"rules_off", "list of strings", "single rules that do not apply"},
      {"unsupported", "list of strings or `pattern`, `why`", "texts of exceptions: a refusal with one is Unsupported"},
      {"dtypes", "list of strings", "the only dtypes that tensors of random Cases have"},
      {"excluded_dtypes", "list of strings or `name`, `why`", "dtypes that they do not have"},
      {"operators", "list of globs", "the only operators of the catalogue that are used"},
      {"excluded_operators", "list of globs or `name`, `why`", "operators that are not used"},
      {"features", "object of true, false and \"always\"",
       "`backward`, `mutation`, `aliased_inputs`, `rng`, `dynamic`, `complex`, `modules`, `data_branches`"},
      {"minimum_operations", "number", "statements asked for, at least"},
      {"maximum_operations", "number", "and at most"},
      {"maximum_rank", "number", "dimensions of a tensor, at most; 5 or less"},
      {"maximum_elements", "number", "elements of a tensor, at most"},
      {"timeouts", "object", "`eager`, `backend`: processor seconds for each Case"},
      {"memory_mebibytes", "number", "memory for each Case"},
      {"compile", "object",
       "`dynamic`, `fullgraph`, `options` of torch.compile; `compiled_autograd`: every backward runs under compiled "
       "autograd"},
  };
  return keys;
}

bool Profile::lacks(Feature feature) const {
  const std::vector<catalogue::OperatorInfo> all = catalogue::operators();
  const auto cannotWrite = [&](const catalogue::OperatorInfo& info) {
    return !info.mutates || exclusions.excludes(info.name);
  };
  if (feature == Feature::kMutation && std::all_of(all.begin(), all.end(), cannotWrite)) {
    return true;
  }
  return std::any_of(without.begin(), without.end(), [&](const auto& each) { return each.first == feature; });
}

const Profile::Pattern* Profile::unsupportedBy(const std::string& exception) const {
  const std::string read = exception.substr(0, kReadOfMessage);
  const auto found = std::find_if(unsupported.begin(), unsupported.end(),
                                  [&](const Pattern& each) { return std::regex_search(read, std::regex(each.text)); });
  return found == unsupported.end() ? nullptr : &*found;
}

std::optional<at::ScalarType> dtypeFromName(const std::string& name) {
  const auto dtypes = decoder::argumentDtypes();
  const auto found =
      std::find_if(dtypes.begin(), dtypes.end(), [&](at::ScalarType dtype) { return dtypeName(dtype) == name; });
  return found == dtypes.end() ? std::nullopt : std::optional(*found);
}

std::string dtypeName(at::ScalarType dtype) {
  return std::string(c10::getDtypeNames(dtype).first);
}

std::vector<std::string> Profile::generating() const {
  const json object = text.empty() ? json::object() : json::parse(text);
  std::vector<std::string> names;
  for (const char* key : {"dtypes", "excluded_dtypes", "operators", "excluded_operators", "features",
                          "minimum_operations", "maximum_operations", "maximum_rank", "maximum_elements"}) {
    if (object.contains(key)) {
      names.emplace_back(key);
    }
  }
  return names;
}

std::vector<std::string> Profile::judging() const {
  const json object = text.empty() ? json::object() : json::parse(text);
  std::vector<std::string> names;
  for (const char* key : {"warm_up", "base", "rules", "rules_on", "rules_off", "unsupported"}) {
    if (object.contains(key)) {
      names.emplace_back(key);
    }
  }
  if (!compile.options.empty()) {
    names.emplace_back("compile.options");
  }
  return names;
}

void declareBackend(const Profile& profile) {
  if (profile.backend.empty() || (!profile.load.empty() && !backends::isBackend(profile.backend))) {
    return; // the second: a worker of the torch family loads no libraries
  }
  ir::BackendInfo info =
      profile.imports.empty() ? backends::backendInfo(profile.backend) : backends::importedBackendInfo(profile.backend);
  if (profile.ruleSet.has_value()) {
    info.rules = *profile.ruleSet;
  }
  if (!profile.base.empty()) {
    const ir::BackendInfo base = backends::backendInfo(profile.base);
    if (base.family != info.family || base.name == info.name) {
      throw std::invalid_argument("`" + base.name + "` cannot be the base of `" + info.name +
                                  "`: a base is another backend of the same family.");
    }
    info.base = base.name;
    info.continuesBase = false;
  }
  backends::declareBackend(info);
}

} // namespace touchstone::worker
