#include "harness/baseline/RetestRecord.h"

#include "harness/report/Report.h"
#include "harness/store/StoreSchema.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace touchstone::harness {

namespace {

std::optional<FindingStatus> statusOf(RetestStatus status, FindingStatus before) {
  switch (status) {
    case RetestStatus::kStillThere:
      return before == FindingStatus::kKnown ? FindingStatus::kKnown : FindingStatus::kOpen;
    case RetestStatus::kChanged: return FindingStatus::kOpen;
    case RetestStatus::kFixed: return FindingStatus::kFixed;
    case RetestStatus::kFlaky: return FindingStatus::kFlaky;
    case RetestStatus::kNotJudged:
    case RetestStatus::kNoCase: break;
  }
  return std::nullopt;
}

} // namespace

void RetestRecorder::record(const RetestResult& result) {
  if (result.cluster.empty() || result.file.empty()) {
    return;
  }
  const std::filesystem::path folder = std::filesystem::absolute(result.file).lexically_normal().parent_path();
  try {
    const auto [place, isNew] = stores_.try_emplace(folder);
    std::optional<FindingDatabase>& store = place->second;
    if (isNew && std::filesystem::exists(storeFile(folder))) {
      store.emplace(storeFile(folder));
    }
    const std::optional<StoredFinding> finding = store.has_value() ? store->finding(result.cluster) : std::nullopt;
    if (!finding.has_value() || finding->backend != result.backend) {
      return;
    }
    if (const auto after = statusOf(result.status, finding->status)) {
      store->recordRetest(result.cluster, result.found, *after, timeNow(), torchVersion());
    }
  } catch (const StoreError& error) {
    giveUp(folder, error.what(), ExitStatus::kFailed);
  } catch (const WrongUse& error) { // a store of another version, or damaged
    giveUp(folder, error.what(), ExitStatus::kWrongUse);
  }
}

ExitStatus RetestRecorder::statusAfter(ExitStatus status) const {
  return status == ExitStatus::kInterrupted ? status : failure_.value_or(status);
}

void RetestRecorder::giveUp(const std::filesystem::path& folder, const std::string& why, ExitStatus status) {
  fmt::print(stderr, "What became of the findings in `{}` is not recorded: {}\n", folder.string(), why);
  stores_[folder].reset();
  failure_ = failure_ == ExitStatus::kFailed ? failure_ : status;
}

} // namespace touchstone::harness
