#include "harness/store/StoredRows.h"

#include "base/ExitStatus.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iterator>
#include <random>
#include <span>

namespace touchstone::store {

namespace {

// By enumerator.
constexpr std::string_view kStatuses[] = {"new", "open", "known", "flaky", "fixed"};
constexpr std::string_view kStates[] = {"running", "finished", "interrupted", "killed", "unknown"};
constexpr std::string_view kKinds[] = {"new", "again", "regression", "suppressed"};
static_assert(std::size(kStatuses) == kFindingStatusCount);

/// The store holds no other names unless somebody else wrote it.
template <class Enum>
void read(std::span<const std::string_view> names, std::string_view name, const char* what, Enum& value) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw base::WrongUse(fmt::format("`{}` is no {}: these are {}.", name, what, fmt::join(names, ", ")));
  }
  value = static_cast<Enum>(found - names.begin());
}

} // namespace

std::string_view nameOf(FindingStatus status) {
  return kStatuses[static_cast<size_t>(status)];
}

std::string_view nameOf(CampaignState state) {
  return kStates[static_cast<size_t>(state)];
}

std::string_view nameOf(SightingKind kind) {
  return kKinds[static_cast<size_t>(kind)];
}

void readName(std::string_view name, FindingStatus& status) {
  read(kStatuses, name, "status of a finding", status);
}

void readName(std::string_view name, CampaignState& state) {
  read(kStates, name, "state of a campaign", state);
}

void readName(std::string_view name, SightingKind& kind) {
  read(kKinds, name, "kind of sighting", kind);
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
