#include "program/control_flow/Region.h"

#include "program/values/GeneratorState.h"

#include <c10/util/Exception.h>

#include <list>
#include <map>
#include <mutex>
#include <unordered_map>

namespace touchstone::control_flow {
namespace {

constexpr size_t kRegions = 128; // each holds a copy of a Case

struct Registry {
  struct Entry {
    std::shared_ptr<const Region> region;
    std::list<int64_t>::iterator age;
  };
  std::mutex mutex;
  std::unordered_map<std::string, int64_t> byText;
  std::map<int64_t, Entry> byNumber;
  std::list<int64_t> ages; // what was asked for last is first
  int64_t next = 0;

  static Registry& get() {
    static auto* const registry = new Registry;
    return *registry;
  }
  void touch(Entry& entry) { ages.splice(ages.begin(), ages, entry.age); }
};

} // namespace

TensorList Region::fake(const TensorList& arguments) const {
  const values::GeneratorStateScope generators;
  return withoutValues(run(zerosFor(arguments)));
}

int64_t numberOf(const std::shared_ptr<const Region>& region) {
  Registry& registry = Registry::get();
  std::string text = region->name() + "\n" + region->text();
  const std::lock_guard lock(registry.mutex);
  if (const auto found = registry.byText.find(text); found != registry.byText.end()) {
    registry.touch(registry.byNumber.at(found->second));
    return found->second;
  }
  if (registry.byNumber.size() == kRegions) {
    const auto oldest = registry.byNumber.find(registry.ages.back());
    registry.byText.erase(oldest->second.region->name() + "\n" + oldest->second.region->text());
    registry.ages.pop_back();
    registry.byNumber.erase(oldest);
  }
  const int64_t number = registry.next++;
  registry.ages.push_front(number);
  registry.byNumber[number] = {region, registry.ages.begin()};
  registry.byText[std::move(text)] = number;
  return number;
}

std::shared_ptr<const Region> regionOf(int64_t number) {
  Registry& registry = Registry::get();
  const std::lock_guard lock(registry.mutex);
  const auto found = registry.byNumber.find(number);
  TORCH_CHECK(found != registry.byNumber.end(), "The Graph that calls the control flow ", number,
              " is older than a hundred others, which have taken its place.");
  registry.touch(found->second);
  return found->second.region;
}

} // namespace touchstone::control_flow
