#include "harness/worker/Profile.h"

#include "backends/Registry.h"
#include "generators/catalogue/Operators.h"
#include "generators/decoder/InputSpecification.h"

#include <algorithm>
#include <regex>

namespace touchstone::worker {

namespace {

constexpr size_t kReadOfMessage = 4000; // characters of a text that patterns are looked for in

} // namespace

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
