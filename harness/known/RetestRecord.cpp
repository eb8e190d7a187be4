#include "harness/known/RetestRecord.h"

#include "harness/Report.h"
#include "harness/store/FindingDatabase.h"
#include "harness/store/StoreSchema.h"

#include <filesystem>
#include <optional>

namespace touchstone::harness {

namespace {

std::optional<FindingStatus> statusAfter(RetestStatus status, FindingStatus before) {
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

void recordRetest(const RetestResult& result) {
  if (result.cluster.empty() || result.file.empty()) {
    return;
  }
  const std::filesystem::path folder = std::filesystem::absolute(result.file).parent_path();
  if (!std::filesystem::exists(storeFile(folder))) {
    return;
  }
  FindingDatabase store(storeFile(folder));
  const std::optional<StoredFinding> finding = store.finding(result.cluster);
  if (!finding.has_value() || finding->backend != result.backend) {
    return;
  }
  if (const auto after = statusAfter(result.status, finding->status)) {
    store.recordRetest(result.cluster, result.found, *after, timeNow(), torchVersion());
  }
}

} // namespace touchstone::harness
