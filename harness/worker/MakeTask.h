#pragma once

#include "harness/worker/CaseSource.h"

namespace touchstone::worker {

/// The Case is only read or generated.
struct MakeTask {
  static constexpr const char* kName = "make";
  static constexpr bool kNeedsBackend = false;
  using Result = CatalogueUses;

  bool wantUses = false; // say what each statement uses of the catalogue
  bool operator==(const MakeTask&) const = default;
};
TOUCHSTONE_TRAVELS(MakeTask);
TOUCHSTONE_TRAVELS(CatalogueUses);

void runTask(const MakeTask& task, const Job& job, const Profile& profile, JobResult& result);

} // namespace touchstone::worker
