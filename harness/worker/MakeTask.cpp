#include "harness/worker/MakeTask.h"

#include "harness/worker/Job.h"
#include "harness/worker/JsonFields.h"
#include "harness/worker/Progress.h"
#include "program/standalone/CaseFile.h"

namespace touchstone::worker {

TOUCHSTONE_JSON_FIELDS(MakeTask, wantUses)
TOUCHSTONE_JSON_FIELDS(CatalogueUses, operators, overloads)

void runTask(const MakeTask& task, const Job& job, const Profile& profile, JobResult& result) {
  CatalogueUses uses;
  const std::optional<language::Case> theCase =
      makeCase(job.source, profile, result.making, task.wantUses ? &uses : nullptr);
  if (!theCase) {
    return;
  }
  result.facts = factsOf(*theCase);
  result.answer = std::move(uses);
  if (job.wantCase) {
    currentProgress().enter("print");
    result.caseText = standalone::printCase(*theCase);
  }
}

} // namespace touchstone::worker
