#include "graph/runtime/EffectNames.h"

#include <map>
#include <mutex>

namespace touchstone::runtime {

namespace {

struct Names {
  std::mutex mutex;
  std::map<std::string, std::string, std::less<>> made; // by effect
  std::map<std::string, std::string, std::less<>> effects; // by made name
};

Names& allNames() {
  static auto* const names = new Names; // Graphs name operators until the process ends
  return *names;
}

} // namespace

std::string withEffectsTarget(const std::string& target) {
  Names& all = allNames();
  const std::lock_guard lock(all.mutex);
  const auto known = all.made.find(target);
  if (known != all.made.end()) {
    return known->second;
  }
  const size_t dot = target.find('.');
  const std::string overload = dot == std::string::npos ? "" : target.substr(dot);
  std::string name = target.substr(0, dot);
  name = std::string(kWithEffects) + name.replace(name.find("::"), 2, "__");
  while (all.effects.contains(name + overload)) {
    name += "_"; // `a__b::c` and `a::b__c`
  }
  all.effects.emplace(name + overload, target);
  return all.made.emplace(target, name + overload).first->second;
}

std::string effectOf(std::string_view target) {
  Names& all = allNames();
  const std::lock_guard lock(all.mutex);
  const auto known = all.effects.find(target);
  return known == all.effects.end() ? "" : known->second;
}

} // namespace touchstone::runtime
