#include "harness/baseline/RetestRecord.h"

#include "harness/report/Report.h"
#include "harness/store/StoreSchema.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace touchstone::baseline {

namespace {

std::optional<store::FindingStatus> statusOf(RetestStatus status, store::FindingStatus before) {
  switch (status) {
    case RetestStatus::kStillThere:
      return before == store::FindingStatus::kKnown ? store::FindingStatus::kKnown : store::FindingStatus::kOpen;
    case RetestStatus::kChanged: return store::FindingStatus::kOpen;
    case RetestStatus::kFixed: return store::FindingStatus::kFixed;
    case RetestStatus::kFlaky: return store::FindingStatus::kFlaky;
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
    std::optional<store::FindingDatabase>& store = place->second;
    if (isNew && std::filesystem::exists(store::storeFile(folder))) {
      store.emplace(store::storeFile(folder));
    }
    const std::optional<store::StoredFinding> finding =
        store.has_value() ? store->finding(result.cluster) : std::nullopt;
    if (!finding.has_value() || finding->symptom.backend != result.backend) {
      return;
    }
    if (const auto after = statusOf(result.status, finding->status)) {
      store->recordRetest(result.cluster, result.found, *after, store::timeNow(), report::torchVersion());
    }
  } catch (const store::StoreError& error) {
    giveUp(folder, error.what(), base::ExitStatus::kFailed);
  } catch (const base::WrongUse& error) { // a store of another version, or damaged
    giveUp(folder, error.what(), base::ExitStatus::kWrongUse);
  }
}

base::ExitStatus RetestRecorder::statusAfter(base::ExitStatus status) const {
  return status == base::ExitStatus::kInterrupted ? status : failure_.value_or(status);
}

void RetestRecorder::giveUp(const std::filesystem::path& folder, const std::string& why, base::ExitStatus status) {
  fmt::print(stderr, "What became of the findings in `{}` is not recorded: {}\n", folder.string(), why);
  stores_[folder].reset();
  failure_ = failure_ == base::ExitStatus::kFailed ? failure_ : status;
}

} // namespace touchstone::baseline
