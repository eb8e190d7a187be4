#include "harness/store/StoredRows.h"

#include "base/ExitStatus.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <random>
#include <stdexcept>

namespace touchstone::store {

namespace {

constexpr std::array<std::string_view, kFindingStatusCount> kStatusNames = {"new", "open", "known", "flaky", "fixed"};
constexpr std::array<std::string_view, 5> kStateNames = {"running", "finished", "interrupted", "killed", "unknown"};
constexpr std::array<std::string_view, 4> kKindNames = {"new", "again", "regression", "suppressed"};

/// Position of the name; the store holds no others unless somebody else wrote it.
template <size_t Count>
int positionOfName(const std::array<std::string_view, Count>& names, std::string_view name, const char* what) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw base::WrongUse(fmt::format("`{}` is no {}: these are {}.", name, what, fmt::join(names, ", ")));
  }
  return static_cast<int>(found - names.begin());
}

} // namespace

std::string_view statusName(FindingStatus status) {
  return kStatusNames.at(static_cast<size_t>(status));
}

FindingStatus statusFromName(std::string_view name) {
  return static_cast<FindingStatus>(positionOfName(kStatusNames, name, "status of a finding"));
}

std::string_view stateName(CampaignState state) {
  return kStateNames.at(static_cast<size_t>(state));
}

CampaignState stateFromName(std::string_view name) {
  return static_cast<CampaignState>(positionOfName(kStateNames, name, "state of a campaign"));
}

std::string_view kindName(SightingKind kind) {
  return kKindNames.at(static_cast<size_t>(kind));
}

SightingKind kindFromName(std::string_view name) {
  return static_cast<SightingKind>(positionOfName(kKindNames, name, "kind of sighting"));
}

std::string timeText(std::chrono::system_clock::time_point time) {
  using std::chrono::duration_cast, std::chrono::milliseconds;
  const int64_t since = duration_cast<milliseconds>(time.time_since_epoch()).count();
  const std::time_t seconds = since / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, since % 1000);
}

std::string timeNow() {
  return timeText(std::chrono::system_clock::now());
}

std::string newCampaignId() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

} // namespace touchstone::store
