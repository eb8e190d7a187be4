#pragma once

#include "base/ExitStatus.h"
#include "harness/baseline/Retest.h"
#include "harness/store/FindingDatabase.h"

#include <filesystem>
#include <map>
#include <optional>

namespace touchstone::baseline {

/// Writes results into the stores that lie in the folders of the findings' files, where there is one that has the finding: fixed,
/// flaky, or open again; what is known stays so while it is still there. What was run under another backend, or not judged, is
/// not told. A store is opened once; one that cannot be used or written is told of once on standard error, and left alone from
/// then on.
class RetestRecorder {
 public:
  void record(const RetestResult& result);
  /// What the command ends with, which would else end with `status`: some result could not be recorded.
  base::ExitStatus statusAfter(base::ExitStatus status) const;

 private:
  using Stores = std::map<std::filesystem::path, std::optional<store::FindingDatabase>>;
  void giveUp(const std::filesystem::path& folder, const std::string& why, base::ExitStatus status);

  Stores stores_; // by folder; none: there is none, or it was given up
  std::optional<base::ExitStatus> failure_;
};

} // namespace touchstone::baseline
