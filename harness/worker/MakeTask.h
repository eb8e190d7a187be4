#pragma once

#include "harness/worker/CaseSource.h"

namespace touchstone::worker {

struct Job;
struct JobResult;

/// The Case is only read or generated.
struct MakeTask {
  static constexpr const char* kName = "make";
  static constexpr bool kNeedsBackend = false;
  using Result = CatalogueUses;

  bool wantUses = false; // say what each statement uses of the catalogue
  bool operator==(const MakeTask&) const = default;
};
void to_json(nlohmann::json& object, const MakeTask& task);
void from_json(const nlohmann::json& object, MakeTask& task);
void to_json(nlohmann::json& object, const CatalogueUses& uses);
void from_json(const nlohmann::json& object, CatalogueUses& uses);

void runTask(const MakeTask& task, const Job& job, const Profile& profile, JobResult& result);

} // namespace touchstone::worker
